"""Profit and loss: what each posting of the ledger adds to which line, and what that is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.domain.standing import is_standing

NANO_USD_DECIMALS: Final = 9
_PICO_IN_NANO: Final = 1_000


class ProfitLine(StrEnum):
    """A line of the profit and loss account.

    KEPT_COSTS is what refunds were charged for network costs. CONVERSION is what the relayer got
    back out of a deposit, less what it had paid out for it, at the prices of that hour. DUE_LOSSES
    is what was paid out for a deposit that went back to its payer all the same. REFUND_FEES are
    the network fees of transactions that paid the payer. Lines that begin with CHARGED were paid
    with the payer's money; APP_FEES belong to merchants; WITHDRAWN is income that the operator
    took out.
    """

    SERVICE_FEES = "service_fees"
    SPREAD = "spread"
    BRIDGE_SURPLUS = "bridge_surplus"
    UNCLAIMED = "unclaimed"
    KEPT_COSTS = "kept_costs"
    CONVERSION = "conversion"
    NETWORK_FEES = "network_fees"
    REFUND_FEES = "refund_fees"
    BRIDGE_FEES = "bridge_fees"
    SWAPS = "swaps"
    DUE_LOSSES = "due_losses"
    APP_FEES = "app_fees"
    CHARGED_BRIDGE_FEES = "charged_bridge_fees"
    CHARGED_SWAPS = "charged_swaps"
    WITHDRAWN = "withdrawn"


L = ProfitLine
REVENUE: Final = (
    *(L.SERVICE_FEES, L.SPREAD, L.BRIDGE_SURPLUS, L.UNCLAIMED),
    *(L.KEPT_COSTS, L.CONVERSION),
)
COSTS: Final = (L.NETWORK_FEES, L.REFUND_FEES, L.BRIDGE_FEES, L.SWAPS, L.DUE_LOSSES)
PASSED_ON: Final = (L.APP_FEES, L.CHARGED_BRIDGE_FEES, L.CHARGED_SWAPS)
"""Not part of the result: it was never the operator's."""


class Origin(StrEnum):
    """What caused a posting: a payment, a rebalancing transfer, a deposit at a standing address
    that is moved on, or the operator."""

    PAYMENT = "payment"
    REBALANCING = "rebalancing"
    STANDING = "standing"
    OPERATOR = "operator"


def origin_of(posting: Posting) -> Origin:
    """What caused a posting, by its number."""
    if posting.intent_id > 0:
        return Origin.PAYMENT
    if is_standing(posting.intent_id):
        return Origin.STANDING
    return Origin.REBALANCING if posting.intent_id < 0 else Origin.OPERATOR


TokenKey = tuple[str, str]
"""A chain and a token."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What a posting adds to a line: the sum of `terms`, each a signed number of smallest units of
    a token. Positive adds to revenue, or to cost. The first term names the token of the line.
    `needs` are tokens without whose prices the value would mislead."""

    line: ProfitLine
    terms: tuple[tuple[TokenKey, int], ...]
    needs: frozenset[TokenKey] = frozenset()

    @property
    def tokens(self) -> frozenset[TokenKey]:
        """All tokens whose prices are needed."""
        return self.needs | {key for key, _ in self.terms}

    def totals(self, nano_usd: int | None) -> tuple[int, int, int]:
        """The units, their value and the units without one, of a value that may be unknown. What
        several tokens are worth together has no units, unless it has no value."""
        units = self.terms[0][1]
        if nano_usd is None:
            return units, 0, units
        return (units if len(self.terms) == 1 else 0), nano_usd, 0


@dataclass(frozen=True, slots=True)
class UnitPrice:
    """A price in pico-USD of a whole token, and the token's decimals."""

    pico_usd: int
    decimals: int


def value_of(contribution: Contribution, prices: Mapping[TokenKey, UnitPrice]) -> int | None:
    """The value in nano-USD, each term rounded towards zero, so that a reversal cancels it; None
    where a price is missing."""
    if not contribution.tokens <= prices.keys():
        return None
    total = 0
    for key, units in contribution.terms:
        price = prices[key]
        nano = abs(units) * price.pico_usd // (10**price.decimals * _PICO_IN_NANO)
        total += nano if units > 0 else -nano
    return total


_INCOME: Final = {
    Account.SERVICE_FEES: L.SERVICE_FEES,
    Account.SPREAD: L.SPREAD,
    Account.BRIDGE_SURPLUS: L.BRIDGE_SURPLUS,
    Account.UNCLAIMED: L.UNCLAIMED,
    Account.APP_FEES: L.APP_FEES,
}
_COST: Final = (Account.NETWORK_FEES, Account.BRIDGE_FEES, Account.EXCHANGED)
_AT_ADDRESS: Final = (Account.HELD, Account.ESCROW)
# Debited by a transaction that does more than return money to the payer.
_ONWARDS: Final = (Account.ESCROW, Account.IN_TRANSIT, Account.EXCHANGED, Account.RECIPIENT)


