"""The admin of scores: the review queue, striking from there, and the CSV file."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards import services
from ouroboros_site.leaderboards.models import Best, Decision, Score

from ..play.helpers import Browser, guest
from ..staff import GAMES, SCORES, act, logged, numbers, page, reviewer, root, staff, table_of, told
from .helpers import NOON, finished, named, on_board

pytestmark = pytest.mark.django_db


@pytest.fixture
def rey(db) -> Browser:
    return Browser(reviewer())


@pytest.fixture
def scores(db) -> dict[str, Score]:
    """Scores of all kinds; two of them look unlikely, one of those was looked at."""
    ada, bob, lost = named("Ada"), named("-1-1"), guest()
    scores = {
        "plain": finished(ada, 12, at=NOON).score,
        "market": finished(ada, 7, slug="market", at=NOON).score,
        "fast": finished(bob, 40, at=NOON + timedelta(minutes=1)).score,
        "seen": finished(bob, 30, at=NOON + timedelta(minutes=2)).score,
        "guest": finished(lost, 3, at=NOON).score,
        "daily": finished(ada, 5, day=NOON.date(), at=NOON).score,
        "struck": finished(bob, 99, at=NOON).score,
    }
    flags = {"fast": "fast above-own", "seen": "above-board"}
    for name, flag in flags.items():
        Score.objects.filter(pk=scores[name].pk).update(flags=flag, seconds=0.25)
    Score.objects.filter(pk=scores["seen"].pk).update(reviewed=NOON)
    services.strike_score(score=scores["struck"], by=ada, reason="Not so.")
    return scores


def change(score: Score) -> str:
    return f"{SCORES}{score.pk}/change/"


class TestList:
    FOUND = (
        ("", "plain market fast seen guest daily struck"),
        ("review=open", "fast"),
        ("review=done", "seen struck"),
        ("review=flagged", "fast seen"),
        ("edition=market", "market"),
        ("struck=yes", "struck"),
        ("struck=no", "plain market fast seen guest daily"),
        ("daily=yes", "daily"),
        ("daily=no", "plain market fast seen guest struck"),
        ("player=ada", "plain market daily"),
        ("player=%23{guest}", "guest"),
        ("q=ada", "plain market daily"),
        ("q={plain}", "plain"),
        ("q=x", ""),
        ("review=open&player=Ada", ""),
    )

    def test_filters_and_search(self, rey, scores):
        places = {"plain": scores["plain"].pk, "guest": scores["guest"].user_id}
        for query, names in self.FOUND:
            found = numbers(rey.look(f"{SCORES}?{query.format(**places)}"))
            assert sorted(found) == sorted(scores[name].pk for name in names.split()), query

    def test_leads_to_the_queue_which_says_why(self, rey, scores):
        links = page(rey.look(SCORES)).links()
        assert "?review=open" in links
        words = page(rey.look(f"{SCORES}?review=open")).words
        assert "faster than a person plays" in words and "far above the player" in words
        assert "0.2" in words

    def test_costs_the_same_however_many_there_are(self, rey, scores):
        def cost() -> int:
            with CaptureQueriesContext(connection) as queries:
                rey.look(SCORES)
            return len(queries)

        first = cost()
        for number in range(5):
            finished(named(f"Player{number}"), 4)
        assert cost() == first <= 10

    def test_a_score_leads_to_its_game(self, rey, scores):
        shown = page(rey.look(change(scores["struck"])))
        assert f"{GAMES}{scores['struck'].pk}/change/" in shown.links()
        assert "Not so." in shown.words
        response = rey.look(f"{SCORES}{scores['fast'].pk}/history/")
        assert response["Location"] == f"{GAMES}{scores['fast'].pk}/history/"


@pytest.mark.parametrize("where", ["list", "page"])
class TestClear:
    def test_takes_out_of_the_queue_and_is_kept(self, rey, scores, where):
        score = scores["fast"]
        path = SCORES if where == "list" else change(score)
        response = act(rey, path, "clear", score.pk)
        assert "Reviewed, nothing wrong: laws" in told(response)
        score.refresh_from_db()
        assert score.reviewed and score.flags and not score.struck
        assert numbers(rey.look(f"{SCORES}?review=open")) == []
        (entry,) = logged()
        assert entry[:2] == ("Rey", f"laws {score.pk}")
        assert entry[2].startswith("Reviewed, nothing wrong: faster than a person plays")
        assert "Reviewed, nothing wrong" in page(rey.look(f"{GAMES}{score.pk}/history/")).words
        # Nothing more happens to what is not in the queue.
        for name in ("fast", "seen", "plain"):
            response = act(rey, SCORES, "clear", scores[name].pk)
            assert "No score there waits for review" in told(response)
        assert len(logged()) == 1
        assert Score.objects.get(pk=scores["plain"].pk).reviewed is None

    def test_needs_the_permission(self, scores, where):
        browser = Browser(staff("Sue", "leaderboards.view_score", "play.strike_game"))
        path = SCORES if where == "list" else change(scores["fast"])
        act(browser, path, "clear", scores["fast"].pk)
        assert Score.objects.get(pk=scores["fast"].pk).reviewed is None and not logged()


class TestStrike:
    @pytest.mark.parametrize("where", ["list", "page"])
    @pytest.mark.parametrize("board", ["laws/all", "market/all"])
    def test_and_restore(self, rey, scores, where, board):
        score = scores["plain" if board == "laws/all" else "market"]
        before = on_board(board)
        path = SCORES if where == "list" else change(score)
        form = page(act(rey, path, "strike", score.pk))
        assert form.all("textarea", name="reason")
        act(rey, path, "strike", score.pk, reason="Not so.")
        after = on_board(board)
        assert after != before and ("Ada", score.value) not in after
        assert "Not so." in page(rey.look(change(score))).words
        act(rey, path, "restore", score.pk, reason="It was so.")
        assert on_board(board) == before
        assert [entry[2] for entry in logged()] == [
            "Struck from the boards: Not so.",
            "Restored: It was so.",
        ]

    def test_needs_the_permission(self, scores):
        boards = list(Best.objects.values())
        for browser in (
            Browser(staff("Sue", "leaderboards.view_score", "play.review_game")),
            Browser(staff()),
            Browser(named("Nan")),
            Browser(),
        ):
            for path in (SCORES, change(scores["plain"])):
                act(browser, path, "strike", scores["plain"].pk, reason="Not so.")
                act(browser, path, "restore", scores["struck"].pk, reason="So.")
        assert list(Best.objects.values()) == boards and Decision.objects.count() == 1

    def test_takes_it_out_of_the_queue(self, rey, scores):
        act(rey, SCORES, "strike", scores["fast"].pk, reason="Not so.")
        assert numbers(rey.look(f"{SCORES}?review=open")) == []


class TestExport:
    def test_has_every_score(self, rey, scores):
        rows = table_of(rey.look(SCORES + "export/"))
        assert [int(row["game"]) for row in rows] == sorted(score.pk for score in scores.values())
        of = {int(row["game"]): row for row in rows}
        assert of[scores["plain"].pk] == {
            "game": str(scores["plain"].pk),
            "edition": "laws",
            "player_id": str(scores["plain"].user_id),
            "player": "Ada",
            "score": "12",
            "finished": "2026-12-02T12:00:00+00:00",
            "daily_deal": "",
            "seconds_a_move": "",
            "looks_unlikely": "",
            "reviewed": "",
            "struck": "no",
        }
        assert of[scores["daily"].pk]["daily_deal"] == "2026-12-02"
        assert of[scores["guest"].pk]["player"] == "Guest"
        assert of[scores["struck"].pk]["struck"] == "yes"
        assert of[scores["seen"].pk]["looks_unlikely"] == "above-board"
        assert of[scores["seen"].pk]["reviewed"] == "2026-12-02T12:00:00+00:00"
        assert of[scores["fast"].pk]["seconds_a_move"] == "0.25"

    def test_is_no_formula(self, rey, scores):
        """A name may begin with a minus, and no spreadsheet shall reckon with it."""
        rows = table_of(rey.look(SCORES + "export/?player=-1-1"))
        assert len(rows) == 3 and {row["player"] for row in rows} == {"'-1-1"}

    def test_is_what_the_list_shows(self, rey, scores):
        listed = page(rey.look(SCORES + "?review=flagged&edition=laws"))
        (link,) = [link for link in listed.links() if "/export/" in link]
        rows = table_of(rey.look(link))
        assert {int(row["game"]) for row in rows} == {scores["fast"].pk, scores["seen"].pk}
        assert rows != table_of(rey.look(SCORES + "export/"))

    def test_quotes_as_it_should(self, rey, scores):
        User.objects.filter(username="Ada").update(username='a,"b')
        response = rey.look(SCORES + "export/?edition=market")
        text = b"".join(response).decode()
        assert ',"a,""b",7,' in text and text.endswith("no\r\n")

    def test_is_sent_while_it_is_read(self, rey, scores):
        response = rey.look(SCORES + "export/")
        with CaptureQueriesContext(connection) as queries:
            parts = list(response)
        assert len(queries) == 1 and len(parts) == 2
        assert 'filename="scores.csv"' in response.headers["Content-Disposition"]

    def test_of_a_page_that_there_is_not(self, rey, scores):
        response = rey.look(SCORES + "export/?p=99&finished__gte=x")
        assert response.status_code == 302 and response["Location"] == SCORES

    def test_is_for_those_who_may_see_scores(self, scores):
        for who in (staff(), staff("Sue", "play.view_game", "accounts.view_user")):
            assert Browser(who).look(SCORES + "export/").status_code == 403
        assert len(table_of(Browser(root()).look(SCORES + "export/"))) == len(scores)


class TestOwnScores:
    @pytest.mark.parametrize("action", ["strike", "restore"])
    def test_are_for_another_reviewer(self, scores, action):
        person = reviewer()
        own = finished(person, 500).score
        if action == "restore":
            services.strike_score(score=own, by=root(), reason="Too good.")
        before = Decision.objects.count()
        # With another one's among them nothing is done at all.
        chosen = [own.pk, scores["plain" if action == "strike" else "struck"].pk]
        answer = act(Browser(person), SCORES, action, *chosen, reason="Because.")
        assert "another reviewer" in told(answer)
        assert Decision.objects.count() == before
