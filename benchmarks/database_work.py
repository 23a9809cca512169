"""What a payment costs on PostgreSQL: processor time on both sides, rows, transactions and bytes.

The unit costs of `benchmarks/scaling.toml`. PostgreSQL is a throwaway one without fsync, so that
only processor time and bytes count. Its figures of the engine include the tables in which simulated
chains keep their state: they are upper bounds.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import psycopg

from benchmarks import engine_work, serving
from benchmarks.servers import API, Server
from benchmarks.servers import serving as running_server
from benchmarks.worlds import caller, service_in
from crossway.domain.clients import Mode, staff_principal
from crossway.usecases.developers import api_keys, clients
from tests.databases import new_postgres
from tests.postgres import running_postgres

BETWEEN_PASSES, PAYMENTS = 50, 1_000
CREATE_SECONDS = 6.0
UNLIMITED = 1_000_000
SIMULATED = ("sim_", "sandbox_")
# Partitions count with their table.
_TABLES: LiteralString = (
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    " AND relkind IN ('r', 'p') AND NOT relispartition"
)
_SIZE: LiteralString = (
    "SELECT coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(name)),"
    " pg_total_relation_size(name))::bigint FROM CAST(%s AS regclass) AS name"
)
_TICKS = os.sysconf("SC_CLK_TCK")
Row = tuple[str, str, str, bool]


@dataclass
class Used:
    """What a PostgreSQL used: processor seconds, bytes of its log of writes, transactions that
    wrote, bytes of tables with their indexes, and rows by table."""

    seconds: float
    log_bytes: int
    transactions: int
    stored: int
    rows: dict[str, int]

    def since(self, before: "Used") -> "Used":
        rows = {table: count - before.rows.get(table, 0) for table, count in self.rows.items()}
        return Used(
            self.seconds - before.seconds,
            self.log_bytes - before.log_bytes,
            self.transactions - before.transactions,
            self.stored - before.stored,
            {table: count for table, count in rows.items() if count},
        )


def run(payments: int = PAYMENTS, seconds: float = CREATE_SECONDS) -> list[Row]:
    """(name, figure, goal, met)."""
    with running_postgres() as server:
        with new_postgres(server) as url:
            rows = _creates(url, seconds)
        with new_postgres(server) as url:
            return [*rows, *_engine(url, payments)]


def read_used(url: str) -> Used:
    """What the PostgreSQL of a URL used so far."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as db:
        folder, log, transaction = db.execute(
            "SELECT current_setting('data_directory'), pg_current_wal_lsn() - '0/0'::pg_lsn,"
            " pg_current_xact_id()::text::bigint"
        ).fetchone() or ("", 0, 0)
        names = [row[0] for row in db.execute(_TABLES) if not row[0].startswith(SIMULATED)]
        rows, stored = {}, 0
        for name in names:
            (size,) = db.execute(_SIZE, (name,)).fetchone() or (0,)
            stored += size
            (rows[name],) = db.execute(f'SELECT count(*) FROM "{name}"').fetchone() or (0,)  # type: ignore[arg-type]
    return Used(_processor_seconds(str(folder)), int(log), int(transaction), stored, rows)


def read_processor_seconds(url: str) -> float:
    """What all processes of the PostgreSQL of a URL used so far, those that ended included."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as db:
        row = db.execute("SELECT current_setting('data_directory')").fetchone()
    return _processor_seconds(row[0] if row else "")


def _processor_seconds(folder: str) -> float:
    master = int((Path(folder) / "postmaster.pid").read_text().splitlines()[0])
    ticks = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # It ended meanwhile; then its parent has its time.
        if int(file.parent.name) == master:
            ticks += sum(map(int, fields[11:15]))
        elif int(fields[1]) == master:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / _TICKS


@contextmanager
def _api(url: str) -> Iterator[tuple[Server, str]]:
    """A process of the API on a database, and a key without a limit."""
    with tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as place:
        folder = Path(place)
        with running_server(folder, API, DATABASE_URL=url) as server:
            with service_in(folder, url) as built:
                client = caller(built).client
                change = clients.ClientUpdate(requests_per_minute=UNLIMITED)
                who = staff_principal("benchmark")
                clients.update_client(built.services, client.id, change, who)
                key = api_keys.create_api_key(built.services, client.id, Mode.TEST, who).secret
            yield server, key


def _creates(url: str, seconds: float) -> list[Row]:
    with _api(url) as (server, key):
        asyncio.run(serving.create_intents(server, key, 2.0))
        before, worked = read_used(url), server.processor_seconds()
        began = time.perf_counter()
        rate = asyncio.run(serving.create_intents(server, key, seconds))
        made = rate * (time.perf_counter() - began)
        api_ms = (server.processor_seconds() - worked) / made * 1000
        used = read_used(url).since(before)
    return _rows("create", made, api_ms, used)


def _engine(url: str, payments: int) -> list[Row]:
    before: list[Used] = []
    spent = engine_work.measure(
        BETWEEN_PASSES, payments, lambda _: before.append(read_used(url)), url
    )
    used = read_used(url).since(before[0])
    return _rows("engine", payments, spent.seconds / payments * 1000, used)


def _rows(what: str, made: float, ms: float, used: Used) -> list[Row]:
    by_table = {table: round(count / made, 2) for table, count in used.rows.items()}
    figures = {
        "ms of a processor, our process": f"{ms:.2f}",
        "ms of a processor, PostgreSQL": f"{used.seconds / made * 1000:.2f}",
        "transactions that write": f"{used.transactions / made:.2f}",
        "KB in PostgreSQL's log of writes": f"{used.log_bytes / made / 1000:.1f}",
        "KB stored, with indexes": f"{used.stored / made / 1000:.1f}",
        "rows": f"{sum(used.rows.values()) / made:.1f} {by_table}",
    }
    return [(f"{what} a payment, {name}", f, "a unit cost", True) for name, f in figures.items()]


if __name__ == "__main__":
    for name, figure, _, _ in run():
        print(f"{name}: {figure}")
