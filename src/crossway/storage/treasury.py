"""Inventory targets, reserved amounts, bridge receivables and reconciliations."""

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    delete,
    literal_column,
    or_,
    select,
    text,
    update,
)

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import State
from crossway.domain.inventory_transfer import InventoryTransferState
from crossway.domain.outbound import NO_INVENTORY, OutboundTxKind, OutboundTxState
from crossway.domain.return_budget import ReturnBudget
from crossway.ports.treasury_repository import (
    BridgeReceivable,
    InventoryTarget,
    PayoutsBrought,
    ReconciliationRun,
)
from crossway.storage.bulk_sql import insert_into
from crossway.storage.inventory_tables import UNDER_WAY, inventory_transfers
from crossway.storage.row_mapper import RowMapper, from_micros, to_micros
from crossway.storage.tables import intents, outbound_txs
from crossway.storage.treasury_tables import inventory_targets, reconciliations, return_budgets

TARGETS: Final = RowMapper(InventoryTarget, inventory_targets)
RUNS: Final = RowMapper(ReconciliationRun, reconciliations)
BUDGETS: Final = RowMapper(ReturnBudget, return_budgets)
# Literals, so that the planner uses the partial indexes.
_INITIATED: ColumnElement[str] = literal_column(f"'{State.INITIATED}'")
_DUE: ColumnElement[str] = literal_column(f"'{OutboundTxState.DUE}'")
_SIGNED: ColumnElement[str] = literal_column(f"'{OutboundTxState.SIGNED}'")

_UNSENT: Final = (InventoryTransferState.PLANNED.value, InventoryTransferState.AGREED.value)


