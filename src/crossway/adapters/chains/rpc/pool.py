"""The pool of a chain's RPC nodes: order of use, pauses, and quorum reads."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from crossway.adapters.chains.rpc.client import (
    MAX_RETRY_AFTER_SECONDS,
    RATE_LIMIT_CODES,
    BudgetSpent,
    CallReverted,
    NodeUnavailable,
    RpcError,
    RpcNode,
    RpcRequest,
)
from crossway.domain.errors import Unreachable, WrongChain

MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 30.0
WRONG_CHAIN_PAUSE_SECONDS = 60.0

# A node that served another chain when it was asked last, and was not asked since, is told of for
# so long.
_WRONG_CHAIN_KNOWN_SECONDS = 300.0

T = TypeVar("T")


class NodeOfOtherChain(NodeUnavailable, WrongChain):
    """A node that serves another chain than its profile says."""


@dataclass(frozen=True, slots=True)
class ChainIdentity:
    """How to check that a node serves the right chain.

    `request` asks for the chain id, `parse` turns the result into text (raises `Unreachable` for a
    malformed one), and `expected` is the right text. `busy_codes` are the RPC error codes by which
    a node says that it is overloaded.
    """

    request: RpcRequest
    expected: str
    parse: Callable[[Any], str]
    busy_codes: tuple[int, ...] = RATE_LIMIT_CODES


@dataclass
class NodeHealth:
    """The state of a node. Times are seconds of the pool's timer; `failures` counts consecutive
    ones; `chain_verified` is whether the node has proved to serve the right chain,
    `wrong_chain_until` until when it is known to serve another one, as `wrong_chain` says."""

    paused_until: float = 0.0
    failures: int = 0
    latency: float = 0.0
    chain_verified: bool = False
    last_error: str = ""
    wrong_chain: str = ""
    wrong_chain_until: float = 0.0


class RpcSession:
    """Requests to a single node, so that results can be compared with one another."""

    def __init__(self, node: RpcNode, identity: ChainIdentity, health: NodeHealth) -> None:
        self._node, self._identity, self._health = node, identity, health

    @property
    def name(self) -> str:
        """The node's host."""
        return self._node.name

    def call(self, *requests: RpcRequest) -> list[Any]:
        """The result of each request. Raises `CallReverted` or `NodeUnavailable` for any error."""
        results = self.batch(requests)
        for result in results:
            if isinstance(result, RpcError) and "revert" in result.message.lower():
                raise CallReverted(f"{self._node.name} returned an error: {result.message}")
            if isinstance(result, RpcError):
                raise NodeUnavailable(f"{self._node.name} returned an error: {result.message}")
        return results

    def batch(self, requests: Sequence[RpcRequest]) -> list[Any]:
        """The result or the `RpcError` of each request. Raises `NodeUnavailable`."""
        if not requests:
            return []
        if self._health.chain_verified:
            results = self._node.send(requests)
        else:
            results = self._node.send((self._identity.request, *requests))
            self._verify_chain(results.pop(0))
        return self._require_idle(results)

    def fetch(self, request: RpcRequest) -> bytes:
        """The response to a request as it came, for one that may be very long; `parse` reads it.
        Raises `NodeUnavailable`."""
        if not self._health.chain_verified:
            self._verify_chain(self._node.send((self._identity.request,))[0])
        return self._node.fetch(request)

    def parse(self, content: bytes) -> Any:
        """The result or the `RpcError` in a response. Raises `NodeUnavailable`."""
        return self._require_idle(self._node.parse(content))[0]

    def _require_idle(self, results: list[Any]) -> list[Any]:
        busy = self._identity.busy_codes
        if any(isinstance(result, RpcError) and result.code in busy for result in results):
            raise NodeUnavailable(f"{self._node.name} is rate limiting requests")
        return results

    def _verify_chain(self, result: Any) -> None:
        if isinstance(result, RpcError):
            raise NodeUnavailable(f"{self._node.name} does not tell its chain id")
        reported = self._identity.parse(result)
        if reported != self._identity.expected:
            raise NodeOfOtherChain(
                f"{self._node.name} has chain {reported} and not {self._identity.expected}",
                WRONG_CHAIN_PAUSE_SECONDS,
            )
        self._health.chain_verified = True


SessionTask = Callable[[RpcSession], T]


