"""Where providers pay and are paid: the same chain as the user's, else over the cheapest bridge."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, QuotesUnavailable
from crossway.domain.money import Token, rescale_up
from crossway.domain.quotes import Offer, best
from crossway.domain.ramps import Direction
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.usecases.network.switches import chain_is_off, switched_off
from crossway.usecases.pricing.cases import Case, Way, decimals_of, priced
from crossway.usecases.pricing.offers import offers_for
from crossway.usecases.pricing.quotes import Routed, routed
from crossway.usecases.ramps.questions import RampCase


@dataclass(frozen=True, slots=True)
class RampWay:
    """A provider's token and the quote of the intent between it and the user's token."""

    token: Token
    routed: Routed

    def units(self, direction: Direction) -> int:
        """What the provider delivers into the intent (on-ramp), or gets from it (off-ramp)."""
        quote = self.routed.quote
        return quote.deposit_units if direction is Direction.ON else quote.out_units


def ways_for(
    services: Services, caller: Caller | None, case: RampCase, providers: Sequence[RampProvider]
) -> Mapping[str, RampWay | str]:
    """By provider, its best way, or in words why there is none. Bridges are asked once for all."""
    off = switched_off(services)
    wanted = {str(one.name): _tokens(services, case, one, off) for one in providers}
    cases: dict[Token, Case] = {}
    for token in {token for tokens in wanted.values() for token in tokens}:
        # A token whose price is missing or old takes no other along.
        with suppress(InvalidInput, QuotesUnavailable):
            cases[token] = _case(services, case, token)
    offers = _offers(services, cases.values(), case.chain.id, off)
    found: dict[str, RampWay | str] = {}
    for name, tokens in wanted.items():
        near = {case.chain.id, *offers}
        reached = [token for token in tokens if token in cases and token.chain in near]
        if not reached:
            found[name] = f"has no way between its chains and {case.chain.id} just now"
            continue
        token = min(reached, key=lambda token: _cost(offers.get(token.chain)))
        offer = offers.get(token.chain)
        found[name] = RampWay(token, routed(services, caller, cases[token], offer))
    return found


def _tokens(
    services: Services, case: RampCase, provider: RampProvider, off: Collection[str]
) -> list[Token]:
    """The provider's tokens within reach of the user's network; alone that on the user's own chain
    where it has one."""
    chains = services.catalogue.chains
    usable = [
        token
        for token in provider.capabilities.tokens
        if chains[token.chain].testnet == case.chain.testnet
        and token.chain in services.chains
        and not chain_is_off(off, token.chain)
    ]
    return [token for token in usable if token.chain == case.chain.id] or usable


def _case(services: Services, case: RampCase, token: Token) -> Case:
    """The intent between the provider's token and the user's, the amount in the places it counts
    there."""
    ramp = services.catalogue.chains[token.chain]
    if case.direction is Direction.ON:
        way = Way(ramp, case.chain, token, case.token)
    else:
        way = Way(case.chain, ramp, case.token, token)
    places = decimals_of(services, way, case.token.symbol)
    units = rescale_up(case.units, case.decimals, places)
    return priced(services, way, units, case.token.symbol)


def _offers(
    services: Services, cases: Collection[Case], home: str, off: Collection[str]
) -> Mapping[str, Offer]:
    """The best offer by the chain at the other end from `home`; none where no bridge serves it or
    answers."""
    legs = list(dict.fromkeys(case.leg for case in cases if not case.way.within_one_chain))
    if not legs:
        return {}
    try:
        offered = offers_for(services, services.bridges, legs, off)
    except QuotesUnavailable:
        return {}
    found: dict[str, Offer] = {}
    for leg, offers in zip(legs, offered.offers, strict=True):
        if chosen := best(offers):
            found[leg.destination if leg.source == home else leg.source] = chosen
    return found


def _cost(offer: Offer | None) -> tuple[int, int]:
    return (offer.fee_micro_usd, offer.fill_seconds) if offer else (0, 0)
