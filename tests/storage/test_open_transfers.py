"""What is asked while payments are signed costs by what is open, not by all that ever was."""

from collections.abc import Callable

import pytest

from crossway.ports.store import UnitOfWork
from crossway.storage.store import SqlStore
from tests.statements import plan_of, recorded
from tests.storage.records import later


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("ask", "index"),
    [
        (lambda u: u.inventory_transfers.list_open(9), "inventory_transfers_open"),
        (
            lambda u: u.inventory_transfers.list_reserving(source_chain="BASE"),
            "inventory_transfers_open",
        ),
        (
            lambda u: u.inventory_transfers.list_reserving(bridge="GATEWAY"),
            "inventory_transfers_minting",
        ),
        (lambda u: u.bridge_transfers.list_open(9), "bridge_transfers_open"),
        (lambda u: u.rebalancing.list_open(), "rebalancing_transfers_open"),
        (lambda u: u.deposits.list_older_seen(later(0), 9), "deposits_seen"),
    ],
)
def test_open_transfers_are_read_by_their_index(
    store: SqlStore, ask: Callable[[UnitOfWork], object], index: str
) -> None:
    with recorded(store.reader) as statements, store.read() as unit:
        ask(unit)
    [query] = [one for one in statements if "SELECT" in one]
    assert f"USING INDEX {index}" in plan_of(store.reader, query)[0]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "ask",
    [
        lambda u: u.intents.list_watched_addresses("BASE_MAINNET", later(3600)),
        lambda u: list(u.intents.list_addresses(later(3600))),
    ],
)
def test_addresses_of_payments_that_ended_long_ago_are_not_looked_at(
    store: SqlStore, ask: Callable[[UnitOfWork], object]
) -> None:
    with recorded(store.reader) as statements, store.read() as unit:
        ask(unit)
    [query] = [one for one in statements if "SELECT" in one]
    plan = " ".join(plan_of(store.reader, query))
    assert "USING INDEX intents_by_creation" in plan
    assert "INDEX intents_by_state" in plan
    assert "SCAN intents" not in plan
