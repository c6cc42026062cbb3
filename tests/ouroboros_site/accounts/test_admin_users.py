"""The admin of people: guests apart, names, rights, suspending, and the CSV file."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Permission

from ouroboros_site.accounts import services
from ouroboros_site.accounts.models import User
from ouroboros_site.play.services import Refused, start_game

from ..play.helpers import Browser, finish, guest, new_game
from ..staff import (
    GAMES,
    SCORES,
    USERS,
    act,
    logged,
    numbers,
    page,
    reviewer,
    root,
    staff,
    table_of,
    told,
)

pytestmark = pytest.mark.django_db

KEEPER = ("accounts.view_user", "accounts.change_user", "accounts.add_user")


@pytest.fixture
def ada(db) -> User:
    return User.objects.create_user("Ada", email="ada@example.org")


@pytest.fixture
def boss(db) -> Browser:
    return Browser(root())


@pytest.fixture
def keeper(db) -> Browser:
    """Staff who look after accounts and are no superuser."""
    return Browser(staff("Kit", *KEEPER))


def change(user: User) -> str:
    return f"{USERS}{user.pk}/change/"


def save(browser: Browser, user: User, **fields: str):
    """Send the form of an account with some of its fields changed."""
    whole = {"username": user.username, "email": user.email, "is_active": "on", "_save": "Save"}
    return browser.send(change(user), **{**whole, **fields})


class TestList:
    def test_guests_are_apart(self, ada, boss):
        lost = guest()
        everyone = set(User.objects.values_list("pk", flat=True))
        assert set(numbers(boss.look(USERS))) == everyone - {lost.pk}
        assert numbers(boss.look(USERS + "?who=guests")) == [lost.pk]
        assert set(numbers(boss.look(USERS + "?who=all"))) == everyone
        words = page(boss.look(USERS + "?who=guests")).words
        assert "Guest" in words and "guest-" not in words

    def test_filters_and_search(self, ada, boss):
        bob = User.objects.create_user("Bob")
        services.suspend_user(user=bob, reason="Rude.")
        sue = staff("Sue")
        found = {
            "suspended=yes": [bob],
            "suspended=no&staff=no": [ada],
            "staff=yes&q=su": [sue],
            "q=ad": [ada],
            "q=ADA%40example.org": [ada],
            "q=example.org": [],
            f"q={ada.pk}": [ada],
            "q=" + "9" * 40: [],
            "who=guests&q=ada": [],
        }
        for query, people in found.items():
            assert numbers(boss.look(f"{USERS}?{query}")) == [user.pk for user in people], query

    @pytest.mark.parametrize("slug", ["laws", "market"])
    def test_links_to_a_persons_games_and_scores(self, ada, boss, slug):
        game = finish(new_game(slug, ada), ada)
        new_game(slug, guest())
        shown = page(boss.look(change(ada)))
        for path in (GAMES, SCORES):
            link = f"{path}?player=%23{ada.pk}"
            assert link in shown.links()
            assert numbers(boss.look(link)) == [game.pk]

    def test_links_to_a_guests_games_too(self, boss):
        lost = guest()
        game = new_game("laws", lost)
        link = f"{GAMES}?player=%23{lost.pk}"
        assert link in page(boss.look(change(lost))).links()
        assert numbers(boss.look(link)) == [game.pk]


class TestNames:
    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("Al", "3 to 20 characters"),
            ("x" * 21, "3 to 20 characters"),
            ("Ada Lovelace", "made of letters"),
            ("moderator", "kept for the site"),
            ("BOB", "is taken"),
            ("b0b", "is taken"),
        ],
    )
    def test_are_checked(self, ada, boss, name, words):
        User.objects.create_user("Bob")
        assert words in page(save(boss, ada, username=name)).words
        assert User.objects.get(pk=ada.pk).username == "Ada"
        response = boss.send(
            USERS + "add/",
            username=name,
            usable_password="true",
            password1="x9 snakes",
            password2="x9 snakes",
        )
        assert words in page(response).words
        assert User.objects.count() == 3

    @pytest.mark.parametrize("name", ["Grace", "ADA", "Ada2", "Åda", "Ａda3"])
    def test_that_are_free_are_taken(self, ada, boss, name):
        assert save(boss, ada, username=name).status_code == 302
        user = User.objects.get(pk=ada.pk)
        assert user.username == name.replace("Ａ", "A") and user.name_key

    def test_older_than_the_rules_may_stay(self, boss):
        old = User.objects.create_user("Al")
        assert save(boss, old, email="al@example.org").status_code == 302
        assert User.objects.get(pk=old.pk).email == "al@example.org"

    def test_of_a_new_account(self, boss):
        response = boss.send(
            USERS + "add/",
            username="Grace",
            usable_password="true",
            password1="x9 snakes",
            password2="x9 snakes",
        )
        assert response.status_code == 302
        grace = User.objects.get_by_natural_key("grace")
        assert not grace.is_guest and grace.check_password("x9 snakes")


class TestRights:
    def test_only_superusers_give_rights(self, ada, boss, keeper):
        shown = page(keeper.look(change(ada)))
        assert shown.all("input", name="email")
        for name in ("is_staff", "is_superuser", "is_active", "groups", "user_permissions"):
            assert not shown.all("input", name=name) and not shown.all("select", name=name)
        permission = str(Permission.objects.get(codename="strike_game").pk)
        assert (
            save(
                keeper,
                ada,
                email="a@example.org",
                is_staff="on",
                is_superuser="on",
                user_permissions=permission,
            ).status_code
            == 302
        )
        user = User.objects.get(pk=ada.pk)
        assert user.email == "a@example.org"
        assert not (user.is_staff or user.is_superuser or user.user_permissions.exists())
        assert save(boss, ada, is_staff="on").status_code == 302
        assert User.objects.get(pk=ada.pk).is_staff

    def test_only_superusers_change_staff(self, keeper):
        for user in (reviewer(), root(), User.objects.get(username="Kit")):
            assert page(keeper.look(change(user))).all("input", name="email") == []
            assert save(keeper, user, email="x@example.org").status_code == 403
            path = f"{USERS}{user.pk}/password/"
            assert keeper.look(path).status_code == 403
            words = {"password1": "x9 snakes", "password2": "x9 snakes"}
            assert keeper.send(path, **words, usable_password="true").status_code == 403
            assert User.objects.get(pk=user.pk).email == ""

    def test_guests_are_not_changed(self, boss):
        lost = guest()
        assert not page(boss.look(change(lost))).all("input", name="username")
        assert save(boss, lost, username="Found").status_code == 403
        assert boss.look(f"{USERS}{lost.pk}/password/").status_code == 403
        assert User.objects.get(pk=lost.pk).is_guest

    def test_nobody_is_deleted_here(self, ada, boss):
        assert boss.look(f"{USERS}{ada.pk}/delete/").status_code == 403
        assert boss.send(f"{USERS}{ada.pk}/delete/", post="yes").status_code == 403
        act(boss, USERS, "delete_selected", ada.pk, post="yes")
        assert User.objects.filter(pk=ada.pk).exists()

    def test_those_who_may_only_look_change_nothing(self, ada):
        browser = Browser(staff("Sue", "accounts.view_user"))
        assert page(browser.look(change(ada))).words.count("ada@example.org") == 1
        assert save(browser, ada, email="x@example.org").status_code == 403
        act(browser, USERS, "suspend", ada.pk, reason="Rude.")
        user = User.objects.get(pk=ada.pk)
        assert user.email == "ada@example.org" and not user.suspended

    def test_passwords_are_set(self, ada, keeper):
        path = f"{USERS}{ada.pk}/password/"
        page(keeper.look(path))
        words = {"password1": "x9 snakes", "password2": "x9 snakes"}
        assert keeper.send(path, **words, usable_password="true").status_code == 302
        assert User.objects.get(pk=ada.pk).check_password("x9 snakes")


@pytest.mark.parametrize("where", ["list", "page"])
class TestSuspend:
    def path(self, where: str, user: User) -> str:
        return USERS + "?who=all" if where == "list" else change(user)

    @pytest.mark.parametrize("slug", ["laws", "market"])
    @pytest.mark.parametrize("make", [lambda: User.objects.create_user("Bob"), guest])
    def test_keeps_from_playing_until_it_ends(self, boss, slug, where, make):
        user = make()
        path = self.path(where, user)
        form = page(act(boss, path, "suspend", user.pk))
        assert form.all("textarea", name="reason") and "download their data" in form.words
        assert User.objects.get(pk=user.pk).suspended is None
        response = act(boss, path, "suspend", user.pk, reason="Rude at the table.")
        assert "is suspended" in told(response)
        user = User.objects.get(pk=user.pk)
        assert user.suspended and user.suspension == "Rude at the table."
        with pytest.raises(Refused):
            start_game(user=user, slug=slug)
        assert logged()[0][2] == "Suspended: Rude at the table."
        assert "Rude at the table." in page(boss.look(change(user))).words

        assert "may play again" in told(act(boss, path, "unsuspend", user.pk))
        user = User.objects.get(pk=user.pk)
        assert (user.suspended, user.suspension) == (None, "")
        start_game(user=user, slug=slug)
        assert [entry[0] for entry in logged()] == ["Root", "Root"]
        assert logged()[1][2] == "Suspension ended"

    @pytest.mark.parametrize("reason", ["", " ", "x" * 301])
    def test_not_without_a_good_reason(self, ada, boss, where, reason):
        page(act(boss, self.path(where, ada), "suspend", ada.pk, reason=reason), 400)
        assert not User.objects.get(pk=ada.pk).suspended and not logged()

    def test_not_a_superuser_nor_oneself(self, boss, keeper, where):
        chief = User.objects.create_superuser("Chief")
        rey, kit = reviewer(), User.objects.get(username="Kit")
        own = User.objects.get(username="Root")
        for browser, user in ((boss, chief), (boss, own), (keeper, kit), (keeper, rey)):
            response = act(browser, self.path(where, user), "suspend", user.pk, reason="Rude.")
            assert "cannot be suspended" in told(response), user
            assert not User.objects.get(pk=user.pk).suspended
        assert not logged()
        act(boss, self.path(where, rey), "suspend", rey.pk, reason="Rude.")
        assert User.objects.get(pk=rey.pk).suspended

    def test_once_is_enough(self, ada, boss, where):
        services.suspend_user(user=ada, reason="Rude.")
        response = act(boss, self.path(where, ada), "suspend", ada.pk, reason="Again.")
        assert "Nobody was suspended" in told(response)
        assert User.objects.get(pk=ada.pk).suspension == "Rude."
        services.unsuspend_user(user=ada)
        response = act(boss, self.path(where, ada), "unsuspend", ada.pk)
        assert "Nobody there is suspended" in told(response) and not logged()

    @pytest.mark.parametrize("who", [reviewer, staff, lambda: None, guest])
    def test_not_by_others(self, ada, where, who):
        browser = Browser(who())
        for action in ("suspend", "unsuspend"):
            response = act(browser, self.path(where, ada), action, ada.pk, reason="Rude.")
            assert response.status_code in (302, 403)
        assert not User.objects.get(pk=ada.pk).suspended and not logged()


class TestSuspendSeveral:
    def test_at_once_but_for_those_who_cannot(self, ada, boss):
        bob, own = User.objects.create_user("Bob"), User.objects.get(username="Root")
        response = act(boss, USERS, "suspend", ada.pk, bob.pk, own.pk, reason="Rude.")
        assert "Root cannot be suspended" in told(response)
        suspended = User.objects.exclude(suspended=None)
        assert set(suspended.values_list("username", flat=True)) == {"Ada", "Bob"}


class TestExport:
    def test_has_named_accounts_and_their_numbers(self, ada, boss):
        at = datetime(2026, 7, 5, 12, tzinfo=UTC)
        finish(new_game("laws", ada), ada)
        new_game("market", ada)
        User.objects.filter(pk=ada.pk).update(date_joined=at, last_login=at, suspended=at)
        lost = guest()
        rows = table_of(boss.look(USERS + "export/"))
        assert [row["name"] for row in rows] == ["Ada", "Root"]
        (row,) = [row for row in rows if row["name"] == "Ada"]
        when = "2026-07-05T12:00:00+00:00"
        assert row == {
            "id": str(ada.pk),
            "name": "Ada",
            "email": "ada@example.org",
            "joined": when,
            "last_login": when,
            "guest": "no",
            "suspended": when,
            "games": "2",
            "scores": "1",
        }
        assert str(lost.pk) not in {row["id"] for row in rows}
        (row,) = table_of(boss.look(USERS + "export/?who=guests"))
        assert (row["id"], row["name"], row["guest"]) == (str(lost.pk), "Guest", "yes")

    def test_counts_scores(self, ada, boss):
        for slug in ("laws", "market"):
            game, _user = start_game(user=ada, slug=slug)
            finish(game, ada)
        new_game("laws", ada)
        (row,) = table_of(boss.look(USERS + "export/?q=ada"))
        assert (row["games"], row["scores"]) == ("3", "2")

    @pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
    def test_is_no_formula(self, ada, boss, start):
        User.objects.filter(pk=ada.pk).update(email=f'{start}cmd|"x"@example.org')
        (row,) = table_of(boss.look(USERS + "export/?q=ada"))
        assert row["email"] == f'\'{start}cmd|"x"@example.org'

    def test_is_linked_with_the_lists_filters(self, ada, boss):
        (link,) = [link for link in page(boss.look(USERS + "?q=ada")).links() if "/export/" in link]
        assert [row["name"] for row in table_of(boss.look(link))] == ["Ada"]

    def test_is_for_those_who_may_see_people(self, ada):
        for who in (reviewer(), staff(), staff("Sue", "play.view_game")):
            assert Browser(who).look(USERS + "export/").status_code == 403
        browser = Browser(staff("Vera", "accounts.view_user"))
        assert "Ada" in {row["name"] for row in table_of(browser.look(USERS + "export/"))}
