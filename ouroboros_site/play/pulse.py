"""Clocks stand while no server lives.

The process with the event streams writes every few seconds that it lives. When it starts, or finds
that nobody has written for a while, the turns of all games are begun later by that time.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import close_old_connections, connections, transaction
from django.db.models import DateTimeField, F, Value
from django.db.models.functions import Least
from django.utils import timezone

from .models import Game, Pulse

logger = logging.getLogger(__name__)

EVERY = 5
"""Seconds between two pulses."""
GAP = timedelta(seconds=15)
"""A longer time without a pulse is one in which nobody could play."""


def beat(now: datetime, *, starts: bool = False) -> timedelta:
    """Write that a server lives, and give back the time in which none did.

    :param starts: this process has just started: any time since the last pulse is one without it
    :returns: by how much the turns of all games were moved; of several processes that ask at once
        only one moves them
    """
    with transaction.atomic():
        last = Pulse.objects.filter(pk=1).values_list("at", flat=True).first()
        if last is None:
            Pulse.objects.bulk_create([Pulse(pk=1, at=now)], ignore_conflicts=True)
            return timedelta()
        if not Pulse.objects.filter(pk=1, at=last).update(at=now):
            return timedelta()
        gap = now - last
        # Negative if the clock was set back: then the turns began earlier by that, as all else did.
        if abs(gap) <= (timedelta() if starts else GAP):
            return timedelta()
        # A turn that began after the last pulse would begin in the future.
        later = Least(F("turn_since") + gap, Value(now, output_field=DateTimeField()))
        Game.objects.filter(
            started__isnull=False, finished__isnull=True, turn_since__isnull=False
        ).update(turn_since=later)
    return gap


@asynccontextmanager
async def beating() -> AsyncGenerator[None]:
    """Write the pulse as long as this is entered, in one thread that keeps its connection."""
    with ThreadPoolExecutor(1, "pulse") as thread:
        run = partial(asyncio.get_running_loop().run_in_executor, thread)
        await run(partial(_try, starts=True))
        task = asyncio.create_task(_keep(run))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await run(_try)  # from here to the next start no clock runs
            await run(connections.close_all)


async def _keep(run: Callable[..., Any]) -> None:
    while True:
        await asyncio.sleep(EVERY)
        await run(_try)


def _try(*, starts: bool = False) -> None:
    close_old_connections()
    try:
        beat(timezone.now(), starts=starts)
    except Exception:  # whatever it is: the next pulse may succeed
        logger.exception("the pulse could not be written")
