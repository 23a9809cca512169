"""What partitions by time cost on PostgreSQL, against one partition with the same rows.

By processor time of PostgreSQL: the statements that store and read events and deliveries with 1, 7
(a month's retention as it is divided) and 36 partitions; those of the ledger, which is one table,
as it is and with 36. Last, what retention takes for a million events, by rows and with their
partition. PostgreSQL is a throwaway one without fsync.
"""

import random
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from sqlalchemy import text

from benchmarks.database_work import read_processor_seconds
from crossway.domain.clients import Mode, Owner, OwnerFilter
from crossway.domain.ledger import Account, Posting
from crossway.domain.webhooks import DeliveryAttempt, DeliveryState, OutboxEvent
from crossway.ports.store import UnitOfWork
from crossway.ports.treasury_repository import PostingFilter
from crossway.ports.webhook_repository import DeliveryFilter, NewDelivery
from crossway.storage.partitions import add_partition
from crossway.storage.row_mapper import to_micros
from crossway.storage.store import SqlStore, open_store
from crossway.storage.webhook_tables import deliveries, delivery_attempts, outbox
from tests.databases import new_postgres
from tests.postgres import running_postgres
from tests.storage.records import VAULT

ROWS, ENOUGH_SECONDS = 200_000, 0.3
PARTS: Final = (1, 7, 36)
GOAL_STORING, GOAL_READING = 1.5, 3.0
BATCH: Final = 50
CLIENTS: Final = 20
DAYS: Final = 180
BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
ENDED: Final = BEGAN + timedelta(days=DAYS)
OWNER: Final = Owner("c-1", Mode.TEST)
Row = tuple[str, str, str, bool]
Work = Callable[[UnitOfWork], object]

DAY_MICROS: Final = 86_400_000_000
# Of each client three webhooks, and of one thirty.
FILL: Final = """
INSERT INTO webhooks (client_id, url, events, description, secret, enabled, disabled_reason,
    created_at, updated_at, mode)
  SELECT 'c-' || CASE WHEN g < 60 THEN g / 3 ELSE 1 END, 'https://x/', '*', '', '', true, '', 0, 0,
    'test' FROM generate_series(0, 86) g;
INSERT INTO outbox (event_id, client_id, type, kind, resource_id, at, snapshot, position, mode)
  SELECT 'evt_' || md5(g::text), 'c-' || g % 20, 'intent_created', 'intent', g / 4,
    {began} + g * ({span} / {rows}), '{{}}', g / 20 + 1, 'test'
    FROM generate_series(0::bigint, {rows} - 1) g;
INSERT INTO deliveries (webhook_id, event_id, sequence_key, state, attempt_count, next_at,
    leased_until, status, error, created_at, updated_at)
  SELECT (id - 1) % 20 * 3 + 1 + id % 3, id, 'intent:' || resource_id, 'DELIVERED', 1, at, 0, 200,
    '', at, at FROM outbox;
INSERT INTO delivery_attempts (delivery_id, at, status, error, milliseconds, headers, response)
  SELECT id, created_at, 200, '', 20, '{{}}', 'ok' FROM deliveries;
INSERT INTO postings (intent_id, chain, token, debit, credit, amount, tx, at)
  SELECT g / 10, 'BASE', 'usdc', CASE g % 2 WHEN 0 THEN 'held' ELSE 'escrow' END,
    CASE g % 2 WHEN 0 THEN 'payer' ELSE 'held' END, '1000000', '0x' || md5(g::text),
    {began} + g * ({span} / {rows}) FROM generate_series(0::bigint, {rows} - 1) g;
"""


def run(rows: int = ROWS, seconds: float = ENOUGH_SECONDS) -> list[Row]:
    """(name, figure, goal, met)."""
    spent: dict[str, list[float]] = {}
    with running_postgres() as server:
        for parts in PARTS:
            with filled(server, parts, rows) as store:
                measure(store, storing(rows), reading(rows), seconds, spent)
        decided = list(spent)
        for parts in (0, PARTS[-1]):
            with filled(server, parts, rows, ledger=True) as store:
                measure(store, {"10 postings": post}, of_ledger(rows), seconds, spent)
        by_rows, dropped = (retire(server, parts, rows) for parts in (0, 1))
    return [
        *(_row(name, spent[name], name in storing(rows)) for name in decided),
        *(_row_of_ledger(name, *spent[name]) for name in spent if name not in decided),
        (
            f"{rows:,} old events deleted with their partition",
            f"{dropped:.0f} ms, {by_rows:.0f} ms by rows",
            "less",
            dropped < by_rows,
        ),
    ]


