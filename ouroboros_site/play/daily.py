"""The daily deal: one a game and UTC day, the same for everyone, and who may know it when."""

from datetime import UTC, date

from django.utils import timezone
from django.utils.crypto import salted_hmac

from ouroboros_site.accounts.models import Visitor

from .models import DailyDeal, Try


def today() -> date:
    """The day of the deal that can be tried now."""
    return timezone.now().astimezone(UTC).date()


def deal_of(slug: str, day: date) -> DailyDeal:
    """The deal of a day, made when it is first asked for.

    Its seed follows from the server's secret and the date; it is stored, so that a secret that is
    changed later does not change a deal that was played.
    """
    seed = salted_hmac("ouroboros daily deal", f"{slug} {day.isoformat()}", algorithm="sha256")
    deal, _created = DailyDeal.objects.get_or_create(
        slug=slug, date=day, defaults={"seed": seed.hexdigest()}
    )
    return deal


def try_of(user: Visitor, deal: DailyDeal) -> Try | None:
    """The one ranked game that this person has at the deal, if it was started."""
    return (
        Try.objects.select_related("game", "user").filter(deal=deal, user_id=user.pk or 0).first()
    )


def is_had(attempt: Try) -> bool:
    """Whether a try is over: the game is, or its time."""
    return attempt.game.is_over or timezone.now() > attempt.until


def may_know(user: Visitor, deal: DailyDeal) -> bool:
    """Whether this person may see the seed, and games of the deal that are not their own try."""
    if timezone.now() >= deal.closes:
        return True
    attempt = try_of(user, deal)
    return attempt is not None and is_had(attempt)
