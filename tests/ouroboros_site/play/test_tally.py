"""The tally of a game: its page and its file, and who may see them when."""

import csv
import re
from io import StringIO
from random import Random
from typing import Any

import pytest

from ouroboros_site.accounts.models import User
from ouroboros_site.accounts.services import delete_account
from ouroboros_site.play.models import Game

from ..leaderboards.pages import at_most, tables_of
from ..staff import reviewer
from .helpers import Browser, finish, guest, new_game, page_of, submit
from .played import play_out, played
from .shared import new_table, some_move, until_mine

pytestmark = pytest.mark.django_db


def page_at(game: Game) -> str:
    return f"/games/{game.pk}/tally/"


def file_at(game: Game) -> str:
    return f"/games/{game.pk}/tally.csv"


def lines(response: Any) -> list[list[str]]:
    """The lines of the file."""
    assert response.status_code == 200 and response.streaming
    assert response["Content-Type"].startswith("text/csv; charset=utf-8")
    return list(csv.reader(StringIO(b"".join(response).decode(), newline="")))


def names(game: Game) -> list[str]:
    seats = game.seats.select_related("user").order_by("index")
    return [seat.user.display_name if seat.user else seat.name for seat in seats]


class TestPage:
    def test_a_row_for_each_round_and_a_column_for_each_player(self, ada):
        game = play_out("ochs-esel", ada)
        head, *rows = tables_of(Browser().look(page_at(game))).tables[0]
        assert head[: len(names(game)) + 1] == ["Round", *names(game)]
        *rounds, sums = rows
        assert [row[0] for row in rounds] == ["1", "2"]
        for row, tally in zip(rounds, game.tallies, strict=True):
            shown = [int(cell.split()[0]) for cell in row[1:4]]
            assert shown == tally["points"]
            holder = tally["donkey"]
            assert row[5] == ("–" if holder is None else names(game)[holder])
        started = [game.tallies[0]["started"], game.tallies[0]["starts"]]
        assert [row[4] for row in rounds] == [names(game)[seat] for seat in started]
        # Running totals, the last of which is the sum.
        for seat, total in enumerate(game.result["scores"]):
            assert rounds[-1][1 + seat].endswith(f"Σ {total}") and sums[1 + seat] == str(total)
        winner = names(game)[game.result["winners"][0]]
        words = page_of(Browser().look(page_at(game))).words
        assert f"UTC Winner: {winner} " in words
        assert words.count("Winner") == 1 and sums[-1] == ""

    def test_equals_share_the_win(self, ada):
        game = play_out("ochs-esel", ada)
        equal = [[0, 9, 0] for _tally in game.tallies]
        for tally, points in zip(game.tallies, equal, strict=True):
            tally["points"] = points
        game.state |= {"tallies": equal, "totals": [0, 9 * len(equal), 0], "winners": [0, 2]}
        game.result["winners"] = [0, 2]
        game.save()
        first, _other, last = names(game)
        words = page_of(Browser().look(page_at(game))).words
        assert f"UTC Winners: {first} , {last} " in words and words.count("Winner") == 1
        *_rounds, sums = tables_of(Browser(ada).look(f"/ochs-esel/{game.pk}/")).tables[-1]
        assert sums[-1] == f"Winners: You , {last}"

    def test_the_ways_from_it(self, ada):
        game = played("ochs-esel", ada)
        for browser, sits in ((Browser(ada), True), (Browser(), False)):
            links = page_of(browser.look(page_at(game))).links()
            assert {file_at(game), f"/games/{game.pk}/replay/", "/people/Ada/"} <= set(links)
            assert (f"/ochs-esel/{game.pk}/" in links) == sits

    def test_the_ways_to_it(self, ada):
        game = played("ochs-esel", ada)
        links = page_of(Browser().look(f"/games/{game.pk}/replay/")).links()
        assert page_at(game) in links
        for other in (played("trick", ada), finish(new_game("laws", ada), ada)):
            page = page_of(Browser().look(f"/games/{other.pk}/replay/"))
            assert page_at(other) not in page.links()

    def test_of_a_game_that_goes_on(self, ada):
        game = new_table("ochs-esel", ada, options={"rounds": 20})
        browser = Browser(ada)
        page = page_of(browser.look(page_at(game)))
        assert "No round of this game is finished yet" in page.words and "goes on" in page.words
        assert not page.all("table") and file_at(game) not in page.links()
        assert f"/games/{game.pk}/replay/" not in page.links()
        random = Random(3)
        while not Game.objects.get(pk=game.pk).tallies:
            submit(until_mine(game, ada), ada, *some_move(game, random))
        game.refresh_from_db()
        html = browser.look(page_at(game)).content.decode()
        assert len(tables_of(browser.look(page_at(game))).tables[0]) == 1 + len(game.tallies) + 1
        assert "Winner:" not in html
        assert game.seed not in html

    def test_of_a_table_that_was_left(self, ada):
        game = played("ochs-esel", ada, moves=30, left=True)
        page = page_of(Browser(ada).look(page_at(game)))
        assert "left before its end" in page.words and "nobody has won" in page.words
        empty = finish(new_table("ochs-esel", ada), ada)
        words = page_of(Browser(ada).look(page_at(empty))).words
        assert "No round of this game was finished" in words

    def test_at_the_table_the_sum_says_who_won(self, ada):
        game = play_out("ochs-esel", ada)
        head, *_rounds, sums = tables_of(Browser(ada).look(f"/ochs-esel/{game.pk}/")).tables[-1]
        assert len(game.result["winners"]) == 1
        assert head[0] == "Round" and sums[-1].startswith("Winner:")

    @pytest.mark.parametrize("ox", [True, False])
    def test_the_ox_is_in_the_heading(self, ada, ox):
        game = played("ochs-esel", ada, options={"rounds": 1, "ox": ox})
        words = page_of(Browser().look(page_at(game))).words
        assert ("Tally Ochs & Esel with the ox 3 players" in words) == ox

    @pytest.mark.parametrize("ox", [True, False])
    def test_the_ox_has_a_column_where_it_is_in_the_game(self, ada, ox):
        game = played("ochs-esel", ada, options={"rounds": 1, "ox": ox})
        head = tables_of(Browser().look(page_at(game))).tables[0][0]
        assert ("Ox at the end" in head) == ox

    def test_ten_players_and_twenty_rounds(self, ada):
        game = played("ochs-esel", ada, players=10, options={"rounds": 20, "ox": False})
        head, *rows = tables_of(Browser().look(page_at(game))).tables[0]
        assert len(rows) == 21 and len(head) == 1 + 10 + 2

    def test_prints_without_what_belongs_to_the_screen(self, ada, settings):
        css = (settings.BASE_DIR / "static" / "css" / "pages.css").read_text()
        printed = css[css.index("@media print") :]
        for part in (".bar", ".skip", ".ways"):
            assert part in printed

    def test_few_queries(self, ada):
        game = played("ochs-esel", ada)
        for browser in (Browser(ada), Browser(), Browser(guest())):
            for path in (page_at(game), file_at(game)):
                with at_most(6):
                    response = browser.look(path)
                    assert response.status_code == 200 and b"".join(response)


