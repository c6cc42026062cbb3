"""The hub of event streams, and what is announced to it: without a server, in one event loop."""

import asyncio
import logging
from datetime import timedelta

import pytest
import redis
import time_machine
from django.db import connections, transaction

from ouroboros_site.play import live

CHANGED = "event: changed\nid: {1}\ndata: {0} {1}\n\n"
ALIVE = "event: alive\ndata:\n\n"


@pytest.fixture(autouse=True)
def alone(settings):
    settings.REDIS_URL = ""


class Reader:
    """A browser at the other end of a stream; while it is ``slow`` nothing more can be sent."""

    def __init__(self, path: str, method: str = "GET") -> None:
        self.scope = {"type": "http", "method": method, "path": path}
        self.start = {}
        self.chunks = []
        self.ended = False
        self.quick = asyncio.Event()
        self.quick.set()
        self.left = asyncio.Event()
        self.first = True
        self.task = asyncio.create_task(live.application(self.scope, self.receive, self.send))

    async def receive(self):
        if self.first:
            self.first = False
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        await self.quick.wait()
        if message["type"] == "http.response.start":
            self.start = message
        else:
            self.chunks.append(message["body"].decode() if "body" in message else "")
            self.ended = not message.get("more_body")

    async def leave(self):
        self.left.set()
        await self.task

    def took(self) -> list[str]:
        """What came since this was asked last."""
        chunks, self.chunks = self.chunks, []
        return chunks


async def readers(*topics: str) -> list[Reader]:
    """Browsers whose streams have begun."""
    result = [Reader(live.address(topic)) for topic in topics]
    await asyncio.sleep(0)
    for reader in result:
        assert reader.took() == ["retry: 2000\n\n", ALIVE]
    return result


def run(test):
    """Run a coroutine function with a hub."""

    async def with_hub():
        async with live.running() as hub:
            await test(hub)

    asyncio.run(with_hub())


class TestStreams:
    def test_a_change_reaches_those_who_look_at_its_topic(self):
        async def test(hub):
            ada, bob, ole = await readers("table-1", "table-1", "table-12")
            hub.tell("table-1", 7)
            assert ada.took() == bob.took() == [CHANGED.format("table-1", 7)]
            assert ole.took() == []

        run(test)

    def test_what_a_stream_is(self):
        async def test(hub):
            (ada,) = await readers("lobby")
            assert ada.start["status"] == 200
            assert dict(ada.start["headers"]) == {
                b"content-type": b"text/event-stream",
                b"cache-control": b"no-store",
                b"x-accel-buffering": b"no",
            }

        run(test)

    def test_a_slow_reader_gets_the_latest_only(self):
        async def test(hub):
            ada, bob = await readers("table-1", "table-1")
            ada.quick.clear()
            for version in range(1, 100):
                hub.tell("table-1", version)
                hub.tell_all(live.ALIVE)
            assert len(bob.took()) == 198
            ada.quick.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert ada.took() == [CHANGED.format("table-1", version) for version in (1, 99)]
            hub.tell("table-1", 100)
            assert ada.took() == [CHANGED.format("table-1", 100)]

        run(test)

    def test_of_two_that_overtake_each_other_the_later_version_is_kept(self):
        async def test(hub):
            (ada,) = await readers("table-1")
            ada.quick.clear()
            for version in (1, 3, 2):
                hub.tell("table-1", version)
            ada.quick.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert ada.took() == [CHANGED.format("table-1", version) for version in (1, 3)]

        run(test)

    def test_a_browser_that_leaves_is_forgotten(self):
        async def test(hub):
            ada, bob = await readers("table-1", "table-1")
            await ada.leave()
            hub.tell("table-1", 2)
            assert ada.took() == [] and len(bob.took()) == 1
            bob.quick.clear()
            hub.tell("table-1", 3)
            hub.tell("table-1", 4)
            await bob.leave()
            assert (hub.topics, hub.number) == ({}, 0)
            await asyncio.sleep(0)
            assert len(asyncio.all_tasks()) == 2  # this one and the heartbeat

        run(test)

    def test_signs_of_life(self, monkeypatch):
        monkeypatch.setattr(live, "HEARTBEAT", 0.01)

        async def test(hub):
            ada, bob = await readers("table-1", "lobby")
            await asyncio.sleep(0.1)
            assert ada.took()[:2] == bob.took()[:2] == [ALIVE, ALIVE]

        run(test)

    def test_all_end_when_the_server_stops(self):
        async def test(hub):
            ada, bob = await readers("table-1", "lobby")
            live.close()
            await asyncio.wait_for(asyncio.gather(ada.task, bob.task), 1)
            assert ada.ended and bob.ended and hub.number == 0
            late = Reader(live.address("lobby"))
            await late.task
            assert late.start["status"] == 503

        run(test)

    def test_so_many_and_no_more(self, monkeypatch):
        monkeypatch.setattr(live, "MOST", 2)

        async def test(hub):
            ada, _ = await readers("table-1", "lobby")
            late = Reader(live.address("table-1"))
            await late.task
            assert late.start["status"] == 503 and late.ended
            await ada.leave()
            await readers("table-1")

        run(test)


