"""Addresses that belong to the visitor rather than to a game."""

from django.urls import path

from . import views

urlpatterns = [path("look", views.look, name="look")]