class TestFile:
    def test_holds_the_same(self, ada):
        game = play_out("ochs-esel", ada)
        response = Browser().look(file_at(game))
        assert response["Content-Disposition"] == (
            f'attachment; filename="ochs-esel-{game.pk}.csv"'
        )
        head, *rows = lines(response)
        who = names(game)
        laid, totals = [f"{name} (laid)" for name in who], [f"{name} (total)" for name in who]
        assert head == ["round", "started", "donkey", "ox", *who, *laid, *totals]
        *rounds, won = rows
        assert [row[0] for row in rounds] == ["1", "2"]
        sums = [0, 0, 0]
        for row, tally in zip(rounds, game.tallies, strict=True):
            sums = [total + points for total, points in zip(sums, tally["points"], strict=True)]
            assert [int(cell) for cell in row[4:]] == [*tally["points"], *tally["laid"], *sums]
        assert sums == game.result["scores"]
        winners = game.result["winners"]
        assert won[0] == "won"
        assert won[4:7] == ["yes" if seat in winners else "no" for seat in range(3)]

    def test_of_a_game_that_goes_on_has_no_winner(self, ada):
        game = new_table("ochs-esel", ada)
        assert [row[0] for row in lines(Browser(ada).look(file_at(game)))] == ["round"]

    @pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
    def test_no_name_is_taken_for_a_formula(self, ada, name):
        game = played("ochs-esel", ada)
        User.objects.filter(pk=ada.pk).update(username=name)
        game.seats.filter(index=1).update(name=f"{name}!")
        text = b"".join(Browser().look(file_at(game))).decode()
        assert name in text
        for row in csv.reader(StringIO(text, newline="")):
            for cell in row:
                assert not re.match(r"[=+\-@\t\r]", cell), cell

    @pytest.mark.parametrize("name", ["Zoë", "Олег", "नमस्ते", "小明明", 'A"b, c'])
    def test_names_in_any_script(self, ada, name):
        game = played("ochs-esel", ada)
        User.objects.filter(pk=ada.pk).update(username=name)
        assert lines(Browser().look(file_at(game)))[0][4] == name

    def test_two_guests_are_told_apart(self, ada):
        game = played("ochs-esel", guest())
        game.seats.filter(index=1).update(user=guest(), bot="", name="")
        head = lines(Browser().look(file_at(game)))[0]
        assert head[4:6] == ["Guest 1", "Guest 2"]


class TestWho:
    @pytest.fixture(params=[page_at, file_at], ids=["page", "file"])
    def at(self, request):
        return request.param

    def statuses(self, path: str, *people: User | None) -> list[int]:
        return [Browser(user).look(path).status_code for user in people]

    def test_while_it_goes_on_those_at_the_table_and_reviewers(self, ada, at):
        game = new_table("ochs-esel", ada)
        bob = User.objects.create_user("Bob")
        people = (ada, bob, guest(), None, reviewer())
        assert self.statuses(at(game), *people) == [200, 403, 403, 403, 200]
        game.seats.filter(index=1).update(user=bob, bot="", name="")
        assert self.statuses(at(game), bob) == [200]

    def test_everybody_when_it_is_over(self, ada, at):
        game = played("ochs-esel", ada)
        bob = User.objects.create_user("Bob")
        assert self.statuses(at(game), ada, bob, guest(), None) == [200] * 4

    def test_reviewers_only_when_the_account_is_gone(self, ada, at):
        game = played("ochs-esel", ada)
        delete_account(ada)
        assert self.statuses(at(game), guest(), None, reviewer()) == [404, 404, 200]
        if at is page_at:
            assert "nobody any more" in page_of(Browser(reviewer("R2")).look(at(game))).words

    def test_nobody_where_no_tally_is_kept(self, ada, at):
        for game in (played("trick", ada), finish(new_game("laws", ada), ada)):
            response = Browser(ada).look(at(game))
            assert response.status_code == 404
            assert "No tally is kept of this game" in page_of(response).words

    @pytest.mark.parametrize("number", ["0", "999", "9" * 30])
    def test_nobody_where_there_is_no_game(self, number):
        for what in ("tally/", "tally.csv"):
            assert Browser().look(f"/games/{number}/{what}").status_code == 404

    def test_it_is_only_read(self, ada, at):
        assert Browser(ada).send(at(played("ochs-esel", ada))).status_code == 405
