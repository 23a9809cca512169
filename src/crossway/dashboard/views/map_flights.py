"""Payments under way on the network map: where each one is between its two chains."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from crossway.dashboard.views.formatting import (
    chain_name,
    format_amount,
    format_duration,
    to_millis,
)
from crossway.dashboard.views.links import intent_href
from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import State
from crossway.domain.quotes import bridge_title
from crossway.usecases.operating.network_map import Corridor, Flight

# The share of the way that a payment has behind it when it is funded, started, and due to arrive.
FUNDED, STARTED, DUE, ARRIVED = 0.03, 0.15, 0.92, 1.0
# A start waits for two blocks of the source chain.
_START_BLOCKS: Final = 2
_ARRIVAL_SECONDS: Final = 1.0
_MAX_REASON: Final = 160
_ENDED: Final = (State.EXPIRED, State.FAILED)


def link_key(bridge: str, one: str, other: str) -> str:
    """The key of a connection, which is the same in both directions."""
    return "|".join((*sorted((one, other)), bridge))


def build_flights(
    catalogue: Catalogue, flights: Sequence[Flight], quoted_seconds: Mapping[Corridor, float]
) -> list[dict[str, Any]]:
    """The JSON of each payment: `begin` is its share of the way at the time `at` (milliseconds),
    and `end` the share that it reaches `seconds` later, where it stays until something happens.
    A payment that is held up does not move."""
    return [
        _flight(catalogue, flight, quoted_seconds)
        for flight in flights
        if {flight.intent.terms.source_chain, flight.intent.terms.destination_chain}
        <= set(catalogue.chains)
    ]


def _flight(
    catalogue: Catalogue, flight: Flight, quoted_seconds: Mapping[Corridor, float]
) -> dict[str, Any]:
    intent = flight.intent
    terms = intent.terms
    ends = chain_name(catalogue, terms.source_chain), chain_name(catalogue, terms.destination_chain)
    begin, end, seconds = _stretch(catalogue, flight, quoted_seconds)
    held = bool(flight.delay) and intent.state is not State.COMPLETED
    if held:
        begin = end = _held_at(flight, begin, end, seconds)
    return {
        "id": str(intent.id),
        "link": link_key(terms.bridge, terms.source_chain, terms.destination_chain),
        "source": terms.source_chain,
        "begin": round(begin, 3),
        "end": round(end, 3),
        "at": _begun_at(flight),
        "seconds": round(seconds, 1),
        "usd": round(flight.micro_usd / 1_000_000),
        "held": flight.delay[:_MAX_REASON] if held else "",
        "arrived": intent.state is State.COMPLETED,
        "refund": intent.state in _ENDED,
        "title": f"#{intent.id} {ends[0]} → {ends[1]}",
        "amount": format_amount(terms.deposit_amount, intent.asset_decimals, intent.asset_symbol),
        "stage": _describe_stage(flight),
        "expected": (
            "the recipient is not paid any more"
            if intent.state in _ENDED
            else f"usually {format_duration(seconds)}"
        ),
        "href": intent_href(intent.id),
    }


def _stretch(
    catalogue: Catalogue, flight: Flight, quoted_seconds: Mapping[Corridor, float]
) -> tuple[float, float, float]:
    """Where a payment's present stage begins and ends, and how long it usually takes."""
    terms, transfer = flight.intent.terms, flight.transfer
    source, destination = (
        catalogue.chains[chain].block_time_seconds
        for chain in (terms.source_chain, terms.destination_chain)
    )
    if flight.intent.state is State.COMPLETED:
        return DUE, ARRIVED, _ARRIVAL_SECONDS
    if flight.intent.state in _ENDED:
        return FUNDED, FUNDED, _ARRIVAL_SECONDS
    if flight.intent.state is State.FUNDED:
        return FUNDED, STARTED, _START_BLOCKS * source
    if transfer is not None and transfer.sent_at and transfer.expected_at:
        return STARTED, DUE, (transfer.expected_at - transfer.sent_at).total_seconds()
    corridor = terms.bridge, terms.source_chain, terms.destination_chain
    return STARTED, DUE, quoted_seconds.get(corridor, _START_BLOCKS * destination)


def _begun_at(flight: Flight) -> int:
    transfer = flight.transfer
    if flight.intent.state is State.INITIATED and transfer is not None and transfer.sent_at:
        return to_millis(transfer.sent_at)
    return to_millis(flight.since)


def _held_at(flight: Flight, begin: float, end: float, seconds: float) -> float:
    """Where a payment that is held up stands: where its bridge transfer was when that changed, or
    at the begin of the stage, as nothing has been sent then."""
    transfer = flight.transfer
    if transfer is None or transfer.sent_at is None or flight.intent.state is State.FUNDED:
        return begin
    passed = (transfer.updated_at - transfer.sent_at).total_seconds()
    return begin + (end - begin) * min(1.0, max(0.0, passed / max(seconds, 1.0)))


def _describe_stage(flight: Flight) -> str:
    intent, transfer = flight.intent, flight.transfer
    if intent.state is State.COMPLETED:
        return "Recipient paid"
    if intent.state in _ENDED:
        return f"{intent.state.value.capitalize()}, and its refund waits"
    if intent.state is State.FUNDED:
        return "Deposit complete, to be started"
    return _describe_transfer(transfer) if transfer else "Payout in progress"


def _describe_transfer(transfer: BridgeTransfer) -> str:
    title = bridge_title(transfer.bridge)
    if transfer.state is BridgeTransferState.CLAIMABLE:
        return "Attested by Circle, to be delivered"
    return f"Sent over {title}" if transfer.sent_at else f"To be sent over {title}"