class SqlTreasury:
    """`ports.treasury_repository.TreasuryRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def sum_reserved(self) -> dict[tuple[str, str], int]:
        columns = (intents.c.destination_chain, intents.c.token_out, intents.c.payout_amount)
        # What a bridge carries needs no inventory.
        is_ours = intents.c.custody == Custody.OPERATOR.value
        started = select(*columns).where(intents.c.state == _INITIATED, is_ours)
        starting = (
            select(*columns)
            .join(outbound_txs, outbound_txs.c.intent_id == intents.c.id)
            .where(
                outbound_txs.c.state == _SIGNED,
                outbound_txs.c.kind == OutboundTxKind.START.value,
                intents.c.state == State.FUNDED.value,
                is_ours,
            )
        )
        totals: dict[tuple[str, str], int] = defaultdict(int)
        for query in (started, starting):
            for chain, token, units in self._db.execute(query):
                totals[chain, token] += int(units)
        return dict(totals)

    def sum_brought(self) -> dict[tuple[str, str], PayoutsBrought]:
        moved = inventory_transfers.c
        starts = select(outbound_txs.c.id).where(
            outbound_txs.c.intent_id == intents.c.id,
            outbound_txs.c.kind == OutboundTxKind.START.value,
            outbound_txs.c.state == _SIGNED,
        )
        query = (
            select(intents.c.destination_chain, intents.c.token_out, intents.c.payout_amount)
            .add_columns(moved.state)
            .join(inventory_transfers, moved.intent_id == intents.c.id)
            .where(
                text(f"inventory_transfers.{UNDER_WAY}"),
                moved.destination_chain == intents.c.destination_chain,
                or_(
                    intents.c.state == _INITIATED,
                    and_(intents.c.state == State.FUNDED.value, starts.exists()),
                ),
            )
        )
        sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        for chain, token, units, state in self._db.execute(query):
            sums[chain, token][0] += int(units)
            sums[chain, token][1] += int(units) if state in _UNSENT else 0
        return {location: PayoutsBrought(*units) for location, units in sums.items()}

    def sum_waiting(self) -> dict[tuple[str, str], int]:
        return self._sum_due(
            outbound_txs.c.kind == OutboundTxKind.START.value,
            intents.c.state == State.FUNDED.value,
            intents.c.custody == Custody.OPERATOR.value,
        )

    def sum_waiting_in_advance(self) -> dict[tuple[str, str], int]:
        return self._sum_due(
            outbound_txs.c.kind == OutboundTxKind.FILL.value,
            intents.c.custody == Custody.BRIDGE.value,
            outbound_txs.c.reason == NO_INVENTORY,
        )

    def _sum_due(self, *conditions: ColumnElement[bool]) -> dict[tuple[str, str], int]:
        """The payouts of payments with a due transaction, by chain and token."""
        columns = (intents.c.destination_chain, intents.c.token_out, intents.c.payout_amount)
        query = (
            select(*columns)
            .join(outbound_txs, outbound_txs.c.intent_id == intents.c.id)
            .where(outbound_txs.c.state == _DUE, *conditions)
        )
        totals: dict[tuple[str, str], int] = defaultdict(int)
        for chain, token, units in self._db.execute(query):
            totals[chain, token] += int(units)
        return dict(totals)

    def list_bridge_receivables(self, limit: int) -> list[BridgeReceivable]:
        fees = ("fees_units", "app_fee_units")
        columns = ("deposit_amount", *fees, "bridge", "settle_seconds", "swap")
        receivables: list[BridgeReceivable] = []
        for state in (_DUE, _SIGNED):
            query = (
                select(outbound_txs, *(intents.c[name] for name in columns))
                .join(intents, intents.c.id == outbound_txs.c.intent_id)
                .where(
                    outbound_txs.c.state == state,
                    outbound_txs.c.kind == OutboundTxKind.REIMBURSE.value,
                )
                .limit(limit - len(receivables))
            )
            receivables += [_claim(row) for row in self._db.execute(query)]
        return receivables

    def list_targets(self) -> list[InventoryTarget]:
        return [TARGETS.decode(row) for row in self._db.execute(select(inventory_targets))]

    def set_target(self, target: InventoryTarget) -> None:
        statement = insert_into(self._db, inventory_targets)
        self._db.execute(
            statement.on_conflict_do_update(
                index_elements=["chain", "token"],
                set_={name: statement.excluded[name] for name in ("amount", "by", "at")},
            ),
            TARGETS.encode(target),
        )

    def delete_target(self, chain: str, token: str) -> None:
        of_token = (inventory_targets.c.chain == chain, inventory_targets.c.token == token)
        self._db.execute(delete(inventory_targets).where(*of_token))

    def lock_return_budget(self, chain: str) -> ReturnBudget | None:
        query = select(return_budgets).where(return_budgets.c.chain == chain)
        row = self._db.execute(query.with_for_update()).one_or_none()
        return None if row is None else BUDGETS.decode(row)

    def list_return_budgets(self) -> list[ReturnBudget]:
        query = select(return_budgets).order_by(return_budgets.c.chain)
        return [BUDGETS.decode(row) for row in self._db.execute(query)]

    def save_return_budget(self, budget: ReturnBudget) -> None:
        names = ("earned_micro_usd", "allowance_micro_usd", "updated_at")
        statement = insert_into(self._db, return_budgets)
        self._db.execute(
            statement.on_conflict_do_update(
                index_elements=["chain"], set_={name: statement.excluded[name] for name in names}
            ),
            BUDGETS.encode(budget),
        )

    def start_reconciliation(
        self, started_by: str, at: datetime, chains_total: int, for_day: int | None = None
    ) -> int | None:
        statement = (
            insert_into(self._db, reconciliations)
            .on_conflict_do_nothing()
            .returning(reconciliations.c.id)
        )
        values = {
            "started_by": started_by,
            "started_at": to_micros(at),
            "for_day": for_day,
            "chains_done": 0,
            "chains_total": chains_total,
            "differences": 0,
            "result": "{}",
        }
        return self._db.execute(statement, values).scalar()

    def has_reconciliation_for(self, day: int) -> bool:
        query = select(reconciliations.c.id).where(reconciliations.c.for_day == day)
        return self._db.execute(query).first() is not None

    def record_progress(self, run_id: int, chains_done: int) -> None:
        which = reconciliations.c.id == run_id
        self._db.execute(update(reconciliations).where(which).values(chains_done=chains_done))

    def finish_reconciliation(
        self, run_id: int, at: datetime, differences: int, result: Mapping[str, Any]
    ) -> None:
        self._db.execute(
            update(reconciliations)
            .where(reconciliations.c.id == run_id)
            .values(
                ended_at=to_micros(at),
                chains_done=reconciliations.c.chains_total,
                differences=differences,
                result=json.dumps(dict(result)),
            )
        )

    def get_reconciliation(self, run_id: int) -> ReconciliationRun | None:
        row = self._db.execute(
            select(reconciliations).where(reconciliations.c.id == run_id)
        ).one_or_none()
        return None if row is None else RUNS.decode(row)

    def list_reconciliations(
        self, limit: int, before_id: int | None = None
    ) -> list[ReconciliationRun]:
        query = select(reconciliations).order_by(reconciliations.c.id.desc()).limit(limit)
        if before_id is not None:
            query = query.where(reconciliations.c.id < before_id)
        return [RUNS.decode(row) for row in self._db.execute(query)]

    def list_running_reconciliations(self) -> list[ReconciliationRun]:
        query = select(reconciliations).where(reconciliations.c.ended_at.is_(None))
        return [RUNS.decode(row) for row in self._db.execute(query.order_by(reconciliations.c.id))]


def _claim(row: Any) -> BridgeReceivable:
    since = from_micros(row.created_at)
    swap = json.loads(row.swap) if row.swap else {}
    collected = int(swap.get("output", row.deposit_amount))
    fees = (int(swap.get(name, getattr(row, name))) for name in ("fees_units", "app_fee_units"))
    return BridgeReceivable(
        intent_id=row.intent_id,
        chain=row.chain,
        token=row.token,
        amount=collected - sum(fees),
        bridge=row.bridge,
        since=since,
        due=since + timedelta(seconds=row.settle_seconds),
        reason=row.reason,
    )
