"""The definition of a scenario: its number and name, its play and its expected outcome."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from crossway.domain.intent import State
from crossway_demo.scenarios.routes import OPERATED
from crossway_demo.scenarios.scenario_world import CHAINS, ScenarioWorld


class ReturnedFunds(StrEnum):
    """How much of the payer's deposits, in the payment's own token, is returned."""

    NOTHING = "nothing"
    EXCESS = "the excess"
    LESS_COSTS = "everything less the network costs shown before paying"
    ALL = "everything"


@dataclass(frozen=True, slots=True)
class ExpectedOutcome:
    """How the first payment of a scenario must end, to the smallest unit.

    In state COMPLETED the recipient has exactly the payout amount, in every other state nothing.
    What is neither collected nor returned is kept as `dust` or stays `held` at the deposit
    address. `alerts` are the kinds still active, `unbooked_txs` counts the transactions of our
    accounts that the books lack, and `differences` the balances that those explain.
    """

    state: State
    returned: ReturnedFunds = ReturnedFunds.NOTHING
    dust: bool = False
    held: bool = False
    alerts: frozenset[str] = frozenset()
    unbooked_txs: int = 0
    differences: int = 0


@dataclass(frozen=True, slots=True)
class Scenario:
    """One row of the table of outcomes, with the function that plays it."""

    number: int
    name: str
    title: str
    expected: ExpectedOutcome
    play: Callable[[ScenarioWorld], None]
    chains: tuple[str, ...] = CHAINS
    bridges: tuple[str, ...] = OPERATED

    @property
    def id(self) -> str:
        """Number and name, as in `05-over`."""
        return f"{self.number:02}-{self.name}"


Play = Callable[[ScenarioWorld], None]


def scenario(
    number: int,
    name: str,
    title: str,
    expected: ExpectedOutcome,
    chains: tuple[str, ...] = CHAINS,
    bridges: tuple[str, ...] = OPERATED,
) -> Callable[[Play], Scenario]:
    """Turn a function into a scenario on these chains, whose payments go over these bridges."""

    def decorate(play: Play) -> Scenario:
        return Scenario(number, name, title, expected, play, chains, bridges)

    return decorate
