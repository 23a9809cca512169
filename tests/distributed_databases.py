"""What distributed databases that speak PostgreSQL's language lack, and which statements use it."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import Engine

from tests.statements import recorded

TABLE = Path(__file__).with_name("distributed_databases.toml")
_STARTS = ("LOG:  statement: ", "LOG:  execute ")
_TEXTS = re.compile(r"'(?:[^']|'')*'")


@cache
def load() -> dict[str, Any]:
    """The table of what they lack (`lacking`) and of our statements that use it (`exception`)."""
    return tomllib.loads(TABLE.read_text())


def find_lacking(statement: str) -> list[str]:
    """The names of what a statement uses and one of the databases lacks; texts in it may say
    anything."""
    plain = _TEXTS.sub("''", statement)
    entries = load()["lacking"]
    return [e["name"] for e in entries if re.search(e["pattern"], plain, re.IGNORECASE)]


def find_exceptions(statement: str) -> set[str]:
    """The names that a statement may use all the same."""
    entries = load()["exception"]
    return {e["lacking"] for e in entries if re.search(e["pattern"], statement.strip())}


def find_offences(statements: Iterable[str]) -> set[str]:
    """A sentence for each statement that uses what is lacking and is no exception."""
    return {
        f"{name}: {statement}"
        for statement in set(statements)
        for name in find_lacking(statement)
        if name not in find_exceptions(statement)
    }


@contextmanager
def only_what_all_have(*engines: Engine) -> Iterator[None]:
    """Fail at the end of the block if an engine executed on PostgreSQL what others lack."""
    if any(engine.dialect.name != "postgresql" for engine in engines):
        yield
        return
    with recorded(*engines) as statements:
        yield
    offences = find_offences(statements)
    assert not offences, "\n".join(offences)


class StatementLog:
    """What PostgreSQL itself writes down of the statements that reach a database, however
    they get there: those of the test included."""

    def __init__(self, url: str) -> None:
        self._url = url.replace("+psycopg", "")
        with psycopg.connect(self._url, autocommit=True) as db:
            name = db.info.dbname
            db.execute(f"ALTER DATABASE \"{name}\" SET log_statement = 'all'")
            folder = db.execute("SHOW data_directory").fetchone()
        assert folder is not None
        # `running_postgres` keeps the log beside the data.
        self._file = str(Path(folder[0]).parent / "log")
        self._begin = self._size()

    def read(self) -> list[str]:
        """The statements since the log was opened."""
        with psycopg.connect(self._url, autocommit=True) as db:
            place = (self._file, self._begin, self._size())
            row = db.execute("SELECT pg_read_file(%s, %s, %s)", place).fetchone()
        assert row is not None
        return list(_statements(row[0].splitlines()))

    def _size(self) -> int:
        with psycopg.connect(self._url, autocommit=True) as db:
            row = db.execute("SELECT size FROM pg_stat_file(%s)", (self._file,)).fetchone()
        assert row is not None
        return int(row[0])


def _statements(lines: list[str]) -> Iterator[str]:
    """The statements of a log; the further lines of one begin with a tab."""
    current: list[str] = []
    for line in [*lines, ""]:
        if line.startswith("\t"):
            current = [*current, line[1:]] if current else []
            continue
        if current:
            yield "\n".join(current).strip()
        found = next((start for start in _STARTS if start in line), None)
        current = [line.partition(found)[2]] if found else []
        if found == _STARTS[1]:
            current = [current[0].partition(": ")[2]]
