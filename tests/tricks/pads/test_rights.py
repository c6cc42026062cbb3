"""Who may do what with a pad: the table."""

import pytest
from django.utils import timezone

from ouroboros_site.accounts.models import User
from tests.ouroboros_site.play.helpers import Browser, guest
from tricks.pads.models import Line

from .helpers import address, new_pad, points, send

WHO = ("owner", "another", "guest", "nobody", "suspended")
# What each of them gets with the link of a pad on which the owner writes alone, and of one on
# which everybody with the link may write.
TABLE = """
GET       200 200 200 200 200   200 200 200 200 200
board     200 200 200 200 200   200 200 200 200 200
sheet/    200 200 200 200 200   200 200 200 200 200
sheet.csv 200 200 200 200 200   200 200 200 200 200
1/0/      302 403 403 403 403   302 302 302 302 403
1/start   302 403 403 403 403   302 302 302 302 403
share     302 403 403 403 403   302 403 403 403 403
delete    302 403 403 403 403   302 403 403 403 403
"""
FORMS = {
    "1/0/": {"how": "type", "points": "5"},
    "1/start": {"player": "1"},
    "share": {"shared": "1"},
    "delete": {},
}


@pytest.fixture
def people(db):
    ada = User.objects.create_user("Ada")
    people = {
        "owner": ada,
        "another": User.objects.create_user("Bob"),
        "guest": guest(),
        "nobody": None,
        "suspended": User.objects.create_user("Eve", suspended=timezone.now()),
    }
    return ada, {who: Browser(user) for who, user in people.items()}


def ask(browser, pad, what):
    if what in FORMS:
        return send(browser, pad, what, **FORMS[what])
    return browser.look(address(pad, "" if what == "GET" else what))


@pytest.mark.parametrize("row", TABLE.strip().splitlines(), ids=lambda row: row.split()[0])
def test_the_table(people, row):
    ada, browsers = people
    what, *cells = row.split()
    found = [
        str(ask(browsers[who], new_pad(ada, shared=shared), what).status_code)
        for shared in (False, True)
        for who in WHO
    ]
    assert found == cells


@pytest.mark.parametrize("row", TABLE.strip().splitlines(), ids=lambda row: row.split()[0])
def test_without_the_link_there_is_nothing(people, row):
    ada, browsers = people
    pad = new_pad(ada)
    pad.key = "x" * 22
    for who in WHO:
        assert ask(browsers[who], pad, row.split()[0]).status_code == 404


def test_who_may_only_look_changes_nothing(people):
    ada, browsers = people
    pad = new_pad(ada)
    for what in FORMS:
        ask(browsers["another"], pad, what)
    pad.refresh_from_db()
    assert Line.objects.count() == 0 and points(pad)[0] == [None] * 3 and not pad.shared


def test_who_may_only_look_gets_no_forms(people):
    ada, browsers = people
    pad = new_pad(ada)
    page = browsers["another"].look(address(pad)).content.decode()
    for what in ("/1/0/", "/start", "/share", "/delete", "<dialog"):
        assert what not in page
    assert browsers["another"].look(address(pad, "1/0/"))["Location"] == address(pad)


def test_the_list_shows_ones_own_pads_only(people):
    ada, browsers = people
    pad = new_pad(ada)
    assert pad.key in browsers["owner"].look("/pads/").content.decode()
    for who in ("another", "guest", "nobody"):
        assert pad.key not in browsers[who].look("/pads/").content.decode()


def test_no_form_is_taken_from_another_site(people):
    ada, browsers = people
    pad = new_pad(ada)
    answer = browsers["owner"].post(address(pad, "1/0/"), {"how": "type", "points": "5"})
    assert answer.status_code == 403 and Line.objects.count() == 0
