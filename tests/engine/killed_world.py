"""A complete Crossway whose engine is killed at a step while inventory moves."""

from pathlib import Path

from crossway.engine.loop import Engine
from tests.engine.funding_world import FundingWorld


class Killed(BaseException):
    """The end of a process, which no handler catches."""


class KilledWorld(FundingWorld):
    """Its engine is killed once, when it reaches a step for the n-th time."""

    def __init__(self, folder: Path, *bridges: str, step: str, number: int = 1) -> None:
        self.step, self.left = step, number
        super().__init__(folder, *bridges, reached=self.reach)

    def reach(self, step: str) -> None:
        if step == self.step and self.left > 0:
            self.left -= 1
            if not self.left:
                raise Killed(step)

    def run(self, seconds: int) -> None:
        for _ in range(seconds):
            try:
                self.pass_time(1)
            except Killed:
                self.engine = Engine(self.services, "another", sole=True)
