"""Pages of boards taken apart: their tables, and what they ask of the database."""

import re
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from ..play.helpers import page_of


class Tables(HTMLParser):
    """Every table of a page: rows of cells as texts, and the links of each row."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.links: list[list[list[str]]] = []
        self._cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
            self.links.append([])
        elif tag == "tr":
            self.tables[-1].append([])
            self.links[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._cell = True
        elif tag == "a" and self._cell:
            self.links[-1][-1].append(dict(attrs)["href"] or "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data: str) -> None:
        if self._cell:
            cell = self.tables[-1][-1][-1]
            self.tables[-1][-1][-1] = " ".join([*cell.split(), *data.split()])


def tables_of(response: Any) -> Tables:
    assert response.status_code == 200
    page_of(response)
    return Tables(response.content.decode())


def rows_of(response: Any) -> list[tuple[int, str, int]]:
    """Rank, name and score of every row of a board's page, in order."""
    tables = tables_of(response).tables
    if not tables:
        return []
    _head, *rows = tables[0]
    return [(int(row[0]), row[1].removesuffix(" you"), int(row[2])) for row in rows]


@contextmanager
def at_most(number: int):
    """No more statements than this are sent to the database in the meantime."""
    with CaptureQueriesContext(connection) as queries:
        yield queries
    assert len(queries) <= number, "\n".join(query["sql"] for query in queries)


def plan(sql: str) -> list[str]:
    """How the database goes about a query, line by line."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"EXPLAIN {sql}")
            return [line for (line,) in cursor.fetchall()]
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        return [line for *_numbers, line in cursor.fetchall()]


def whole_scans(lines: list[str]) -> list[str]:
    """Steps of a plan that read all of a table or of an index."""
    after = [*lines[1:], ""]
    return [
        line
        for line, following in zip(lines, after, strict=True)
        if re.search(r"\bSCAN \w|Seq Scan", line)
        or ("Scan using" in line and "Index Cond" not in following)
    ]


def steps(call) -> int:
    """How many instructions SQLite carries out: the same number on every machine."""
    done = 0

    def count() -> int:
        nonlocal done
        done += 100
        return 0

    connection.connection.set_progress_handler(count, 100)
    try:
        call()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return done
