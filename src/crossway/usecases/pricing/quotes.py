"""Quotes: what it costs to pay from one chain to another, with one bridge or the best of all."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, NotFound, QuotesUnavailable
from crossway.domain.intent import Costs
from crossway.domain.money import Token, parse_decimal
from crossway.domain.pricing import app_fee, converted, costs_of, for_usd, slippage_of
from crossway.domain.quotes import BridgeName, Comparison, NoOffer, Offer, Quote
from crossway.ports.quoting import Bridge
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.fields import address_of, chain_of, token_of
from crossway.usecases.network.switches import chain_is_off, switched_off
from crossway.usecases.pricing.cases import Asked, Case, Way, priced, read
from crossway.usecases.pricing.comparison import compare, same_chain_cost, wait_seconds
from crossway.usecases.pricing.offers import offers_for

NO_QUOTES = "No quotes available for this route. Please check if the route is supported."
BAD_AMOUNT = "Amount must be a valid positive number"
MOST_PLACES = 60


@dataclass(frozen=True, slots=True)
class Routed:
    """A quote with what an intent keeps of it; `offer` is None within one chain."""

    quote: Quote
    offer: Offer | None
    costs: Costs

    @property
    def extra_data(self) -> str:
        """`bridgeExtraData`: what the bridge's contract needs, `0x` when nothing."""
        return "0x" if self.offer is None else self.offer.extra_data


def single(services: Services, caller: Caller | None, asked: Asked, bridge: str | None) -> Quote:
    """What one bridge asks for a payment (service.md §4)."""
    off, complaints = switched_off(services), Complaints()
    chosen = complaints.read(lambda: _bridge_of(services, bridge))
    case = read(services, caller, asked, off, complaints)
    assert chosen is not None
    offered = offers_for(services, [chosen], [case.leg], off)
    if not offered.offers[0]:
        refusal = offered.refusals[0][0]
        raise InvalidInput(f"amount: {refusal.reason}" if refusal.supported else refusal.reason)
    return routed(services, caller, case, offered.offers[0][0]).quote


def multiple(
    services: Services, caller: Caller | None, asked: Asked, exclude_bridges: str | None = None
) -> list[Quote]:
    """What each bridge of the route asks, cheapest first; within one chain, one quote."""
    off, complaints = switched_off(services), Complaints()
    excluded = complaints.read(lambda: _excluded_bridges(exclude_bridges))
    case = read(services, caller, asked, off, complaints)
    bridges = [bridge for bridge in services.bridges if bridge.name not in (excluded or ())]
    found, _ = _every_way(services, case, bridges, off)
    return [routed(services, caller, case, offer).quote for offer in found]


def best(
    services: Services, caller: Caller | None, asked: Asked, exclude_bridges: str | None = None
) -> Quote:
    """The cheapest of `multiple`. Raises `NotFound` when no bridge serves the route."""
    quotes = multiple(services, caller, asked, exclude_bridges)
    if not quotes:
        raise NotFound(NO_QUOTES)
    return quotes[0]


def route_for(
    services: Services,
    caller: Caller | None,
    source: str,
    destination: str,
    token_in: Token,
    token_out: Token,
    amount_units: int,
    amount_symbol: str,
    recipient: str | None = None,
) -> Routed:
    """The best way for an intent; every argument is canonical. Raises `InvalidInput`."""
    chains, off = services.catalogue.chains, switched_off(services)
    for field, chain in (("source_chain", source), ("destination_chain", destination)):
        if chain_is_off(off, chain):
            raise InvalidInput(f"{field}: {chain} is switched off")
    way = Way(chains[source], chains[destination], token_in, token_out, recipient)
    case = priced(services, way, amount_units, amount_symbol)
    found, refusals = _every_way(services, case, services.bridges, off)
    if found:
        return routed(services, caller, case, found[0])
    bounds = [refusal.reason for refusal in refusals if refusal.supported]
    if bounds:
        raise InvalidInput(f"amount: {', '.join(bounds)}")
    raise InvalidInput(f"destination_chain: no bridge serves {source} -> {destination}")