class RpcPool:
    """Runs tasks on the first available node and falls back to the next one on failure. A node that
    fails is paused, longer after each consecutive failure."""

    def __init__(
        self,
        identity: ChainIdentity,
        nodes: Sequence[RpcNode],
        quorum: int = 1,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.quorum_size = quorum
        self._identity, self._nodes, self._timer = identity, list(nodes), timer
        self._health = {id(node): NodeHealth() for node in self._nodes}
        self._lock = Lock()

    def first(self, task: SessionTask[T]) -> T:
        """The result from the first node that completes the task. Raises `Unreachable` with the
        errors of all nodes."""
        return self._run(task, 1)[0]

    def quorum(self, task: SessionTask[T]) -> list[T]:
        """One result from each of `quorum_size` nodes. Raises `Unreachable` if fewer succeed."""
        return self._run(task, self.quorum_size)

    def gather(
        self, task: SessionTask[T], suffices: Callable[[Sequence[T]], bool]
    ) -> tuple[list[T], list[str]]:
        """The results of one node after another until they suffice or all were asked, and the
        errors of those that failed."""
        results: list[T] = []
        errors: list[str] = []
        for node in self._available_nodes():
            try:
                results.append(self._run_on(node, task))
            except Unreachable as error:
                errors.append(str(error))
            if suffices(results):
                return results, errors
        return results, errors or ([] if results else [self._pause_reasons()])

    def _run(self, task: SessionTask[T], count: int) -> list[T]:
        results, errors = self.gather(task, lambda found: len(found) == count)
        if len(results) == count:
            return results
        message = "; ".join(errors) or self._pause_reasons()
        if count > 1:
            message = f"{len(results)} of the {count} nodes that must agree responded: {message}"
        raise self.unreachable(message)

    def unreachable(self, message: str) -> Unreachable:
        """The error for too few answers: `WrongChain` where a node serves another chain."""
        return WrongChain(message) if self.wrong_chains() else Unreachable(message)

    def wrong_chains(self) -> tuple[str, ...]:
        """A sentence about each node that served another chain when it was asked last."""
        now = self._timer()
        with self._lock:
            return tuple(
                health.wrong_chain
                for health in self._health.values()
                if health.wrong_chain_until > now
            )

    def close(self) -> None:
        """Close all connections."""
        for node in self._nodes:
            node.close()

    def node_states(self) -> list[tuple[str, bool, float, str]]:
        """Each node's host, availability, latency of the last response in seconds, last error."""
        now = self._timer()
        with self._lock:
            states = [(node.name, self._health[id(node)]) for node in self._nodes]
        return [(name, h.paused_until <= now, h.latency, h.last_error) for name, h in states]

    @property
    def request_count(self) -> int:
        """Number of HTTP requests sent to all nodes so far."""
        return sum(node.request_count for node in self._nodes)

    def calls_by_node(self) -> list[int]:
        """Number of calls sent to each node so far."""
        return [node.call_count for node in self._nodes]

    def batch_sizes(self) -> list[int]:
        """How many calls each node takes in one request."""
        return [node.batch_size for node in self._nodes]

    def lift_budgets(self) -> None:
        """Send as many calls as are asked for: for a person who examines the nodes once."""
        for node in self._nodes:
            node.budget.enforced = False

    def seconds_worth(self, calls_before: Sequence[int]) -> float:
        """The time over which the calls since `calls_by_node` was `calls_before` must be spread to
        keep within every node's budget."""
        return max(
            node.budget.seconds_worth(node.call_count - before)
            for node, before in zip(self._nodes, calls_before, strict=True)
        )

    def _available_nodes(self) -> list[RpcNode]:
        now = self._timer()
        with self._lock:
            return [n for n in self._nodes if self._health[id(n)].paused_until <= now]

    def _pause_reasons(self) -> str:
        errors = [health.last_error for health in self._health.values() if health.last_error]
        return "; ".join(errors) or "no node is available"

    def _run_on(self, node: RpcNode, task: SessionTask[T]) -> T:
        health, started_at = self._health[id(node)], self._timer()
        try:
            result = task(RpcSession(node, self._identity, health))
        except CallReverted:
            raise
        except BudgetSpent as error:
            # The node itself is well.
            with self._lock:
                health.paused_until = self._timer() + error.retry_after_seconds
                health.last_error = str(error)
            raise
        except Unreachable as error:
            self._pause(health, error)
            raise
        with self._lock:
            health.failures, health.last_error, health.wrong_chain_until = 0, "", 0.0
            health.latency = self._timer() - started_at
        return result

    def _pause(self, health: NodeHealth, error: Unreachable) -> None:
        retry_after = error.retry_after_seconds if isinstance(error, NodeUnavailable) else 0.0
        with self._lock:
            pause = min(MIN_PAUSE_SECONDS * 2 ** min(health.failures, 10), MAX_PAUSE_SECONDS)
            health.failures += 1
            # After a failure, another machine may answer at the same address.
            health.chain_verified = False
            pause = min(max(pause, retry_after), MAX_RETRY_AFTER_SECONDS)
            health.paused_until = self._timer() + pause
            health.last_error = str(error)
            is_wrong, health.wrong_chain = isinstance(error, WrongChain), str(error)
            until = self._timer() + _WRONG_CHAIN_KNOWN_SECONDS
            health.wrong_chain_until = until if is_wrong else 0.0
