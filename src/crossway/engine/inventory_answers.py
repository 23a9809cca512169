"""What follows from what a bridge's service and our nodes say of inventory transfers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferEvent,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx, OutboundTxState
from crossway.domain.owners import is_payment, owner_subject, owner_title
from crossway.domain.quotes import bridge_title
from crossway.engine.alerts import raise_alert
from crossway.engine.inventory_effects import apply_arrival, apply_return, reverse_arrival
from crossway.engine.inventory_txs import new_inventory_txs
from crossway.ports.inventory_bridge import (
    Agreed,
    AgreementExpired,
    Arrived,
    Declined,
    GivenBack,
    Pending,
    TransferStatus,
    Unanswered,
)
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.leaving_inventory import most_leaving
from crossway.usecases.operating.inventory_alerts import FUNDING_OVERDUE, FUNDING_REFUSED
from crossway.usecases.payments.lifecycle import IntentBatch

S, Event, Kind = InventoryTransferState, InventoryTransferEvent, InventoryTransferKind
Followed = tuple[InventoryTransfer, Intent | None]
"""An inventory transfer, and the payment that it is for; None for one that rebalances."""
_SHORTEST, _LONGEST = timedelta(seconds=1), timedelta(minutes=1)
_UNANSWERED_FOR, _CLOCK_SLACK = timedelta(minutes=3), timedelta(minutes=5)
# A service is asked again after a part of the time since the transfer last changed.
_PATIENCE: Final = 4
_TOO_MUCH: Final = "{} asks for more than the payment has brought, or than was planned."
_BOOKED: Final = "The service names {}, which paid other transfers."
_SENT: Final = (S.SENT, S.OVERDUE)


@dataclass(frozen=True, slots=True)
class NotNeeded:
    """It is not asked for any more, for a reason in a sentence; nothing was promised for it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Held:
    """Nothing is asked for now, for a reason that is nobody's fault, such as a kill switch."""

    reason: str


@dataclass(frozen=True, slots=True)
class NeverSent:
    """Nothing that was signed for these due transactions moved anything or can any more, which is
    final. The service is asked anew, or, for a reason in a sentence, not any more."""

    txs: Sequence[OutboundTx]
    reason: str = ""


Answer = Agreed | Declined | NotNeeded | Held | NeverSent | TransferStatus


@dataclass(frozen=True, slots=True)
class _Context:
    unit: UnitOfWork
    batch: IntentBatch
    finalized: Mapping[str, int]

    @property
    def now(self) -> datetime:
        return self.batch.now


def apply_answers(
    unit: UnitOfWork,
    services: Services,
    answers: Sequence[tuple[Followed, Answer]],
    finalized: Mapping[str, int],
) -> int:
    """Apply the answers about transfers that are still as they were when they were asked about;
    returns how many advanced."""
    ids = {transfer.intent_id for (transfer, _), _ in answers}
    batch = IntentBatch(services, services.clock.now(), unit.intents.lock(ids))
    batch.inventory.preload(unit, ids)
    context, advanced = _Context(unit, batch, finalized), 0
    for (asked, _), answer in answers:
        of_intent = batch.inventory.list_of(unit, asked.intent_id)
        current = next(t for t in of_intent if t.id == asked.id)
        if _as_asked(current) != _as_asked(asked):
            continue  # Another engine has followed it meanwhile, or its transaction was included.
        advanced += _APPLY[type(answer)](context, current, answer)
    batch.store(unit)
    return advanced


def _as_asked(transfer: InventoryTransfer) -> tuple[object, ...]:
    return transfer.state, transfer.attempt, transfer.commitment, transfer.source_tx


def _next_look(transfer: InventoryTransfer, now: datetime) -> datetime:
    """Soon after a change, and ever more seldom."""
    return now + min(max((now - transfer.updated_at) / _PATIENCE, _SHORTEST), _LONGEST)


