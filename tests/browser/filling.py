"""What the scenes of the new pages need beside the demo, made with the site's own services.

Run in the server's data by ``manage.py shell``: ``filling.fill()`` prints it as JSON.
"""

import json
import sys
from datetime import timedelta

from django.contrib.auth.tokens import default_token_generator
from django.test import RequestFactory
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from ouroboros_site.accounts import rates
from ouroboros_site.accounts import services as accounts
from ouroboros_site.accounts.models import User
from ouroboros_site.leaderboards.boards import PAGE
from ouroboros_site.leaderboards.models import Score
from ouroboros_site.play import daily, services

from .people import PASSWORD

WIDE = "W" * 20
"""As wide as a name can be."""


def fill():
    """Fill a board to its second page, and make what can only be found once."""
    for number in range(PAGE + 1):
        retire(User.objects.create_user(f"Crowd-{number:02}"))
    nobody_played = daily.today() - timedelta(days=20)
    daily.deal_of("laws", nobody_played)
    last = User.objects.create_user(WIDE, password=PASSWORD, email="w@example.org")
    retire(last)
    suspended = User.objects.create_user("Halted", password=PASSWORD)
    accounts.suspend_user(user=suspended, reason="Two accounts, one hand.")
    token = default_token_generator.make_token(last)
    slow_down = rates.too_many(RequestFactory().get("/account/log-in"), 300)
    made = {
        "empty": f"/boards/laws/daily/{nobody_played}/",
        "last": last.username,
        "suspended": suspended.username,
        "reset": f"/account/reset/{urlsafe_base64_encode(force_bytes(last.pk))}/{token}/",
        "struck": f"/games/{Score.objects.filter(struck=True).first().pk}/replay/",
        "too many": slow_down.content.decode(),
    }
    json.dump(made, sys.stdout)


def retire(user):
    """End a game with nothing to show for it."""
    game, _user = services.start_game(user=user, slug="market")
    services.retire_game(user=user, slug="market", game_id=game.pk, version=0)
