"""Which bridges can move inventory between two locations, and what that costs now."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.ledger import is_unified
from crossway.domain.quotes import BridgeName, BridgeQuote, RouteRequest, bridge_title
from crossway.domain.rebalancing import (
    LocationBalance,
    RebalancingPolicy,
    RebalancingSettings,
    RouteOffer,
)
from crossway.domain.rebalancing_needs import Need, Pair, PlanInputs, find_needs, spare_units
from crossway.ports.network_costs import NetworkCostReport
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.pricing.bridge_quotes import BridgeQuotes, ask_bridges, rejection_reasons
from crossway.usecases.pricing.network_fees import read_network_costs, unknown_costs

Kind = InventoryTransferKind
Deposits = Mapping[bool, Mapping[str, int]]
"""What the unified balances of main and test networks have of each chain that Gateway serves, in
units of USDC. A mint burns what it has of one chain."""
_ID: Final = re.compile(r"\b[A-Z]+(?:_[A-Z]+)*\b")
_DIRECTION: Final = re.compile(r"(\w+) -> (\w+)")
_NOBODY: Final = "no bridge that moves inventory serves these two chains"


@dataclass(frozen=True, slots=True)
class Offers:
    """Offers by source and destination, why there is none where there is none, and, by group, who
    does not answer, in sentences."""

    by_pair: Mapping[Pair, Sequence[RouteOffer]] = field(default_factory=dict)
    refusals: Mapping[Pair, str] = field(default_factory=dict)
    silent: Mapping[tuple[str, bool], Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PossibleTransfer:
    """A transfer that may be wanted, and the route whose quotes tell what it costs."""

    source: LocationBalance
    destination: LocationBalance
    micro_usd: int
    request: RouteRequest

    @property
    def pair(self) -> Pair:
        """Its source and its destination."""
        return self.source.location, self.destination.location

    @property
    def kind(self) -> Kind:
        if is_unified(self.source.chain):
            return Kind.MINT
        return Kind.DEPOSIT if is_unified(self.destination.chain) else Kind.TRANSFER

    @property
    def paying_chain(self) -> str:
        """The chain on which the relayer makes the transactions."""
        is_mint = self.kind is Kind.MINT
        return self.request.destination if is_mint else self.request.source


@dataclass(frozen=True, slots=True)
class Answers:
    """For each possible transfer, in order, what bridges offer, or why none does, in a sentence;
    and who does not answer, in sentences."""

    outcomes: Sequence[Sequence[RouteOffer] | str]
    silent: Sequence[str]


def read_offers(services: Services, inputs: PlanInputs, deposits: Deposits) -> Offers:
    """What bridges offer for the lacks and excesses of these inputs; asks none where there are
    none."""
    possible = list(find_possible_transfers(inputs, deposits))
    if not possible:
        return Offers()
    answers = fetch_offers(services, possible)
    by_pair: dict[Pair, Sequence[RouteOffer]] = {}
    refusals: dict[Pair, str] = {}
    for transfer, outcome in zip(possible, answers.outcomes, strict=True):
        if isinstance(outcome, str):
            refusals[transfer.pair] = outcome
        else:
            by_pair[transfer.pair] = outcome
    return Offers(
        by_pair, refusals, {transfer.source.group: answers.silent for transfer in possible}
    )


def fetch_offers(services: Services, possible: Sequence[PossibleTransfer]) -> Answers:
    """Ask all bridges that move inventory about these transfers."""
    bridges = [b for b in services.bridges if b.name in services.inventory_bridges]
    requests = [transfer.request for transfer in possible]
    quotes = ask_bridges(services, bridges, requests, active_kill_switches(services))
    costs = read_network_costs(services, {transfer.paying_chain for transfer in possible})
    outcomes = [_outcome(transfer, index, quotes, costs) for index, transfer in enumerate(possible)]
    told = [_in_words(services, one) if isinstance(one, str) else one for one in outcomes]
    return Answers(
        told, [f"{bridge_title(one.subject)} does not answer." for one in quotes.excluded]
    )


def _in_words(services: Services, reason: str) -> str:
    """A reason of bridges with the names of bridges and chains in place of their ids."""
    names = {name.value: bridge_title(name) for name in BridgeName}
    names |= {chain.id: chain.name for chain in services.catalogue.chains.values()}
    reason = _DIRECTION.sub(r"from \1 to \2", reason)
    return _ID.sub(lambda found: names.get(found[0], found[0]), reason)


def _outcome(
    transfer: PossibleTransfer, index: int, quotes: BridgeQuotes, costs: NetworkCostReport
) -> Sequence[RouteOffer] | str:
    served = [quote for quote in quotes.quotes[index] if _serves(transfer, quote)]
    if not served:
        return rejection_reasons(quotes.rejections[index]) or _NOBODY
    if transfer.paying_chain in costs.unknown:
        return unknown_costs(transfer.paying_chain, costs)
    return [_offer(transfer, quote, costs) for quote in served]


def find_possible_transfers(inputs: PlanInputs, deposits: Deposits) -> Iterable[PossibleTransfer]:
    """Every pair between which a lack or an excess might be moved, once, for its largest amount."""
    policies = {policy.location: policy for policy in inputs.policies}
    lacks, excesses = find_needs(inputs)
    wanted: dict[Pair, PossibleTransfer] = {}
    for need in (*lacks, *excesses):
        for other in inputs.balances:
            ends = (need.at, other) if need.is_excess else (other, need.at)
            if other.group != need.at.group or other.location == need.at.location:
                continue
            policy = policies.get(other.location)
            units = 0 if policy is None else _most_units(need, other, policy)
            if not units:
                continue
            value = min(need.at.micro_usd(need.units), other.micro_usd(units))
            transfer = _possible_transfer(*ends, _within(inputs.settings, value), deposits)
            if transfer is None:
                continue
            known = wanted.get(transfer.pair)
            if known is None or transfer.micro_usd > known.micro_usd:
                wanted[transfer.pair] = transfer
    return wanted.values()


def _most_units(need: Need, other: LocationBalance, policy: RebalancingPolicy) -> int:
    """What another location can give for a lack or take of an excess at most: a quote for more
    would name a fee that is too high for it."""
    if need.is_excess:
        return max(policy.maximum - other.virtual, 0)
    return spare_units(other, policy, need.is_urgent)


def _within(settings: RebalancingSettings, micro_usd: int) -> int:
    return max(min(micro_usd, settings.largest_micro_usd), settings.smallest_micro_usd, 1)


def _possible_transfer(
    source: LocationBalance, destination: LocationBalance, micro_usd: int, deposits: Deposits
) -> PossibleTransfer | None:
    """The route whose quotes price a transfer. For what goes into or comes out of the unified
    balance, that of Gateway between its chain and the one of which the balance has most."""
    ends = [source.chain, destination.chain]
    of_network = deposits.get(source.group[1], {})
    for place, end in enumerate(ends):
        if is_unified(end):
            others = [chain for chain in of_network if chain != ends[1 - place]]
            if ends[1 - place] not in of_network or not others:
                return None
            ends[place] = max(others, key=lambda chain: of_network[chain])
            if place == 0:
                micro_usd = min(micro_usd, source.micro_usd(of_network[ends[0]]))
    symbol = source.group[0]
    request = RouteRequest(ends[0], ends[1], micro_usd, symbol, symbol)
    return PossibleTransfer(source, destination, micro_usd, request)


def _serves(transfer: PossibleTransfer, quote: BridgeQuote) -> bool:
    """Whether a quoted bridge makes this transfer: it moves one token, and Gateway does so through
    the unified balance alone."""
    of_gateway = quote.bridge is BridgeName.GATEWAY
    return quote.swap is None and of_gateway == (transfer.kind is not Kind.TRANSFER)


def _offer(transfer: PossibleTransfer, quote: BridgeQuote, costs: NetworkCostReport) -> RouteOffer:
    """What a quote says of a transfer. The relayer approves and sends on the source, or mints on
    the destination; a deposit into the unified balance costs gas alone."""
    of_chain = costs.costs[transfer.paying_chain]
    gas = of_chain.fill if transfer.kind is Kind.MINT else 2 * of_chain.start
    fee = gas if transfer.kind is Kind.DEPOSIT else quote.fee_with_network(gas)
    return RouteOffer(
        quote.bridge,
        transfer.kind,
        transfer.source.location,
        transfer.destination.location,
        transfer.micro_usd,
        fee,
        quote.settle_seconds if transfer.kind is Kind.DEPOSIT else quote.fill_seconds,
    )
