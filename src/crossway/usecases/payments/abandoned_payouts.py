"""Giving up a payout that cannot be sent: proof that nothing was paid, and the way back."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from crossway.domain.bridge_transfer import Custody
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidStatus, Unreachable
from crossway.domain.intent import READ_VOCABULARY, Intent, IntentEvent, State
from crossway.domain.outbound import OutboundTx, OutboundTxEvent, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import fill_marker
from crossway.domain.roles import Permission
from crossway.ports.chain import Chain, IncludedTx, TxNotFound, TxStatus
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money import amount_confirmation
from crossway.usecases.payments.intents import get_by_id
from crossway.usecases.payments.lifecycle import IntentBatch
from crossway.usecases.payments.refund_reasons import parse_reason, record_reason
from crossway.usecases.staff.step_up import require_step_up

_BY_HAND = "Given up by {}: the deposit goes back."
_MAYBE_SENT = "The payout was sent and may still be included: it cannot be given up"


def payout_deadline(services: Services, intent: Intent) -> datetime:
    """The chain time until which a payout is tried."""
    return intent.terms.expires_at + timedelta(seconds=services.policy.payout_grace_seconds)


def find_unpaid(
    services: Services,
    chain: Chain,
    finalized: int,
    payouts: Sequence[tuple[OutboundTx, Intent]],
) -> set[int]:
    """The ids of those payouts of which it is final that nothing was paid: the chain has not
    executed them, and no transaction that was ever signed for one can still be included.

    `payouts` are transactions that are due, with their intents; `finalized` is the newest final
    height. Raises `Unreachable`.
    """
    with services.store.read() as unit:
        attempts = unit.outbound_txs.list_attempts([tx.id for tx, _ in payouts])
    statuses = chain.status([attempt.signed.tx_id for attempt in attempts])
    executed = chain.executed({fill_marker(intent) for _, intent in payouts})
    undecided = {
        attempt.outbound_tx_id
        for attempt in attempts
        if not is_over(statuses.get(attempt.signed.tx_id), finalized)
    }
    return {
        tx.id
        for tx, intent in payouts
        if tx.id not in undecided and fill_marker(intent) not in executed
    }


def is_over(status: TxStatus | None, finalized: int) -> bool:
    """Whether a transaction has moved nothing for good: it reverted in a final block, or can never
    be included."""
    if isinstance(status, IncludedTx):
        return bool(status.reason) and status.block_height <= finalized
    return isinstance(status, TxNotFound) and status.dropped


def give_payout_up(batch: IntentBatch, payout: OutboundTx, reason: str) -> None:
    """Fail the intent of a payout that is given up; the deposit goes back to the payer."""
    batch.apply_event(
        payout.intent_id, IntentEvent.FILL_GIVEN_UP, "failed", reason, needs_relay=False
    )


def give_up_by_hand(
    services: Services,
    caller: Principal,
    intent_id: int,
    typed_amount: object = None,
    reason: object = None,
) -> None:
    """Give up the payout of a started payment before its deadline; the deposit goes back.

    Audited. Above a limit operators must repeat the amount in `typed_amount`, else
    `AmountNotConfirmed`. Raises `InvalidStatus` where the recipient was or may have been paid. A
    destination that does not answer is no obstacle where nothing was ever signed for this payout.
    The payer reads the `reason` as it is.
    """
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    told = parse_reason(reason)
    intent = get_by_id(services, caller, intent_id)
    _require_ours(intent)
    amount = amount_confirmation.amount_of_collected(intent, intent.collected.amount)
    amount_confirmation.require_confirmation(services, caller, amount, typed_amount)
    payout = _require_unpaid(services, intent)

    def work(unit: UnitOfWork) -> None:
        now = services.clock.now()
        due = unit.outbound_txs.lock_in_state({payout.id: payout.tx_id}, OutboundTxState.DUE)
        batch = IntentBatch(services, now, unit.intents.lock([intent.id]))
        if not due or batch.current[intent.id].state is not State.INITIATED:
            raise InvalidStatus(_MAYBE_SENT)
        by = _BY_HAND.format(caller.actor_name)
        change = OutboundTxChange.after_event(payout, OutboundTxEvent.GIVE_UP, by, now)
        unit.outbound_txs.update([change], now)
        give_payout_up(batch, payout, by)
        batch.store(unit)
        detail = record_reason(unit, services, caller, intent.id, told)
        subject = f"intent:{intent.id}"
        unit.audit_log.record(caller.actor_name, "payout given up", detail, now, subject)

    services.store.write(work)
    services.process.wake()


def _require_ours(intent: Intent) -> None:
    if intent.state is not State.INITIATED:
        raise InvalidStatus(
            "Only a payment that waits for its payout can be given up: its status is "
            f"{READ_VOCABULARY[intent.state]}"
        )
    if intent.custody is Custody.BRIDGE:
        raise InvalidStatus("A bridge carries it: only the bridge can deliver or return it")


def _require_unpaid(services: Services, intent: Intent) -> OutboundTx:
    """The payout, of which it is final that nothing was paid; raises `InvalidStatus`."""
    with services.store.read() as unit:
        payouts = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.FILL)
        attempts = unit.outbound_txs.list_attempts([payout.id for payout in payouts])
    payout = next((tx for tx in payouts if tx.state is OutboundTxState.DUE), None)
    if payout is None:
        raise InvalidStatus(_MAYBE_SENT)
    destination = intent.terms.destination_chain
    chain = services.chains[destination]
    try:
        unpaid = find_unpaid(services, chain, chain.heads().finalized, [(payout, intent)])
    except Unreachable as error:
        if attempts:
            raise InvalidStatus(
                f"{chain_name(services, destination)} does not answer, and the payout was sent "
                f"before: whether the recipient was paid is unknown ({error})"
            ) from error
        return payout
    if payout.id not in unpaid:
        raise InvalidStatus(_MAYBE_SENT)
    return payout
