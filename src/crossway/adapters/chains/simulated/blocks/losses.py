"""Transactions that the chain dropped: which of them can still land, and since when not."""

from collections.abc import Collection, Iterable

from sqlalchemy import ColumnElement, bindparam, delete, func, select, update

from crossway.adapters.chains.simulated.blocks.stored import load_nonces
from crossway.adapters.chains.simulated.blocks.transactions import Transaction
from crossway.adapters.chains.simulated.network import Site
from crossway.adapters.chains.simulated.sets import among, put
from crossway.adapters.chains.simulated.tables import lost

_BURY = (
    update(lost)
    .where(lost.c.chain == bindparam("b_chain"), lost.c.tx_id == bindparam("b_tx"))
    .values(dead_height=bindparam("b_height"))
)


def lose(site: Site, transactions: Iterable[Transaction], dead_height: int | None) -> None:
    """Remember dropped transactions; those of the sandbox itself leave no trace."""
    rows = [
        (site.facts.id, tx.tx_id, tx.account, str(tx.nonce), tx.not_after, dead_height)
        for tx in transactions
        if not tx.by_hand
    ]
    put(site.db, lost, rows, fresh=False)
    site.state.lost += len(rows) if dead_height is None else 0


def find(site: Site, tx_ids: Collection[str]) -> None:
    """Transactions that were sent again are not lost any more."""
    if known := deaths(site, tx_ids):
        site.db.execute(delete(lost).where(lost.c.chain == site.facts.id, _named(site, known)))
        recount(site)


def bury(site: Site, height: int, at: float) -> None:
    """Settle which lost transactions can no longer land, as of a block and its time."""
    if not site.state.lost:
        return
    query = select(lost.c.tx_id, lost.c.account, lost.c.nonce, lost.c.not_after).where(
        lost.c.chain == site.facts.id, lost.c.dead_height.is_(None)
    )
    rows = site.db.execute(query).all()
    used = load_nonces(site, {row.account for row in rows})
    dead = [
        {"b_chain": site.facts.id, "b_tx": row.tx_id, "b_height": height}
        for row in rows
        if int(row.nonce) < used.get(row.account, 0)
        or (row.not_after is not None and row.not_after < at)
    ]
    if dead:
        site.db.execute(_BURY, dead)
        site.state.lost -= len(dead)


def reopen(site: Site, from_height: int) -> None:
    """What died in blocks that are undone may land after all."""
    site.db.execute(
        update(lost)
        .where(lost.c.chain == site.facts.id, lost.c.dead_height >= from_height)
        .values(dead_height=None)
    )
    recount(site)


def recount(site: Site) -> None:
    """Count those that could still land."""
    query = select(func.count()).where(lost.c.chain == site.facts.id, lost.c.dead_height.is_(None))
    site.state.lost = site.db.execute(query).scalar_one()


def deaths(site: Site, tx_ids: Collection[str]) -> dict[str, int | None]:
    """Of these, the lost ones, with the height since which each can no longer land."""
    query = select(lost.c.tx_id, lost.c.dead_height).where(
        lost.c.chain == site.facts.id, _named(site, tx_ids)
    )
    return {row.tx_id: row.dead_height for row in site.db.execute(query)}


def _named(site: Site, tx_ids: Collection[str]) -> ColumnElement[bool]:
    return among(site.db, lost.c.tx_id, tx_ids)
