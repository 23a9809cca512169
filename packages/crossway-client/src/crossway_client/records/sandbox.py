"""Records of the simulated network's controls."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from crossway_client.records.base import CamelCaseRecord


class Deposit(CamelCaseRecord):
    """The transaction of a simulated deposit."""

    tx_hash: str
    chain: str
    block: int


class Clock(CamelCaseRecord):
    """The service's clock after a change."""

    now: datetime
    ahead_seconds: Decimal
    frozen: bool


class ChainFaults(CamelCaseRecord):
    """The active faults of a chain."""

    success: bool
    chain: str
    faults: dict[str, Any]


class BridgeFaults(CamelCaseRecord):
    """The active faults of a bridge."""

    success: bool
    bridge: str
    faults: dict[str, Any]


class ProviderFaults(CamelCaseRecord):
    """The active faults of a ramp provider."""

    success: bool
    provider: str
    faults: dict[str, Any]


class Success(CamelCaseRecord):
    """The answer of a call that returns nothing else."""

    success: bool


class SimulatedBalance(CamelCaseRecord):
    """The balance of one token on one simulated chain, in the smallest unit."""

    chain: str
    token: str
    token_address: str
    amount: int
    amount_formatted: Decimal


class SimulatedBalances(CamelCaseRecord):
    """What an address holds on every simulated chain."""

    address: str
    balances: tuple[SimulatedBalance, ...]
