"""The nodes of one chain: who is asked first, who rests, and how many must agree."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from crossway.adapters.chains.evm.rpc import (
    MOST_WAIT_SECONDS,
    Node,
    Objection,
    Question,
    Silent,
    TooLarge,
)
from crossway.adapters.chains.evm.wire import integer
from crossway.domain.errors import Unreachable

FIRST_REST_SECONDS, MOST_REST_SECONDS = 0.5, 30.0
WRONG_CHAIN_SECONDS = 60.0
_BUSY_CODES = (429, -32029)

T = TypeVar("T")
Reader = Callable[[list[Any]], T]


@dataclass
class Health:
    """What is remembered of a node: in seconds of the machine's timer, since when it may be asked
    again; how often it failed in a row; how long its last answer took; whether its chain is known
    to be the right one; what it said last when it failed."""

    rests_until: float = 0.0
    failures: int = 0
    latency: float = 0.0
    checked: bool = False
    trouble: str = ""


class Nodes:
    """Asks the first node that is well, and the next one where it fails."""

    def __init__(
        self,
        chain: str,
        chain_id: int,
        nodes: Sequence[Node],
        quorum: int = 1,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.chain, self.quorum = chain, quorum
        self._chain_id, self._nodes, self._timer = chain_id, list(nodes), timer
        self._health = {id(node): Health() for node in self._nodes}
        self._lock = Lock()

    def ask(self, *questions: Question) -> list[Any]:
        """The result of each question; an objection to any is no answer."""
        return self.read(questions, _plain)

    def tell(self, questions: Sequence[Question]) -> list[Any]:
        """The result or the `Objection` of each question."""
        return self.read(questions, list)

    def read(self, questions: Sequence[Question], reader: Reader[T]) -> T:
        """What `reader` makes of the first node's answers of which it can make anything. Raises
        `Unreachable` with what the nodes said; `TooLarge` where one asks for less at once."""
        said: list[str] = []
        for node in self._in_order():
            try:
                return self._ask(node, questions, reader)
            except TooLarge:
                raise
            except Unreachable as error:
                said.append(str(error))
        raise Unreachable("; ".join(said) or self._resting())

    def agreed(self, questions: Sequence[Question], reader: Reader[T]) -> list[T]:
        """What as many nodes as must agree say, each for itself; fewer answers are none."""
        if self.quorum == 1:
            return [self.read(questions, reader)]
        answers: list[T] = []
        said: list[str] = []
        for node in self._in_order():
            try:
                answers.append(self._ask(node, questions, reader))
            except TooLarge:
                raise
            except Unreachable as error:
                said.append(str(error))
            if len(answers) == self.quorum:
                return answers
        told = "; ".join(said) or self._resting()
        raise Unreachable(f"{len(answers)} of the {self.quorum} nodes that must agree: {told}")

    def told(self) -> list[tuple[str, bool, float, str]]:
        """Each node: host, whether it is well, seconds of its last answer, its trouble."""
        now = self._timer()
        with self._lock:
            state = [(node.name, self._health[id(node)]) for node in self._nodes]
        return [(name, h.rests_until <= now, h.latency, h.trouble) for name, h in state]

    @property
    def requests(self) -> int:
        """How many requests were sent to all nodes so far."""
        return sum(node.requests for node in self._nodes)

    def _in_order(self) -> Iterator[Node]:
        now = self._timer()
        with self._lock:
            well = [n for n in self._nodes if self._health[id(n)].rests_until <= now]
        yield from well

    def _resting(self) -> str:
        return "; ".join(h.trouble for h in self._health.values() if h.trouble) or "no node is well"

    def _ask(self, node: Node, questions: Sequence[Question], reader: Reader[T]) -> T:
        health = self._health[id(node)]
        first = () if health.checked else (Question("eth_chainId"),)
        began = self._timer()
        try:
            answers = node.ask((*first, *questions))
            if any(isinstance(a, Objection) and a.code in _BUSY_CODES for a in answers):
                raise Silent(f"{node.name} is asked too often")
            if first:
                self._check(node, answers.pop(0))
            read = reader(answers)
        except TooLarge:
            raise
        except Unreachable as error:
            self._failed(health, error)
            raise
        with self._lock:
            health.checked, health.failures = True, 0
            health.latency, health.trouble = self._timer() - began, ""
        return read

    def _check(self, node: Node, answer: Any) -> None:
        if isinstance(answer, Objection):
            raise Silent(f"{node.name} does not say which chain it has")
        found = integer(answer, "a chain id")
        if found != self._chain_id:
            raise Silent(
                f"{node.name} has chain {found} and not {self._chain_id}", WRONG_CHAIN_SECONDS
            )

    def _failed(self, health: Health, error: Unreachable) -> None:
        asked = error.wait_seconds if isinstance(error, Silent) else 0.0
        with self._lock:
            rest = min(FIRST_REST_SECONDS * 2 ** min(health.failures, 10), MOST_REST_SECONDS)
            health.failures += 1
            # Whoever answers there after a failure may be another one.
            health.checked = False
            health.rests_until = self._timer() + min(max(rest, asked), MOST_WAIT_SECONDS)
            health.trouble = str(error)


def _plain(answers: list[Any]) -> list[Any]:
    for one in answers:
        if isinstance(one, Objection):
            raise Unreachable(f"the node objects: {one.message}")
    return answers
