"""The double-entry books: every movement of money as a debit and a credit of one token."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Account(StrEnum):
    """Who a token amount belongs to or lies with.

    PAYER and RECIPIENT are the world outside; HELD lies at deposit addresses; ESCROW is
    collected and claimable from the bridge; INVENTORY is the relayer's own; KEPT is dust that
    costs more to return than it is worth; CAPITAL is what the operator put in as the relayer's
    stock; the rest are income and cost.

    The last four are local money, booked in minor units on no chain but at its provider (see
    `fiat_place`): CUSTOMER is the user's world outside, PROVIDER holds what orders under way have
    there, EXCHANGED was turned into crypto or out of it, RAMP_FEES is what providers kept.
    """

    PAYER = "payer"
    HELD = "held"
    ESCROW = "escrow"
    INVENTORY = "inventory"
    RECIPIENT = "recipient"
    KEPT = "kept"
    SERVICE_FEES = "service_fees"
    APP_FEES = "app_fees"
    BRIDGE_FEES = "bridge_fees"
    NETWORK_FEES = "network_fees"
    CAPITAL = "capital"
    CUSTOMER = "customer"
    PROVIDER = "provider"
    EXCHANGED = "exchanged"
    RAMP_FEES = "ramp_fees"


FIAT = "fiat:"


def fiat_place(provider: str) -> str:
    """Where the books keep local money that lies with a provider: it stands in for a chain."""
    return FIAT + provider


def is_fiat(place: str) -> bool:
    """Whether this is no chain but a provider of local money."""
    return place.startswith(FIAT)


@dataclass(frozen=True, slots=True)
class Posting:
    """`units` of one token moved from `credit` to `debit`: it balances by its form.

    `tx` names the transaction or deposit that shows it; a reorg is booked as the reverse.
    """

    intent_id: int
    chain: str
    token: str
    debit: Account
    credit: Account
    units: int
    tx: str

    def reversed(self) -> "Posting":
        """The same movement the other way round."""
        return Posting(
            self.intent_id, self.chain, self.token, self.credit, self.debit, self.units, self.tx
        )


OF_NO_INTENT = 0
"""The `intent_id` of postings that no payment caused: what the operator put in or took out."""


Leg = tuple[Account, Account, int]
BalanceKey = tuple[Account, str, str]


def balances(postings: Iterable[Posting]) -> dict[BalanceKey, int]:
    """Debits less credits by (account, chain, token); per token they add up to zero."""
    totals: dict[BalanceKey, int] = defaultdict(int)
    for posting in postings:
        totals[posting.debit, posting.chain, posting.token] += posting.units
        totals[posting.credit, posting.chain, posting.token] -= posting.units
    return dict(totals)


def turnovers(postings: Iterable[Posting]) -> dict[BalanceKey, tuple[int, int]]:
    """What was debited and what was credited by (account, chain, token), both zero or more."""
    totals: dict[BalanceKey, list[int]] = defaultdict(lambda: [0, 0])
    for posting in postings:
        totals[posting.debit, posting.chain, posting.token][0] += posting.units
        totals[posting.credit, posting.chain, posting.token][1] += posting.units
    return {key: (debits, credits) for key, (debits, credits) in totals.items()}
