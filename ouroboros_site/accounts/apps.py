"""The app of users: guests and named accounts."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Users of the site."""

    name = "ouroboros_site.accounts"
