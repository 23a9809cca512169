"""Queries on the blocks up to a height: statuses, transfers, balances."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import Select, bindparam, select

from crossway.adapters.chains.simulated.blocks.bridge_events import find_give_backs, load_by_tx
from crossway.adapters.chains.simulated.blocks.derivation import lookup_tag
from crossway.adapters.chains.simulated.blocks.dropped_txs import dead_heights
from crossway.adapters.chains.simulated.blocks.network import ChainSession
from crossway.adapters.chains.simulated.blocks.tables import (
    balances,
    blocks,
    incoming_transfers,
    markers,
    mempool,
    transactions,
)
from crossway.adapters.chains.simulated.blocks.transactions import parse
from crossway.adapters.chains.simulated.contracts.events import BridgeEvent, EventKind
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.chain import (
    AccountTx,
    IncludedTx,
    TokenTransfer,
    TxNotFound,
    TxPending,
    TxStatus,
)
from crossway.sql.in_values import in_values, within

SCAN_LIMIT = 5_000
_HASH = select(blocks.c.hash).where(
    blocks.c.chain == bindparam("chain"), blocks.c.height == bindparam("height")
)
_BLOCKS = select(blocks.c.height, blocks.c.hash, blocks.c.at).where(
    blocks.c.chain == bindparam("chain"), within(blocks.c.height, "heights")
)
_BALANCES = select(balances.c.address, balances.c.units).where(
    within(balances.c.tag, "tags"), balances.c.token == bindparam("token")
)
_INCLUDED = select(
    *(transactions.c[name] for name in ("tx_id", "block_height", "moved")),
    *(transactions.c[name] for name in ("fee_units", "reason", "permanent")),
).where(within(transactions.c.tag, "tags"))
_COUNTS = (
    select(blocks.c.height, blocks.c.incoming)
    .where(
        blocks.c.chain == bindparam("chain"),
        blocks.c.height >= bindparam("start"),
        blocks.c.height <= bindparam("end"),
    )
    .order_by(blocks.c.height)
)


def hash_at(session: ChainSession, height: int) -> str:
    """The hash of the current block at this height."""
    if height > session.state.height:
        # Not made yet; it will be empty.
        return session.state.empty_hash(session.facts.family, height)
    parameters = {"chain": session.facts.id, "height": height}
    stored = session.db.execute(_HASH, parameters).scalar_one_or_none()
    return stored or session.state.empty_hash(session.facts.family, height)


def statuses(
    session: ChainSession, tx_ids: Collection[str], height: int, finalized: int
) -> dict[str, TxStatus]:
    """The status of each transaction as of this height."""
    statuses = _load_included(session, tx_ids, height)
    if open_ids := [tx_id for tx_id in tx_ids if tx_id not in statuses]:
        pending_query = select(mempool.c.tx_id).where(
            mempool.c.chain == session.facts.id, in_values(mempool.c.tx_id, open_ids)
        )
        pending = set(session.db.scalars(pending_query))
        dead_at = dead_heights(session, open_ids)
        # Checked again at the end: a transaction may be mined between these queries.
        statuses.update(_load_included(session, open_ids, height))
        for tx_id in open_ids:
            at = dead_at.get(tx_id)
            missing = TxNotFound(dropped=at is not None and at <= finalized)
            statuses.setdefault(tx_id, TxPending() if tx_id in pending else missing)
    return statuses


def _load_included(
    session: ChainSession, tx_ids: Collection[str], height: int
) -> dict[str, TxStatus]:
    rows = session.db.execute(_INCLUDED, {"tags": _tags(session, tx_ids)}).all()
    blocks = _blocks(session, {row[1] for row in rows})
    events = load_by_tx(session, tx_ids) if session.facts.reach is not None else {}
    statuses: dict[str, TxStatus] = {}
    for tx_id, mined_at, moved, fee_units, reason, permanent in rows:
        if mined_at > height or mined_at not in blocks:
            statuses[tx_id] = TxPending()
            continue
        block_hash, at = blocks[mined_at]
        transfers = tuple(
            TokenTransfer(source, to, token, int(units))
            for source, to, token, units in orjson.loads(moved)
            # What a bridge burns and mints is reported by its own contracts, not by ours.
            if source and to
        )
        included = IncludedTx(
            mined_at, block_hash, at, transfers, int(fee_units), reason, permanent
        )
        statuses[tx_id] = _with_bridges(included, events.get(tx_id, ()))
    return statuses


def _with_bridges(included: IncludedTx, events: Sequence[BridgeEvent]) -> IncludedTx:
    """The same with what bridges' contracts report."""
    of_kind = {
        kind: frozenset(event.intent_hash for event in events if event.kind is kind)
        for kind in (EventKind.SENT, EventKind.GIVEN_BACK)
    }
    return replace(
        included,
        arrivals=tuple(e.as_arrival() for e in events if e.kind is EventKind.ARRIVED),
        sent=of_kind[EventKind.SENT],
        given_back=of_kind[EventKind.GIVEN_BACK],
        swapped={e.intent_hash: e.paid for e in events if e.kind is EventKind.SENT and e.paid},
    )


