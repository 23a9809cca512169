"""Every scenario has the outcome that its table specifies, every unit is accounted for, and the
figures for analytics are those of an independent count."""

from pathlib import Path

import pytest

from crossway_demo.scenario_catalogue import SCENARIOS, find_scenario
from crossway_demo.scenarios.runner import run_scenario, run_scenario_in
from crossway_demo.scenarios.scenario import Scenario
from crossway_demo.scenarios.scenario_world import ScenarioWorld
from tests.databases import fast, new_postgres, new_sqlite
from tests.distributed_databases import StatementLog, find_offences
from tests.figures import check_figures

# The table of outcomes, what continues it (docs/outcomes.md), and the ramp orders.
ROWS = (
    frozenset(range(1, 61)) | {62, 63, 64} | frozenset(range(65, 73)) | frozenset(range(101, 108))
)
MONEY = (
    "over",
    "reorged-with-the-start",
    "fill-refused-then-reorged",
    "killed-before-sending",
    "fill-reorged",
    "two-engines",
    "trigger-races-engine",
    "refund-clicked-twice",
    "cctp-fast",
    "burn-reorged-late",
    "across-never-fills",
    "gateway-mints-and-settles",
    "rhino-never-executes",
)


def check_world(world: ScenarioWorld) -> None:
    check_figures(world.services.store)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.id)
def test_a_scenario_has_the_specified_outcome(scenario: Scenario, tmp_path: Path) -> None:
    result = run_scenario_in(tmp_path, scenario, fast(new_sqlite(tmp_path)), check_world)
    assert not result.violations, "\n".join(result.text())


@pytest.mark.parametrize("name", MONEY)
def test_a_scenario_has_the_same_outcome_on_postgresql(
    name: str, postgres_url: str, tmp_path: Path
) -> None:
    with new_postgres(postgres_url) as url:
        log = StatementLog(url)
        result = run_scenario_in(tmp_path, find_scenario(name), url, check_world)
        assert not find_offences(log.read())
    assert not result.violations, "\n".join(result.text())


def test_a_scenario_runs_in_a_folder_of_its_own() -> None:
    assert not run_scenario(find_scenario("over")).violations


def test_every_row_of_the_table_has_a_scenario() -> None:
    assert {scenario.number for scenario in SCENARIOS} == ROWS


def test_scenario_names_are_one_word_and_unique() -> None:
    names = [scenario.name for scenario in SCENARIOS]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalnum() and name == name.lower() for name in names)
