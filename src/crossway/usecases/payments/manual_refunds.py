"""Refunds by hand: what an expired or failed intent holds, or a bridge's contract before that."""

from collections.abc import Sequence
from datetime import timedelta

from crossway.domain.clients import Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidStatus, Unreachable
from crossway.domain.intent import READ_VOCABULARY, Intent, State
from crossway.domain.outbound import (
    OutboundTx,
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money import amount_confirmation
from crossway.usecases.money.amount_confirmation import amount_of_intent
from crossway.usecases.payments.bridge_collections import give_back_by_hand
from crossway.usecases.payments.bridge_progress import is_held_by_contract, is_with_bridge
from crossway.usecases.payments.claims import ANYONE_MAY, BY_HAND
from crossway.usecases.payments.deposits import check_deposits
from crossway.usecases.payments.intents import get_by_address
from crossway.usecases.payments.lifecycle import (
    IntentBatch,
    new_outbound_tx,
)
from crossway.usecases.payments.refund_reasons import parse_reason, record_reason
from crossway.usecases.staff.step_up import require_step_up

_WAIT_SECONDS = 10
_SENT = (OutboundTxState.SIGNED, OutboundTxState.CONFIRMED, OutboundTxState.FINAL)


def refund(
    services: Services,
    caller: Principal,
    address: str,
    typed_amount: object = None,
    is_repeat: bool = False,
    reason: object = None,
) -> str:
    """Refund what an expired or failed intent holds; returns the transaction id.

    Staff can have a deposit back before that if a bridge contract holds it and cannot send it.
    The engine sends the refund: this makes it due now and waits up to 10 seconds for its signature.
    Above a limit operators must repeat it in `typed_amount`, else `AmountNotConfirmed`. Raises
    `InvalidStatus`, for merchants also where the refund waits for a limit of returns, and
    `Unreachable` when the refund was not signed in time. `is_repeat`: it was asked for before and
    the answer is not known; what was sent since then is the answer, not a reason to refuse. The
    payer reads the `reason` as it is.
    """
    caller.require_scope(Scope.REFUND)
    require_step_up(services, caller.session)
    told = parse_reason(reason)
    intent = get_by_address(services, caller, address)
    if is_repeat and (sent := _find_signed(_list_txs(services, intent.id, OutboundTxKind.REFUND))):
        return sent
    intent, from_contract = _find_money(services, caller, intent)
    amount_confirmation.require_confirmation(
        services, caller, amount_of_intent(intent, refundable_amount(intent)), typed_amount
    )

    def work(unit: UnitOfWork) -> None:
        now = services.clock.now()
        (_take_back if from_contract else _make_refund_due)(unit, services, caller, intent.id)
        detail = record_reason(unit, services, caller, intent.id, told)
        unit.audit_log.record(caller.actor_name, "refund", detail, now, f"intent:{intent.id}")

    services.store.write(work)
    services.process.wake()
    kind = OutboundTxKind.GIVE_BACK if from_contract else OutboundTxKind.REFUND
    return _wait_for_tx(services, intent.id, kind)


def _find_money(services: Services, caller: Principal, intent: Intent) -> tuple[Intent, bool]:
    """The intent with what was found for it meanwhile, and whether a bridge's contract has it."""
    if intent.state in (State.EXPIRED, State.FAILED) and intent.balance_at_address <= 0:
        intent = check_deposits(services, intent)
    from_contract = caller.is_staff and is_held_by_contract(intent)
    if not from_contract:
        _require_refundable(services, intent)
    return intent, from_contract


def _take_back(unit: UnitOfWork, services: Services, _: Principal, intent_id: int) -> None:
    batch = IntentBatch(services, services.clock.now(), unit.intents.lock([intent_id]))
    give_back_by_hand(unit, batch, intent_id, "An operator took the deposit back.")
    batch.store(unit)


def _make_refund_due(
    unit: UnitOfWork, services: Services, caller: Principal, intent_id: int
) -> None:
    now, locked = services.clock.now(), unit.intents.lock([intent_id])[intent_id]
    refund_tx = new_outbound_tx(services, locked, OutboundTxKind.REFUND, "", now)
    unit.outbound_txs.enqueue([refund_tx], now)
    refunds = unit.outbound_txs.list_by_intents([intent_id], OutboundTxKind.REFUND)
    unsigned = [tx for tx in refunds if is_unsigned(tx)]
    unit.outbound_txs.update([make_due(tx, services, caller) for tx in unsigned], now)


def refundable_amount(intent: Intent) -> int:
    """What `refund` returns: what lies at the deposit address, and in a bridge's contract."""
    in_contract = intent.terms.deposit_amount if is_held_by_contract(intent) else 0
    return in_contract + intent.balance_at_address


def _require_refundable(services: Services, intent: Intent) -> None:
    match intent.state:
        case State.REFUNDED:
            raise InvalidStatus("Intent is already refunded")
        case State.EXPIRED | State.FAILED:
            if intent.state is State.EXPIRED and intent.balance_at_address <= 0:
                raise InvalidStatus(
                    "Nothing to refund: the intent holds no funds", ErrorCode.NOTHING_TO_REFUND
                )
            if is_with_bridge(intent):
                raise InvalidStatus(
                    "Nothing to refund: a bridge's contract has the money",
                    ErrorCode.NOTHING_TO_REFUND,
                )
        case _:
            raise InvalidStatus(
                f"Intent is not expired: its status is {READ_VOCABULARY[intent.state]}"
            )


def is_unsigned(tx: OutboundTx) -> bool:
    """Whether a transaction is still to be signed, or is not tried any more."""
    return tx.state in (OutboundTxState.DUE, OutboundTxState.FAILED)


def make_due(tx: OutboundTx, services: Services, caller: Principal) -> OutboundTxChange:
    """Make a transaction due now. Only for staff does it wait for no limit: with a merchant's key,
    which may be stolen, any number of returns could be caused at the operator's cost."""
    now, reason = services.clock.now(), BY_HAND if caller.is_staff else ""
    if tx.state is OutboundTxState.FAILED:
        return OutboundTxChange.after_event(
            tx, OutboundTxEvent.REVIVE, reason, now, attempt_count=0
        )
    state, attempts = tx.state, tx.attempt_count
    return OutboundTxChange(tx.id, state, state, attempts, reason, now)


def _wait_for_tx(services: Services, intent_id: int, kind: OutboundTxKind) -> str:
    """Wait until the engine has signed what refunds an intent; returns its transaction id."""
    deadline = services.clock.machine() + timedelta(seconds=_WAIT_SECONDS)
    while True:
        refunds = _list_txs(services, intent_id, kind)
        if tx_id := _find_signed(refunds):
            services.process.failpoint("refund-signed")
            return tx_id
        for tx in refunds:
            if tx.reason.endswith(ANYONE_MAY):
                raise InvalidStatus(f"Not refunded now: {tx.reason.rstrip('.')}")
        if services.clock.machine() >= deadline:
            reason = refunds[0].reason if refunds else ""
            raise Unreachable(f"The refund is due and has not been sent yet. {reason}".strip())
        services.process.pause()


def _list_txs(services: Services, intent_id: int, kind: OutboundTxKind) -> Sequence[OutboundTx]:
    with services.store.read() as unit:
        return unit.outbound_txs.list_by_intents([intent_id], kind)


def _find_signed(txs: Sequence[OutboundTx]) -> str | None:
    """The id of the first transaction that is signed, and not given up since then."""
    return next((tx.tx_id for tx in txs if tx.tx_id is not None and tx.state in _SENT), None)
