"""The page of one payment: its progress, details, transitions and raw records."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass, replace
from typing import Any

from crossway.dashboard.views import status_labels
from crossway.dashboard.views.cells import Cell, Color, Detail, TimelineEntry
from crossway.dashboard.views.custody import transfer_fee_label
from crossway.dashboard.views.formatting import (
    address_cell,
    amount_cell,
    capitalize_first,
    format_amount,
    format_approx_usd,
    format_usd,
    route_cell,
    to_millis,
    tx_cell,
)
from crossway.dashboard.views.marks import mark_token
from crossway.dashboard.views.merchant_names import merchant_cell
from crossway.dashboard.views.swaps import SWAP, SWAP_HINT, swap_cell
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Principal
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.public_ids import RecordKind
from crossway.domain.quotes import bridge_title
from crossway.ports.records import TransitionRecord
from crossway.ports.services import Services
from crossway.usecases.payments import search
from crossway.usecases.payments import timeline as tracking
from crossway.usecases.payments.timeline import IntentTimeline
from crossway.usecases.public_numbers import ids_of

STATE_COLORS: dict[State, Color] = {
    state: badge.color for state, badge in status_labels.INTENT_STATES.items()
}
_MIN_TX_LENGTH = 30
_DESTINATION_EVENTS = frozenset(
    {
        IntentEvent.FILLED,
        IntentEvent.FILL_REVERSED,
        IntentEvent.FILL_REFUSED,
        IntentEvent.FILL_GIVEN_UP,
        IntentEvent.PREFILLED,
        IntentEvent.PREFILL_REVERSED,
        IntentEvent.DELIVERED,
        IntentEvent.DELIVERY_REVERSED,
        IntentEvent.PARKED,
        IntentEvent.PARKING_REVERSED,
        IntentEvent.RELEASED,
        IntentEvent.RELEASE_REVERSED,
    }
)


def search_intents(services: Services, caller: Principal, text: str) -> list[Intent]:
    """The payments that match an identifier from a link, in either mode."""
    return search.search_payments(services, replace(caller, mode=None), text)


def load_intent_detail(services: Services, caller: Principal, intent_id: int) -> IntentTimeline:
    """All records of one payment; raises `NotFound`."""
    return tracking.get_timeline(services, caller, intent_id)


def build_key_details(
    catalogue: Catalogue, intent: Intent, merchants: Mapping[str, str], trust: str = ""
) -> tuple[Detail, ...]:
    """The main details of a payment, most frequently needed first; `merchants` are their names, and
    `trust` says whom its payer trusts."""
    terms = intent.terms
    source = catalogue.chains.get(terms.source_chain)
    destination = catalogue.chains.get(terms.destination_chain)
    return (
        Detail("Deposit address", address_cell(source, intent.address, "deposit address")),
        Detail("Amount due", _amount_due_cell(intent)),
        Detail("Recipient gets", _payout_cell(intent)),
        Detail("Recipient", address_cell(destination, terms.recipient, "recipient")),
        Detail(
            "Route",
            route_cell(
                catalogue,
                terms.source_chain,
                terms.destination_chain,
                sub=f"via {bridge_title(terms.bridge)}" if terms.bridge else "same chain",
            ),
        ),
        *_swap_details(intent),
        Detail("Fees", Cell(format_usd(_total_fees(intent), 4), sub=_format_fee_split(intent))),
        Detail("Refund address", address_cell(source, terms.refund_address, "refund address")),
        *((Detail("Whom the payer trusts", Cell(trust)),) if trust else ()),
        Detail("Merchant", merchant_cell(merchants, intent.client_id)),
        Detail("Created", Cell(at=to_millis(intent.created_at), as_="exact")),
        Detail("Expires", Cell(at=to_millis(terms.expires_at), as_="exact")),
    )


def _amount_due_cell(intent: Intent) -> Cell:
    """With all digits: it is what the payer has to deposit."""
    due = format_amount(intent.terms.deposit_amount, intent.asset_decimals, intent.asset_symbol)
    usd_value = format_approx_usd(intent.costs.total_micro_usd)
    return Cell(
        due,
        usd_value,
        copy=_without_symbol(due),
        value_name="amount",
        marks=mark_token(intent.asset_symbol),
    )


def _payout_cell(intent: Intent) -> Cell:
    usd_value = format_approx_usd(intent.costs.amount_micro_usd)
    return amount_cell(
        intent.terms.payout_amount, intent.out_decimals, intent.out_symbol, usd_value
    )


def build_technical_details(services: Services, intent: Intent) -> tuple[Detail, ...]:
    """Technical details for developers and support; amounts are in smallest units."""
    terms, catalogue = intent.terms, services.catalogue
    source = catalogue.chains.get(terms.source_chain)
    destination = catalogue.chains.get(terms.destination_chain)
    number = str(ids_of(services).encode(RecordKind.INTENT, intent.id))
    return (
        Detail("ID in the API", Cell(number, copy=number, value_name="ID")),
        Detail("Intent hash", _copyable_cell(intent.intent_hash, "intent hash")),
        Detail("Payout transaction", tx_cell(destination, intent.tx_hash)),
        Detail("Sender", address_cell(source, intent.sender, "sender")),
        Detail("Deposit amount", _copyable_cell(str(terms.deposit_amount), "smallest units")),
        Detail("Received", _copyable_cell(str(intent.received_amount), "smallest units")),
        Detail(
            "Balance at address", _copyable_cell(str(intent.balance_at_address), "smallest units")
        ),
        Detail("Payout", _copyable_cell(str(terms.payout_amount), "smallest units")),
        Detail("Token in", address_cell(source, terms.token_in, "token")),
        Detail("Token out", address_cell(destination, terms.token_out, "token")),
        Detail("Coordinator", address_cell(source, intent.coordinator, "coordinator")),
        Detail("Relayer", address_cell(destination, intent.relayer, "relayer")),
        Detail("Relayer repaid", Cell("yes" if intent.relayer_claimed else "not yet")),
        Detail("Merchant’s ID", Cell(intent.client_id, sub=f"{intent.mode} mode")),
        Detail("Nonce", _copyable_cell(str(terms.nonce), "nonce")),
    )


def _swap_details(intent: Intent) -> tuple[Detail, ...]:
    if intent.swap is None:
        return ()
    cell = swap_cell(intent.swap, intent.asset_symbol, intent.asset_decimals, intent.slippage)
    return (Detail(SWAP, cell, SWAP_HINT),)


def _copyable_cell(text: str, value_name: str) -> Cell:
    short_text = text if len(text) <= 28 else f"{text[:14]}…{text[-8:]}"
    return Cell(short_text, copy=text, value_name=value_name, mono=True, hint=text)


def _without_symbol(text: str) -> str:
    return text.split(" ")[0].replace(",", "")


def _total_fees(intent: Intent) -> int:
    costs = intent.costs
    return costs.service_micro_usd + costs.bridge_micro_usd + costs.app_micro_usd


def _format_fee_split(intent: Intent) -> str:
    costs, swap = intent.costs, intent.swap.cost_micro_usd if intent.swap else 0
    bridge = format_usd(costs.bridge_micro_usd - swap, 4)
    parts = [
        f"service {format_usd(costs.service_micro_usd, 4)}",
        f"{transfer_fee_label(intent.terms.bridge)} {bridge}",
    ]
    if swap:
        parts.append(f"swap {format_usd(swap, 4)}")
    if costs.app_micro_usd:
        parts.append(f"app {format_usd(costs.app_micro_usd, 4)}")
    return ", ".join(parts)


def build_transition_entries(
    catalogue: Catalogue, intent: Intent, transitions: Sequence[TransitionRecord]
) -> tuple[TimelineEntry, ...]:
    """Timeline entries of the transitions, newest first, with transaction and raw record."""
    ordered = sorted(enumerate(transitions), key=lambda pair: (pair[1].at, pair[0]), reverse=True)
    return tuple(_entry(catalogue, intent, transition) for _, transition in ordered)


def _entry(catalogue: Catalogue, intent: Intent, transition: TransitionRecord) -> TimelineEntry:
    title, icon = status_labels.describe_event(transition.event)
    title = title.replace("the bridge", bridge_title(intent.terms.bridge))
    webhook_note = f"Webhook event {transition.event_type}" if transition.event_type else ""
    is_tx = len(transition.note) > _MIN_TX_LENGTH and " " not in transition.note
    note = "" if is_tx else transition.note
    chain = (
        intent.terms.destination_chain
        if transition.event in _DESTINATION_EVENTS
        else intent.terms.source_chain
    )
    return TimelineEntry(
        key=transition.id,
        title=title,
        at=to_millis(transition.at),
        note=". ".join(part.rstrip(".") for part in (capitalize_first(note), webhook_note) if part),
        tx=tx_cell(catalogue.chains.get(chain), transition.note) if is_tx else None,
        icon=icon,
        color=STATE_COLORS[transition.to_state],
        raw=to_raw_json(asdict(transition)),
    )


def collect_records(timeline: IntentTimeline) -> dict[str, Any]:
    """All stored records of a payment by kind."""
    return {
        "Payment": timeline.intent,
        "Events": sorted(timeline.transitions, key=lambda transition: transition.at),
        "Deposits": timeline.deposits,
        "Outbound transactions": timeline.outbound_txs,
        "Signed transactions": timeline.attempts,
        "Ledger": [{"at": at, "posting": posting} for at, posting in timeline.postings],
        "Notes": timeline.notes,
        **({"Bridge transfer": timeline.progress} if timeline.progress else {}),
        **(
            {"Inventory transfers": timeline.inventory_transfers}
            if timeline.inventory_transfers
            else {}
        ),
    }


def all_records_json(services: Services, caller: Principal, intent_id: int) -> str:
    """All stored records of a payment, also those that its page leaves out."""
    timeline = tracking.get_timeline(services, caller, intent_id, newest=None)
    return to_raw_json(collect_records(timeline))


def to_raw_json(record: Any) -> str:
    """A record as indented JSON; values without a JSON form become text, bytes their length."""
    return json.dumps(record, indent=2, default=_to_plain, ensure_ascii=False)


def _to_plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return f"{len(value)} bytes" if isinstance(value, bytes) else str(value)
