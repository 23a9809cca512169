"""Transactions that an operator runs by hand: plans with their costs, and waiting for inclusion."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units

OnSent = Callable[[str], None]
"""Called with a transaction's id once it was sent."""

UNLIMITED = 2**256 - 1
"""The allowance that tokens treat as any amount."""

_POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class OperatorTxResult:
    """The result of an included transaction; `gas_used` in the plan's gas unit."""

    tx_id: str
    succeeded: bool
    gas_used: int


@dataclass(frozen=True, slots=True)
class OperatorTx:
    """One transaction to send: its gas limit in the plan's gas unit, and its maximum cost in base
    units of the native coin.

    `send` sends it, reports its id, and waits until it is included. It raises `Unreachable`, or
    `ValueError` with the node's error message.
    """

    description: str
    gas_limit: int
    max_cost: int
    send: Callable[[OnSent], OperatorTxResult]


@dataclass(frozen=True, slots=True)
class TxPlan:
    """Transactions of one account in order; `balance` in base units of the native coin. `gas_unit`
    names what the chain meters, such as gas. `left_out` says, a sentence each, what else is needed
    and cannot be sent."""

    transactions: tuple[OperatorTx, ...]
    account: str
    balance: int
    gas_unit: str
    left_out: tuple[str, ...] = ()

    @property
    def max_cost(self) -> int:
        """The maximum cost of all transactions, in base units of the native coin."""
        return sum(transaction.max_cost for transaction in self.transactions)


@dataclass(frozen=True, slots=True)
class UnsignedCall:
    """A contract call that an account signs whose key is not here: the contract's address, the
    function with its arguments as people read them, and the call's data as the chain's wallets and
    tools take it. It sends no coins along."""

    chain_id: str
    contract: str
    function: str
    arguments: tuple[str, ...]
    data: str


def describe_withdrawal(token: Token, to: str, units: int, contract: str = "") -> str:
    """A withdrawal of what contracts retain, for people."""
    source = f"the contract {contract}" if contract else "the contracts"
    return f"{format_units(units, token.decimals)} {token.symbol} from {source} to {to}"


@dataclass(frozen=True, slots=True)
class ContractCheck:
    """A contract that must be deployed; `problem` is empty where it is as expected."""

    name: str
    address: str
    problem: str


def wait_until_included(
    tx_id: str, timeout_seconds: float, read: Callable[[], OperatorTxResult | None]
) -> OperatorTxResult:
    """Poll `read` until it returns a result; a node that is unreachable is asked again. Raises
    `Unreachable` after the timeout."""
    deadline = time.monotonic() + timeout_seconds
    while time.monotonic() < deadline:
        try:
            result = read()
        except Unreachable:
            result = None
        if result is not None:
            return result
        time.sleep(_POLL_SECONDS)
    raise Unreachable(f"{tx_id} is not in a block after {timeout_seconds:.0f} s: look it up")
