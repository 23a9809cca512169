"""The catalogue of scenarios, which `crossway trigger` lists and runs."""

from collections.abc import Sequence
from types import ModuleType

from crossway.domain.errors import NotFound
from crossway.ports.demo import ScenarioInfo, ScenarioReport
from crossway_demo.scenarios.cases import (
    across,
    backup_restore,
    blocked_payments,
    cctp,
    claims,
    deposits,
    inventory_transfers,
    lying_nodes,
    misdirected_funds,
    operations,
    payouts,
    prices,
    ramps,
    rebalancing,
    reorgs,
)
from crossway_demo.scenarios.runner import run_scenario
from crossway_demo.scenarios.scenario import Scenario

MODULES = (
    deposits,
    misdirected_funds,
    reorgs,
    lying_nodes,
    payouts,
    blocked_payments,
    claims,
    cctp,
    across,
    inventory_transfers,
    rebalancing,
    operations,
    prices,
    backup_restore,
    ramps,
)


def _scenarios_in(module: ModuleType) -> list[Scenario]:
    return [value for value in vars(module).values() if isinstance(value, Scenario)]


SCENARIOS = tuple(
    sorted(
        (scenario for module in MODULES for scenario in _scenarios_in(module)),
        key=lambda scenario: scenario.number,
    )
)


def find_scenario(name: str) -> Scenario:
    """The scenario with this name or id. Raises `NotFound`."""
    for scenario in SCENARIOS:
        if name in (scenario.name, scenario.id):
            return scenario
    raise NotFound(f"There is no scenario {name}: crossway trigger --list names them all")


class ScenarioCatalogue:
    """`ports.demo.Scenarios` over the registry."""

    def list_all(self) -> Sequence[ScenarioInfo]:
        return [ScenarioInfo(one.number, one.name, one.title) for one in SCENARIOS]

    def run(self, name: str) -> ScenarioReport:
        result = run_scenario(find_scenario(name))
        return ScenarioReport(list(result.text()), passed=not result.violations)
