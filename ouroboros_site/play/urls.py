"""Addresses of every game: its rules, its tables, and what is sent from a table."""

from django.urls import path

from . import replay_views, rooms, tally_views, views, watch

urlpatterns = [
    path("", views.home, name="home"),
    path("games/<int:game_id>/", replay_views.game, name="game"),
    path("games/<int:game_id>/replay/", replay_views.replay, name="replay"),
    path("games/<int:game_id>/record.json", replay_views.record_file, name="record"),
    path("games/<int:game_id>/tally/", tally_views.tally, name="tally"),
    path("games/<int:game_id>/tally.csv", tally_views.tally_file, name="tally_file"),
    path("tables/", rooms.lobby, name="tables"),
    path("join/<slug:key>/", rooms.join, name="join"),
    path("seat/<slug:code>/", rooms.take_over, name="take_over"),
    path("watch/<slug:key>/", watch.watch, name="watch"),
    path("replay/", replay_views.replay_record, name="replay_record"),
    path("verify/", replay_views.verify_deal, name="verify_deal"),
    path("<slug:slug>/rules/", views.rules, name="rules"),
    path("<slug:slug>/new/", views.new_table, name="new"),
    path("<slug:slug>/start", views.start, name="start"),
    path("<slug:slug>/<int:game_id>/", views.show, name="table"),
    path("<slug:slug>/<int:game_id>/room", rooms.room, name="room"),
    path("<slug:slug>/<int:game_id>/wait", rooms.wait, name="wait"),
    path("<slug:slug>/<int:game_id>/fill", rooms.fill, name="fill"),
    path("<slug:slug>/<int:game_id>/remove", rooms.remove, name="remove"),
    path("<slug:slug>/<int:game_id>/leave", rooms.leave, name="leave"),
    path("<slug:slug>/<int:game_id>/hand-over", rooms.hand_over, name="hand_over"),
    path("<slug:slug>/<int:game_id>/move", views.move, name="move"),
    path("<slug:slug>/<int:game_id>/preview", views.preview, name="preview"),
    path("<slug:slug>/<int:game_id>/undo", views.undo, name="undo"),
    path("<slug:slug>/<int:game_id>/redo", views.redo, name="redo"),
    path("<slug:slug>/<int:game_id>/retire", views.retire, name="retire"),
    path("<slug:slug>/<int:game_id>/advance", views.advance, name="advance"),
    path("<slug:slug>/<int:game_id>/pace", views.pace, name="pace"),
    path("<slug:slug>/<int:game_id>/here", views.here, name="here"),
    path("<slug:slug>/<int:game_id>/back", views.back, name="back"),
    path("<slug:slug>/<int:game_id>/vote", views.vote, name="vote"),
    path("<slug:slug>/<int:game_id>/say", views.say, name="say"),
    path("<slug:slug>/<int:game_id>/mute", views.mute, name="mute"),
    path("<slug:slug>/<int:game_id>/rematch", views.rematch, name="rematch"),
]