def _row(name: str, ms: list[float], stores: bool) -> Row:
    goal = GOAL_STORING if stores else GOAL_READING
    ratios = (f"{more / ms[0]:.2f} x with {n}" for n, more in zip(PARTS[1:], ms[1:], strict=True))
    figure = f"{ms[0]:.3f} ms, {', '.join(ratios)}"
    return name, figure, f"{goal} x with {PARTS[1]}", ms[1] / ms[0] <= goal


def _row_of_ledger(name: str, whole: float, divided: float) -> Row:
    figure = f"{whole:.3f} ms, {divided / whole:.2f} x with {PARTS[-1]}"
    return f"ledger: {name}", figure, "why it is one table", True


@contextmanager
def filled(server: str, parts: int, rows: int, ledger: bool = False) -> Iterator[SqlStore]:
    """A store whose rows of half a year are spread over so many partitions, those of the ledger or
    the others; 0: none but the default one."""
    width = DAYS * DAY_MICROS // max(parts, 1) + 1
    starts = [to_micros(BEGAN) + number * width for number in range(parts)]
    with new_postgres(server) as url, closing(open_store(url)) as store:
        store.unlock(VAULT)
        with store.writer.begin() as db:
            for table in () if ledger else (outbox, deliveries, delivery_attempts):
                for start in starts:
                    add_partition(db, table, start, start + width)
            if ledger and parts:
                divide_ledger(db.exec_driver_sql, starts, width)
            span = DAYS * DAY_MICROS
            db.execute(text(FILL.format(began=to_micros(BEGAN), span=span, rows=rows)))
        with store.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
            db.exec_driver_sql("VACUUM ANALYZE")
        yield store


def divide_ledger(execute: Callable[[str], object], starts: list[int], width: int) -> None:
    """As the migration does with the other tables."""
    execute("ALTER TABLE postings RENAME TO postings_default")
    execute("ALTER TABLE postings_default DROP CONSTRAINT postings_pkey")
    execute("ALTER TABLE postings_default ADD PRIMARY KEY (id, at)")
    execute("CREATE TABLE postings (LIKE postings_default INCLUDING ALL) PARTITION BY RANGE (at)")
    execute("ALTER TABLE postings ATTACH PARTITION postings_default DEFAULT")
    for start in starts:
        bounds = f"FROM ({start}) TO ({start + width})"
        execute(f"CREATE TABLE postings_{start} PARTITION OF postings FOR VALUES {bounds}")


def measure(
    store: SqlStore,
    writes: Mapping[str, Work],
    reads: Mapping[str, Work],
    seconds: float,
    spent: dict[str, list[float]],
) -> None:
    """Add the milliseconds of PostgreSQL's processor that each takes once."""
    for name, work in writes.items():
        once = partial(store.write, work)
        spent.setdefault(name, []).append(_milliseconds(store, once, seconds))
    for name, work in reads.items():

        def ask(work: Work = work) -> None:
            with store.read() as unit:
                work(unit)

        spent.setdefault(name, []).append(_milliseconds(store, ask, seconds))


def _milliseconds(store: SqlStore, work: Callable[[], object], seconds: float) -> float:
    url = store.writer.url.render_as_string(hide_password=False)
    for _ in range(10):  # The driver prepares a statement after five.
        work()
    before, done, spent = read_processor_seconds(url), 0, 0.0
    while spent < seconds or not done:
        for _ in range(20):
            work()
        done, spent = done + 20, read_processor_seconds(url) - before
    return spent / done * 1000


def storing(rows: int) -> Mapping[str, Work]:
    """What is stored, by name."""
    return {
        f"{BATCH} events, stored and given positions": store_events,
        f"{BATCH} deliveries, stored, leased and ended": partial(deliver, rows),
    }


def store_events(unit: UnitOfWork) -> None:
    """The events of one client."""
    at, client = ENDED - timedelta(minutes=1), CLIENTS - 1
    events = [
        OutboxEvent(
            0, f"evt_{secrets.token_hex(16)}", f"c-{client}", "intent_created", "intent", number,
            at, "{}", None, Mode.TEST,
        )
        for number in range(BATCH)
    ]  # fmt: skip
    unit.outbox.assign_positions([unit.outbox.add(event) for event in events])


