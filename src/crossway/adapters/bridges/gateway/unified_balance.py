"""The running balance at Circle Gateway: what may still be minted of each chain's deposits."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Final

from crossway.adapters.bridges.gateway.api import TITLE, Refused
from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd
from crossway.adapters.bridges.gateway.networks import GatewayApis
from crossway.domain.errors import Unreachable

RESERVED_SECONDS: Final = 3_600.0
"""Since Circle was last asked: a transfer that is given up before it agrees is not asked about."""
AttemptKey = tuple[int, int]
"""The number of an inventory transfer, and its attempt."""


@dataclass(frozen=True, slots=True)
class _Reserved:
    units: Mapping[str, int]
    until: float


class UnifiedBalance:
    """By chain, the less of what Circle says and of what our own nodes report: deposits that are
    not final do not count, and burn intents that were signed and that Circle has not answered are
    subtracted. Those are known to this process alone, for `RESERVED_SECONDS`; whatever it forgets,
    Circle refuses what exceeds the balance. `timer` returns monotonic seconds."""

    def __init__(
        self,
        ends: Mapping[str, GatewayEnd],
        apis: GatewayApis,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ends, self._apis, self._timer = ends, apis, timer
        self._lock = Lock()
        self._reserved: dict[AttemptKey, _Reserved] = {}

    def reserve(self, key: AttemptKey, units: Mapping[str, int]) -> None:
        """Count these units of chains as used: burn intents for them were signed."""
        with self._lock:
            self._reserved[key] = _Reserved(units, self._timer() + RESERVED_SECONDS)

    def release(self, key: AttemptKey) -> None:
        """Circle counts them itself from now on, or they will not be used."""
        with self._lock:
            self._reserved.pop(key, None)

    def available(self, testnet: bool, without: AttemptKey | None = None) -> Mapping[str, int]:
        """What may be minted now of each chain's deposits on main or test networks, in units of
        USDC; `without` the reservation that is about to be replaced. Raises `Unreachable`."""
        chains = [name for name, end in self._ends.items() if end.chain.testnet == testnet]
        told = self.fetch_from_circle(chains)
        reserved = self._sum_reserved(without)
        return {
            name: max(min(told[name], self._own(name)) - reserved.get(name, 0), 0)
            for name in chains
        }

    def fetch_from_circle(self, chains: Collection[str]) -> Mapping[str, int]:
        """What Circle says that may be minted of the deposits on chains of one network. Raises
        `Unreachable`."""
        if not chains:
            return {}
        ends = {name: self._ends[name] for name in chains}
        testnet = next(iter(ends.values())).chain.testnet
        depositors = {end.domain: end.depositor for end in ends.values()}
        try:
            found = self._apis.of(testnet).balances(depositors)
        except Refused as refusal:
            raise Unreachable(f"{TITLE} refuses to tell the balance: {refusal}") from None
        return {name: found[end.domain] for name, end in ends.items()}

    def _own(self, chain: str) -> int:
        balance = self._ends[chain].depositor_balance()
        return max(balance.available - balance.fresh, 0)

    def _sum_reserved(self, without: AttemptKey | None) -> Mapping[str, int]:
        sums: dict[str, int] = defaultdict(int)
        with self._lock:
            now = self._timer()
            self._reserved = {k: one for k, one in self._reserved.items() if one.until > now}
            for key, one in self._reserved.items():
                if key != without:
                    for chain, units in one.units.items():
                        sums[chain] += units
        return sums
