"""Which scores a reviewer should look at: those far above what is usual, and games of great haste.

A flag says no more than that; a person decides.
"""

from itertools import pairwise
from statistics import fmean, median, pstdev

from django.utils.translation import gettext_lazy as _

from .models import Score, Scores

FLAGS = {
    "above-own": _("far above the player's own scores"),
    "above-board": _("far above what is usual in this game"),
    "fast": _("faster than a person plays"),
}
SAMPLE = 1000
"""How many of the latest scores stand for what is usual."""
FEWEST_OWN, FEWEST_OF_ALL = 8, 50
"""With fewer scores than these nothing is usual yet."""
FAR = 4
"""Standard deviations above the mean."""
HASTE = 0.7
"""Seconds: a person who reads the table does not play move after move in less."""
FEWEST_MOVES = 20


def flag(score: Score) -> None:
    """Look at a new score, and set the pace of its game and what makes it unlikely."""
    times = score.game.moves.order_by("version").values_list("created", flat=True)
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    score.seconds = median(gaps) if gaps else None
    others = Score.objects.standing().filter(slug=score.slug).exclude(pk=score.pk)
    flags = []
    if _far_above(score.value, others.filter(user=score.user_id), FEWEST_OWN):
        flags.append("above-own")
    if _far_above(score.value, others, FEWEST_OF_ALL):
        flags.append("above-board")
    if len(gaps) + 1 >= FEWEST_MOVES and score.seconds is not None and score.seconds < HASTE:
        flags.append("fast")
    score.flags = " ".join(flags)


def _far_above(value: int, others: Scores, fewest: int) -> bool:
    values = list(others.order_by("-finished").values_list("value", flat=True)[:SAMPLE])
    if len(values) < fewest:
        return False
    # A deviation of less than a point would make every small step a leap.
    return value > fmean(values) + FAR * max(pstdev(values), 1)