def transfers_between(
    session: ChainSession, start: int, height: int
) -> tuple[list[IncomingTransfer], int]:
    """Transfers to addresses that are not the operator's in these blocks, and the last height
    covered: lower when there are very many, and never part of a block."""
    chain = session.facts.id
    span = {"chain": chain, "start": start, "end": height}
    total = 0
    for block_height, count in session.db.execute(_COUNTS, span).all():
        if total and total + count > SCAN_LIMIT:
            height = block_height - 1
            break
        total += count
    if not total:
        return [], height
    query = _transfers().where(
        incoming_transfers.c.chain == chain,
        incoming_transfers.c.block_height >= start,
        incoming_transfers.c.block_height <= height,
    )
    order = (
        incoming_transfers.c.block_height,
        incoming_transfers.c.position,
        incoming_transfers.c.transfer_index,
    )
    return _parse_transfers(session, session.db.execute(query.order_by(*order)).all()), height


def transfers_to(
    session: ChainSession, addresses: Collection[str], height: int
) -> list[IncomingTransfer]:
    """Every included transfer to these addresses, oldest first."""
    query = _transfers().where(
        in_values(incoming_transfers.c.tag, _tags(session, addresses)),
        incoming_transfers.c.block_height <= height,
    )
    transfers = _parse_transfers(session, session.db.execute(query).all())
    return sorted(transfers, key=lambda transfer: transfer.block_height)


def verify_inclusion(
    session: ChainSession, incoming: Sequence[IncomingTransfer], height: int
) -> list[bool]:
    """Whether each transfer is in the block that it names."""
    rows = session.db.execute(
        _INCLUDED, {"tags": _tags(session, {transfer.tx_hash for transfer in incoming})}
    ).all()
    blocks = _blocks(session, {row[1] for row in rows})
    included = {
        tx_id: (at_height, orjson.loads(token_transfers))
        for tx_id, at_height, token_transfers, *_ in rows
    }

    def stands(transfer: IncomingTransfer) -> bool:
        at_height, token_transfers = included.get(transfer.tx_hash, (height + 1, ()))
        if at_height > height or at_height not in blocks or transfer.index >= len(token_transfers):
            return False
        same_block = (at_height, blocks[at_height][0]) == (
            transfer.block_height,
            transfer.block_hash,
        )
        return same_block and token_transfers[transfer.index][1:] == [
            transfer.to,
            transfer.token,
            str(transfer.amount),
        ]

    return [stands(transfer) for transfer in incoming]


def balances_of(session: ChainSession, addresses: Collection[str], token: str) -> Mapping[str, int]:
    """Balances of a token, in units, by address."""
    parameters = {"tags": _tags(session, addresses), "token": token}
    rows = session.db.execute(_BALANCES, parameters).all()
    units_by_address = {address: int(units) for address, units in rows}
    return {address: units_by_address.get(address, 0) for address in addresses}


def _tags(session: ChainSession, names: Iterable[str]) -> list[int]:
    return [lookup_tag(session.facts.id, name) for name in names]


def executed_markers(session: ChainSession, names: Collection[str]) -> set[str]:
    """The given markers that were executed."""
    by_tag = {lookup_tag(session.facts.id, marker): marker for marker in names}
    if not by_tag:
        return set()
    query = select(markers.c.tag).where(in_values(markers.c.tag, by_tag))
    return {by_tag[tag] for tag in session.db.scalars(query)}


def transactions_from(
    session: ChainSession, account: str, from_nonce: int, height: int
) -> list[AccountTx]:
    """Included transactions of an account from a nonce on, ordered by nonce."""
    query = select(transactions.c.tx_id, transactions.c.raw).where(
        transactions.c.chain == session.facts.id, transactions.c.block_height <= height
    )
    encoded_account = account.encode()
    nonces: dict[str, int] = {}
    for tx_id, raw in session.db.execute(query):
        # Search the bytes first: parsing all of them would take much longer.
        if encoded_account in raw:
            tx = parse(session.facts.family, raw, tx_id)
            if tx.account == account and tx.nonce >= from_nonce:
                nonces[tx_id] = tx.nonce
    mined = _load_included(session, nonces, height)
    account_txs = [
        AccountTx(tx_id, nonces[tx_id], status)
        for tx_id, status in mined.items()
        if isinstance(status, IncludedTx)
    ]
    return sorted(account_txs, key=lambda account_tx: account_tx.nonce)


def _blocks(session: ChainSession, heights: Collection[int]) -> dict[int, tuple[str, datetime]]:
    if not heights:
        return {}
    rows = session.db.execute(_BLOCKS, {"chain": session.facts.id, "heights": heights}).all()
    return {height: (name, datetime.fromtimestamp(at, UTC)) for height, name, at in rows}


def _transfers() -> Select[tuple[int, int, str, str, str, str, str]]:
    return select(
        incoming_transfers.c.block_height,
        incoming_transfers.c.transfer_index,
        incoming_transfers.c.tx_id,
        incoming_transfers.c.token,
        incoming_transfers.c.sender,
        incoming_transfers.c.receiver,
        incoming_transfers.c.units,
    )


def _parse_transfers(
    session: ChainSession, rows: Iterable[Sequence[Any]]
) -> list[IncomingTransfer]:
    stored = list(rows)
    blocks = _blocks(session, {row[0] for row in stored})
    returned = find_give_backs(session, {(tx_id, sender) for _, _, tx_id, _, sender, *_ in stored})
    return [
        IncomingTransfer(
            chain=session.facts.id,
            tx_hash=tx_id,
            index=move,
            block_height=height,
            block_hash=blocks[height][0],
            token=token,
            sender=sender,
            to=receiver,
            amount=int(units),
            at=blocks[height][1],
        )
        for height, move, tx_id, token, sender, receiver, units in stored
        # What a bridge's contract gives back is no deposit: the transaction that has it do so is
        # booked.
        if height in blocks and (tx_id, sender) not in returned
    ]
