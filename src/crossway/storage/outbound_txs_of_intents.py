"""The outbound transactions of intents, however many an intent has."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, Select, func, select, text

from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.sql.in_values import in_values
from crossway.storage.outbound_tx_rows import OUTBOUND_TXS
from crossway.storage.row_mapper import from_micros, to_micros
from crossway.storage.tables import outbound_txs


class OutboundTxsOfIntents:
    """The part of `SqlOutboundTxs` that reads the open or newest ones."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def list_unsettled(self, intent_ids: Collection[int]) -> list[OutboundTx]:
        query = select(outbound_txs).where(
            # A literal, so that the planner uses the partial index.
            text("state IN ('DUE', 'SIGNED', 'FAILED')"),
            in_values(outbound_txs.c.intent_id, intent_ids),
        )
        return self._decode(query.order_by(outbound_txs.c.id)) if intent_ids else []

    def count_returns(
        self, intent_ids: Collection[int], since: datetime
    ) -> dict[int, tuple[int, datetime]]:
        columns = (
            outbound_txs.c.intent_id,
            func.count(),
            func.min(outbound_txs.c.updated_at),
        )
        query = select(*columns).where(
            in_values(outbound_txs.c.intent_id, intent_ids),
            outbound_txs.c.kind == OutboundTxKind.RETURN_EXCESS.value,
            outbound_txs.c.tx_id.is_not(None),
            outbound_txs.c.updated_at >= to_micros(since),
        )
        rows = self._db.execute(query.group_by(outbound_txs.c.intent_id)) if intent_ids else ()
        return {intent_id: (count, from_micros(first)) for intent_id, count, first in rows}

    def list_newest(self, intent_id: int, limit: int) -> list[OutboundTx]:
        query = select(outbound_txs).where(outbound_txs.c.intent_id == intent_id)
        is_return = outbound_txs.c.kind == OutboundTxKind.RETURN_EXCESS.value
        returns = query.where(is_return).order_by(outbound_txs.c.id.desc()).limit(limit)
        return sorted(
            (*self._decode(returns), *self._decode(query.where(~is_return))), key=lambda tx: tx.id
        )

    def count_by_intent(self, intent_id: int) -> int:
        count = select(func.count()).where(outbound_txs.c.intent_id == intent_id)
        return self._db.execute(count).scalar_one()

    def _decode(self, query: Select[tuple[object, ...]]) -> list[OutboundTx]:
        return [OUTBOUND_TXS.decode(row) for row in self._db.execute(query)]
