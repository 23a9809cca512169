"""Making blocks: by schedule, whenever somebody looks, and out of turn for the sandbox."""

from collections.abc import Sequence

import orjson

from crossway.adapters.chains.simulated.blocks.execution import (
    Block,
    MoveRow,
    Outcome,
    Rules,
    World,
    fill_block,
)
from crossway.adapters.chains.simulated.blocks.losses import bury, lose
from crossway.adapters.chains.simulated.blocks.stored import (
    add_to_mempool,
    load_mempool,
    load_world,
    remove_from_mempool,
    save_world,
)
from crossway.adapters.chains.simulated.blocks.transactions import Transaction
from crossway.adapters.chains.simulated.identities import block_hash, tag
from crossway.adapters.chains.simulated.network import Site
from crossway.adapters.chains.simulated.sets import put
from crossway.adapters.chains.simulated.tables import blocks, incoming, transactions


def least_fee(site: Site) -> int:
    """What a transaction must pay to be mined, in units of the native coin."""
    return site.facts.fee_units * site.state.fee_factor


def catch_up(site: Site) -> None:
    """Make the blocks that were due by now; all that waits is in the first of them."""
    state = site.state
    tip = state.tip_at(site.now)
    if tip > state.height and (state.waiting or state.lost):
        make_block(site, state.height + 1, state.time_of(state.height + 1), tip)
    state.height = tip


def mine_now(site: Site, fresh: Sequence[Transaction]) -> int:
    """One block at once with these transactions, and what else waits; its height."""
    catch_up(site)
    height = site.state.insert_block()
    make_block(site, height, max(site.now, site.state.time_of(height)), height, fresh)
    return height


def make_block(
    site: Site, height: int, at: float, tip: int, fresh: Sequence[Transaction] = ()
) -> None:
    """A block of what waits. What is then too late for the tip's time can never land."""
    state = site.state
    waited = load_mempool(site)
    # Made by hand first: what came back from a reorganisation may pay for the rest.
    candidates = [*fresh, *sorted(waited, key=lambda tx: not tx.by_hand)]
    if candidates:
        rules = Rules(at, least_fee(site), state.drop_next, state.revert_next)
        world = load_world(site, candidates)
        block = fill_block(world, rules, candidates)
        state.drop_next, state.revert_next = rules.drop_next, rules.revert_next
        if block.mined:
            _store_block(site, height, at, block, world)
    else:
        block = Block()
    tip_at = max(at, state.time_of(tip))
    late = [tx for tx in block.waiting if tx.not_after is not None and tx.not_after < tip_at]
    _clear_mempool(site, {tx.tx_id for tx in fresh}, block, late)
    lose(site, block.dropped, None)
    bury(site, height, at)
    lose(site, block.dead, height)
    lose(site, late, tip)
    bury(site, tip, tip_at)


def _clear_mempool(site: Site, fresh: set[str], block: Block, late: list[Transaction]) -> None:
    mined = [tx for tx, _ in block.mined]
    left = [tx for tx in (*mined, *block.dropped, *block.dead, *late) if tx.tx_id not in fresh]
    remove_from_mempool(site, left)
    add_to_mempool(site, [tx for tx in block.waiting if tx.tx_id in fresh])


def _store_block(site: Site, height: int, at: float, block: Block, world: World) -> None:
    chain = site.facts.id
    arrived: list[tuple[object, ...]] = []
    rows = []
    for position, (tx, outcome) in enumerate(block.mined):
        rows.append(_transaction_row(chain, height, position, tx, outcome))
        arrived += (
            _incoming_row(chain, height, position, tx.tx_id, number, move)
            for number, move in enumerate(outcome.moved)
            if move[1] and move[1] not in site.facts.own_set
        )
    content = f"{block.mined[0][0].tx_id} {len(rows)}"
    name = block_hash(site.facts.family, chain, height, site.state.epoch(height), content)
    put(site.db, blocks, [(chain, height, name, at, len(arrived))])
    put(site.db, transactions, rows)
    put(site.db, incoming, arrived)
    save_world(site, world)
    site.state.last_at = at


def _transaction_row(
    chain: str, height: int, position: int, tx: Transaction, outcome: Outcome
) -> tuple[object, ...]:
    moved = orjson.dumps([(s, to, token, str(units)) for s, to, token, units in outcome.moved])
    fee = str(tx.fee_units)
    return (
        chain,
        tag(chain, tx.tx_id),
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
    chain: str, height: int, position: int, tx_id: str, number: int, move: MoveRow
) -> tuple[object, ...]:
    sender, receiver, token, units = move
    mark = tag(chain, receiver)
    return (chain, height, position, number, tx_id, token, sender, receiver, mark, str(units))