class TestAddress:
    def answer(self, path: str, method: str = "GET") -> Reader:
        result = []

        async def test(hub):
            reader = Reader(path, method)
            await asyncio.sleep(0)
            result.append(reader)
            assert hub.number == (reader.start["status"] == 200)

        run(test)
        return result[0]

    def test_is_a_right(self):
        address = live.address("table-1")
        assert address.startswith("/events/table-1:")
        assert self.answer(address).start["status"] == 200
        bad = (
            "/events/table-1",
            "/events/",
            address.replace("-1", "-2"),
            address[:-1],
            "/events/ä:b:c",
        )
        for path in bad:
            answer = self.answer(path)
            assert answer.start["status"] == 403 and answer.chunks == ["Forbidden\n"]

    def test_is_one_for_a_week(self):
        with time_machine.travel("2026-12-01 12:00Z", tick=False) as clock:
            address = live.address("pad-7")
            clock.shift(timedelta(days=7))
            assert self.answer(address).start["status"] == 200
            clock.shift(1)
            assert self.answer(address).start["status"] == 403

    @pytest.mark.parametrize("method", ["POST", "HEAD", "PUT"])
    def test_is_only_looked_at(self, method):
        answer = self.answer(live.address("table-1"), method)
        assert answer.start["status"] == 405 and (b"allow", b"GET") in answer.start["headers"]

    def test_without_a_hub(self):
        async def test():
            reader = Reader(live.address("table-1"))
            await reader.task
            assert reader.start["status"] == 503

        asyncio.run(test())


@pytest.mark.django_db(transaction=True)
class TestAnnouncing:
    def heard(self, write) -> list[str]:
        """What a stream of table 1 gets while a thread writes."""
        heard = []

        def in_thread():
            write()
            connections.close_all()

        async def test(hub):
            (ada,) = await readers("table-1")
            await asyncio.to_thread(in_thread)
            await asyncio.sleep(0)
            heard.extend(ada.took())

        run(test)
        return heard

    def test_comes_after_the_commit(self):
        def write():
            with transaction.atomic():
                live.announce("table-1", 5)
                live.announce("table-2", 9)

        assert self.heard(write) == [CHANGED.format("table-1", 5)]

    def test_of_what_was_rolled_back_nobody_hears(self):
        def write():
            with transaction.atomic():
                live.announce("table-1", 5)
                transaction.set_rollback(True)

        assert self.heard(write) == []

    def test_without_a_transaction_it_comes_at_once(self):
        assert self.heard(lambda: live.announce("table-1", 5)) == [CHANGED.format("table-1", 5)]

    def test_nobody_listens_and_there_is_no_hub(self):
        live.announce("table-1", 5)
        assert self.heard(lambda: live.announce("table-2", 5)) == []

    def test_a_failure_is_logged_and_fails_nothing(self, monkeypatch, caplog):
        def fail(topic, version):
            raise ZeroDivisionError

        monkeypatch.setattr(live, "_tell", fail)
        with transaction.atomic():
            live.announce("table-1", 5)
        assert "ZeroDivisionError" in caplog.text


class TestRedisThatIsAway:
    """Nothing listens at the port: see test_live_redis.py for one that comes and goes."""

    URL = "redis://127.0.0.1:1/0"

    def test_is_logged_once_and_not_asked_again_for_a_while(self, monkeypatch, caplog):
        asked = []
        publisher = live.Publisher(self.URL)

        def publish(*args):
            asked.append(args)
            raise redis.TimeoutError("too slow")

        monkeypatch.setattr(publisher.redis, "publish", publish)
        clock = [100.0]
        monkeypatch.setattr(live, "monotonic", lambda: clock[0])
        with caplog.at_level(logging.WARNING):
            for _ in range(10):
                assert not publisher.publish("table-1", 1)
            assert len(asked) == 1
            clock[0] += live.PAUSE
            assert not publisher.publish("table-1", 2)
            assert len(asked) == 2
            monkeypatch.setattr(publisher.redis, "publish", lambda *args: asked.append(args))
            clock[0] += live.PAUSE
            assert publisher.publish("table-1", 3) and publisher.publish("table-1", 4)
        assert [record.getMessage() for record in caplog.records] == [
            "Redis does not take what is announced: too slow"
        ]
        assert asked[-1] == ("ouroboros:live", "table-1 4")

    def test_those_of_this_process_hear_all_the_same(self, settings, caplog):
        settings.REDIS_URL = self.URL

        async def test(hub):
            (ada,) = await readers("table-1")
            await asyncio.to_thread(live._tell, "table-1", 5)
            await asyncio.sleep(0)
            assert ada.took() == [CHANGED.format("table-1", 5)]

        run(test)
