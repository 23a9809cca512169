"""The calls that move deposits from standing addresses."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.domain.intent import Intent
from crossway.domain.outbound import STANDING_KINDS, OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.domain.standing import StandingAddress, StandingDeposit, standing_deposit_id
from crossway.ports.chain import Chain
from crossway.ports.store import UnitOfWork


@dataclass(frozen=True, slots=True)
class StandingRecords:
    """A deposit with its standing address, and its payment once it has one."""

    deposit: StandingDeposit
    address: StandingAddress
    intent: Intent | None


def load_records(unit: UnitOfWork, txs: Sequence[OutboundTx]) -> dict[int, StandingRecords]:
    """By transaction, what those of deposits at standing addresses belong to."""
    own = {tx.id: standing_deposit_id(tx.intent_id) for tx in txs if tx.kind in STANDING_KINDS}
    deposits = unit.standing.get_deposits(set(own.values()))
    addresses = unit.standing.get_many({deposit.number for deposit in deposits.values()})
    ids = {deposit.intent_id for deposit in deposits.values() if deposit.intent_id is not None}
    intents = unit.intents.get_whole(ids)
    return {
        tx_id: StandingRecords(
            deposits[id], addresses[deposits[id].number], intents.get(deposits[id].intent_id or 0)
        )
        for tx_id, id in own.items()
        if id in deposits
    }


def build_standing_call(chain: Chain, tx: OutboundTx, records: StandingRecords) -> OutboundCall:
    """The call that forwards a deposit to its payment's deposit address, until that one expires, or
    sends it to the recovery address; either can be made once. Raises `ValueError` where the chain
    has no standing addresses, or a deposit that is to be forwarded has no payment."""
    deposit, address, intent = records.deposit, records.address, records.intent
    incoming, relayer = deposit.incoming, chain.accounts.relayer
    if chain.standing is None:
        raise ValueError(f"{chain.id} has no standing addresses")
    marker = chain.standing.marker(address.standing_hash, deposit.deposit_id)
    if tx.kind is OutboundTxKind.RECOVER:
        back = Output(address.address, address.recovery, incoming.token, incoming.amount)
        return OutboundCall(
            tx.kind,
            chain.id,
            relayer,
            "",
            (back,),
            marker,
            coordinator=address.terms.coordinator,
            standing=address.terms,
            deposit_id=deposit.deposit_id,
        )
    if intent is None:
        raise ValueError(f"deposit {deposit.id} has no payment to be forwarded to")
    on = Output(address.address, intent.address, incoming.token, incoming.amount)
    return OutboundCall(
        tx.kind,
        chain.id,
        relayer,
        intent.intent_hash,
        (on,),
        marker,
        intent.terms.expires_at,
        intent.terms,
        intent.bridger,
        intent.coordinator,
        intent.custody,
        standing=address.terms,
        deposit_id=deposit.deposit_id,
    )


def find_standing_coordinators(unit: UnitOfWork, txs: Sequence[OutboundTx]) -> set[str]:
    """The coordinators in whose name those of the transactions are made that move deposits from
    standing addresses."""
    records = load_records(unit, txs)
    return {one.address.terms.coordinator for one in records.values()}


def build_standing_calls(
    unit: UnitOfWork, chain: Chain, txs: Sequence[OutboundTx]
) -> dict[int, OutboundCall]:
    """By transaction, the calls of those of deposits at standing addresses."""
    records = load_records(unit, txs)
    return {tx.id: build_standing_call(chain, tx, records[tx.id]) for tx in txs if tx.id in records}
