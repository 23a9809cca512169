"""What bridges would have offered in the past, by a model: what they offer today."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crossway.domain.errors import Unreachable
from crossway.domain.quotes import BridgeName
from crossway.domain.rebalancing import RebalancingSettings, RouteOffer
from crossway.domain.rebalancing_needs import Pair, PlanInputs
from crossway.ports.services import Services
from crossway.usecases.money.rebalancing_offers import (
    Deposits,
    PossibleTransfer,
    fetch_offers,
    find_possible_transfers,
)

_MANY: Final = 10**18


@dataclass(frozen=True, slots=True)
class _Tariff:
    """One bridge's offers for several amounts of one pair, the smallest first."""

    offers: Sequence[RouteOffer]

    def offer(self, micro_usd: int) -> RouteOffer:
        """For an amount: between two that were asked about, the fee lies between theirs."""
        before = self.offers[0]
        for after in self.offers:
            if micro_usd <= after.largest_micro_usd:
                fee = _between(before, after, micro_usd)
                return replace(after, largest_micro_usd=micro_usd, fee_micro_usd=fee)
            before = after
        return before


def _between(before: RouteOffer, after: RouteOffer, micro_usd: int) -> int:
    """Rounded up."""
    span = after.largest_micro_usd - before.largest_micro_usd
    if span <= 0:
        return after.fee_micro_usd
    share = max(micro_usd - before.largest_micro_usd, 0)
    rise = after.fee_micro_usd - before.fee_micro_usd
    return before.fee_micro_usd - (-rise * share // span)


class ModelledOffers:
    """Asks bridges about each pair once, for some amounts, when it is first wanted."""

    def __init__(self, services: Services, settings: RebalancingSettings) -> None:
        self._services = services
        smallest = max(settings.smallest_micro_usd, 1)
        largest = max(settings.largest_micro_usd, smallest)
        points = (smallest, 10 * smallest, 100 * smallest, largest)
        self._amounts = sorted({min(amount, largest) for amount in points})
        self._deposits = _read_deposits(services)
        self._tariffs: dict[Pair, list[_Tariff]] = {}
        self._refusals: dict[Pair, str] = {}
        self.silent: set[str] = set()
        """Who did not answer, in sentences."""

    def __call__(self, inputs: PlanInputs) -> PlanInputs:
        """The inputs with what would have been offered for their lacks and excesses."""
        possible = {
            transfer.pair: transfer for transfer in find_possible_transfers(inputs, self._deposits)
        }
        self._ask([transfer for pair, transfer in possible.items() if pair not in self._tariffs])
        offers = {
            pair: [tariff.offer(transfer.micro_usd) for tariff in self._tariffs[pair]]
            for pair, transfer in possible.items()
        }
        return replace(inputs, offers=offers, refusals=self._refusals)

    def _ask(self, possible: Sequence[PossibleTransfer]) -> None:
        asked = [
            _with_amount(transfer, amount) for transfer in possible for amount in self._amounts
        ]
        if not asked:
            return
        answers = fetch_offers(self._services, asked)
        self.silent |= set(answers.silent)
        found: dict[Pair, dict[tuple[str, str], list[RouteOffer]]] = {
            transfer.pair: {} for transfer in possible
        }
        for transfer, outcome in zip(asked, answers.outcomes, strict=True):
            if isinstance(outcome, str):
                self._refusals.setdefault(transfer.pair, outcome)
                continue
            for offer in outcome:
                found[transfer.pair].setdefault((offer.bridge, offer.kind), []).append(offer)
        for pair, by_bridge in found.items():
            self._tariffs[pair] = [_Tariff(offers) for offers in by_bridge.values()]


def _with_amount(transfer: PossibleTransfer, micro_usd: int) -> PossibleTransfer:
    request = replace(transfer.request, amount_micro_usd=micro_usd)
    return replace(transfer, micro_usd=micro_usd, request=request)


def _read_deposits(services: Services) -> Deposits:
    """The chains of the unified balances, in the order of what there is of each today; of the past
    it is not known how much that was, so that it does not limit."""
    bridge = services.inventory_bridges.get(BridgeName.GATEWAY)
    deposits: dict[bool, dict[str, int]] = {}
    try:
        units: Mapping[str, int] = {} if bridge is None else bridge.balances()
    except Unreachable:
        return {}
    for chain, amount in units.items():
        testnet = services.catalogue.chains[chain].testnet
        deposits.setdefault(testnet, {})[chain] = (amount + 1) * _MANY
    return deposits
