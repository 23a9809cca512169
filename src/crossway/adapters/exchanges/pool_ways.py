"""The ways through the pools of one chain: the best of two tokens, and what it asks for."""

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from crossway.adapters.chains.rpc.pool_paths import PoolPath, SwapQuoter

Pair = tuple[str, str, int]
"""The token to buy, the token to pay in, and how much is bought, in units."""
Priced = tuple[PoolPath, int, int]
"""A way, what the output costs by it, and what a sample of that does, in units."""


class PoolWays:
    """The ways of one chain; safe to share between threads. `chain` and `data` are of
    uniswap.toml."""

    def __init__(
        self,
        quoter: SwapQuoter,
        chain: Mapping[str, str],
        data: Mapping[str, Any],
        timer: Callable[[], float],
    ) -> None:
        self._quoter, self._address, self._wrapped = quoter, chain["quoter"], chain["wrapped"]
        self._fees: list[int] = data["pool_fees"]
        self._keep_seconds: float = data["way_seconds"]
        self._timer, self._lock = timer, Lock()
        self._best: dict[tuple[str, str], tuple[PoolPath | None, float]] = {}

    def price(self, pairs: Sequence[Pair], sample: int, native: str) -> Sequence[Priced | None]:
        """What each output and its `sample`th part cost, by the best way; None where there is
        none. `native` is the address that stands for the native coin. Raises `Unreachable`."""
        wanted = [(out, self._wrapped if paid == native else paid, n) for out, paid, n in pairs]
        self._look_for_ways(wanted)
        paths = [self._known(out, paid) for out, paid, _ in wanted]
        asked = [
            (path, units)
            for path, (_, _, output) in zip(paths, wanted, strict=True)
            if path is not None
            for units in (output, -(-output // sample))
        ]
        costs = iter(self._quoter.quote(self._address, asked) if asked else ())
        priced: list[Priced | None] = []
        for path in paths:
            whole, part = (next(costs), next(costs)) if path is not None else (None, None)
            is_found = path is not None and whole is not None and part is not None
            priced.append((path, whole, part) if is_found else None)  # type: ignore[arg-type]
        return priced

    def _known(self, out: str, paid: str) -> PoolPath | None:
        with self._lock:
            return self._best[out, paid][0]

    def _look_for_ways(self, pairs: Sequence[Pair]) -> None:
        """Find the best way of pairs that were not looked at lately, all in one question."""
        now = self._timer()
        with self._lock:
            due = {
                (out, paid): output
                for out, paid, output in pairs
                if now - self._best.get((out, paid), (None, float("-inf")))[1] > self._keep_seconds
            }
        ways = {pair: self._list_ways(*pair) for pair in due}
        asked = [(way, due[pair]) for pair, listed in ways.items() for way in listed]
        costs = iter(self._quoter.quote(self._address, asked) if asked else ())
        for pair, listed in ways.items():
            found = [(cost, way) for way in listed if (cost := next(costs)) is not None]
            best = min(found, key=lambda each: each[0])[1] if found else None
            with self._lock:
                self._best[pair] = best, now

    def _list_ways(self, out: str, paid: str) -> Sequence[PoolPath]:
        """Through one pool, and through two by the wrapped native coin."""
        direct = [PoolPath((out, paid), (fee,)) for fee in self._fees]
        if self._wrapped in (out, paid):
            return direct
        via = [
            PoolPath((out, self._wrapped, paid), (first, second))
            for first in self._fees
            for second in self._fees
        ]
        return [*direct, *via]
