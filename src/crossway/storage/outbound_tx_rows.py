"""The rows of outbound transactions, and the queries by which the engine finds them."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, bindparam, cast, select, text

from crossway.domain.outbound import OutboundTx, OutboundTxState
from crossway.ports.records import NewOutboundTx, TxAttempt
from crossway.sql.in_values import within
from crossway.storage.bulk_sql import per_dialect_for_chains
from crossway.storage.row_mapper import RowMapper, to_micros
from crossway.storage.shard_sql import ByShards
from crossway.storage.tables import outbound_txs, tx_attempts

OUTBOUND_TXS: Final = RowMapper(OutboundTx, outbound_txs)
NEW_OUTBOUND_TXS: Final = RowMapper(NewOutboundTx, outbound_txs)
TX_ATTEMPTS: Final = RowMapper(TxAttempt, tx_attempts)


def new_outbound_tx_row(new: NewOutboundTx, at: datetime) -> dict[str, Any]:
    """The row of an outbound transaction that is due."""
    return NEW_OUTBOUND_TXS.encode(new) | {
        "state": OutboundTxState.DUE.value,
        "attempt_count": 0,
        "reason": "",
        "tx_id": None,
        "block_height": None,
        "created_at": to_micros(at),
        "updated_at": to_micros(at),
    }


SELECT_SETTLED: Final = ByShards(
    lambda is_of_shards: per_dialect_for_chains(
        lambda final: (
            select(outbound_txs)
            .join(final, outbound_txs.c.chain == final.c.key)
            # A literal, so that the planner uses the partial index; so below.
            .where(
                text("state = 'CONFIRMED'"),
                outbound_txs.c.block_height <= cast(final.c.value, BigInteger),
                is_of_shards(outbound_txs.c.intent_id),
            )
            .order_by(outbound_txs.c.id)
            .limit(bindparam("limit"))
        )
    ),
)
SELECT_DUE: Final = ByShards(
    lambda is_of_shards: (
        select(outbound_txs)
        .where(
            text("state = 'DUE'"),
            within(outbound_txs.c.chain, "chains"),
            outbound_txs.c.next_at <= bindparam("now"),
            is_of_shards(outbound_txs.c.intent_id),
        )
        .order_by(outbound_txs.c.next_at, outbound_txs.c.id)
        .limit(bindparam("limit"))
    ),
)
SELECT_SIGNED: Final = ByShards(
    lambda is_of_shards: (
        select(
            outbound_txs.c.id,
            outbound_txs.c.intent_id,
            outbound_txs.c.kind,
            outbound_txs.c.chain,
            outbound_txs.c.tx_id,
            outbound_txs.c.attempt_count,
        )
        .where(
            text("state = 'SIGNED'"),
            within(outbound_txs.c.chain, "chains"),
            is_of_shards(outbound_txs.c.intent_id),
        )
        .order_by(outbound_txs.c.id)
        .limit(bindparam("limit"))
    ),
)
