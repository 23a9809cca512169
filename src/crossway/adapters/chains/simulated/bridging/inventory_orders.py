"""What the simulated services that move inventory have agreed to, as stored."""

from dataclasses import dataclass, fields
from typing import Any, Final

from sqlalchemy import Connection, select, update

from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_rows
from crossway.adapters.chains.simulated.blocks.tables import inventory_orders
from crossway.domain.money import MICRO_USD_DECIMALS

UNIFIED_OPENING: Final = dict.fromkeys(
    ("BASE_MAINNET", "BASE_TESTNET"), 1_000_000 * 10**MICRO_USD_DECIMALS
)
"""What the operator had deposited with Circle before the simulated network began, in units of
USDC."""


@dataclass(frozen=True, slots=True)
class InventoryOrder:
    """One row of `sim_inventory_orders`; amounts in units, times in epoch seconds. `due_at` is when
    the service executes it, None before it knows."""

    key: str
    bridge: str
    source_chain: str
    destination_chain: str
    amount: int
    source_amount: int
    expires_at: float
    due_at: float | None = None
    released: bool = False
    paid_chain: str = ""
    paid_tx: str = ""


def find_order(db: Connection, key: str) -> InventoryOrder | None:
    """The order of a number."""
    query = select(inventory_orders).where(inventory_orders.c.key == key)
    row = db.execute(query).one_or_none()
    return None if row is None else _parse(dict(row._mapping))


def list_orders(db: Connection, bridge: str) -> list[InventoryOrder]:
    """The orders of a service that were not released."""
    query = select(inventory_orders).where(
        inventory_orders.c.bridge == bridge, inventory_orders.c.released.is_(False)
    )
    rows = db.execute(query.order_by(inventory_orders.c.key))
    return [_parse(dict(row._mapping)) for row in rows]


def store_order(db: Connection, order: InventoryOrder) -> None:
    """Store a new order."""
    values = [getattr(order, field.name) for field in fields(order)]
    row = [str(v) if name in _TEXTS else v for v, name in zip(values, _NAMES, strict=True)]
    insert_rows(db, inventory_orders, [tuple(row)])


def update_order(db: Connection, key: str, **values: Any) -> None:
    """Change an order."""
    statement = update(inventory_orders).where(inventory_orders.c.key == key)
    db.execute(statement.values(**values))


_NAMES = tuple(field.name for field in fields(InventoryOrder))
_TEXTS = ("amount", "source_amount")


def _parse(row: dict[str, Any]) -> InventoryOrder:
    values: dict[str, Any] = {n: int(v) if n in _TEXTS else v for n, v in row.items()}
    return InventoryOrder(**values)
