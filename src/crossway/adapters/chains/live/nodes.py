"""The nodes of one chain: who is asked first, who rests, and how many must agree."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from crossway.adapters.chains.live.rpc import (
    MOST_WAIT_SECONDS,
    Node,
    Objection,
    Question,
    Reverted,
    Silent,
)
from crossway.domain.errors import Unreachable

FIRST_REST_SECONDS, MOST_REST_SECONDS = 0.5, 30.0
WRONG_CHAIN_SECONDS = 60.0
_BUSY_CODES = (429, -32029)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Identity:
    """How nodes of a family say which chain they have: the question, the answer that is right, in
    words, and how an answer is put into words, which raises `Unreachable` for nonsense. `busy` are
    the codes of objections by which a node says that it cannot answer now."""

    question: Question
    right: str
    words: Callable[[Any], str]
    busy: tuple[int, ...] = _BUSY_CODES


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


class Line:
    """A conversation with one node, so that one answer can be held against another."""

    def __init__(self, node: Node, identity: Identity, health: Health) -> None:
        self._node, self._identity, self._health = node, identity, health

    def ask(self, *questions: Question) -> list[Any]:
        """The result of each question; an objection to any is no answer."""
        answers = self.tell(questions)
        for one in answers:
            if isinstance(one, Objection) and "revert" in one.message.lower():
                raise Reverted(f"{self._node.name} objects: {one.message}")
            if isinstance(one, Objection):
                raise Silent(f"{self._node.name} objects: {one.message}")
        return answers

    def tell(self, questions: Sequence[Question]) -> list[Any]:
        """The result or the `Objection` of each question."""
        if not questions:
            return []
        if self._health.checked:
            answers = self._node.ask(questions)
        else:
            answers = self._node.ask((self._identity.question, *questions))
            self._check(answers.pop(0))
        if any(isinstance(one, Objection) and one.code in self._identity.busy for one in answers):
            raise Silent(f"{self._node.name} is asked too often")
        return answers

    def _check(self, answer: Any) -> None:
        if isinstance(answer, Objection):
            raise Silent(f"{self._node.name} does not say which chain it has")
        found = self._identity.words(answer)
        if found != self._identity.right:
            raise Silent(
                f"{self._node.name} has chain {found} and not {self._identity.right}",
                WRONG_CHAIN_SECONDS,
            )
        self._health.checked = True


Work = Callable[[Line], T]


class Nodes:
    """Asks the first node that is well, and the next one where it fails."""

    def __init__(
        self,
        identity: Identity,
        nodes: Sequence[Node],
        quorum: int = 1,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.quorum = quorum
        self._identity, self._nodes, self._timer = identity, list(nodes), timer
        self._health = {id(node): Health() for node in self._nodes}
        self._lock = Lock()

    def one(self, work: Work[T]) -> T:
        """What the first node says with which the conversation comes to an end. Raises
        `Unreachable` with what the nodes said."""
        return self._some(work, 1)[0]

    def many(self, work: Work[T]) -> list[T]:
        """What as many nodes as must agree say, each for itself; fewer answers are none."""
        return self._some(work, self.quorum)

    def _some(self, work: Work[T], wanted: int) -> list[T]:
        answers: list[T] = []
        said: list[str] = []
        for node in self._well():
            try:
                answers.append(self._converse(node, work))
            except Unreachable as error:
                said.append(str(error))
            if len(answers) == wanted:
                return answers
        told = "; ".join(said) or self._resting()
        if wanted > 1:
            told = f"{len(answers)} of the {wanted} nodes that must agree answer: {told}"
        raise Unreachable(told)

    def close(self) -> None:
        """Let the connections go."""
        for node in self._nodes:
            node.close()

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

    def _well(self) -> list[Node]:
        now = self._timer()
        with self._lock:
            return [n for n in self._nodes if self._health[id(n)].rests_until <= now]

    def _resting(self) -> str:
        return "; ".join(h.trouble for h in self._health.values() if h.trouble) or "no node is well"

    def _converse(self, node: Node, work: Work[T]) -> T:
        health, began = self._health[id(node)], self._timer()
        try:
            said = work(Line(node, self._identity, health))
        except Reverted:
            raise
        except Unreachable as error:
            self._failed(health, error)
            raise
        with self._lock:
            health.failures, health.trouble = 0, ""
            health.latency = self._timer() - began
        return said

    def _failed(self, health: Health, error: Unreachable) -> None:
        asked = error.wait_seconds if isinstance(error, Silent) else 0.0
        with self._lock:
            rest = min(FIRST_REST_SECONDS * 2 ** min(health.failures, 10), MOST_REST_SECONDS)
            health.failures += 1
            # Whoever answers there after a failure may be another one.
            health.checked = False
            health.rests_until = self._timer() + min(max(rest, asked), MOST_WAIT_SECONDS)
            health.trouble = str(error)
