"""The port of current network costs."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from crossway.domain.network_costs import ChainCosts


@dataclass(frozen=True, slots=True)
class NetworkCostReport:
    """The costs of calls by chain, and for every other chain why they are unknown."""

    costs: Mapping[str, ChainCosts]
    unknown: Mapping[str, str] = field(default_factory=dict)


class NetworkCosts(Protocol):
    """What calls cost on chains now. Cheap to call: figures are kept for a short time."""

    def get_costs(self, chains: Collection[str]) -> NetworkCostReport:
        """The costs on these chains. Never raises."""
        ...
