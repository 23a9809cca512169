"""The books for accountants: trial balance, postings of an account, and exports."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.ledger import UNIFIED_DECIMALS, Account, BalanceKey, is_fiat, is_unified
from crossway.domain.money import PICO_USD_DECIMALS, format_units, micro_usd_down
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.treasury_repository import PostingFilter, StoredPosting
from crossway.usecases.pricing.price_snapshot import latest_prices

BATCH_SIZE = 1_000
_EPOCH = date(1970, 1, 1)
_USDC = "USDC"
_OF_BRIDGES = (Account.IN_TRANSIT, Account.CROSSED, Account.PARKED)


@dataclass(frozen=True, slots=True)
class Denomination:
    """The symbol and decimals of a token or local currency."""

    symbol: str
    decimals: int

    def format(self, amount: int) -> str:
        """The exact decimal amount of smallest units."""
        return format_units(amount, self.decimals)


@dataclass(frozen=True, slots=True)
class AccountBalance:
    """The balance of one account in smallest units; positive is a debit balance. `micro_usd` is its
    value at current prices, None where there is no price."""

    key: BalanceKey
    denomination: Denomination
    amount: int
    micro_usd: int | None


@dataclass(frozen=True, slots=True)
class TrialBalance:
    """All account balances at one time. `imbalances` maps (chain, token) to debits minus credits
    where these differ; it is empty unless the books are corrupt."""

    balances: tuple[AccountBalance, ...]
    imbalances: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class PostingDetail:
    """A posting with its counterparty, and its value in micro-USD at the payment's agreed price,
    None where there is none."""

    posted: StoredPosting
    denomination: Denomination
    micro_usd: int | None
    counterparty: str


def day_number(at: date) -> int:
    """A UTC day as the number of days since 1970-01-01."""
    return (at - _EPOCH).days


def day_range(first: date | None, last: date | None) -> tuple[int | None, int | None]:
    """An inclusive range of UTC days as day numbers; raises `InvalidInput` if it is reversed."""
    if first and last and last < first:
        raise InvalidInput("last day must not be before the first day")
    return (day_number(first) if first else None, day_number(last) if last else None)


def get_trial_balance(
    services: Services, caller: Principal, at_end_of: date | None = None
) -> TrialBalance:
    """All balances now, or as of the end of a UTC day."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        if at_end_of is None:
            balances = unit.ledger.get_balances()
        else:
            balances = unit.ledger.get_balances_before(day_number(at_end_of) + 1)
    prices = latest_prices(services)
    account_balances = tuple(
        _account_balance(services, key, amount, prices)
        for key, amount in sorted(balances.items())
        if amount
    )
    net: dict[tuple[str, str], int] = defaultdict(int)
    for (_, chain, token), amount in balances.items():
        net[chain, token] += amount
    return TrialBalance(
        account_balances, {location: amount for location, amount in net.items() if amount}
    )


def _account_balance(
    services: Services, key: BalanceKey, amount: int, prices: Mapping[str, int]
) -> AccountBalance:
    denomination, price = get_denomination(services, key[1], key[2]), None
    if not is_fiat(key[1]):
        price = prices.get(denomination.symbol)
    value = None if price is None else micro_usd_down(abs(amount), denomination.decimals, price)
    return AccountBalance(key, denomination, amount, -value if value and amount < 0 else value)


def list_postings(
    services: Services, caller: Principal, filters: PostingFilter, limit: int
) -> list[PostingDetail]:
    """One page of postings, newest first."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return _describe_all(services, unit, unit.ledger.list_page(filters, limit))


def opening_and_closing_balance(
    services: Services, caller: Principal, key: BalanceKey, first: int | None, last: int | None
) -> tuple[int, int]:
    """The balance of an account before the first day of a range and after its last day."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        opening = unit.ledger.get_balances_before(first).get(key, 0) if first is not None else 0
        if last is None:
            return opening, unit.ledger.get_balances(key[1], key[:1]).get(key, 0)
        return opening, unit.ledger.get_balances_before(last + 1).get(key, 0)


@dataclass(frozen=True, slots=True)
class LedgerExport:
    """An export in progress: opening balances, and postings oldest first, read in batches.
    `closing` is complete once all postings have been read."""

    opening: Mapping[BalanceKey, int]
    postings: Iterator[PostingDetail]
    closing: dict[BalanceKey, int]


def export_postings(
    services: Services,
    caller: Principal,
    first: date | None,
    last: date | None,
    key: BalanceKey | None = None,
) -> LedgerExport:
    """Stream all postings of a range of days, optionally of one account, in batches."""
    caller.require_permission(Permission.VIEW)
    first_day, last_day = day_range(first, last)
    with services.store.read() as unit:
        before = unit.ledger.get_balances_before(first_day) if first_day is not None else {}
    opening = {k: amount for k, amount in before.items() if amount and key in (None, k)}
    closing = dict(opening)
    filters = PostingFilter(key, first_day, last_day, after_id=0)
    return LedgerExport(opening, _iterate_postings(services, filters, closing), closing)


