"""Addresses that belong to the visitor rather than to a game."""

from django.urls import path

from . import views

urlpatterns = [
    path("look", views.look, name="look"),
    path("account/", views.account, name="account"),
    path("account/sign-up", views.sign_up, name="sign_up"),
    path("account/log-in", views.log_in, name="log_in"),
    path("account/log-out", views.log_out, name="log_out"),
    path("account/log-out-everywhere", views.log_out_everywhere, name="log_out_everywhere"),
    path("account/name", views.change_name, name="change_name"),
    path("account/e-mail", views.change_email, name="change_email"),
    path("account/password", views.change_password, name="change_password"),
    path("account/delete", views.delete_account, name="delete_account"),
    path("account/export.json", views.export, name="export"),
    path("account/reset", views.password_reset, name="password_reset"),
    path("account/reset/sent", views.password_reset_done, name="password_reset_done"),
    path("account/reset/done", views.password_reset_complete, name="password_reset_complete"),
    path(
        "account/reset/<uidb64>/<token>/",
        views.password_reset_confirm,
        name="password_reset_confirm",
    ),
]
