"""Tells open pages that something they show has changed, as server-sent events.

An event carries a topic and a version, nothing else: each browser then fetches its own view. A
topic is a table (``table-12``), the lobby, a scorepad (``pad-7``). Whoever changes something
announces it; the hub of each process passes it on to the streams that are open there, within the
process or, with ``REDIS_URL``, from any process to all. An event can be lost; the page looks again
when its stream begins, and slowly by itself.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from functools import cache, partial
from http import HTTPStatus
from time import monotonic
from typing import Any

import redis
import redis.asyncio
from django.conf import settings
from django.core import signing
from django.db import transaction
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

PATH = "/events/"
SIGNER = signing.TimestampSigner(salt="ouroboros_site.play.live")
LONGEST = 7 * 24 * 60 * 60
"""Seconds that an address can be used; a page that is open for longer goes on without events."""
CHANNEL = "ouroboros:live"
HEARTBEAT = 15
"""Seconds between two signs of life on every stream; the browser watches for them."""
MOST = 5000
"""Streams of one process; more are refused, so that pages still find a free connection."""
PATIENCE = 0.25
"""Seconds that a move waits for a Redis that is silent."""
PAUSE = 1
"""Seconds without a try after Redis has failed, so that no series of moves waits for it."""
SILENCE = 5
"""Seconds without a word from Redis after which it is asked whether it is there, and given up."""

NOTHING, ALIVE = -2, -1
"""What a stream is due below any version: no event, or a sign of life."""
HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


# -- announcing ----------------------------------------------------------------------------------


def announce(topic: str, version: int) -> None:
    """Tell all who look at a topic that it has changed, once the transaction is committed.

    Never fails: an event that could not be sent is logged, and the pages find out by themselves.
    """
    transaction.on_commit(partial(_tell, topic, version), robust=True)


def address(topic: str) -> str:
    """Where a page listens to a topic. Its signature is the right to, for as long as it lasts."""
    return f"{PATH}{SIGNER.sign(topic)}"


def _tell(topic: str, version: int) -> None:
    if settings.REDIS_URL and _publisher(settings.REDIS_URL).publish(topic, version):
        return
    if hub := _hub:
        hub.tell_soon(topic, version)


class Publisher:
    """Sends to Redis what all processes are to hear; its connections are shared by threads."""

    def __init__(self, url: str) -> None:
        self.redis = redis.Redis.from_url(
            url,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 0),
        )
        self.failed: float | None = None

    def publish(self, topic: str, version: int) -> bool:
        """Whether it was sent. A failure is logged once, not for every move until Redis is back."""
        if self.failed is not None and monotonic() < self.failed + PAUSE:
            return False
        try:
            self.redis.publish(CHANNEL, f"{topic} {version}")
        except (redis.RedisError, OSError) as error:
            if self.failed is None:
                logger.warning("Redis does not take what is announced: %s", error)
            self.failed = monotonic()
            return False
        self.failed = None
        return True


@cache
def _publisher(url: str) -> Publisher:
    return Publisher(url)


# -- the hub of a process ------------------------------------------------------------------------


class Stream:
    """One open browser, and what it is due: only ever the latest, however slowly it reads."""

    __slots__ = ("due", "pump", "send", "task", "topic")

    def __init__(self, topic: str, send: Any) -> None:
        self.topic = topic
        self.send = send
        self.task = asyncio.current_task()
        self.due = NOTHING
        self.pump: asyncio.Task[None] | None = None

    def tell(self, version: int) -> None:
        """Send a version, or ``ALIVE``; at once, unless an earlier one is still under way."""
        self.due = max(self.due, version)
        if self.pump is None:
            # Begun at once, it is over before this returns, unless the browser reads too slowly.
            pump = asyncio.Task(self._send_due(), loop=asyncio.get_running_loop(), eager_start=True)
            self.pump = None if pump.done() else pump

    async def _send_due(self) -> None:
        with suppress(OSError):  # the browser is gone: the stream's own task is being told
            while self.due > NOTHING:
                version, self.due = self.due, NOTHING
                await self.send(_body(_event(self.topic, version)))
        self.pump = None


def _event(topic: str, version: int) -> bytes:
    if version == ALIVE:
        return b"event: alive\ndata:\n\n"
    return f"event: changed\nid: {version}\ndata: {topic} {version}\n\n".encode()


def _body(chunk: bytes) -> dict[str, Any]:
    return {"type": "http.response.body", "body": chunk, "more_body": True}


class Hub:
    """The open streams of a process, by topic."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.topics: dict[str, set[Stream]] = {}
        self.number = 0
        self.closed = False

    def tell_soon(self, topic: str, version: int) -> None:
        """`tell`, from any thread."""
        with suppress(RuntimeError):  # the loop has been closed meanwhile, and all streams with it
            self.loop.call_soon_threadsafe(self.tell, topic, version)

    def tell(self, topic: str, version: int) -> None:
        """Tell the streams of a topic that it has changed."""
        for stream in self.topics.get(topic, ()):
            stream.tell(version)

    def tell_all(self, version: int) -> None:
        """Tell every stream; 0 where nobody knows what has changed."""
        for streams in self.topics.values():
            for stream in streams:
                stream.tell(version)

    async def serve(self, topic: str, receive: Any, send: Any) -> None:
        """Answer one request with a stream, until the browser leaves or the hub is closed."""
        stream = Stream(topic, send)
        await send({"type": "http.response.start", "status": HTTPStatus.OK, "headers": HEADERS})
        self.topics.setdefault(topic, set()).add(stream)
        self.number += 1
        try:
            await send(_body(b"retry: 2000\n\n"))
            stream.tell(ALIVE)
            while (await receive())["type"] != "http.disconnect":
                pass
        except asyncio.CancelledError:
            if not self.closed:
                raise
            if stream.pump is None:  # a browser that does not read could not be told either
                await send({"type": "http.response.body"})
        finally:
            self.number -= 1
            streams = self.topics[topic]
            streams.remove(stream)
            if not streams:
                del self.topics[topic]
            if stream.pump:
                stream.pump.cancel()

    def close(self) -> None:
        """End all streams now."""
        self.closed = True
        for stream in [stream for streams in self.topics.values() for stream in streams]:
            if stream.task:
                stream.task.cancel()

    async def beat(self) -> None:
        """Give signs of life for ever."""
        while True:
            await asyncio.sleep(HEARTBEAT)
            self.tell_all(ALIVE)

    async def follow(self, url: str) -> None:
        """Pass on what Redis says, for ever; after every time that it was away, tell everybody."""
        lost = False
        while True:
            try:
                async with redis.asyncio.Redis.from_url(
                    url,
                    socket_connect_timeout=SILENCE,
                    retry=redis.asyncio.retry.Retry(NoBackoff(), 0),
                ) as server:
                    async for topic, version in _messages(server):
                        lost = False
                        if topic:
                            self.tell(topic, version)
                        else:
                            self.tell_all(version)
            except Exception as error:  # whatever it is: without this task there are no events
                if not lost:
                    logger.warning("Redis is lost, and what other processes announce: %s", error)
                lost = True
                await asyncio.sleep(PAUSE / 2)


