"""Dropped transactions: which can still land, and the height from which others cannot."""

from collections.abc import Collection, Iterable

from sqlalchemy import ColumnElement, bindparam, delete, func, select, update

from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_rows
from crossway.adapters.chains.simulated.blocks.network import ChainSession
from crossway.adapters.chains.simulated.blocks.state_store import load_nonces
from crossway.adapters.chains.simulated.blocks.tables import dropped_txs
from crossway.adapters.chains.simulated.blocks.transactions import Transaction
from crossway.sql.in_values import in_values

_SET_DEAD_HEIGHT = (
    update(dropped_txs)
    .where(dropped_txs.c.chain == bindparam("b_chain"), dropped_txs.c.tx_id == bindparam("b_tx"))
    .values(dead_height=bindparam("b_height"))
)


def record_dropped(
    session: ChainSession, transactions: Iterable[Transaction], dead_height: int | None
) -> None:
    """Record dropped transactions, except those of the simulator itself."""
    rows = [
        (session.facts.id, tx.tx_id, tx.account, str(tx.nonce), tx.not_after, dead_height)
        for tx in transactions
        if not tx.is_simulator_tx
    ]
    insert_rows(session.db, dropped_txs, rows, fresh=False)
    session.state.dropped_count += len(rows) if dead_height is None else 0


def forget_dropped(session: ChainSession, tx_ids: Collection[str]) -> None:
    """Forget dropped transactions that were sent again."""
    if dead_heights_by_tx := dead_heights(session, tx_ids):
        session.db.execute(
            delete(dropped_txs).where(
                dropped_txs.c.chain == session.facts.id, _by_tx_ids(session, dead_heights_by_tx)
            )
        )
        recount(session)


def mark_unlandable(session: ChainSession, height: int, at: float) -> None:
    """Mark dropped transactions that can no longer land, as of a block and its time."""
    if not session.state.dropped_count:
        return
    query = select(
        dropped_txs.c.tx_id, dropped_txs.c.account, dropped_txs.c.nonce, dropped_txs.c.not_after
    ).where(dropped_txs.c.chain == session.facts.id, dropped_txs.c.dead_height.is_(None))
    rows = session.db.execute(query).all()
    used = load_nonces(session, {row.account for row in rows})
    has_nonces = session.facts.has_nonces
    dead = [
        {"b_chain": session.facts.id, "b_tx": row.tx_id, "b_height": height}
        for row in rows
        if (has_nonces and int(row.nonce) < used.get(row.account, 0))
        or (not has_nonces and row.not_after is not None and row.not_after < at)
    ]
    if dead:
        session.db.execute(_SET_DEAD_HEIGHT, dead)
        session.state.dropped_count -= len(dead)


def reopen(session: ChainSession, from_height: int) -> None:
    """Unmark transactions whose deciding block was undone: they may land after all."""
    session.db.execute(
        update(dropped_txs)
        .where(dropped_txs.c.chain == session.facts.id, dropped_txs.c.dead_height >= from_height)
        .values(dead_height=None)
    )
    recount(session)


def recount(session: ChainSession) -> None:
    """Count the dropped transactions that can still land."""
    query = select(func.count()).where(
        dropped_txs.c.chain == session.facts.id, dropped_txs.c.dead_height.is_(None)
    )
    session.state.dropped_count = session.db.execute(query).scalar_one()


def dead_heights(session: ChainSession, tx_ids: Collection[str]) -> dict[str, int | None]:
    """Those of these that were dropped, with the height from which each can no longer land."""
    query = select(dropped_txs.c.tx_id, dropped_txs.c.dead_height).where(
        dropped_txs.c.chain == session.facts.id, _by_tx_ids(session, tx_ids)
    )
    return {row.tx_id: row.dead_height for row in session.db.execute(query)}


def _by_tx_ids(session: ChainSession, tx_ids: Collection[str]) -> ColumnElement[bool]:
    return in_values(dropped_txs.c.tx_id, tx_ids)
