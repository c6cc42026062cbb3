"""Users: guests are rows of the same kind, that nobody can log in to with a password."""

import pytest
from django.contrib.auth import authenticate

from ouroboros_site.accounts.models import User

pytestmark = pytest.mark.django_db


def test_a_guest_is_a_user_without_a_password():
    guest = User.objects.create_guest()
    guest.refresh_from_db()
    assert guest.is_guest and guest.is_active
    assert not (guest.is_staff or guest.is_superuser)
    assert not guest.has_usable_password()
    assert authenticate(username=guest.username, password=guest.password) is None


def test_guests_are_told_apart_and_cannot_be_guessed():
    names = {User.objects.create_guest().username for _ in range(20)}
    assert len(names) == 20
    assert all(len(name) >= len("guest-") + 16 for name in names)


def test_pages_show_no_made_up_names():
    assert User.objects.create_guest().display_name == "Guest"
    assert User.objects.create_user("Ada").display_name == "Ada"


def test_named_accounts_are_no_guests():
    assert not User.objects.create_user("Ada").is_guest
    assert not User.objects.create_superuser("root").is_guest
