"""The port of the simulated network's own switches; absent on a live network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SentDeposit:
    """A deposit made by hand: its transaction and the block that holds it."""

    tx_hash: str
    chain: str
    block: int


@dataclass(frozen=True, slots=True)
class Faults:
    """How a simulated chain is to misbehave; a field left out changes nothing (wire.md §7).

    `reorg_depth` undoes that many blocks: their transactions are mined again, less the next
    `drop_next`. `fee_factor` multiplies the least fee that is mined. `take_nonce` lets an outside
    transaction use the relayer's next nonce. `lie` is one of `forged`, `chain_id`, `stale`, or
    empty to stop. `refuse` lists addresses that refuse every transfer, `accept` ends that.
    `own` sets Crossway's own balances: account name (relayer, treasury …) to symbol to units.
    """

    outage_seconds: float | None = None
    reorg_depth: int = 0
    drop_next: int | None = None
    revert_next: int | None = None
    slow_blocks: int | None = None
    fee_factor: int | None = None
    take_nonce: bool = False
    lie: str | None = None
    refuse: Sequence[str] = ()
    accept: Sequence[str] = ()
    own: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


class Sandbox(Protocol):
    """What a person may do to the simulated network."""

    def deposit(
        self, chain: str, to: str, token: str, units: int, count: int = 1, sender: str | None = None
    ) -> SentDeposit:
        """Send `count` transfers of `units` each to an address, mined in one new block at once."""
        ...

    def advance(self, seconds: float) -> None:
        """Move the clock, and every chain with it, forward."""
        ...

    def freeze(self, frozen: bool) -> None:
        """Stop the clock, or let it run again from where it stands."""
        ...

    def clock(self) -> tuple[float, bool]:
        """Seconds by which the clock is ahead of the machine, and whether it is frozen."""
        ...

    def misbehave(self, chain: str, faults: Faults) -> None:
        """Switch faults of one chain."""
        ...

    def faults(self, chain: str) -> Mapping[str, object]:
        """The faults now active on a chain, for display."""
        ...

    def holdings(self, address: str) -> Sequence[tuple[str, str, int]]:
        """(chain, token address, units) of everything an address holds anywhere."""
        ...


@dataclass(frozen=True, slots=True)
class RampFaults:
    """How a sandbox provider is to behave; None leaves a setting as it is.

    `down_seconds`: gives no answer for so long. `slow_seconds`: waits before each answer.
    `refuse_next`: refuses the next orders. `short_bps`: delivers that much less than it says.
    `overcharge_bps`: asks that much more at opening than it quoted. `repeat`: says everything
    twice. `shuffle`: reports in the wrong order. `deliver_seconds`: time from payment to delivery,
    -1 for only when told. `rate_bps`: moves its rate. `kyc`: `manual`, `approve` at once, or `auto`
    (basic checks pass by themselves, advanced ones wait).
    """

    down_seconds: float | None = None
    slow_seconds: float | None = None
    refuse_next: int | None = None
    short_bps: int | None = None
    overcharge_bps: int | None = None
    repeat: bool | None = None
    shuffle: bool | None = None
    deliver_seconds: int | None = None
    rate_bps: int | None = None
    kyc: str | None = None


class RampSandbox(Protocol):
    """What a person may do to the sandbox providers."""

    def report(self, provider: str, reference: str, outcome: str) -> None:
        """Let a provider report `paid`, `delivered`, `failed` or `refunded` for its order; doing
        what it reports (delivering pays into the order's intent), each at most once."""
        ...

    def set_standing(self, provider: str, email: str, kyc_type: str, status: str) -> None:
        """Set what a provider says of a person."""
        ...

    def misbehave(self, provider: str, faults: RampFaults) -> None:
        """Switch how a provider behaves."""
        ...

    def faults(self, provider: str) -> Mapping[str, object]:
        """How a provider behaves now, for display."""
        ...
