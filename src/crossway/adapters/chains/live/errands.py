"""What an operator has done on a chain of any family by hand: transactions in their order."""

from collections.abc import Callable
from dataclasses import dataclass

Sent = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of an errand that is in a block; `used` in the unit of its plan."""

    tx_id: str
    worked: bool
    used: int


@dataclass(frozen=True, slots=True)
class Errand:
    """One transaction to send: `what` it does in words, the most it may use in the unit of its plan
    and cost in units of the native coin. `send` sends it, tells its name, and waits until it is in
    a block; it raises `Unreachable`, or `ValueError` with a node's objection."""

    what: str
    limit: int
    cost: int
    send: Callable[[Sent], Done]


@dataclass(frozen=True, slots=True)
class Plan:
    """Errands of one account in their order; `funds` it holds in units of the native coin. `unit`
    is what its chain counts work in, such as gas."""

    errands: tuple[Errand, ...]
    account: str
    funds: int
    unit: str

    @property
    def cost(self) -> int:
        """What all of it costs at most, in units of the native coin."""
        return sum(one.cost for one in self.errands)


@dataclass(frozen=True, slots=True)
class Placed:
    """A contract that must be on a chain, and what is wrong with it there, if anything."""

    name: str
    address: str
    trouble: str
