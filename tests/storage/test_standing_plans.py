"""What the engine asks about standing addresses in each pass is found by an index, on both
databases, among many stored ones whose deposits have ended."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from sqlalchemy import text

from crossway.storage.standing_tables import standing_addresses, standing_deposits
from crossway.storage.store import SqlStore
from tests.statements import plan_of, postgres_plans, recorded
from tests.storage.records import ARBITRUM, BASE, NOW, later
from tests.storage.test_standing import a_transfer, add, record

MANY: Final = 20_000
ASKED: Final[dict[str, tuple[str, Callable[[Any], object]]]] = {
    "addresses that transfers pay": (
        "address",
        lambda unit: unit.standing.find_by_addresses(["0xaddress0", "0xnobody"]),
    ),
    "addresses that were added": (
        "Index Cond: (id >|PRIMARY KEY (rowid>?)",
        lambda unit: unit.standing.list_added_addresses(MANY - 5, [1, 2]),
    ),
    "the newest address": (
        "standing_addresses_pkey|SEARCH standing_addresses",
        lambda unit: unit.standing.get_newest_number(),
    ),
    "deposits that are ready": (
        "standing_deposits_seen",
        lambda unit: unit.standing.list_ready({BASE: 99, ARBITRUM: 99}, later(60), 500),
    ),
    "deposits of replaced blocks": (
        "standing_deposits_by_block",
        lambda unit: unit.standing.lock_from_height(BASE, 10_000_000),
    ),
    "addresses with deposits": (
        "standing_deposits_there",
        lambda unit: unit.standing.list_paid_to(BASE, 5, 500),
    ),
    "deposits at addresses": (
        "standing_deposits_there",
        lambda unit: unit.standing.list_there(BASE, [1, 2, 3]),
    ),
}


@pytest.fixture
def many(store: SqlStore) -> SqlStore:
    """A store with one open deposit among many that ended, each at an address of its own."""
    address = add(store)
    record(store, address, a_transfer(address))
    own = {
        standing_addresses: {"id": "n", "name": "'sa_n' || n", "address": "'0xn' || n"},
        standing_deposits: {"id": "n", "number": "n", "tx_hash": "'0x' || n",
                            "block_height": "n", "state": "'RETURNED'"},
    }  # fmt: skip
    with store.writer.begin() as db:
        for table, different in own.items():
            names = [column.name for column in table.c]
            values = ", ".join(different.get(name, f"model.{name}") for name in names)
            db.execute(text(
                f"WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers "
                f"WHERE n < {MANY}) INSERT INTO {table.name} ({', '.join(names)}) SELECT {values} "
                f"FROM numbers, {table.name} AS model WHERE model.id = 1"
            ))  # fmt: skip
        if store.writer.dialect.name == "postgresql":
            db.execute(text("ANALYZE"))  # As its server does by itself.
    return store


@pytest.mark.parametrize("name", ASKED)
def test_it_is_found_by_its_index(many: SqlStore, name: str) -> None:
    indexes, work = ASKED[name]
    plans = read_plans(many, work)
    assert plans
    assert any(index in plans[0] for index in indexes.split("|")), plans
    for plan in plans:
        # Neither a table nor an index is walked through.
        assert "SCAN standing_" not in plan, plan
        assert "Seq Scan on standing_" not in plan, plan
        assert "using standing_deposits_pkey" not in plan, plan


def read_plans(store: SqlStore, work: Callable[[Any], object]) -> list[str]:
    def ask() -> None:
        store.write(work)

    if store.writer.dialect.name == "postgresql":
        return [plan for plan in postgres_plans(store.writer, ask) if "standing_" in plan]
    with recorded(store.writer) as statements:
        ask()
    asked = [statement for statement in statements if "FROM standing_" in statement]
    return ["\n".join(plan_of(store.reader, statement)) for statement in asked]


def test_what_is_asked_finds_the_open_deposit_alone(many: SqlStore) -> None:
    with many.read() as unit:
        assert [d.id for d in unit.standing.list_ready({BASE: 99}, NOW, 500)] == [1]
        assert unit.standing.list_paid_to(BASE, 0, 500) == [1]
        assert unit.standing.list_paid_to(BASE, 2, 500) == []
        assert [d.id for d in unit.standing.list_there(BASE, [1, 2])] == [1]
        assert unit.standing.list_there(ARBITRUM, [1, 2]) == []
