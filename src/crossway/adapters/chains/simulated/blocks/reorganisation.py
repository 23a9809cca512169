"""Undoing the newest blocks: their transactions go back to wait, and their money with them."""

import orjson
from sqlalchemy import Row, delete, select

from crossway.adapters.chains.simulated.blocks.execution import Outcome
from crossway.adapters.chains.simulated.blocks.losses import lose, reopen
from crossway.adapters.chains.simulated.blocks.stored import add_to_mempool, load_world, save_world
from crossway.adapters.chains.simulated.blocks.transactions import Transaction, read
from crossway.adapters.chains.simulated.network import Site
from crossway.adapters.chains.simulated.tables import blocks, incoming, transactions


def reorganise(site: Site, depth: int) -> None:
    """Replace this many of the newest blocks by empty ones.

    Their transactions wait for the blocks to come, less the next `drop_next`, which are gone.
    """
    state = site.state
    start = max(state.height - depth + 1, state.first_height + 1)
    undone = _undo(site, start)
    for table, height in (
        (transactions, transactions.c.block_height),
        (incoming, incoming.c.block_height),
        (blocks, blocks.c.height),
    ):
        site.db.execute(delete(table).where(table.c.chain == site.facts.id, height >= start))
    state.reorgs.append(start)
    reopen(site, start)
    dropped = undone[: state.drop_next]
    state.drop_next -= len(dropped)
    lose(site, dropped, None)
    add_to_mempool(site, undone[len(dropped) :])


def _undo(site: Site, start: int) -> list[Transaction]:
    """Take back what was mined from this height on; the transactions, oldest first."""
    query = (
        select(
            transactions.c.tx_id, transactions.c.raw, transactions.c.moved, transactions.c.reason
        )
        .where(transactions.c.chain == site.facts.id, transactions.c.block_height >= start)
        .order_by(transactions.c.block_height, transactions.c.position)
    )
    rows = site.db.execute(query).all()
    undone = [read(site.facts.family, row.raw, row.tx_id) for row in rows]
    world = load_world(site, undone)
    for tx, row in zip(reversed(undone), reversed(rows), strict=True):
        world.undo(tx, _outcome(row))
    save_world(site, world)
    return undone


def _outcome(row: Row[tuple[str, bytes, bytes, str]]) -> Outcome:
    moved = [
        (source, to, token, int(units)) for source, to, token, units in orjson.loads(row.moved)
    ]
    return Outcome(moved, row.reason)
