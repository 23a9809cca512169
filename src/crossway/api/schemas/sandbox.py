"""Request and response models of `/v1/sandbox`."""

from collections.abc import Sequence
from typing import Any, Self

from pydantic import Field, SkipValidation

from crossway.api.schemas.fields import (
    INTENT,
    TIME,
    TX,
    USDC_BASE,
    IntegerString,
    Model,
    RequestModel,
    SettingsModel,
    chain_field,
    field,
    symbol_field,
    within,
)
from crossway.ports.sandbox import NODE_LIES, WRONG_ANSWERS
from crossway.usecases.simulator.bridge_controls import BRIDGES
from crossway.usecases.simulator.bridge_controls import MAX_SECONDS as MAX_LATE_SECONDS
from crossway.usecases.simulator.chain_controls import MAX_DEPOSITS, SimulatedBalance
from crossway.usecases.simulator.fault_fields import MAX_BLOCKS, MAX_SECONDS


class Deposit(RequestModel):
    """A simulated deposit."""

    address: SkipValidation[str] = field("Address to pay; usually an intent's.", INTENT)
    amount: SkipValidation[str] = field(
        "Smallest unit; or `exact`, `short`, `over` relative to what the intent still needs.",
        "exact",
        extra={"pattern": "^([0-9]{0,77}[1-9][0-9]*|exact|short|over)$", "maxLength": 78},
    )
    token: SkipValidation[str | None] = field(
        "Symbol or address; the intent's by default.", "USDC", default=None
    )
    chain: SkipValidation[str | None] = chain_field(
        "The intent's source chain by default.", default=None
    )
    count: SkipValidation[int] = field(
        "Number of transfers, all in one block.", 1, default=1, extra=within(1, MAX_DEPOSITS)
    )


class Deposited(Model):
    """The transaction of a simulated deposit."""

    txHash: str = field("Its transaction.", TX)
    chain: str = chain_field("Its chain.")
    block: int = field("Its block.", 1042)


class Clock(SettingsModel):
    """A change of the service's clock, which every simulated chain follows."""

    advanceSeconds: SkipValidation[float | None] = field(
        "Seconds to advance.", 3600, default=None, extra=within(0, MAX_SECONDS)
    )
    frozen: SkipValidation[bool | None] = field("Whether it is frozen.", False, default=None)


class ClockNow(Model):
    """The clock after the change."""

    now: str = field("The current time.", TIME)
    aheadSeconds: float = field("Seconds that it is ahead of the system clock.", 3600.0)
    frozen: bool = field("Whether it is frozen.", False)


class Faults(SettingsModel):
    """Faults of a simulated chain; fields that are left out stay unchanged."""

    outageSeconds: SkipValidation[float | None] = field(
        "Seconds for which it does not respond.", 30, default=None, extra=within(0, MAX_SECONDS)
    )
    reorgDepth: SkipValidation[int | None] = field(
        "Number of blocks to reorganise now.", 2, default=None, extra=within(0, MAX_BLOCKS)
    )
    dropNext: SkipValidation[int | None] = field(
        "Number of transactions to drop.", 1, default=None, extra=within(0, MAX_BLOCKS)
    )
    revertNext: SkipValidation[int | None] = field(
        "Number of transactions to revert.", 1, default=None, extra=within(0, MAX_BLOCKS)
    )
    slowBlocks: SkipValidation[int | None] = field(
        "Factor by which blocks are slower.", 5, default=None, extra=within(0, MAX_BLOCKS)
    )
    feeFactor: SkipValidation[int | None] = field(
        "Factor on the minimum fee.", 3, default=None, extra=within(1, MAX_BLOCKS)
    )
    takeNonce: SkipValidation[bool | None] = field(
        "Whether a foreign transaction takes the relayer's next nonce.", True, default=None
    )
    lie: SkipValidation[str | None] = field(
        "What nodes report wrongly: `forged` deposits, another `chain_id`, a `stale` head; "
        "`missed_logs` of one of two nodes or `no_logs` at all; one of two nodes with "
        "`time_ahead` or `height_ahead`. Empty for nothing.",
        "forged",
        default=None,
        extra={"enum": ["", *NODE_LIES]},
    )
    refuse: SkipValidation[list[str] | None] = field(
        "Addresses that reject transfers.", [INTENT], default=None
    )
    accept: SkipValidation[list[str] | None] = field(
        "Addresses that accept transfers again.", [INTENT], default=None
    )
    balances: SkipValidation[dict[str, dict[str, str]] | None] = field(
        "Balances of Crossway's accounts: account, symbol, smallest units.",
        {"relayer": {"USDC": "1000000"}},
        default=None,
        extra={"propertyNames": {"enum": ["relayer", "treasury", "bridger", "coordinator"]}},
    )


