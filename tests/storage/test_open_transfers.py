"""What is asked while payments are signed costs by what is open, not by all that ever was."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event

from crossway.ports.store import UnitOfWork
from crossway.storage.store import SqlStore


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
    ],
)
def test_open_transfers_are_read_by_their_index(
    store: SqlStore, ask: Callable[[UnitOfWork], object], index: str
) -> None:
    said: list[tuple[str, Any]] = []

    def listen(_: object, cursor: object, statement: str, parameters: Any, *rest: object) -> None:
        said.append((statement, parameters))

    event.listen(store.reader, "before_cursor_execute", listen)
    with store.read() as unit:
        ask(unit)
    [(query, parameters)] = [one for one in said if "SELECT" in one[0]]
    with store.reader.connect() as db:
        plan = db.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", parameters)
        assert f"USING INDEX {index}" in next(str(row[3]) for row in plan)