def contributions(posting: Posting, of_owner: Sequence[Posting]) -> list[Contribution]:
    """What a posting adds to which lines. `of_owner` are the postings of its payment or rebalancing
    transfer, itself included; arrivals at deposit addresses may be left out."""
    found = []
    for account, other, units in (
        (posting.debit, posting.credit, posting.amount),
        (posting.credit, posting.debit, -posting.amount),
    ):
        if line := _INCOME.get(account):
            # Without a payment, nothing is earned: the operator takes it from where it lies.
            line = L.WITHDRAWN if posting.intent_id == NO_INTENT else line
            found.append(_single(posting, line, units))
        elif account in _COST:
            found.append(_cost(posting, account, other, units, of_owner))
        elif posting.intent_id > 0 and account is Account.INVENTORY:
            found += _repaid(posting, other, units, of_owner)
        elif posting.intent_id > 0 and (account, other) == _AT_ADDRESS:
            found += _lost(posting.tx, units, of_owner)
    return found


def _single(posting: Posting, line: ProfitLine, units: int) -> Contribution:
    return Contribution(line, (((posting.chain, posting.token), units),))


def _cost(
    posting: Posting, account: Account, other: Account, units: int, of_owner: Sequence[Posting]
) -> Contribution:
    is_payment = posting.intent_id > 0
    if account is Account.NETWORK_FEES:
        is_refund = is_payment and _pays_payer(posting.tx, of_owner)
        return _single(posting, L.REFUND_FEES if is_refund else L.NETWORK_FEES, units)
    if account is Account.BRIDGE_FEES:
        is_own = other is Account.INVENTORY or _is_fed_by_inventory(Account.IN_TRANSIT, of_owner)
        is_charged = is_payment and (other is Account.ESCROW or not is_own)
        return _single(posting, L.CHARGED_BRIDGE_FEES if is_charged else L.BRIDGE_FEES, units)
    is_own = not is_payment or _is_fed_by_inventory(account, of_owner)
    # One end of a swap is worth nothing without the other.
    ends = frozenset(
        (p.chain, p.token)
        for p in of_owner
        if p.tx == posting.tx and account in (p.debit, p.credit)
    )
    single = _single(posting, L.SWAPS if is_own else L.CHARGED_SWAPS, units)
    return Contribution(single.line, single.terms, ends)


def _pays_payer(tx: str, of_owner: Sequence[Posting]) -> bool:
    debited = {p.debit for p in of_owner if p.tx == tx}
    return Account.PAYER in debited and not debited & set(_ONWARDS)


def _is_fed_by_inventory(account: Account, of_owner: Sequence[Posting]) -> bool:
    return any(p.debit is account and p.credit is Account.INVENTORY for p in of_owner)


def _repaid(
    posting: Posting, other: Account, units: int, of_owner: Sequence[Posting]
) -> list[Contribution]:
    """What the relayer got of a deposit, less what it had paid out for it."""
    moved = _is_fed_by_inventory(Account.IN_TRANSIT, of_owner) or _is_fed_by_inventory(
        Account.CROSSED, of_owner
    )
    # What a bridge brings of the relayer's own is no repayment.
    if other not in _AT_ADDRESS and (other is not Account.CROSSED or moved):
        return []
    got = ((posting.chain, posting.token), units)
    paid = _paid_out(of_owner, -1 if units > 0 else 1)
    return [Contribution(L.CONVERSION if paid else L.KEPT_COSTS, (got, *paid))]


def _lost(tx: str, units: int, of_owner: Sequence[Posting]) -> list[Contribution]:
    """What was paid out for a deposit that went back to its address. Of a transaction that
    collected the deposit, the same posting undoes that."""
    first = next(
        (p for p in of_owner if p.tx == tx and {p.debit, p.credit} == {*_AT_ADDRESS}), None
    )
    if first is None or first.debit is not Account.HELD:
        return []
    paid = _paid_out(of_owner, 1 if units > 0 else -1)
    return [Contribution(L.DUE_LOSSES, paid)] if paid else []


def _paid_out(of_owner: Sequence[Posting], sign: int) -> tuple[tuple[TokenKey, int], ...]:
    """What recipients got out of inventory, less what a reorganisation undid."""
    totals: dict[TokenKey, int] = {}
    for p in of_owner:
        key = (p.chain, p.token)
        if (p.debit, p.credit) == (Account.RECIPIENT, Account.INVENTORY):
            totals[key] = totals.get(key, 0) + p.amount
        elif (p.debit, p.credit) == (Account.INVENTORY, Account.RECIPIENT):
            totals[key] = totals.get(key, 0) - p.amount
    return tuple((key, sign * units) for key, units in totals.items() if units)


@dataclass(frozen=True, slots=True)
class Group:
    """What a result is counted by besides its day and token; all but `origin` is empty without a
    payment. `mode` is that of the key by which the payment was made."""

    origin: Origin
    client_id: str = ""
    mode: str = ""
    source: str = ""
    destination: str = ""
    bridge: str = ""

    @property
    def route(self) -> tuple[str, str, str]:
        """Source chain, bridge and destination chain."""
        return self.source, self.bridge, self.destination


@dataclass(frozen=True, slots=True)
class Result:
    """The sum of a day's contributions of one group to a line in one token: signed smallest units,
    the value of those whose price was known in nano-USD, and the units of the others."""

    day: int
    line: ProfitLine
    chain: str
    token: str
    group: Group
    units: int
    nano_usd: int
    unpriced: int

    @property
    def effect(self) -> int:
        """What it adds to the operator's result in nano-USD."""
        if self.line in REVENUE:
            return self.nano_usd
        return -self.nano_usd if self.line in COSTS else 0
