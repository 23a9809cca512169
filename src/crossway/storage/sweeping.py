"""The statements by which the engine's sweeps find transfers: by the partial index of a state."""

from sqlalchemy import BigInteger, bindparam, cast, select, text

from crossway.storage.sets import for_each_chain
from crossway.storage.tables import transfers

SETTLED = for_each_chain(
    lambda final: (
        select(transfers)
        .join(final, transfers.c.chain == final.c.key)
        # Written out, so that the planner sees the partial index; so below.
        .where(
            text("state = 'CONFIRMED'"),
            transfers.c.block_height <= cast(final.c.value, BigInteger),
        )
        .order_by(transfers.c.id)
        .limit(bindparam("limit"))
    )
)
DUE = (
    select(transfers)
    .where(
        text("state = 'DUE'"),
        transfers.c.chain.in_(bindparam("chains", expanding=True)),
        transfers.c.next_at <= bindparam("now"),
    )
    .order_by(transfers.c.next_at, transfers.c.id)
    .limit(bindparam("limit"))
)
SIGNED = (
    select(
        transfers.c.id,
        transfers.c.intent_id,
        transfers.c.duty,
        transfers.c.chain,
        transfers.c.tx_id,
        transfers.c.tries,
    )
    .where(text("state = 'SIGNED'"), transfers.c.chain.in_(bindparam("chains", expanding=True)))
    .order_by(transfers.c.id)
    .limit(bindparam("limit"))
)
