"""Record what comes to standing addresses, and reverse what a reorg removed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from crossway.domain.catalogue import Chain
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.ledger import Account
from crossway.domain.standing import (
    UNCREDITED,
    StandingAddress,
    StandingDeposit,
    StandingState,
)
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.dust import value_now
from crossway.usecases.payments.lifecycle import IntentBatch

_UNKNOWN_VALUE = 10**15
"""What an amount counts as, in micro-USD, whose price is unknown: more than any."""


def record_standing_deposits(
    unit: UnitOfWork, services: Services, incoming: Sequence[IncomingTransfer]
) -> None:
    """Store transfers to standing addresses with the confirmations that their value needs."""
    found = unit.standing.find_by_addresses({transfer.to for transfer in incoming})
    if not found:
        return
    new = [
        (found[transfer.to], transfer, _depth(services, transfer))
        for transfer in incoming
        if transfer.to in found and transfer.amount
    ]
    unit.standing.record(new, services.clock.now())


def _depth(services: Services, transfer: IncomingTransfer) -> int:
    chain: Chain = services.catalogue.chains[transfer.chain]
    value = value_now(services, transfer.token, transfer.chain, transfer.amount)
    return chain.confirmations.depth_for_value(_UNKNOWN_VALUE if value is None else value)


def find_forwarding(
    unit: UnitOfWork, intent_ids: Mapping[str, int]
) -> Mapping[int, StandingAddress]:
    """By payment, the standing address from which its deposit is forwarded, of those of these
    payments, given by deposit address, that were made for one."""
    deposits = unit.standing.get_deposits_of_intents(set(intent_ids.values()))
    addresses = unit.standing.get_many({deposit.number for deposit in deposits.values()})
    return {intent_id: addresses[d.number] for intent_id, d in deposits.items()}


def reverse_standing_deposits(
    unit: UnitOfWork,
    services: Services,
    deposits: Sequence[StandingDeposit],
    now: datetime,
    note: str,
) -> None:
    """Reverse deposits whose block is gone, in the ledger and by their state. What was sent of one
    cannot be included without it, and is reversed by itself; its payment, if it has one, expires
    or is funded once the deposit is included again."""
    batch = IntentBatch(services, now, {})
    for deposit in deposits:
        incoming = deposit.incoming
        if deposit.state not in UNCREDITED:
            location = (incoming.chain, incoming.token, incoming.tx_ref)
            leg = (Account.PAYER, Account.STANDING, incoming.amount)
            batch.add_postings(deposit.owner, *location, leg)
    gone = StandingState.ORPHANED
    unit.standing.update_deposits(
        [(d, replace(d, state=gone, reason=note, updated_at=now)) for d in deposits]
    )
    batch.store(unit)