class FaultsNow(Model):
    """The active faults of a chain."""

    success: bool = field("Always true.", True)
    chain: str = chain_field("The chain.")
    faults: dict[str, Any] = field("Active faults.", {"slowBlocks": 5})


class BridgeFaults(SettingsModel):
    """Faults of a simulated bridge; fields that are left out stay unchanged."""

    lateSeconds: SkipValidation[float | None] = field(
        "Seconds by which its attestations or payouts come later.",
        600,
        default=None,
        extra=within(0, MAX_LATE_SECONDS),
    )
    exhaustedAllowance: SkipValidation[bool | None] = field(
        "Whether fast attestations are made once the burn is final.", True, default=None
    )
    expiredMessages: SkipValidation[bool | None] = field(
        "Whether fast messages, or mints, have expired when they are attested to.",
        True,
        default=None,
    )
    unfilledDeposits: SkipValidation[bool | None] = field(
        "Whether no relayer fills a deposit.", True, default=None
    )
    paused: SkipValidation[bool | None] = field(
        "Whether its contracts take and deliver nothing, or EXCHANGE sells nothing.",
        True,
        default=None,
    )
    wrongAnswer: SkipValidation[str | None] = field(
        "What its attestations have other than the burn. Empty for nothing.",
        "recipient",
        default=None,
        extra={"enum": ["", *WRONG_ANSWERS]},
    )
    silent: SkipValidation[bool | None] = field(
        "Whether its service does not respond.", True, default=None
    )
    refused: SkipValidation[bool | None] = field(
        "Whether its service agrees to move no inventory.", True, default=None
    )
    unexecuted: SkipValidation[bool | None] = field(
        "Whether its service takes inventory and never pays it out.", True, default=None
    )
    returned: SkipValidation[bool | None] = field(
        "Whether its service gives inventory back instead of paying it out.", True, default=None
    )


class BridgeFaultsNow(Model):
    """The active faults of a bridge."""

    success: bool = field("Always true.", True)
    bridge: str = field("The bridge.", "CCTP", extra={"enum": list(BRIDGES)})
    faults: dict[str, Any] = field("Active faults.", {"lateSeconds": 600})


class Held(Model):
    """The balance of one token on one chain."""

    chain: str = chain_field("The chain.")
    token: str = symbol_field("The token's symbol.")
    tokenAddress: str = field("Its address.", USDC_BASE)
    amount: IntegerString = field("Balance in the smallest unit.", "25000000")
    amountFormatted: str = field("The same amount as a decimal number.", "25")


class Holdings(Model):
    """The balances of an address on every simulated chain."""

    address: str = field("The address.", INTENT)
    balances: list[Held] = Field(description="Every balance.")

    @classmethod
    def from_balances(cls, address: str, balances: Sequence[SimulatedBalance]) -> Self:
        """The balances of an address."""
        return cls(
            address=address,
            balances=[
                Held(
                    chain=balance.chain,
                    token=balance.symbol,
                    tokenAddress=balance.token,
                    amount=str(balance.amount),
                    amountFormatted=balance.formatted,
                )
                for balance in balances
            ],
        )