def multi_source(
    services: Services,
    caller: Caller | None,
    destination: str | None,
    amount: str | None,
    token_out: str | None,
    recipient: str | None = None,
    exclude_chains: str | None = None,
) -> Comparison:
    """Ways to pay from every chain to one (service.md §5); `amount` is a decimal of `token_out`."""
    complaints, off = Complaints(), switched_off(services)
    if not _is_positive_number(amount):
        complaints.add(BAD_AMOUNT)
    to = complaints.read(lambda: chain_of(services, caller, off, destination, "destinationChain"))
    excluded = complaints.read(
        lambda: {services.catalogue.chain(n, "excludeChains").id for n in _listed(exclude_chains)}
    )
    out = units = None
    if to is not None:
        out = complaints.read(lambda: token_of(services, to, token_out, "tokenOut"))
        if recipient:
            complaints.read(lambda: address_of(services, to, recipient, "recipient"))
    if out is not None and _is_positive_number(amount):
        units = complaints.read(lambda: parse_decimal("amount", amount, out.decimals))
    complaints.refuse()
    assert out is not None
    assert units is not None
    assert excluded is not None
    return compare(services, caller, out, units, excluded, off)


def _every_way(
    services: Services, case: Case, bridges: Sequence[Bridge], off: Collection[str]
) -> tuple[Sequence[Offer | None], Sequence[NoOffer]]:
    """All ways, cheapest first (None is the one within one chain), and the bridges' refusals.

    Raises `QuotesUnavailable` when there is none and a bridge that might have known one is silent.
    """
    if case.way.within_one_chain:
        return [None], ()
    offered = offers_for(services, bridges, [case.leg], off)
    offers = sorted(offered.offers[0], key=lambda o: (o.fee_micro_usd, o.fill_seconds, o.bridge))
    if not offers and offered.missing:
        silent = ", ".join(f"{left.subject} {left.reason}" for left in offered.missing)
        raise QuotesUnavailable(f"No offer, and unknown: {silent}")
    return offers, offered.refusals[0]


def routed(services: Services, caller: Caller | None, case: Case, offer: Offer | None) -> Routed:
    """A way that was priced and chosen as a whole quote; None within one chain."""
    way, client = case.way, caller.client if caller else None
    service = services.policy.service_fee.on(case.micro_usd)
    bridge = offer.fee_micro_usd if offer else same_chain_cost(way.source)
    app = client and app_fee(case.micro_usd, client.app_fee_bps, client.app_fee_cap_micro_usd)
    costs, total = costs_of(case.units, case.amount, case.asset, service, bridge, app or 0)
    quote = Quote(
        bridge=offer.bridge if offer else None,
        source=way.source.id,
        destination=way.destination.id,
        token_in=way.token_in.address,
        token_out=way.token_out.address,
        recipient=way.recipient,
        amount_symbol=case.amount.symbol,
        amount_decimals=case.amount.decimals,
        amount_units=case.units,
        out_units=converted(case.units, case.amount, case.out),
        service_micro_usd=service,
        bridge_micro_usd=bridge,
        app_micro_usd=costs.app_micro_usd,
        fee_units=for_usd(service + bridge, case.amount),
        app_fee_units=for_usd(costs.app_micro_usd, case.amount),
        asset_symbol=way.token_in.symbol,
        asset_decimals=way.token_in.decimals,
        fee_asset_units=costs.fees_units,
        deposit_units=total,
        slippage=slippage_of(way.token_in.symbol, case.amount.symbol),
        fill_seconds=wait_seconds(way.source, case.micro_usd)
        + (offer.fill_seconds if offer else 0),
        expires_at=services.clock.now() + timedelta(seconds=services.policy.quote_life_seconds),
        details=offer.details if offer else {},
    )
    return Routed(quote, offer, costs)


def _bridge_of(services: Services, name: str | None) -> Bridge:
    if name not in tuple(BridgeName):
        raise InvalidInput(f"bridge must be one of {', '.join(BridgeName)}")
    for bridge in services.bridges:
        if bridge.name == name:
            return bridge
    raise InvalidInput(f"bridge: {name} is not configured here")


def _excluded_bridges(names: str | None) -> Collection[str]:
    listed = _listed(names)
    if any(name not in tuple(BridgeName) for name in listed):
        raise InvalidInput(f"excludeBridges must name some of {', '.join(BridgeName)}")
    return listed


def _listed(names: str | None) -> list[str]:
    """The items of a comma-separated list."""
    return [name for part in (names or "").split(",") if (name := part.strip())]


def _is_positive_number(text: str | None) -> bool:
    try:
        return parse_decimal("amount", text, MOST_PLACES) > 0
    except InvalidInput:
        return False
