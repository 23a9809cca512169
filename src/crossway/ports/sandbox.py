"""The ports that control the simulated chains and ramp providers; absent when live."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from crossway.domain.deposits import IncomingTransfer
from crossway.domain.intent import Intent
from crossway.ports.ramps import KycUser
from crossway.ports.simulated_transactions import SimulatedTransaction

NODE_LIES = (
    "forged",
    "chain_id",
    "stale",
    "missed_logs",
    "no_logs",
    "time_ahead",
    "height_ahead",
)
"""What nodes of a simulated chain can be told to report wrongly: a deposit that does not exist,
another chain's id, an old head; deposits are left out by one of two nodes, or by both; one of two
nodes reports a time or a height far ahead."""


@dataclass(frozen=True, slots=True)
class SentDeposit:
    """A simulated deposit: its transaction and its block."""

    tx_hash: str
    chain: str
    block: int


@dataclass(frozen=True, slots=True)
class Faults:
    """Faults to inject into a simulated chain; a field left out changes nothing.

    `reorg_depth` replaces that many blocks: their transactions are included again, except the next
    `drop_next`. `fee_factor` multiplies the minimum fee. `take_nonce` lets an outside transaction
    use the relayer's next nonce. `lie` is one of `NODE_LIES`, or empty to stop.
    Addresses in `refuse` reject every transfer until they are in `accept`. `balances` sets
    Crossway's own balances: account name (relayer, treasury …) to symbol to smallest units.
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
    balances: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


class Sandbox(Protocol):
    """Controls of the simulated chains and their clock."""

    def deposit(
        self,
        chain: str,
        to: str,
        token: str,
        units: int,
        count: int = 1,
        sender: str | None = None,
        reference: str = "",
    ) -> SentDeposit:
        """Send `count` transfers of `units` each to an address, all in one new block. What was sent
        on this chain with this `reference` before is not sent again: its transaction is returned.
        Without a reference every deposit is a new one."""
        ...

    def refund_by_stranger(self, chain: str, address: str, token: str, to: str) -> None:
        """Send all of a token at a deposit address to its refund address, as anyone may on a real
        chain."""
        ...

    def advance(self, seconds: float) -> None:
        """Move the clock and every chain forward."""
        ...

    def freeze(self, frozen: bool) -> None:
        """Stop the clock, or let it continue from where it is."""
        ...

    def clock(self) -> tuple[float, bool]:
        """How many seconds the clock is ahead of the machine, and whether it is stopped."""
        ...

    def inject_faults(self, chain: str, faults: Faults) -> None:
        """Switch faults of one chain on or off."""
        ...

    def faults(self, chain: str) -> Mapping[str, object]:
        """The active faults of a chain, for display."""
        ...

    def opening_balances(self, chain: str) -> Mapping[tuple[str, str], int]:
        """What the service's own accounts on a chain began with, by (address, token address)."""
        ...

    def holdings(self, address: str) -> Sequence[tuple[str, str, int]]:
        """(chain, token address, units) of everything an address holds on any chain."""
        ...

    def find_transaction(self, chain: str, tx_hash: str) -> SimulatedTransaction | None:
        """What the blocks of a chain have of a transaction; None if they know none."""
        ...

    def list_transfers_to(self, chain: str, address: str, limit: int) -> Sequence[IncomingTransfer]:
        """The newest transfers to an address that is not the operator's own, newest first."""
        ...


@dataclass(frozen=True, slots=True)
class RampFaults:
    """Faults to inject into a sandbox provider; None leaves a setting as it is.

    `down_seconds`: no answer for that long. `slow_seconds`: delay of each answer. `refuse_next`:
    number of orders to reject. `short_bps`: delivers that much less than reported.
    `overcharge_bps`: charges that much more than quoted. `repeat`: reports everything twice.
    `shuffle`: reports out of order. `deliver_seconds`: time from payment to delivery, -1 for only
    on request. `rate_bps`: moves the rate. `kyc`: `manual`, `approve` at once, or `auto` (basic
    checks pass automatically, advanced ones wait).
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
    """Controls of the sandbox providers."""

    def report(self, provider: str, reference: str, outcome: str) -> None:
        """Let a provider report `paid`, `delivered`, `failed` or `refunded` for its order.

        The reported step is executed too (delivery pays into the order's intent), at most once.
        """
        ...

    def set_kyc_status(self, provider: str, user: KycUser, kyc_type: str, status: str) -> None:
        """Set a provider's verification status of a user."""
        ...

    def inject_faults(self, provider: str, faults: RampFaults) -> None:
        """Switch faults of a provider on or off."""
        ...

    def faults(self, provider: str) -> Mapping[str, object]:
        """The active faults of a provider, for display."""
        ...


WRONG_ANSWERS = ("recipient", "amount", "chain")
"""What the attestation service of a simulated bridge can be told to change in a message."""


@dataclass(frozen=True, slots=True)
class BridgeFaults:
    """Faults to inject into a simulated bridge; None leaves a setting as it is.

    `late_seconds`: attestations come that much later. `exhausted_allowance`: fast ones are made
    once the burn is final. `expired_messages`: fast ones can no longer be delivered when they come.
    `unfilled_deposits`: no relayer fills a deposit. `paused`: the bridge's contracts take and
    deliver nothing. `wrong_answer`: one of `WRONG_ANSWERS`, empty for none. `silent`: the service
    does not answer. Of those that move inventory, `refused`: the service agrees to nothing;
    `unexecuted`: it takes what was sent and pays nothing out; `returned`: it gives that back.
    """

    late_seconds: float | None = None
    exhausted_allowance: bool | None = None
    expired_messages: bool | None = None
    unfilled_deposits: bool | None = None
    paused: bool | None = None
    wrong_answer: str | None = None
    silent: bool | None = None
    refused: bool | None = None
    unexecuted: bool | None = None
    returned: bool | None = None


class StrangerAction(StrEnum):
    """What anybody may do with a payment over a bridge: collect its deposit at the factory, send it
    too, deliver what was attested to, pay the recipient, return what was not sent, pay out what is
    parked; UNPARK is the coordinator's."""

    START = "start"
    SEND = "send"
    DELIVER = "deliver"
    FILL = "fill"
    GIVE_BACK = "giveBack"
    RELEASE = "release"
    UNPARK = "unpark"


class BridgeSandbox(Protocol):
    """Controls of the simulated bridges."""

    def inject_faults(self, bridge: str, faults: BridgeFaults) -> None:
        """Switch faults of a bridge on or off."""
        ...

    def faults(self, bridge: str) -> Mapping[str, object]:
        """The active faults of a bridge, by the names of `BridgeFaults`, for display."""
        ...

    def opening_balances(self, bridge: str) -> Mapping[str, int]:
        """What the operator had deposited with a bridge that keeps a balance before the simulated
        network began, by chain, in units."""
        ...

    def act_as_stranger(self, intent: Intent, action: StrangerAction) -> str:
        """Let somebody else act on a payment, in a block of its own; returns the transaction. What
        is paid to its recipient comes out of the stranger's own pocket. Raises `InvalidInput` where
        there is nothing to deliver."""
        ...
