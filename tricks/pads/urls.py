"""Addresses of scorepads; the key of a pad is the right to look at it."""

from django.urls import path

from . import views

urlpatterns = [
    path("", views.pads, name="pads"),
    path("new/", views.new_pad, name="new_pad"),
    path("sw.js", views.worker, name="pad_worker"),
    path("<slug:key>/", views.show, name="pad"),
    path("<slug:key>/board", views.board, name="pad_board"),
    path("<slug:key>/<int:round>/<int:player>/", views.cell, name="pad_cell"),
    path("<slug:key>/<int:round>/start", views.start, name="pad_start"),
    path("<slug:key>/sheet/", views.sheet, name="pad_sheet"),
    path("<slug:key>/sheet.csv", views.sheet_file, name="pad_file"),
    path("<slug:key>/share", views.share, name="pad_share"),
    path("<slug:key>/delete", views.delete, name="pad_delete"),
]