async def _messages(server: Any) -> AsyncGenerator[tuple[str, int]]:
    """What is announced; no topic at the beginning, since something may have been missed."""
    async with server.pubsub() as channel:
        await channel.subscribe(CHANNEL)
        asked = False
        while True:
            message = await channel.get_message(timeout=SILENCE)
            if message is None and asked:
                raise redis.TimeoutError("no answer")
            asked = message is None
            if message is None:
                await channel.ping()
            elif message["type"] == "subscribe":
                yield "", 0
            elif message["type"] == "message":
                topic, _, version = message["data"].decode().partition(" ")
                yield topic, int(version)


_hub: Hub | None = None


@asynccontextmanager
async def running() -> AsyncGenerator[Hub]:
    """The process's hub, as long as this is entered."""
    global _hub
    _hub = hub = Hub()
    tasks = [asyncio.create_task(hub.beat())]
    if settings.REDIS_URL:
        tasks.append(asyncio.create_task(hub.follow(settings.REDIS_URL)))
    try:
        yield hub
    finally:
        _hub = None
        hub.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def close() -> None:
    """End all streams of this process: it is about to stop."""
    if _hub:
        _hub.close()


# -- the requests --------------------------------------------------------------------------------


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answer the requests below ``PATH``, as an ASGI application."""
    if scope["method"] != "GET":
        return await _refuse(send, HTTPStatus.METHOD_NOT_ALLOWED, [(b"allow", b"GET")])
    try:
        topic = SIGNER.unsign(scope["path"].removeprefix(PATH), max_age=LONGEST)
    except signing.BadSignature:
        return await _refuse(send, HTTPStatus.FORBIDDEN)
    if not _hub or _hub.closed or _hub.number >= MOST:
        return await _refuse(send, HTTPStatus.SERVICE_UNAVAILABLE)
    return await _hub.serve(topic, receive, send)


async def _refuse(
    send: Any, status: HTTPStatus, headers: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    text = f"{status.phrase}\n".encode()
    all_headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(text)).encode()),
        (b"cache-control", b"no-store"),
        *headers,
    ]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": text})
