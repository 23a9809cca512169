"""The double-entry ledger: every movement debits one account and credits another."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Account(StrEnum):
    """Who owns or holds an amount.

    PAYER and RECIPIENT are outside. STANDING is at standing addresses, HELD at deposit addresses,
    ESCROW is collected and claimable from the bridge, INVENTORY is the relayer's balance, DUST is
    the payers', at deposit addresses, and costs more to return than it is worth, EQUITY is what the
    operator contributed.
    SERVICE_FEES, APP_FEES and SPREAD are income, the other *_FEES are cost: SPREAD is what payments
    out of inventory were charged beyond service and app fees, which the escrow retains for the
    coordinator, and BRIDGE_FEES is what bridges took.
    TREASURY is what is at the treasury's address besides service and app fees, less withdrawals.
    INVENTORY is also the unified balance, at its own location (see `unified_location`).

    Of bridges: IN_TRANSIT was sent and has not arrived, on the source chain; CROSSED joins the
    source and the destination of what has, and is zero over both at par; EXCHANGED joins the
    two tokens of a swap on one chain, and is zero over both at its price; PARKED arrived and
    its recipient cannot be paid; OWED lies in a bridge's contract for the coordinator, whose income
    it is: BRIDGE_SURPLUS is what a bridge took less than was charged for it, UNCLAIMED what the
    coordinator took out of PARKED or what arrived twice.

    The last four are fiat in minor units, booked at the provider (see `fiat_location`): CUSTOMER
    is the user, PROVIDER holds the money of open orders, FX_CLEARING was converted to or from
    crypto, RAMP_FEES was kept by providers.
    """

    PAYER = "payer"
    STANDING = "standing"
    HELD = "held"
    ESCROW = "escrow"
    IN_TRANSIT = "in_transit"
    CROSSED = "crossed"
    EXCHANGED = "exchanged"
    PARKED = "parked"
    OWED = "owed"
    INVENTORY = "inventory"
    TREASURY = "treasury"
    RECIPIENT = "recipient"
    DUST = "dust"
    SERVICE_FEES = "service_fees"
    SPREAD = "spread"
    BRIDGE_SURPLUS = "bridge_surplus"
    UNCLAIMED = "unclaimed"
    APP_FEES = "app_fees"
    BRIDGE_FEES = "bridge_fees"
    NETWORK_FEES = "network_fees"
    EQUITY = "equity"
    CUSTOMER = "customer"
    PROVIDER = "provider"
    FX_CLEARING = "fx_clearing"
    RAMP_FEES = "ramp_fees"


FIAT = "fiat:"


def fiat_location(provider: str) -> str:
    """The location of fiat at a provider, used in place of a chain."""
    return FIAT + provider


def is_fiat(location: str) -> bool:
    """Whether a location is a fiat provider rather than a chain."""
    return location.startswith(FIAT)


UNIFIED: Final = "gateway:"


def unified_location(testnet: bool) -> str:
    """The location of the unified balance at Circle Gateway, used in place of a chain; main and
    test networks have one each. Its token is `UNIFIED_TOKEN`."""
    return UNIFIED + ("testnet" if testnet else "mainnet")


UNIFIED_TOKEN: Final = "USDC"
UNIFIED_DECIMALS: Final = 6


def unified_title(location: str) -> str:
    """The name of a unified balance, at the beginning of a sentence."""
    network = " (test networks)" if location == unified_location(testnet=True) else ""
    return f"The unified balance at Circle Gateway{network}"


def is_unified(location: str) -> bool:
    """Whether a location is a unified balance rather than a chain."""
    return location.startswith(UNIFIED)


@dataclass(frozen=True, slots=True)
class Posting:
    """`amount` of one token moved from the `credit` to the `debit` account.

    `intent_id` is a payment's number, negative the `owner` number of a rebalancing transfer or of a
    deposit at a standing address, or `NO_INTENT`. `tx` is the transaction or deposit that caused
    it; a reorg is booked as the reverse.
    """

    intent_id: int
    chain: str
    token: str
    debit: Account
    credit: Account
    amount: int
    tx: str

    def reversed(self) -> "Posting":
        """The opposite posting."""
        return Posting(
            self.intent_id, self.chain, self.token, self.credit, self.debit, self.amount, self.tx
        )


NO_INTENT = 0
"""The `intent_id` of postings without a payment: equity paid in or taken out."""


AddressKey = tuple[int, str, str]
"""A payment, a chain and a token."""


@dataclass(frozen=True, slots=True)
class AddressBalance:
    """What the books have of one token at a payment's address on one chain. All is the payer's:
    `held` is to be sent, `dust` is not worth it. `held` is negative while money has left before its
    deposit was credited.
    `misdirected`: it is not the payment's own token on its own chain."""

    intent_id: int
    chain: str
    token: str
    held: int
    dust: int
    misdirected: bool


Leg = tuple[Account, Account, int]
BalanceKey = tuple[Account, str, str]


def balances(postings: Iterable[Posting]) -> dict[BalanceKey, int]:
    """Debits minus credits by (account, chain, token); they sum to zero per token."""
    totals: dict[BalanceKey, int] = defaultdict(int)
    for posting in postings:
        totals[posting.debit, posting.chain, posting.token] += posting.amount
        totals[posting.credit, posting.chain, posting.token] -= posting.amount
    return dict(totals)


def turnovers(postings: Iterable[Posting]) -> dict[BalanceKey, tuple[int, int]]:
    """Total debits and credits by (account, chain, token)."""
    totals: dict[BalanceKey, list[int]] = defaultdict(lambda: [0, 0])
    for posting in postings:
        totals[posting.debit, posting.chain, posting.token][0] += posting.amount
        totals[posting.credit, posting.chain, posting.token][1] += posting.amount
    return {key: (debits, credits) for key, (debits, credits) in totals.items()}
