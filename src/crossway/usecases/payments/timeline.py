"""The timeline of one intent: its records, the next action with its due time, related requests."""

from dataclasses import dataclass, field
from datetime import datetime

from crossway.domain.clients import Principal
from crossway.domain.deposits import Deposit, DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import AddressBalance, Posting
from crossway.domain.money import format_units, micro_usd_up
from crossway.domain.outbound import OPEN_STATES, OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.quotes import bridge_title
from crossway.domain.webhooks import Delivery, OutboxEvent
from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.ports.records import TransitionRecord, TxAttempt
from crossway.ports.search_repository import Note
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.usecases.payments.abandoned_payouts import payout_deadline
from crossway.usecases.payments.claims import PayerClaim, list_claims
from crossway.usecases.payments.dust import is_dust
from crossway.usecases.payments.intents import get_by_id
from crossway.usecases.payments.redirects import CoordinatorCall, list_coordinator_calls

MAX_RELATED, MAX_SHOWN = 50, 100
_MAX_ADDRESS_BALANCES = 20
_KIND_LABELS = {
    OutboundTxKind.START: "deposit collection",
    OutboundTxKind.FILL: "payout",
    OutboundTxKind.RETURN_EXCESS: "return of an unexpected deposit",
    OutboundTxKind.REIMBURSE: "bridge reimbursement",
    OutboundTxKind.REFUND: "refund",
    OutboundTxKind.SKIP_NONCE: "skipped nonce",
}


_RETURNS = {
    OutboundTxKind.REFUND: "send the refund",
    OutboundTxKind.RETURN_EXCESS: "return the unexpected deposit",
}


@dataclass(frozen=True, slots=True)
class HiddenRecords:
    """How many records of each kind a payment has that are not loaded."""

    deposits: int = 0
    outbound_txs: int = 0
    transitions: int = 0
    postings: int = 0


@dataclass(frozen=True, slots=True)
class IntentTimeline:
    """One intent with its newest records and how many older ones there are. `next_action` is a
    sentence that says who does what next; `next_action_due_at` is None where there is no deadline.
    `misdirected` is what is held of other tokens or on other chains, `claims` what waits at the
    address for a reason of ours, `coordinator_calls` what the coordinator has to sign."""

    intent: Intent
    deposits: list[Deposit]
    outbound_txs: list[OutboundTx]
    attempts: list[TxAttempt]
    transitions: list[TransitionRecord]
    postings: list[tuple[datetime, Posting]]
    next_action: str
    next_action_due_at: datetime | None
    notes: list[Note] = field(default_factory=list)
    misdirected: list[AddressBalance] = field(default_factory=list)
    hidden: HiddenRecords = HiddenRecords()
    claims: list[PayerClaim] = field(default_factory=list)
    coordinator_calls: list[CoordinatorCall] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RelatedRecords:
    """Webhook deliveries and API requests about one intent, newest first."""

    deliveries: list[tuple[Delivery, OutboxEvent]]
    requests: list[LoggedRequest]


@dataclass(frozen=True, slots=True)
class RefundEstimate:
    """The network fee of a refund now, which the relayer pays, and the refund's value.

    `fee_units` counts the smallest units of the chain's native coin; `fee_micro_usd` is None where
    that coin has no price.
    """

    chain: str
    fee_units: int
    fee_micro_usd: int | None
    refund_micro_usd: int
    is_dust: bool


def get_timeline(
    services: Services, caller: Principal, intent_id: int, newest: int | None = MAX_SHOWN
) -> IntentTimeline:
    """One intent with its records, of each kind the newest, or all; raises `NotFound`.

    Changes of state and the postings of our own transactions are loaded in any case: there are few.
    """
    intent = get_by_id(services, caller, intent_id)
    with services.store.read() as unit:
        deposits = unit.deposits.list_by_intents([intent_id], newest)
        outbound_txs = (
            unit.outbound_txs.list_by_intents([intent_id])
            if newest is None
            else unit.outbound_txs.list_newest(intent_id, newest)
        )
        attempts = unit.outbound_txs.list_attempts([t.id for t in outbound_txs])
        transitions = unit.intents.list_transitions([intent_id], newest)
        postings = unit.ledger.list_by_intent(intent_id, newest)
        notes = unit.notes_and_saved_views.list_notes(f"intent:{intent_id}")
        misdirected = unit.ledger.list_misdirected([intent_id], _MAX_ADDRESS_BALANCES)
        claims = list_claims(services, unit, intent)
        shown = HiddenRecords(len(deposits), len(outbound_txs), len(transitions), len(postings))
        hidden = HiddenRecords() if newest is None else _count_hidden(unit, intent_id, shown)
    next_action, due_at = describe_next_action(services, intent, deposits, outbound_txs)
    return IntentTimeline(
        intent,
        deposits,
        outbound_txs,
        attempts,
        transitions,
        postings,
        next_action,
        due_at,
        notes,
        misdirected,
        hidden,
        claims,
        list_coordinator_calls(services, intent, outbound_txs),
    )