def _apply_agreed(context: _Context, transfer: InventoryTransfer, answer: Agreed) -> int:
    batch, title = context.batch, bridge_title(transfer.bridge)
    # What a MINT for a payment costs is limited by what was signed for it.
    is_limited = transfer.kind is not Kind.MINT or not is_payment(transfer.intent_id)
    if is_limited and answer.source_amount > _most(context, transfer):
        return _apply_declined(context, transfer, Declined(_TOO_MUCH.format(title)))
    agreed = batch.inventory.apply(
        transfer,
        Event.AGREE,
        agreement=answer.agreement,
        reference=answer.reference,
        source_amount=answer.source_amount,
        expires_at=answer.expires_at,
        expected_at=context.now + timedelta(seconds=answer.usual_seconds),
        next_at=context.now + _SHORTEST,
        reason="",
    )
    bridge = batch.services.inventory_bridges[transfer.bridge]
    batch.outbound += new_inventory_txs(bridge, agreed, context.now)
    return 1


def _most(context: _Context, transfer: InventoryTransfer) -> int:
    """The most that may leave the relayer's account: what a DEPOSIT settles, the deposit that the
    payer made for the amount and all fees, or what was planned to rebalance."""
    if transfer.kind is Kind.DEPOSIT:
        return transfer.amount
    return most_leaving(context.unit, [transfer])[transfer.id]


def _apply_declined(context: _Context, transfer: InventoryTransfer, answer: Declined) -> int:
    context.batch.inventory.apply(transfer, Event.REFUSE, reason=answer.reason)
    title, owner = bridge_title(transfer.bridge), owner_title(transfer.intent_id)
    message = f"{title} does not move inventory for {owner}: {answer.reason}"
    _alert(context, FUNDING_REFUSED, transfer, message)
    return 1


def _apply_not_needed(context: _Context, transfer: InventoryTransfer, answer: NotNeeded) -> int:
    context.batch.inventory.apply(transfer, Event.REFUSE, reason=answer.reason)
    return 1


def _apply_held(context: _Context, transfer: InventoryTransfer, answer: Held) -> int:
    """A start wakes it; until then it is looked at in case the payment ends without one."""
    context.batch.inventory.update(transfer, next_at=context.now + _LONGEST, reason=answer.reason)
    return 0


def _apply_waiting(
    context: _Context, transfer: InventoryTransfer, answer: Pending | Unanswered
) -> int:
    batch, reason = context.batch, answer.reason
    if transfer.state is S.DELIVERED and isinstance(answer, Pending):
        if transfer.destination_tx == transfer.source_tx:
            # The watch over our own transactions reverses it.
            return _look_later(context, transfer)
        reverse_arrival(context.unit, batch, transfer)
        return 1
    if transfer.state is S.SENT and transfer.is_late(context.now):
        return _apply_late(context, transfer, reason)
    since = context.now - transfer.updated_at
    title, owner = bridge_title(transfer.bridge), owner_title(transfer.intent_id)
    if transfer.state is S.PLANNED and since > _UNANSWERED_FOR:
        message = f"{title} has not agreed to move inventory for {owner}: {reason}"
        _alert(context, FUNDING_OVERDUE, transfer, message)
    elif (transfer.is_unsent or transfer.state is S.SENDING) and transfer.is_late(context.now):
        message = f"What {title} was to move for {owner} is not sent yet."
        _alert(context, FUNDING_OVERDUE, transfer, message)
    batch.inventory.update(transfer, next_at=_next_look(transfer, context.now), reason=reason)
    return 0


def _apply_late(context: _Context, transfer: InventoryTransfer, reason: str) -> int:
    title = bridge_title(transfer.bridge)
    reason = reason or f"{title} takes longer than usual and does not say why."
    later = context.now + _SHORTEST
    context.batch.inventory.apply(transfer, Event.LATE, reason=reason, next_at=later)
    message = f"Inventory for {owner_title(transfer.intent_id)} is overdue over {title}: {reason}"
    _alert(context, FUNDING_OVERDUE, transfer, message)
    return 1


