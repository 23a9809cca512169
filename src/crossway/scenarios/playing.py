"""Playing a scenario: a fresh stage, the play, the audit, and the story of it."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from crossway.scenarios.audit import complaints, money_at_the_end
from crossway.scenarios.scenario import Scenario
from crossway.scenarios.stage import Broken, Stage


@dataclass(frozen=True, slots=True)
class Played:
    """How a scenario went: `wrong` has a sentence for everything that did not hold."""

    scenario: Scenario
    lines: list[str]
    wrong: list[str]

    def text(self) -> Iterator[str]:
        """The whole story as lines."""
        yield f"{self.scenario.number}. {self.scenario.title}"
        yield ""
        yield from self.lines
        yield ""
        yield from (f"WRONG: {one}" for one in self.wrong)
        if not self.wrong:
            yield "Everything holds: the books balance, the chains agree, nothing was paid twice."


def play(scenario: Scenario, url: str | None = None) -> Played:
    """Play a scenario in a folder of its own, on SQLite unless a database URL is given."""
    with tempfile.TemporaryDirectory(prefix="crossway-") as folder:
        stage = Stage(Path(folder), url, scenario.chains)
        with closing(stage):
            try:
                scenario.play(stage)
                wrong = complaints(stage, scenario.ends)
            except Broken as broken:
                wrong = [str(broken)]
            return Played(scenario, list(_lines(stage)), wrong)


def _lines(stage: Stage) -> Iterator[str]:
    stage.journal.write()
    for line in stage.journal.lines:
        yield f"{line.at:%H:%M:%S}  {line.words}"
    for intent in stage.made:
        story = stage.story(intent)
        yield ""
        yield f"At the end #{intent.id} is {story.intent.state}. Who acts next: {story.who_acts}"
        yield from (f"  {line}" for line in money_at_the_end(stage, intent))
