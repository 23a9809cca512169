"""The bridge that carries the crypto of a ramp order: its steps, details and timeline entries."""

from dataclasses import replace
from typing import Final

from crossway.dashboard.views.bridge_steps import (
    build_bridge_entries,
    build_bridge_steps,
    shows_bridge,
)
from crossway.dashboard.views.cells import Cell, Detail, Step, TimelineEntry
from crossway.dashboard.views.custody import (
    CUSTODY_HINT,
    describe_bridge,
    label_custody,
    transfer_fee_label,
)
from crossway.dashboard.views.formatting import (
    capitalize_first,
    chain_name,
    format_usd,
    to_millis,
    tx_cell,
)
from crossway.dashboard.views.intent_detail import build_transition_entries
from crossway.dashboard.views.payment_steps import state_entry_times
from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import IntentEvent
from crossway.domain.ramps import Direction, RampOrder, provider_name
from crossway.usecases.payments.timeline import IntentTimeline

S = BridgeTransferState
# What the order's own history tells.
_DELAYS: Final = (S.DELAYED, S.OVERDUE, S.HALTED)
_EVENTS: Final = frozenset(
    {
        IntentEvent.SENT,
        IntentEvent.PREFILLED,
        IntentEvent.DELIVERED,
        IntentEvent.PARKED,
        IntentEvent.RELEASED,
        IntentEvent.UNFILLED,
        IntentEvent.BRIDGE_RETURNED,
    }
)
_STATUSES: Final = {
    S.PLANNED: "Not sent yet",
    S.COLLECTED: "Collected by somebody else, to be sent",
    S.GIVING_BACK: "On its way back to the deposit address",
    S.SEEN: "Sent",
    S.DELAYED: "Late",
    S.OVERDUE: "Late",
    S.HALTED: "Halted",
    S.CLAIMABLE: "Attested, to be delivered",
    S.DELIVERED: "Delivered",
    S.CLOSED: "Delivered",
    S.PARKED: "Parked for its recipient",
    S.UNCLAIMED: "Taken out by the coordinator",
    S.EXPIRED: "Not filled, to be returned",
    S.REFUNDING: "Returned, to be refunded",
    S.REFUNDED: "Refunded",
}


def build_steps(order: RampOrder, payment: IntentTimeline) -> tuple[Step, ...]:
    """The steps of the bridge, as on the payment's own page; none where no bridge follows it."""
    progress = payment.progress
    if progress is None or not shows_bridge(payment.intent, progress):
        return ()
    times = state_entry_times(payment.transitions)
    entered_at = {state: to_millis(at) for state, at in times.items()}
    steps = build_bridge_steps(payment.intent, entered_at, progress)
    if order.direction is Direction.ON:
        return steps
    received = f"{provider_name(order.provider)} has the crypto"
    return tuple(replace(s, title=s.title.replace("Recipient paid", received)) for s in steps)


def build_details(catalogue: Catalogue, payment: IntentTimeline) -> tuple[Detail, ...]:
    """Which bridge carries it, whom its payer trusts, both transactions, when it is expected."""
    intent, progress = payment.intent, payment.progress
    terms, costs = intent.terms, intent.costs
    route = " → ".join(
        chain_name(catalogue, c) for c in (terms.source_chain, terms.destination_chain)
    )
    title = capitalize_first(describe_bridge(terms.bridge).removeprefix("via "))
    fee = Cell(format_usd(costs.bridge_micro_usd, 4), sub="included in the total")
    details = [
        Detail("Bridge", Cell(title, sub=label_custody(intent.custody)), hint=CUSTODY_HINT),
        Detail("From and to", Cell(route)),
        Detail(f"{capitalize_first(transfer_fee_label(terms.bridge))} fee", fee),
    ]
    if progress is None:
        return tuple(details)
    source = catalogue.chains.get(terms.source_chain)
    destination = catalogue.chains.get(terms.destination_chain)
    details.append(Detail("Status", Cell(_STATUSES[progress.state], sub=progress.reason)))
    if progress.expected_at is not None:
        expected = Cell(at=to_millis(progress.expected_at), as_="exact")
        details.append(Detail("Expected", expected, hint="When the bridge usually delivers it"))
    details += [
        Detail("Sent in", tx_cell(source, progress.source_tx)),
        Detail("Arrived in", tx_cell(destination, progress.destination_tx)),
    ]
    return tuple(details)


def build_entries(catalogue: Catalogue, payment: IntentTimeline) -> tuple[TimelineEntry, ...]:
    """Timeline entries of the bridge, without the delays, which the order's history has."""
    progress, intent = payment.progress, payment.intent
    if progress is None:
        return ()
    told = [t for t in payment.transitions if t.event in _EVENTS]
    steps = [step for step in progress.steps if step.state not in _DELAYS]
    return (
        *build_transition_entries(catalogue, intent, told),
        *build_bridge_entries(catalogue, intent, replace(progress, steps=steps)),
    )
