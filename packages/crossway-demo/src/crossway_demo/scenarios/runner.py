"""Runs a scenario in a world of its own, then checks the invariants and returns the narrative."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from crossway_demo.scenarios.invariants import final_balances, find_violations
from crossway_demo.scenarios.scenario import Scenario
from crossway_demo.scenarios.scenario_world import CheckFailed, ScenarioWorld


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """The narrative of a scenario and a sentence for every violation."""

    scenario: Scenario
    lines: list[str]
    violations: list[str]

    def text(self) -> Iterator[str]:
        """The whole narrative as lines."""
        yield f"{self.scenario.number}. {self.scenario.title}"
        yield ""
        yield from self.lines
        yield ""
        yield from (f"WRONG: {violation}" for violation in self.violations)
        if not self.violations:
            yield "All invariants hold: books balance, chains agree, nothing was paid twice."


def run_scenario(scenario: Scenario) -> ScenarioResult:
    """Run a scenario in a temporary folder, on SQLite."""
    with tempfile.TemporaryDirectory(prefix="crossway-") as folder:
        return run_scenario_in(Path(folder), scenario)


def run_scenario_in(
    folder: Path,
    scenario: Scenario,
    url: str | None = None,
    inspect: Callable[[ScenarioWorld], object] = lambda world: None,
) -> ScenarioResult:
    """Run a scenario in a folder, on its `crossway.db` unless a database URL is given. `inspect` is
    passed its world at the end."""
    with closing(ScenarioWorld(folder, url, scenario.chains, scenario.bridges)) as world:
        try:
            scenario.play(world)
            violations = find_violations(world, scenario.expected)
            inspect(world)
        except CheckFailed as failure:
            violations = [str(failure)]
        return ScenarioResult(scenario, list(_lines(world)), violations)


def _lines(world: ScenarioWorld) -> Iterator[str]:
    world.narrative.update()
    for line in world.narrative.lines:
        yield f"{line.at:%H:%M:%S}  {line.text}"
    for intent in world.intents:
        timeline = world.timeline(intent)
        state = timeline.intent.state
        yield ""
        yield f"At the end #{intent.id} is {state}. Who acts next: {timeline.next_action}"
        yield from (f"  {line}" for line in final_balances(world, intent))
