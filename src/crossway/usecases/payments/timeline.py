"""The timeline of one intent: its records, the next action with its due time, related requests."""

from dataclasses import dataclass, field
from datetime import datetime

from crossway.domain.clients import Principal
from crossway.domain.deposits import Deposit
from crossway.domain.intent import Intent
from crossway.domain.inventory_transfer import InventoryTransfer
from crossway.domain.ledger import AddressBalance, Posting
from crossway.domain.money import micro_usd_up
from crossway.domain.outbound import OutboundTx
from crossway.domain.webhooks import Delivery, OutboxEvent
from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.ports.records import TransitionRecord, TxAttempt
from crossway.ports.search_repository import Note
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.usecases.payments.bridge_progress import BridgeProgress, load_progress
from crossway.usecases.payments.claims import PayerClaim, list_claims
from crossway.usecases.payments.dust import is_dust
from crossway.usecases.payments.intents import get_by_id
from crossway.usecases.payments.next_action import describe_next_action
from crossway.usecases.payments.redirects import CoordinatorCall, list_coordinator_calls
from crossway.usecases.payments.refund_reasons import list_reasons
from crossway.usecases.payments.trust import describe_trust

MAX_RELATED, MAX_SHOWN = 50, 100
_MAX_ADDRESS_BALANCES = 20


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
    `progress` is that of its bridge, None where none carries it, and `trust` says whom the payer
    trusts from start to payout. `inventory_transfers` are what bridges move of the operator's
    inventory for it.
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
    progress: BridgeProgress | None = None
    trust: str = ""
    inventory_transfers: list[InventoryTransfer] = field(default_factory=list)


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
        outbound_txs = _load_outbound_txs(unit, intent_id, newest)
        attempts = unit.outbound_txs.list_attempts([t.id for t in outbound_txs])
        transitions = unit.intents.list_transitions([intent_id], newest)
        postings = unit.ledger.list_by_intent(intent_id, newest)
        notes = _load_notes(unit, intent_id)
        misdirected = unit.ledger.list_misdirected([intent_id], _MAX_ADDRESS_BALANCES)
        claims = list_claims(services, unit, intent)
        shown = HiddenRecords(len(deposits), len(outbound_txs), len(transitions), len(postings))
        hidden = HiddenRecords() if newest is None else _count_hidden(unit, intent_id, shown)
        progress = load_progress(unit, [intent]).get(intent_id)
        inventory_transfers = unit.inventory_transfers.list_by_intents([intent_id])
    next_action, due_at = describe_next_action(services, intent, deposits, outbound_txs, progress)
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
        progress,
        describe_trust(services, intent),
        inventory_transfers,
    )


def _load_notes(unit: UnitOfWork, intent_id: int) -> list[Note]:
    notes = unit.notes_and_saved_views.list_notes(f"intent:{intent_id}")
    return notes + list_reasons(unit, intent_id)


def _load_outbound_txs(unit: UnitOfWork, intent_id: int, newest: int | None) -> list[OutboundTx]:
    if newest is None:
        return unit.outbound_txs.list_by_intents([intent_id])
    return unit.outbound_txs.list_newest(intent_id, newest)


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
