"""Answers about what is in the blocks up to a height: statuses, transfers, balances."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import ColumnElement, Select, Table, bindparam, select

from crossway.adapters.chains.simulated.blocks.losses import deaths
from crossway.adapters.chains.simulated.blocks.transactions import read
from crossway.adapters.chains.simulated.identities import tag
from crossway.adapters.chains.simulated.network import Site
from crossway.adapters.chains.simulated.sets import among
from crossway.adapters.chains.simulated.tables import (
    balances,
    blocks,
    incoming,
    markers,
    mempool,
    transactions,
)
from crossway.domain.deposits import Incoming
from crossway.ports.chain import Made, Mined, Missing, Moved, Status, Waiting

SCAN_LIMIT = 5_000
_HASH = select(blocks.c.hash).where(
    blocks.c.chain == bindparam("chain"), blocks.c.height == bindparam("height")
)
_COUNTS = (
    select(blocks.c.height, blocks.c.incoming)
    .where(
        blocks.c.chain == bindparam("chain"),
        blocks.c.height >= bindparam("start"),
        blocks.c.height <= bindparam("end"),
    )
    .order_by(blocks.c.height)
)


def hash_at(site: Site, height: int) -> str:
    """The name of the block at this height as it stands."""
    if height > site.state.height:
        # Not made yet: by its time it is there, and nothing is in it.
        return site.state.empty_hash(site.facts.family, height)
    place = {"chain": site.facts.id, "height": height}
    stored = site.db.execute(_HASH, place).scalar_one_or_none()
    return stored or site.state.empty_hash(site.facts.family, height)


def statuses(site: Site, tx_ids: Collection[str], height: int, finalized: int) -> dict[str, Status]:
    """What the chain knows of each transaction, seen from this height."""
    found = _mined(site, tx_ids, height)
    if open_ids := [tx_id for tx_id in tx_ids if tx_id not in found]:
        known = select(mempool.c.tx_id).where(
            mempool.c.chain == site.facts.id, among(site.db, mempool.c.tx_id, open_ids)
        )
        waiting = set(site.db.scalars(known))
        dead = deaths(site, open_ids)
        # Asked last once more: it may have been mined between two of these questions.
        found.update(_mined(site, open_ids, height))
        for tx_id in open_ids:
            at = dead.get(tx_id)
            missing = Missing(never=at is not None and at <= finalized)
            found.setdefault(tx_id, Waiting() if tx_id in waiting else missing)
    return found


def _mined(site: Site, tx_ids: Collection[str], height: int) -> dict[str, Status]:
    rows = site.db.execute(
        select(
            transactions.c.tx_id,
            transactions.c.block_height,
            transactions.c.moved,
            transactions.c.fee_units,
            transactions.c.reason,
            transactions.c.permanent,
        ).where(_tagged(site, transactions, tx_ids))
    ).all()
    in_blocks = _blocks(site, {row[1] for row in rows})
    found: dict[str, Status] = {}
    for tx_id, mined_at, moved, fee_units, reason, permanent in rows:
        if mined_at > height or mined_at not in in_blocks:
            found[tx_id] = Waiting()
            continue
        name, at = in_blocks[mined_at]
        payments = tuple(
            Moved(source, to, token, int(units)) for source, to, token, units in orjson.loads(moved)
        )
        found[tx_id] = Mined(mined_at, name, at, payments, int(fee_units), reason, permanent)
    return found


def transfers_between(site: Site, start: int, height: int) -> tuple[list[Incoming], int]:
    """Transfers to others from one height up to another, and the height that this reaches:
    less when there are very many, and never a part of a block."""
    chain = site.facts.id
    span = {"chain": chain, "start": start, "end": height}
    total = 0
    for block_height, count in site.db.execute(_COUNTS, span).all():
        if total and total + count > SCAN_LIMIT:
            height = block_height - 1
            break
        total += count
    if not total:
        return [], height
    query = _transfers().where(
        incoming.c.chain == chain,
        incoming.c.block_height >= start,
        incoming.c.block_height <= height,
    )
    order = (incoming.c.block_height, incoming.c.position, incoming.c.move)
    return _read_transfers(site, site.db.execute(query.order_by(*order)).all()), height


def transfers_to(site: Site, addresses: Collection[str], height: int) -> list[Incoming]:
    """Every transfer to these addresses that stands, oldest first."""
    query = _transfers().where(
        _tagged(site, incoming, addresses), incoming.c.block_height <= height
    )
    found = _read_transfers(site, site.db.execute(query).all())
    return sorted(found, key=lambda one: one.block_height)


def standing(site: Site, seen: Sequence[Incoming], height: int) -> list[bool]:
    """Whether each transfer is in its block as it was told."""
    rows = site.db.execute(
        select(transactions.c.tx_id, transactions.c.block_height, transactions.c.moved).where(
            _tagged(site, transactions, {one.tx_hash for one in seen})
        )
    ).all()
    in_blocks = _blocks(site, {row[1] for row in rows})
    mined = {tx_id: (at_height, orjson.loads(moved)) for tx_id, at_height, moved in rows}

    def stands(one: Incoming) -> bool:
        at_height, moved = mined.get(one.tx_hash, (height + 1, ()))
        if at_height > height or at_height not in in_blocks or one.index >= len(moved):
            return False
        same_block = (at_height, in_blocks[at_height][0]) == (one.block_height, one.block_hash)
        return same_block and moved[one.index][1:] == [one.to, one.token, str(one.units)]

    return [stands(one) for one in seen]


def balances_of(site: Site, addresses: Collection[str], token: str) -> Mapping[str, int]:
    """Units of a token at each of these addresses."""
    query = select(balances.c.address, balances.c.units).where(
        _tagged(site, balances, addresses), balances.c.token == token
    )
    held = {address: int(units) for address, units in site.db.execute(query)}
    return {address: held.get(address, 0) for address in addresses}


def _tagged(site: Site, table: Table, names: Iterable[str]) -> ColumnElement[bool]:
    return among(site.db, table.c.tag, [tag(site.facts.id, name) for name in names])


def used_markers(site: Site, wanted: Collection[str]) -> set[str]:
    """Those of the markers that were used."""
    by_tag = {tag(site.facts.id, marker): marker for marker in wanted}
    if not by_tag:
        return set()
    query = select(markers.c.tag).where(among(site.db, markers.c.tag, by_tag))
    return {by_tag[found] for found in site.db.scalars(query)}


def made_by(site: Site, account: str, from_nonce: int, height: int) -> list[Made]:
    """Mined transactions of an account from a nonce on, in the order of their nonces."""
    query = select(transactions.c.tx_id, transactions.c.raw).where(
        transactions.c.chain == site.facts.id, transactions.c.block_height <= height
    )
    named = account.encode()
    nonces: dict[str, int] = {}
    for tx_id, raw in site.db.execute(query):
        # Looked for in the bytes first: reading them all would take much longer.
        if named in raw:
            tx = read(site.facts.family, raw, tx_id)
            if tx.account == account and tx.nonce >= from_nonce:
                nonces[tx_id] = tx.nonce
    mined = _mined(site, nonces, height)
    made = [Made(i, nonces[i], one) for i, one in mined.items() if isinstance(one, Mined)]
    return sorted(made, key=lambda one: one.nonce)


def _blocks(site: Site, heights: Collection[int]) -> dict[int, tuple[str, datetime]]:
    if not heights:
        return {}
    query = select(blocks.c.height, blocks.c.hash, blocks.c.at).where(
        blocks.c.chain == site.facts.id, among(site.db, blocks.c.height, heights)
    )
    return {
        height: (name, datetime.fromtimestamp(at, UTC))
        for height, name, at in site.db.execute(query)
    }


def _transfers() -> Select[tuple[int, int, str, str, str, str, str]]:
    return select(
        incoming.c.block_height,
        incoming.c.move,
        incoming.c.tx_id,
        incoming.c.token,
        incoming.c.sender,
        incoming.c.receiver,
        incoming.c.units,
    )


def _read_transfers(site: Site, rows: Iterable[Sequence[Any]]) -> list[Incoming]:
    kept = list(rows)
    in_blocks = _blocks(site, {row[0] for row in kept})
    return [
        Incoming(
            chain=site.facts.id,
            tx_hash=tx_id,
            index=move,
            block_height=height,
            block_hash=in_blocks[height][0],
            token=token,
            sender=sender,
            to=receiver,
            units=int(units),
            at=in_blocks[height][1],
        )
        for height, move, tx_id, token, sender, receiver, units in kept
        if height in in_blocks
    ]
