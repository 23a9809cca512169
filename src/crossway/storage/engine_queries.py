"""Queries by which the engine finds outbound transactions, each by the partial index of a state."""

from sqlalchemy import BigInteger, bindparam, cast, select, text

from crossway.storage.bulk_sql import per_dialect_for_chains
from crossway.storage.tables import outbound_txs

SETTLED = per_dialect_for_chains(
    lambda final: (
        select(outbound_txs)
        .join(final, outbound_txs.c.chain == final.c.key)
        # A literal, so that the planner uses the partial index; so below.
        .where(
            text("state = 'CONFIRMED'"),
            outbound_txs.c.block_height <= cast(final.c.value, BigInteger),
        )
        .order_by(outbound_txs.c.id)
        .limit(bindparam("limit"))
    )
)
DUE = (
    select(outbound_txs)
    .where(
        text("state = 'DUE'"),
        outbound_txs.c.chain.in_(bindparam("chains", expanding=True)),
        outbound_txs.c.next_at <= bindparam("now"),
    )
    .order_by(outbound_txs.c.next_at, outbound_txs.c.id)
    .limit(bindparam("limit"))
)
SIGNED = (
    select(
        outbound_txs.c.id,
        outbound_txs.c.intent_id,
        outbound_txs.c.kind,
        outbound_txs.c.chain,
        outbound_txs.c.tx_id,
        outbound_txs.c.attempt_count,
    )
    .where(text("state = 'SIGNED'"), outbound_txs.c.chain.in_(bindparam("chains", expanding=True)))
    .order_by(outbound_txs.c.id)
    .limit(bindparam("limit"))
)
