"""What models of bridges estimate where their services give no quote: for display alone.

Payments are never made from here: their use cases fetch quotes by `bridge_quotes`, which knows no
estimates.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crossway.domain.estimates import BridgeEstimate
from crossway.domain.quotes import (
    BridgeQuote,
    BridgeUnavailable,
    RouteRequest,
)
from crossway.ports.bridge import Bridge
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import is_route_disabled
from crossway.usecases.pricing.bridge_quotes import (
    BridgeQuotes,
    ask_bridges,
    fetch_bridge_quotes,
    no_bridge_responded,
)


@dataclass(frozen=True, slots=True)
class ShownQuotes:
    """The quotes of bridges and, per request in the same order, the estimates for those bridges
    whose services gave none."""

    fetched: BridgeQuotes
    estimates: Sequence[Sequence[BridgeEstimate]]


def fetch_shown_quotes(
    services: Services,
    bridges: Sequence[Bridge],
    requests: Sequence[RouteRequest],
    disabled: Collection[str],
) -> ShownQuotes:
    """Fetch quotes from the bridges, and estimate those of services that do not answer. Raises
    `QuotesUnavailable` when no bridge responded and nothing can be estimated."""
    fetched = ask_bridges(services, bridges, requests, disabled)
    estimates: list[list[BridgeEstimate]] = [[] for _ in requests]
    failed = {source.subject: source.reason for source in fetched.excluded}
    for bridge in bridges:
        reasons = _find_unanswered(bridge.name, failed, fetched, len(requests))
        model = services.bridge_models.get(bridge.name)
        if model is None or not reasons:
            continue
        for index, figures in _estimate(services, model, requests, reasons, disabled):
            estimates[index].append(BridgeEstimate(figures, reasons[index]))
    if bridges and len(failed) == len(bridges) and not any(estimates):
        raise no_bridge_responded(fetched)
    return ShownQuotes(fetched, estimates)


def fetch_quotes_alone(
    services: Services,
    bridges: Sequence[Bridge],
    requests: Sequence[RouteRequest],
    disabled: Collection[str],
) -> ShownQuotes:
    """`fetch_bridge_quotes`, for what can be shown with estimates and is not here."""
    fetched = fetch_bridge_quotes(services, bridges, requests, disabled)
    return ShownQuotes(fetched, [()] * len(requests))


def _find_unanswered(
    bridge: str, failed: Mapping[str, str], fetched: BridgeQuotes, count: int
) -> Mapping[int, str]:
    """Why the bridge's service gave no answer, by the index of each request without one."""
    if bridge in failed:
        return dict.fromkeys(range(count), failed[bridge])
    return {
        index: rejection.reason
        for index, rejections in enumerate(fetched.rejections)
        for rejection in rejections
        if rejection.bridge == bridge and isinstance(rejection, BridgeUnavailable)
    }


def _estimate(
    services: Services,
    model: Bridge,
    requests: Sequence[RouteRequest],
    indices: Collection[int],
    disabled: Collection[str],
) -> Iterator[tuple[int, BridgeQuote]]:
    """What the model says of the requests with these indices, where it serves them."""
    enabled = [
        index
        for index in indices
        if not is_route_disabled(
            disabled, model.name, requests[index].source, requests[index].destination
        )
    ]
    outcomes = model.get_quotes([requests[index] for index in enabled], services.clock.now())
    for index, outcome in zip(enabled, outcomes, strict=True):
        if isinstance(outcome, BridgeQuote):
            yield index, outcome