def deliver(rows: int, unit: UnitOfWork) -> None:
    """One webhook's deliveries of the newest events, from their creation to the answer."""
    at = ENDED - timedelta(minutes=1)
    unit.deliveries.add_many([NewDelivery(7, rows - n, f"intent:{n}", at) for n in range(BATCH)])
    leased = unit.deliveries.lease_due({7: BATCH}, at, at, ENDED)
    ended = [replace(one, state=DeliveryState.DELIVERED, attempt_count=1) for one in leased]
    attempts = [DeliveryAttempt(one.id, at, 200, "", 20, "{}", "ok") for one in leased]
    unit.deliveries.save_results(ended, attempts)


def reading(rows: int) -> Mapping[str, Work]:
    """What is read, by name; what is asked for is among the newest tenth."""
    chosen = random.Random(1)
    newest = range(rows * 9 // 10, rows)
    week = DeliveryFilter(webhook_id=7, start=ENDED - timedelta(days=7), end=ENDED)
    clients = [f"c-{number}" for number in range(CLIENTS)]
    return {
        "events without a position": lambda unit: unit.outbox.list_unsequenced(50),
        "50 events by number": lambda unit: unit.outbox.get_many(chosen.sample(newest, 50)),
        "50 events of about now by number": lambda unit: unit.outbox.get_many(
            chosen.sample(range(rows - 500, rows), 50), [ENDED]
        ),
        "the position of an event": lambda unit: unit.outbox.get_position(OWNER, "evt_none"),
        "the newest positions of 20 clients": lambda unit: unit.outbox.last_positions(clients),
        "a client's next 50 events": lambda unit: unit.outbox.list_after(
            rows // CLIENTS - 60, OWNER, rows, 50
        ),
        "webhooks with something due": lambda unit: unit.deliveries.list_due_endpoints(
            ENDED, ENDED
        ),
        "a webhook's newest deliveries": lambda unit: unit.deliveries.list_page(
            DeliveryFilter(webhook_id=7), 50
        ),
        "a webhook's deliveries of a week": lambda unit: unit.deliveries.list_page(week, 50),
        "the newest deliveries of 30 webhooks": lambda unit: unit.deliveries.list_page(
            DeliveryFilter("c-1"), 50
        ),
        "the newest deliveries of 20 payments": lambda unit: unit.deliveries.list_newest_of_intents(
            OwnerFilter(), [number // 4 for number in chosen.sample(newest, 20)], 3
        ),
    }


def post(unit: UnitOfWork) -> None:
    """The postings of a payment."""
    posting = Posting(1, "BASE", "usdc", Account.HELD, Account.PAYER, 1_000_000, "0xab")
    unit.ledger.post([posting] * 10, ENDED - timedelta(minutes=1))


def of_ledger(rows: int) -> Mapping[str, Work]:
    """What is read of the ledger, by name."""
    newest = range(rows * 9 // 100, rows // 10)
    chosen = random.Random(1)
    key = (Account.HELD, "BASE", "usdc")
    return {
        "what 50 payments hold": lambda unit: unit.ledger.sum_by_intent(
            Account.HELD, chosen.sample(newest, 50)
        ),
        "the postings of a payment": lambda unit: unit.ledger.list_by_intent(chosen.choice(newest)),
        "an account's newest page": lambda unit: unit.ledger.list_page(PostingFilter(key), 51),
        "the newest number": lambda unit: unit.payment_figures.newest_ids(),
    }


def retire(server: str, parts: int, rows: int) -> float:
    """Milliseconds of PostgreSQL's processor until all events of half a year are gone, but for the
    newest of each client."""
    after = ENDED + timedelta(days=1)
    with filled(server, parts, rows) as store:
        url = store.writer.url.render_as_string(hide_password=False)
        with store.writer.begin() as db:
            db.exec_driver_sql("TRUNCATE deliveries")
        before = read_processor_seconds(url)
        if parts:
            assert store.write(lambda unit: unit.retention.drop_partition("outbox", after))
        else:
            while store.write(lambda unit: unit.retention.delete_oldest("outbox", after, 2_000)):
                pass
        return (read_processor_seconds(url) - before) * 1000
