"""The network costs that quotes charge: from the chains, or the simulated network's constants."""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cache

from crossway.domain.errors import QuotesUnavailable
from crossway.domain.network_costs import Arrival, ChainCosts, PayoutPath, network_fee, payment_cost
from crossway.ports.network_costs import NetworkCostReport
from crossway.ports.services import Services


def read_network_costs(services: Services, chains: Collection[str]) -> NetworkCostReport:
    """The costs of calls on these chains; those that do not answer are `unknown`."""
    if services.network_costs is not None:
        return services.network_costs.get_costs(chains)
    listed = services.catalogue.chains
    return NetworkCostReport(
        {chain: _constant_costs(listed[chain].transfer_cost_micro_usd) for chain in chains}
    )


@dataclass(frozen=True, slots=True)
class NetworkFee:
    """The network costs of one payment in micro-USD: what is `charged` beside the service fee, and
    the `total`, of which the service fee may pay a part."""

    charged: int
    total: int


@dataclass(frozen=True, slots=True)
class NetworkFees:
    """What calls cost on the two chains of a payment, and its service fee in micro-USD."""

    source: ChainCosts
    destination: ChainCosts
    service_micro_usd: int
    _charged: dict[PayoutPath, int] = field(default_factory=dict, repr=False, compare=False)

    def charged(self, path: PayoutPath) -> int:
        """What a payer is charged beside the service fee, if the recipient is paid in this way."""
        known = self._charged.get(path)
        if known is None:
            known = network_fee(self.source, self.destination, self.service_micro_usd, path)
            self._charged[path] = known
        return known

    def fee_of(self, path: PayoutPath) -> NetworkFee:
        """The network costs of a payment whose recipient is paid in this way."""
        charged = self.charged(path)
        return NetworkFee(charged, max(charged, payment_cost(self.source, self.destination, path)))


def read_network_fees(
    services: Services,
    source: str,
    destination: str,
    service_micro_usd: int,
    arrival: Arrival = Arrival.SENT,
) -> NetworkFees:
    """The network costs of one payment, with what the arrival of its deposit costs us.
    Raises `QuotesUnavailable` where a chain does not tell its costs."""
    report = read_network_costs(services, {source, destination})
    for chain in (source, destination):
        if chain in report.unknown:
            raise QuotesUnavailable(unknown_costs(chain, report))
    at_source = report.costs[source].with_arrival(arrival)
    return NetworkFees(at_source, report.costs[destination], service_micro_usd)


def unknown_costs(chain: str, report: NetworkCostReport) -> str:
    """Why a chain is not quoted."""
    return f"The network costs on {chain} are unknown: {report.unknown[chain]}"


@cache
def _constant_costs(call: int) -> ChainCosts:
    """Every call costs the same."""
    return ChainCosts(call, call, call, call, delivery=call, send=call, swap=call, forward=call)
