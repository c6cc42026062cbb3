"""Addresses of boards, daily deals and profiles."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
