"""What a person sends by hand: to addresses of the address book, within the daily caps, and above a
limit once a second person has agreed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from crossway.domain.approvals import Approval, ApprovalKind, NewApproval
from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import InvalidStatus
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTx
from crossway.domain.outgoing_controls import ManualTransfer
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money import (
    address_book,
    amount_confirmation,
    approvals,
    emergency_stop,
    transfer_caps,
)
from crossway.usecases.money.amount_confirmation import amount_of_collected, amount_of_intent
from crossway.usecases.payments.lifecycle import one_return_for_each_address
from crossway.usecases.payments.manual_refunds import is_unsigned, make_due
from crossway.usecases.payments.redirects import can_redirect
from crossway.usecases.payments.returns import new_deposit_return

REDIRECTED: Final = "refund redirected"
"""The action under which the audit log has the address of a redirected refund."""


def list_failed_returns(unit: UnitOfWork, intent: Intent) -> list[OutboundTx]:
    """The refunds and returns of an intent that a person may send elsewhere."""
    return [tx for tx in unit.outbound_txs.list_unsettled([intent.id]) if can_redirect(tx, intent)]


def redirected_amount(
    intent: Intent, failed: Sequence[OutboundTx]
) -> amount_confirmation.TransferAmount:
    """The total amount that these failed refunds of an intent send. Where the deposit was swapped,
    it is told by what was collected, if that is sent, at the value of all."""
    at_address = amount_of_intent(
        intent, sum(intent.balance_at_address for tx in failed if tx.amount is None)
    )
    collected = amount_of_collected(intent, sum(tx.amount or 0 for tx in failed))
    if not collected.amount:
        return at_address
    values = at_address.micro_usd, collected.micro_usd
    total = None if None in values else sum(value or 0 for value in values)
    together = at_address.amount if intent.swap is None else 0
    return replace(collected, amount=collected.amount + together, micro_usd=total)


def redirect(
    unit: UnitOfWork,
    services: Services,
    caller: Principal,
    intent: Intent,
    failed: Sequence[OutboundTx],
    addresses: Mapping[str, str],
    approved_by: str = "",
) -> None:
    """Send failed refunds to these addresses, by chain; each is audited and counts under its cap.
    Raises `InvalidInput` where the address book lacks one, and `InvalidStatus` above a cap."""
    now, subject = services.clock.now(), f"intent:{intent.id}"
    for tx in _elsewhere(intent, failed, addresses):
        address_book.require_usable(unit, services, tx.chain, addresses[tx.chain])
        # Chosen once more before it was sent, it counts once.
        if tx.to_address == intent.terms.refund_address:
            sent = _transfer(unit, services, caller, tx)
            transfer_caps.record_transfer(unit, services, sent)
    for tx in failed:
        to_address = addresses[tx.chain]
        unit.outbound_txs.redirect(tx.id, to_address)
        detail: dict[str, Any] = {"intent": intent.id, "from": tx.to_address, "to": to_address}
        if approved_by:
            detail["approved_by"] = approved_by
        before, after = {"to": tx.to_address}, {"to": to_address}
        unit.audit_log.record(caller.actor_name, REDIRECTED, detail, now, subject, before, after)
    unit.outbound_txs.update([make_due(t, services, caller) for t in failed], now)
    unit.alerts.resolve([f"transfer:{t.id}" for t in failed], now)


def request_redirect(
    unit: UnitOfWork,
    services: Services,
    caller: Principal,
    intent: Intent,
    failed: Sequence[OutboundTx],
    addresses: Mapping[str, str],
) -> Approval:
    """Ask a second person to agree to sending failed refunds to these addresses. What an agreement
    could not carry out now is refused at once."""
    for tx in _elsewhere(intent, failed, addresses):
        address_book.require_usable(unit, services, tx.chain, addresses[tx.chain])
        transfer_caps.require_room(unit, services, _transfer(unit, services, caller, tx))
    amount = redirected_amount(intent, failed)
    detail = {
        "intent": intent.id,
        "amount": amount.label,
        "units": amount.amount,
        "addresses": dict(addresses),
        "transactions": [tx.id for tx in failed],
    }
    kind = ApprovalKind.REFUND_ELSEWHERE
    return _request(unit, services, caller, kind, f"intent:{intent.id}", amount, detail)


def redirect_approved(unit: UnitOfWork, services: Services, approval: Approval) -> None:
    """Send the refunds that two people agreed on. Raises `InvalidStatus` where they are not the
    same any more, or have become worth more."""
    detail = approval.detail
    intent = unit.intents.get(detail["intent"])
    failed = [] if intent is None else list_failed_returns(unit, intent)
    if intent is None or [tx.id for tx in failed] != detail["transactions"]:
        raise InvalidStatus("What was asked for is not what has failed now: ask for it again")
    _require_same_units(approval, redirected_amount(intent, failed).amount)
    caller = staff_principal(approval.requested_by.name)
    by = approval.decided_by.name
    redirect(unit, services, caller, intent, failed, detail["addresses"], by)


def request_return(
    unit: UnitOfWork,
    services: Services,
    caller: Principal,
    deposit_id: int,
    amount: amount_confirmation.TransferAmount,
) -> Approval:
    """Ask a second person to agree to returning a deposit by hand."""
    deposit = unit.deposits.get(deposit_id)
    if deposit is None:
        raise InvalidStatus("This deposit has nothing to return")
    detail = {
        "intent": deposit.intent_id,
        "deposit": deposit_id,
        "amount": amount.label,
        "units": amount.amount,
    }
    kind, subject = ApprovalKind.MANUAL_RETURN, f"intent:{deposit.intent_id}"
    return _request(unit, services, caller, kind, subject, amount, detail)


def return_now(unit: UnitOfWork, services: Services, caller: Principal, deposit_id: int) -> None:
    """Return a wrong-token or wrong-chain deposit with all others of its token on its chain;
    audited. What staff return counts under its cap. Raises `InvalidStatus` where nothing is
    left."""
    deposit = unit.deposits.get(deposit_id)
    intent = unit.intents.get(deposit.intent_id) if deposit else None
    if deposit is None or intent is None or not unit.deposits.is_unreturned(deposit.id):
        raise InvalidStatus("This deposit has nothing to return")
    now = services.clock.now()
    outbound_tx = new_deposit_return(intent, deposit, now)
    unit.outbound_txs.enqueue(one_return_for_each_address(unit, [outbound_tx]), now)
    place = (outbound_tx.chain, outbound_tx.token)
    waiting = [t for t in unit.outbound_txs.list_unsettled([intent.id]) if is_unsigned(t)]
    returns = [t for t in waiting if t.kind is outbound_tx.kind and (t.chain, t.token) == place]
    if caller.is_staff and returns:
        transfer_caps.record_transfer(unit, services, _transfer(unit, services, caller, returns[0]))
    unit.outbound_txs.update([make_due(t, services, caller) for t in returns], now)
    detail, subject = {"deposit": deposit.id}, f"intent:{intent.id}"
    unit.audit_log.record(caller.actor_name, "deposit returned", detail, now, subject)


def return_approved(unit: UnitOfWork, services: Services, approval: Approval) -> None:
    """Return the deposit that two people agreed on; raises as `return_now`, and `InvalidStatus`
    where more lies there than they agreed on."""
    deposit = unit.deposits.get(approval.detail["deposit"])
    if deposit is not None:
        key = (deposit.intent_id, deposit.incoming.chain, deposit.incoming.token)
        balance = unit.ledger.get_address_balances([key]).get(key)
        _require_same_units(approval, 0 if balance is None else balance.held)
    caller = staff_principal(approval.requested_by.name)
    return_now(unit, services, caller, approval.detail["deposit"])


CARRY_OUT: Final[Mapping[ApprovalKind, approvals.CarryOut]] = {
    ApprovalKind.STOP_RELEASE: emergency_stop.release,
    ApprovalKind.TREASURY_ADDRESS: address_book.add_approved,
    ApprovalKind.TRANSFER_CAP: transfer_caps.set_approved,
    ApprovalKind.REFUND_ELSEWHERE: redirect_approved,
    ApprovalKind.MANUAL_RETURN: return_approved,
}
"""What an approval carries out, by its kind."""


def _request(
    unit: UnitOfWork,
    services: Services,
    caller: Principal,
    kind: ApprovalKind,
    subject: str,
    amount: amount_confirmation.TransferAmount,
    detail: Mapping[str, Any],
) -> Approval:
    now = services.clock.now()
    return approvals.request(
        unit,
        services,
        NewApproval(
            kind,
            subject,
            amount.micro_usd,
            approvals.actor_of(caller),
            now,
            now + approvals.VALID_FOR,
            detail,
        ),
    )


def _require_same_units(approval: Approval, units: int) -> None:
    if units != approval.detail["units"]:
        asked = approval.detail["amount"]
        raise InvalidStatus(f"It would not send the {asked} that was asked for: ask for it again")


def _elsewhere(
    intent: Intent, failed: Sequence[OutboundTx], addresses: Mapping[str, str]
) -> list[OutboundTx]:
    """Those that do not go to the payment's own refund address, which nothing keeps from it."""
    return [tx for tx in failed if addresses[tx.chain] != intent.terms.refund_address]


def _transfer(
    unit: UnitOfWork, services: Services, caller: Principal, tx: OutboundTx
) -> ManualTransfer:
    """What a transaction sends, as it counts under a cap."""
    amount = tx.amount
    if amount is None:
        key = (tx.intent_id, tx.chain, tx.token)
        balance = unit.ledger.get_address_balances([key]).get(key)
        amount = 0 if balance is None else balance.held + balance.dust
    now, subject = services.clock.now(), f"intent:{tx.intent_id}"
    return ManualTransfer(tx.chain, tx.token, amount, caller.actor_name, now, subject)
