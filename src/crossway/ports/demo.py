"""The door to a month of made-up business, which only a simulated network has."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

# How far it is, from 0 to 1, and what is being done.
Tell = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class Filled:
    """What was put in place: payments, ramp orders, and how many records in all."""

    payments: int
    orders: int
    records: int


class Demo(Protocol):
    """Fills the books of a simulated network, and empties them."""

    def business(self) -> tuple[int, int]:
        """How many payments and ramp orders there are now."""
        ...

    def fill(self, payments: int, tell: Tell) -> Filled:
        """Play a month that ends now and put it in the place of what there is. Raises `WrongState`
        where another process works on this database."""
        ...

    def empty(self, keep_clients: bool) -> None:
        """Take all business away; people stay, clients and keys where they are to be kept."""
        ...
