"""Block production: on schedule, at the next read, and on demand for the simulator."""

from collections.abc import Sequence

import orjson

from crossway.adapters.chains.simulated.blocks.bridge_events import save_events
from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_rows
from crossway.adapters.chains.simulated.blocks.derivation import block_hash, lookup_tag
from crossway.adapters.chains.simulated.blocks.dropped_txs import mark_unlandable, record_dropped
from crossway.adapters.chains.simulated.blocks.execution import (
    BlockResult,
    BlockRules,
    ExecutionResult,
    ExecutionState,
    TransferRow,
    fill_block,
)
from crossway.adapters.chains.simulated.blocks.network import ChainSession
from crossway.adapters.chains.simulated.blocks.state_store import (
    add_to_mempool,
    load_execution_state,
    load_mempool,
    remove_from_mempool,
    save_execution_state,
)
from crossway.adapters.chains.simulated.blocks.tables import (
    blocks,
    incoming_transfers,
    transactions,
)
from crossway.adapters.chains.simulated.blocks.transactions import Transaction


def minimum_fee(session: ChainSession) -> int:
    """The minimum fee of a transaction, in units of the native coin."""
    return session.facts.fee_units * session.state.fee_factor


def catch_up(session: ChainSession) -> None:
    """Make the blocks that are due; the first one takes the mempool."""
    state = session.state
    tip = state.tip_at(session.now)
    if tip > state.height and (state.mempool_size or state.dropped_count):
        make_block(session, state.height + 1, state.time_of(state.height + 1), tip)
    state.height = tip


def mine_now(session: ChainSession, fresh: Sequence[Transaction]) -> int:
    """Mine a block with these transactions and the mempool, and return its height."""
    catch_up(session)
    height = session.state.insert_block()
    make_block(session, height, max(session.now, session.state.time_of(height)), height, fresh)
    return height


def make_block(
    session: ChainSession, height: int, at: float, tip: int, fresh: Sequence[Transaction] = ()
) -> None:
    """Make a block of the mempool. On a chain without nonces, a transaction whose time is over
    before the tip can never land."""
    state = session.state
    waited = load_mempool(session)
    # The simulator's transactions first: a reorged deposit may fund the others.
    candidates = [*fresh, *sorted(waited, key=lambda tx: not tx.is_simulator_tx)]
    if candidates:
        rules = BlockRules(
            at,
            minimum_fee(session),
            session.facts.has_nonces,
            state.drop_next,
            state.revert_next,
        )
        world = load_execution_state(session, candidates)
        world.contracts.height = height
        block = fill_block(world, rules, candidates)
        state.drop_next, state.revert_next = rules.drop_next, rules.revert_next
        if block.mined:
            _store_block(session, height, at, block, world)
    else:
        block = BlockResult()
    tip_at = max(at, state.time_of(tip))
    late = [
        tx
        for tx in block.waiting
        if not session.facts.has_nonces and tx.not_after is not None and tx.not_after < tip_at
    ]
    _clear_mempool(session, {tx.tx_id for tx in fresh}, block, late)
    record_dropped(session, block.dropped, None)
    mark_unlandable(session, height, at)
    record_dropped(session, block.dead, height)
    record_dropped(session, late, tip)
    mark_unlandable(session, tip, tip_at)


def _clear_mempool(
    session: ChainSession, fresh: set[str], block: BlockResult, late: list[Transaction]
) -> None:
    mined = [tx for tx, _ in block.mined]
    removed = [tx for tx in (*mined, *block.dropped, *block.dead, *late) if tx.tx_id not in fresh]
    remove_from_mempool(session, removed)
    add_to_mempool(session, [tx for tx in block.waiting if tx.tx_id in fresh])


def _store_block(
    session: ChainSession, height: int, at: float, block: BlockResult, world: ExecutionState
) -> None:
    chain = session.facts.id
    incoming_rows: list[tuple[object, ...]] = []
    rows = []
    for position, (tx, outcome) in enumerate(block.mined):
        rows.append(_transaction_row(chain, height, position, tx, outcome))
        incoming_rows += (
            _incoming_row(chain, height, position, tx.tx_id, number, move)
            for number, move in enumerate(outcome.transfers)
            if move[1] and move[1] not in session.facts.own_set
        )
    content = f"{block.mined[0][0].tx_id} {len(rows)}"
    name = block_hash(session.facts.family, chain, height, session.state.epoch(height), content)
    insert_rows(session.db, blocks, [(chain, height, name, at, len(incoming_rows))])
    insert_rows(session.db, transactions, rows)
    insert_rows(session.db, incoming_transfers, incoming_rows)
    for tx, outcome in block.mined:
        if outcome.events:
            save_events(session, height, tx, outcome.events)
    save_execution_state(session, world)
    session.state.last_at = at


def _transaction_row(
    chain: str, height: int, position: int, tx: Transaction, outcome: ExecutionResult
) -> tuple[object, ...]:
    moved = orjson.dumps([(s, to, token, str(units)) for s, to, token, units in outcome.transfers])
    fee = str(tx.fee_units)
    return (
        chain,
        lookup_tag(chain, tx.tx_id),
        tx.tx_id,
        height,
        position,
        tx.raw,
        moved,
        fee,
        outcome.reason,
        outcome.permanent,
    )


def _incoming_row(
    chain: str, height: int, position: int, tx_id: str, number: int, move: TransferRow
) -> tuple[object, ...]:
    sender, receiver, token, units = move
    mark = lookup_tag(chain, receiver)
    return (chain, height, position, number, tx_id, token, sender, receiver, mark, str(units))
