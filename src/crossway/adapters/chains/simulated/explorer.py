"""Finds transactions and transfers in the blocks of a simulated chain, whatever its nodes say."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import select

from crossway.adapters.chains.simulated.blocks import transactions as bytes_of
from crossway.adapters.chains.simulated.blocks.derivation import lookup_tag
from crossway.adapters.chains.simulated.blocks.mining import catch_up
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.tables import (
    blocks,
    dropped_txs,
    mempool,
    transactions,
)
from crossway.adapters.chains.simulated.queries import transfers_to
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.chain import TokenTransfer
from crossway.ports.simulated_transactions import SimulatedTransaction, TxPlace, TxSender

_SENDERS = {
    bytes_of.CALL: TxSender.OPERATOR,
    bytes_of.FOREIGN: TxSender.OUTSIDER,
    bytes_of.DEPOSIT: TxSender.PAYER,
    bytes_of.STRANGER: TxSender.STRANGER,
    bytes_of.SET_BALANCE: TxSender.SIMULATOR,
}


def find_transaction(
    network: SimulatedNetwork, chain: str, tx_hash: str
) -> SimulatedTransaction | None:
    """A transaction by its hash, which must be spelt as the chain spells it; None if the chain
    knows none."""
    with network.locked(chain) as session:
        return find_in_blocks(session, tx_hash)


def find_in_blocks(session: ChainSession, tx_hash: str) -> SimulatedTransaction | None:
    """`find_transaction` on a chain that is locked."""
    catch_up(session)
    return (
        _find_included(session, tx_hash)
        or _find_waiting(session, tx_hash)
        or _find_dropped(session, tx_hash)
    )


def list_transfers_to(
    network: SimulatedNetwork, chain: str, address: str, limit: int
) -> Sequence[IncomingTransfer]:
    """The newest transfers to an address that is not the operator's own, newest first."""
    with network.locked(chain) as session:
        catch_up(session)
        found = transfers_to(session, [address], session.state.height)
    return found[::-1][:limit]


def _find_included(session: ChainSession, tx_hash: str) -> SimulatedTransaction | None:
    table = transactions.c
    tag = lookup_tag(session.facts.id, tx_hash)
    query = select(table.block_height, table.raw, table.moved, table.fee_units, table.reason).where(
        table.tag == tag, table.chain == session.facts.id, table.tx_id == tx_hash
    )
    row = session.db.execute(query).first()
    if row is None:
        return None
    height, raw, moved, fee_units, reason = row
    block = session.db.execute(
        select(blocks.c.hash, blocks.c.at).where(
            blocks.c.chain == session.facts.id, blocks.c.height == height
        )
    ).one()
    tx = bytes_of.parse(session.facts.family, raw, tx_hash)
    return SimulatedTransaction(
        session.facts.id,
        tx_hash,
        TxPlace.INCLUDED,
        *_heights(session),
        **_sent_by(tx),
        height=height,
        block_hash=block.hash,
        at=datetime.fromtimestamp(block.at, UTC),
        reason=reason,
        fee_units=None if tx.is_simulator_tx else int(fee_units),
        transfers=tuple(_parse_moved(orjson.loads(moved))),
    )


def _find_waiting(session: ChainSession, tx_hash: str) -> SimulatedTransaction | None:
    query = select(mempool.c.raw).where(
        mempool.c.chain == session.facts.id, mempool.c.tx_id == tx_hash
    )
    raw = session.db.execute(query).scalar()
    if raw is None:
        return None
    sent_by = _sent_by(bytes_of.parse(session.facts.family, raw, tx_hash))
    heights = _heights(session)
    return SimulatedTransaction(session.facts.id, tx_hash, TxPlace.WAITING, *heights, **sent_by)


def _find_dropped(session: ChainSession, tx_hash: str) -> SimulatedTransaction | None:
    query = select(dropped_txs.c.account, dropped_txs.c.nonce).where(
        dropped_txs.c.chain == session.facts.id, dropped_txs.c.tx_id == tx_hash
    )
    row = session.db.execute(query).first()
    if row is None:
        return None
    return SimulatedTransaction(
        session.facts.id,
        tx_hash,
        TxPlace.DROPPED,
        *_heights(session),
        TxSender.OPERATOR,
        row.account,
        int(row.nonce),
    )


def _heights(session: ChainSession) -> tuple[int, int]:
    tip = session.state.height
    return tip, max(tip - session.facts.finalized_blocks, session.state.first_height)


def _sent_by(tx: bytes_of.Transaction) -> dict[str, Any]:
    account = "" if tx.is_simulator_tx else tx.account
    return {
        "sender": _SENDERS.get(tx.kind, TxSender.STRANGER),
        "account": account,
        "nonce": tx.nonce if account else None,
    }


def _parse_moved(moved: Iterable[Sequence[str]]) -> Iterable[TokenTransfer]:
    for source, to, token, units in moved:
        yield TokenTransfer(source, to, token, int(units))
