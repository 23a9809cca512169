"""What sending transactions is on every family: whose they are, what one costs, what a node says
against one, and what is remembered of those that were sent."""

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from threading import Lock
from typing import Generic, TypeVar

from crossway.adapters.chains.live.nodes import Line, Nodes
from crossway.domain.actions import Action
from crossway.ports.chain import Signed

T = TypeVar("T")
_MOST_LEARNT = 100_000


def check_accounts(actions: Sequence[tuple[Action, int]], account: str, chain: str) -> None:
    """Raises `ValueError` where an action is not that of our account on this chain."""
    for action, _ in actions:
        if (action.account, action.chain) != (account, chain):
            raise ValueError(f"{action.account} on {action.chain} is no account of {chain}")


def left_over(
    nodes: Nodes,
    transactions: Sequence[Signed],
    objections: Sequence[str],
    known: Callable[[Line, list[str]], Collection[str]],
) -> Sequence[str]:
    """A node's objections without those to transactions that it knows: one that is in a block
    already is objected to for its nonce or its time, and was sent, all the same."""
    open_ = [t.tx_id for t, said in zip(transactions, objections, strict=True) if said]
    if not open_:
        return objections
    there = nodes.one(lambda line: known(line, open_))
    return [
        "" if one.tx_id in there else said
        for one, said in zip(transactions, objections, strict=True)
    ]


class Price:
    """What a transaction costs at most: asked for anew after so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._lock = seconds, Lock()
        self._known: tuple[float, int] | None = None

    def units(self, ask: Callable[[], int]) -> int:
        """What `ask` answers, or answered a moment ago; it is called with nothing locked."""
        with self._lock:
            if self._known is not None and time.monotonic() - self._known[0] < self._seconds:
                return self._known[1]
        units = ask()
        with self._lock:
            self._known = (time.monotonic(), units)
        return units


class Learnt(Generic[T]):
    """One thing that is known of each transaction, by name; of very many only the newest."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[str, T] = OrderedDict()

    def learn(self, told: Mapping[str, T]) -> None:
        """Remember these as the newest."""
        with self._lock:
            for name, one in told.items():
                self._known[name] = one
                self._known.move_to_end(name)
            while len(self._known) > _MOST_LEARNT:
                self._known.popitem(last=False)

    def get(self, name: str) -> T | None:
        """What is known of this one, if anything."""
        with self._lock:
            return self._known.get(name)
