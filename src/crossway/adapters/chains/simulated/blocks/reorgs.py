"""Reorgs: the newest blocks are undone and their transactions return to the mempool."""

import orjson
from sqlalchemy import Row, delete, select

from crossway.adapters.chains.simulated.blocks.attestation import attest_sent_since
from crossway.adapters.chains.simulated.blocks.bridge_events import load_by_tx
from crossway.adapters.chains.simulated.blocks.dropped_txs import record_dropped, reopen
from crossway.adapters.chains.simulated.blocks.execution import ExecutionResult
from crossway.adapters.chains.simulated.blocks.network import ChainSession
from crossway.adapters.chains.simulated.blocks.state_store import (
    add_to_mempool,
    load_execution_state,
    save_execution_state,
)
from crossway.adapters.chains.simulated.blocks.tables import (
    across_deposits,
    blocks,
    bridge_events,
    incoming_transfers,
    transactions,
)
from crossway.adapters.chains.simulated.blocks.transactions import Transaction, parse
from crossway.adapters.chains.simulated.contracts.events import BridgeEvent


def reorg(session: ChainSession, depth: int) -> None:
    """Replace this many of the newest blocks by empty ones.

    Their transactions return to the mempool, except the first `drop_next`, which are dropped.
    """
    state = session.state
    start = max(state.height - depth + 1, state.first_height + 1)
    # What a bridge has attested to stays valid, also when nobody has asked for it yet.
    attest_sent_since(session, start)
    undone = _undo(session, start)
    for table, height in (
        (transactions, transactions.c.block_height),
        (incoming_transfers, incoming_transfers.c.block_height),
        (blocks, blocks.c.height),
        (bridge_events, bridge_events.c.block_height),
        (across_deposits, across_deposits.c.block_height),
    ):
        session.db.execute(delete(table).where(table.c.chain == session.facts.id, height >= start))
    state.reorgs.append(start)
    reopen(session, start)
    dropped = undone[: state.drop_next]
    state.drop_next -= len(dropped)
    record_dropped(session, dropped, None)
    add_to_mempool(session, undone[len(dropped) :])


def _undo(session: ChainSession, start: int) -> list[Transaction]:
    """Undo the blocks from this height on and return their transactions, oldest first."""
    query = (
        select(
            transactions.c.tx_id, transactions.c.raw, transactions.c.moved, transactions.c.reason
        )
        .where(transactions.c.chain == session.facts.id, transactions.c.block_height >= start)
        .order_by(transactions.c.block_height, transactions.c.position)
    )
    rows = session.db.execute(query).all()
    undone = [parse(session.facts.family, row.raw, row.tx_id) for row in rows]
    world = load_execution_state(session, undone)
    events = load_by_tx(session, [tx.tx_id for tx in undone if tx.contract is not None])
    for tx, row in zip(reversed(undone), reversed(rows), strict=True):
        world.undo(tx, _outcome(row, events.get(tx.tx_id, [])))
    save_execution_state(session, world)
    return undone


def _outcome(row: Row[tuple[str, bytes, bytes, str]], events: list[BridgeEvent]) -> ExecutionResult:
    transfers = [
        (source, to, token, int(units)) for source, to, token, units in orjson.loads(row.moved)
    ]
    return ExecutionResult(transfers, row.reason, events=events)
