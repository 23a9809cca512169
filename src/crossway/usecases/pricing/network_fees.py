"""The network costs that quotes charge: from the chains, or the simulated network's constants."""

from collections.abc import Collection
from dataclasses import dataclass

from crossway.domain.catalogue import Chain
from crossway.domain.errors import QuotesUnavailable
from crossway.domain.network_costs import ChainCosts, network_fee, payment_cost
from crossway.ports.network_costs import NetworkCostReport
from crossway.ports.services import Services


def read_network_costs(services: Services, chains: Collection[str]) -> NetworkCostReport:
    """The costs of calls on these chains; those that do not answer are `unknown`."""
    if services.network_costs is not None:
        return services.network_costs.get_costs(chains)
    listed = services.catalogue.chains
    return NetworkCostReport({chain: _constant_costs(listed[chain]) for chain in chains})


@dataclass(frozen=True, slots=True)
class NetworkFee:
    """The network costs of one payment in micro-USD: what is `charged` beside the service fee, and
    the `total`, of which the service fee may pay a part."""

    charged: int
    total: int


def quote_network_fee(
    services: Services, source: str, destination: str, service_micro_usd: int
) -> NetworkFee:
    """The network costs of one payment. Raises `QuotesUnavailable` where a chain does not tell its
    costs."""
    report = read_network_costs(services, {source, destination})
    for chain in (source, destination):
        if chain in report.unknown:
            raise QuotesUnavailable(unknown_costs(chain, report))
    costs = report.costs
    bridged = source != destination
    charged = network_fee(costs[source], costs[destination], service_micro_usd, bridged)
    return NetworkFee(charged, max(charged, payment_cost(costs[source], costs[destination])))


def unknown_costs(chain: str, report: NetworkCostReport) -> str:
    """Why a chain is not quoted."""
    return f"The network costs on {chain} are unknown: {report.unknown[chain]}"


def _constant_costs(chain: Chain) -> ChainCosts:
    """Every call costs the same, and a bridge's delivery as much as a call."""
    call = chain.transfer_cost_micro_usd
    return ChainCosts(start=call, fill=call, settle=call, refund=call, delivery=call)