def _apply_arrived(context: _Context, transfer: InventoryTransfer, answer: Arrived) -> int:
    batch = context.batch
    if transfer.state is S.DELIVERED:
        if answer.tx_id != transfer.destination_tx:
            reverse_arrival(context.unit, batch, transfer)
            return 1
        final = context.finalized.get(transfer.arrival_chain)
        if final is None or answer.height > final:
            return _look_later(context, transfer)
        batch.inventory.apply(transfer, Event.FINALIZE)
        return 1
    if transfer.state not in _SENT and _is_own(context, transfer, answer.tx_id):
        # Booked with our transaction, once that has the confirmations that it needs.
        return _look_later(context, transfer)
    moved = (transfer.destination_chain, transfer.destination_token, transfer.amount)
    if _is_booked(context, transfer.created_at, answer, moved):
        return _apply_waiting(context, transfer, Pending(_BOOKED.format(answer.tx_id)))
    apply_arrival(context.unit, batch, transfer, answer)
    return 1


def _is_booked(
    context: _Context, since: datetime, answer: Arrived | GivenBack, moved: tuple[str, str, int]
) -> bool:
    """Whether the books have what a transaction paid as that of others, so that it did not pay
    `moved`, units of a token on a chain, too."""
    if answer.paid_units is None:
        return False
    chain, token, units = moved
    context.unit.leases.lock(f"inventory:{chain}")
    of_tx = (Account.INVENTORY, chain, token, answer.tx_id, since - _CLOCK_SLACK)
    return context.unit.ledger.sum_of_tx(*of_tx) + units > answer.paid_units


def _is_own(context: _Context, transfer: InventoryTransfer, tx_id: str) -> bool:
    return bool(context.unit.outbound_txs.find_own_tx_ids(transfer.arrival_chain, [tx_id]))


def _apply_never_sent(context: _Context, transfer: InventoryTransfer, answer: NeverSent) -> int:
    due = {tx.id: tx.tx_id for tx in answer.txs}
    if context.unit.outbound_txs.lock_in_state(due, OutboundTxState.DUE) != due.keys():
        return _look_later(context, transfer)  # One was signed meanwhile.
    if answer.reason:
        return _apply_not_needed(context, transfer, NotNeeded(answer.reason))
    return _apply_expired(context, transfer, AgreementExpired())


def _apply_expired(context: _Context, transfer: InventoryTransfer, _: AgreementExpired) -> int:
    if transfer.state not in (S.AGREED, S.SENDING):
        return _look_later(context, transfer)
    context.batch.inventory.apply(
        transfer,
        Event.AGREEMENT_EXPIRED,
        attempt=transfer.attempt + 1,
        commitment=b"",
        agreement=b"",
        reference="",
        source_amount=0,
        expires_at=None,
        expected_at=None,
        next_at=context.now,
        reason="What was agreed to has lapsed unused; the service is asked anew.",
    )
    return 1


def _apply_given_back(context: _Context, transfer: InventoryTransfer, answer: GivenBack) -> int:
    if transfer.state not in _SENT:
        return _look_later(context, transfer)
    moved = (transfer.source_chain, transfer.source_token, transfer.source_amount)
    if _is_booked(context, transfer.created_at, answer, moved):
        return _apply_waiting(context, transfer, Pending(_BOOKED.format(answer.tx_id)))
    apply_return(context.batch, transfer, answer)
    title, owner = bridge_title(transfer.bridge), owner_title(transfer.intent_id)
    _alert(context, FUNDING_REFUSED, transfer, f"{title} gave back the inventory for {owner}.")
    return 1


def _look_later(context: _Context, transfer: InventoryTransfer) -> int:
    context.batch.inventory.update(transfer, next_at=_next_look(transfer, context.now))
    return 0


def _alert(context: _Context, kind: str, transfer: InventoryTransfer, message: str) -> None:
    key, subject = f"{kind}:{transfer.id}", owner_subject(transfer.intent_id)
    raise_alert(context.unit, context.batch.services, key, kind, subject, message)


_APPLY: Final[Mapping[type[Answer], Callable[..., int]]] = {
    Agreed: _apply_agreed,
    Declined: _apply_declined,
    NotNeeded: _apply_not_needed,
    Held: _apply_held,
    NeverSent: _apply_never_sent,
    Pending: _apply_waiting,
    Unanswered: _apply_waiting,
    Arrived: _apply_arrived,
    AgreementExpired: _apply_expired,
    GivenBack: _apply_given_back,
}
