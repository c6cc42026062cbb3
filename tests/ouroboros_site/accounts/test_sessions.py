"""Who a browser is remembered as."""

import pytest
from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpResponse
from django.test import RequestFactory

from ouroboros_site.accounts.models import User
from ouroboros_site.accounts.sessions import remember

pytestmark = pytest.mark.django_db


@pytest.fixture
def request_():
    """A request as it reaches a view, of a browser that was never here."""
    request = RequestFactory().post("/")
    for middleware in (SessionMiddleware, AuthenticationMiddleware):
        middleware(lambda request: HttpResponse()).process_request(request)
    return request


def test_a_visitor_is_remembered_as_the_guest(request_):
    guest = User.objects.create_guest()
    remember(request_, guest)
    assert request_.user == guest and get_user(request_) == guest


def test_the_session_key_is_a_new_one(request_):
    request_.session["before"] = True
    request_.session.save()
    old = request_.session.session_key
    remember(request_, User.objects.create_guest())
    assert request_.session.session_key != old


def test_the_same_user_again_leaves_the_session_alone(request_):
    guest = User.objects.create_guest()
    remember(request_, guest)
    request_.session.save()
    key = request_.session.session_key
    request_.session.modified = False
    remember(request_, guest)
    assert request_.session.session_key == key and not request_.session.modified


def test_someone_else_gets_nothing_of_the_session(request_):
    first = User.objects.create_guest()
    remember(request_, first)
    request_.session["mine"] = True
    remember(request_, User.objects.create_guest())
    assert "mine" not in request_.session and get_user(request_) != first