def _count_hidden(unit: UnitOfWork, intent_id: int, shown: HiddenRecords) -> HiddenRecords:
    return HiddenRecords(
        unit.deposits.count_by_intent(intent_id) - shown.deposits,
        unit.outbound_txs.count_by_intent(intent_id) - shown.outbound_txs,
        unit.intents.count_transitions(intent_id) - shown.transitions,
        unit.ledger.count_by_intent(intent_id) - shown.postings,
    )


def get_related_records(services: Services, caller: Principal, intent_id: int) -> RelatedRecords:
    """The webhook deliveries and API requests about one intent; raises `NotFound`."""
    intent = get_by_id(services, caller, intent_id)
    caller = caller.in_mode_of(intent)
    deliveries = caller.narrow(DeliveryFilter(about=("intent", intent.id)))
    requests = caller.narrow(RequestFilter(intent_id=intent.id))
    with services.store.read() as unit:
        return RelatedRecords(
            unit.deliveries.list_page(deliveries, MAX_RELATED),
            unit.request_log.list_page(requests, MAX_RELATED),
        )


def estimate_refund(services: Services, intent: Intent) -> RefundEstimate | None:
    """Estimate the cost of refunding an intent at the chain's current fee; None where the intent
    holds nothing. Raises `Unreachable`."""
    if intent.balance_at_address <= 0:
        return None
    terms = intent.terms
    chain = services.catalogue.chains[terms.source_chain]
    fee = services.chains[chain.id].fee_units()
    price = services.prices.get_usd_prices([chain.native_symbol]).get(chain.native_symbol)
    fee_micro_usd = None
    if price is not None:
        fee_micro_usd = micro_usd_up(fee, chain.native_decimals, price.pico_usd)
    refund_micro_usd = (
        intent.balance_at_address * intent.costs.total_micro_usd // terms.deposit_amount
    )
    dust = is_dust(services, intent, terms.token_in, chain.id, intent.balance_at_address)
    return RefundEstimate(chain.id, fee, fee_micro_usd, refund_micro_usd, dust)


def describe_next_action(
    services: Services, intent: Intent, deposits: list[Deposit], outbound_txs: list[OutboundTx]
) -> tuple[str, datetime | None]:
    """A sentence that says who does what next, and its deadline."""
    failed = [
        t for t in outbound_txs if t.state is OutboundTxState.FAILED and _needs_operator(t, intent)
    ]
    if failed:
        label = _KIND_LABELS[failed[0].kind]
        return f"Operator: resolve the failed {label}: {failed[0].reason}.", None
    open_txs = [t for t in outbound_txs if t.state in OPEN_STATES]
    match intent.state:
        case State.PENDING:
            return _describe_pending(services, intent, deposits), intent.terms.expires_at
        case State.FUNDED if any(t.state is OutboundTxState.FAILED for t in outbound_txs):
            label = "Crossway: refund when the payment expires. Collecting the deposit failed."
            return label, intent.terms.expires_at
        case State.FUNDED:
            reason = next((t.reason for t in open_txs if t.reason), "")
            when = f" as soon as possible. {reason}" if reason else "."
            return f"Crossway: collect the deposit{when}", intent.terms.expires_at
        case State.INITIATED:
            reason = next((t.reason for t in open_txs if t.reason), "")
            label = f"Crossway: pay the recipient. {reason}".strip()
            if not reason:
                return label, None
            return f"{label} Else the deposit goes back.", payout_deadline(services, intent)
    for kind, action in _RETURNS.items():
        if returns := [t for t in open_txs if t.kind is kind]:
            reason = next((t.reason for t in returns if t.state is OutboundTxState.DUE), "")
            if list_coordinator_calls(services, intent, returns):
                return f"Coordinator: {action}. {reason}".strip(), None
            return f"Crossway: {action}. {reason}".strip(), None
    reimbursing = [t for t in open_txs if t.kind is OutboundTxKind.REIMBURSE]
    if reimbursing:
        bridge_name = intent.terms.bridge
        bridge = bridge_title(bridge_name) if bridge_name else "the collecting account"
        return f"Waiting for {bridge} to reimburse the relayer.", reimbursing[0].next_at
    return "None. This payment is finished.", None


def _needs_operator(failed: OutboundTx, intent: Intent) -> bool:
    """Whether a failed outbound transaction needs an operator. A failed refund or return always
    does; a failed start only if the recipient is or will be paid, else a refund follows on its
    own."""
    if failed.kind in (OutboundTxKind.REFUND, OutboundTxKind.RETURN_EXCESS):
        return True
    return failed.kind is OutboundTxKind.START and intent.state in (
        State.INITIATED,
        State.COMPLETED,
    )


def _describe_pending(services: Services, intent: Intent, deposits: list[Deposit]) -> str:
    chain = services.catalogue.chains[intent.terms.source_chain]
    if any(d.state is DepositState.SEEN for d in deposits):
        return f"Waiting for confirmations of a deposit on {chain.name}."
    missing = intent.terms.deposit_amount - intent.received_amount
    amount = f"{format_units(missing, intent.asset_decimals)} {intent.asset_symbol}"
    another = "another " if intent.received_amount else ""
    hint = " On test networks, then check for the deposit." if chain.testnet else ""
    return f"Payer: send {another}{amount} on {chain.name}.{hint}"
