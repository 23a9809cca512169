"""What a scenario is: its number, its name, the sentence it plays and how it must end."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from crossway.domain.intent import State
from crossway.scenarios.stage import CHAINS, Stage


class Back(StrEnum):
    """How much of what the payer sent, in the payment's own token, comes back to him."""

    NOTHING = "nothing"
    EXCESS = "what was too much"
    ALL = "everything"


@dataclass(frozen=True, slots=True)
class Ends:
    """How the first payment of a scenario must end, to the unit.

    COMPLETED means that the recipient has exactly the amount, every other state that he has
    nothing. What neither was collected nor came back must be `kept` as dust or be `held` at the
    deposit address. `alarms` are the kinds that still stand, `unknown` the transactions of our
    account that the books do not have, `differences` the balances that these explain.
    """

    state: State
    back: Back = Back.NOTHING
    kept: bool = False
    held: bool = False
    alarms: frozenset[str] = frozenset()
    unknown: int = 0
    differences: int = 0


@dataclass(frozen=True, slots=True)
class Scenario:
    """One row of the table of outcomes, as a play for a stage."""

    number: int
    name: str
    title: str
    ends: Ends
    play: Callable[[Stage], None]
    chains: tuple[str, ...] = CHAINS

    @property
    def id(self) -> str:
        """Number and name, as in `05-over`."""
        return f"{self.number:02}-{self.name}"


Play = Callable[[Stage], None]


def scenario(
    number: int, name: str, title: str, ends: Ends, chains: tuple[str, ...] = CHAINS
) -> Callable[[Play], Scenario]:
    """Make a scenario of a function that plays it on these chains."""

    def made(play: Play) -> Scenario:
        return Scenario(number, name, title, ends, play, chains)

    return made