def _iterate_postings(
    services: Services, filters: PostingFilter, closing: dict[BalanceKey, int]
) -> Iterator[PostingDetail]:
    after_id = 0
    while True:
        batch = PostingFilter(
            filters.balance_key, filters.first_day, filters.last_day, after_id=after_id
        )
        with services.store.read() as unit:
            stored = unit.ledger.list_page(batch, BATCH_SIZE)
            details = _describe_all(services, unit, stored)
        for detail in details:
            _update_closing(closing, detail.posted, filters.balance_key)
            yield detail
        if len(stored) < BATCH_SIZE:
            return
        after_id = stored[-1].id


def _update_closing(
    closing: dict[BalanceKey, int], posted: StoredPosting, only_key: BalanceKey | None
) -> None:
    posting = posted.posting
    for account, amount in ((posting.debit, posting.amount), (posting.credit, -posting.amount)):
        key = (account, posting.chain, posting.token)
        if only_key in (None, key):
            closing[key] = closing.get(key, 0) + amount


def _describe_all(
    services: Services, unit: UnitOfWork, stored: Sequence[StoredPosting]
) -> list[PostingDetail]:
    intents = unit.intents.get_many({item.posting.intent_id for item in stored})
    return [_describe(services, item, intents.get(item.posting.intent_id)) for item in stored]


def _describe(services: Services, posted: StoredPosting, intent: Intent | None) -> PostingDetail:
    posting = posted.posting
    denomination = get_denomination(services, posting.chain, posting.token)
    return PostingDetail(
        posted,
        denomination,
        _value_at_creation(posted, denomination, intent),
        _counterparty(posted, intent),
    )


def _value_at_creation(
    posted: StoredPosting, denomination: Denomination, intent: Intent | None
) -> int | None:
    """The value at the payment's agreed price; USDC is always one dollar."""
    posting = posted.posting
    if denomination.symbol == _USDC:
        return micro_usd_down(posting.amount, denomination.decimals, 10**PICO_USD_DECIMALS)
    if intent is None:
        return None
    terms, costs = intent.terms, intent.costs
    if (posting.chain, posting.token) == (
        terms.source_chain,
        terms.token_in,
    ) and terms.deposit_amount:
        return posting.amount * costs.total_micro_usd // terms.deposit_amount
    if (posting.chain, posting.token) == (
        terms.destination_chain,
        terms.token_out,
    ) and terms.payout_amount:
        return posting.amount * costs.amount_micro_usd // terms.payout_amount
    return None


def _counterparty(posted: StoredPosting, intent: Intent | None) -> str:
    """The other party of a posting, as far as the payment tells."""
    posting = posted.posting
    accounts = {posting.debit, posting.credit}
    if Account.EQUITY in accounts:
        return "the operator"
    if Account.NETWORK_FEES in accounts:
        return "validators"
    if intent is None:
        return ""
    if Account.RECIPIENT in accounts:
        return intent.terms.recipient
    if Account.PAYER in accounts:
        return intent.terms.refund_address if posting.debit is Account.PAYER else intent.sender
    if Account.APP_FEES in accounts:
        return intent.client_id
    if accounts & {Account.SPREAD, Account.BRIDGE_SURPLUS, Account.OWED, Account.UNCLAIMED}:
        return "the operator"
    if accounts & {Account.BRIDGE_FEES, Account.ESCROW, *_OF_BRIDGES}:
        return intent.terms.bridge
    return ""


def get_denomination(services: Services, chain: str, token: str) -> Denomination:
    """The symbol and decimals of a token; for one not in the catalogue, its smallest units."""
    if is_fiat(chain):
        corridor = services.fiat.corridors.get(token)
        return Denomination(token, corridor.currency.digits if corridor else 0)
    if is_unified(chain):
        return Denomination(token, UNIFIED_DECIMALS)
    known_token = services.catalogue.by_address.get((chain, token))
    if known_token is not None:
        return Denomination(known_token.symbol, known_token.decimals)
    known_chain = services.catalogue.chains.get(chain)
    if known_chain is not None and token == services.catalogue.native_token(chain):
        return Denomination(known_chain.native_symbol, known_chain.native_decimals)
    return Denomination(f"units of {token}", 0)


def total_by_account(balances: Iterable[AccountBalance]) -> dict[Account, int | None]:
    """The total value by account in micro-USD, of balances that have a price; None for accounts
    without any, such as those in local currency."""
    totals: dict[Account, int | None] = {}
    for balance in balances:
        before = totals.setdefault(balance.key[0], None)
        if balance.micro_usd is not None:
            totals[balance.key[0]] = (before or 0) + balance.micro_usd
    return totals
