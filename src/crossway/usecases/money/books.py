"""The books as accountants read them: the trial balance, an account's postings, and exports."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.intent import Intent
from crossway.domain.ledger import Account, BalanceKey, is_fiat
from crossway.domain.money import PICO_USD_DECIMALS, format_units, micro_usd_down
from crossway.domain.roles import Right
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.ports.treasury_records import Posted, PostingFilter

BATCH = 1_000
_FIRST = date(1970, 1, 1)
_DOLLAR = "USDC"


@dataclass(frozen=True, slots=True)
class Money:
    """How units of a token are written: its symbol and decimals. Local money is its currency."""

    symbol: str
    decimals: int

    def formatted(self, units: int) -> str:
        """The exact decimal amount."""
        return format_units(units, self.decimals)


@dataclass(frozen=True, slots=True)
class Line:
    """What one account stands at, in units: more than nothing is a debit balance. The worth is at
    the prices of now, in micro-USD, None where there is none."""

    key: BalanceKey
    money: Money
    units: int
    micro_usd: int | None


@dataclass(frozen=True, slots=True)
class Trial:
    """Every account at one moment; `out` are the places (chain, token) where debits and credits
    are not the same, with what is out: in whole books, none."""

    lines: tuple[Line, ...]
    out: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A posting with what explains it: whom it was with, and its worth at the price then, where
    the payment's own terms tell it (micro-USD)."""

    posted: Posted
    money: Money
    micro_usd: int | None
    counterpart: str


def day_of(at: date) -> int:
    """A day of UTC as days from 1970."""
    return (at - _FIRST).days


def period(first: date | None, last: date | None) -> tuple[int | None, int | None]:
    """A range of whole days of UTC, both included; refused when it ends before it begins."""
    if first and last and last < first:
        raise InvalidInput("last day must not be before the first day")
    return (day_of(first) if first else None, day_of(last) if last else None)


def trial(services: Services, caller: Caller, at_end_of: date | None = None) -> Trial:
    """All balances now, or at the end of a day of UTC."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        if at_end_of is None:
            balances = unit.books.balances()
        else:
            balances = unit.books.balances_before(day_of(at_end_of) + 1)
    prices = _prices(services)
    lines = tuple(
        _line(services, key, units, prices) for key, units in sorted(balances.items()) if units
    )
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for (_, chain, token), units in balances.items():
        totals[chain, token] += units
    return Trial(lines, {place: units for place, units in totals.items() if units})


def _line(services: Services, key: BalanceKey, units: int, prices: Mapping[str, int]) -> Line:
    money, price = money_of(services, key[1], key[2]), None
    if not is_fiat(key[1]):
        price = prices.get(money.symbol)
    worth = None if price is None else micro_usd_down(abs(units), money.decimals, price)
    return Line(key, money, units, -worth if worth and units < 0 else worth)


def page(services: Services, caller: Caller, wanted: PostingFilter, limit: int) -> list[Entry]:
    """Postings, newest first: of one account, or of all."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        return _entries(services, unit, unit.books.page(wanted, limit))


def standing(
    services: Services, caller: Caller, key: BalanceKey, first: int | None, last: int | None
) -> tuple[int, int]:
    """What an account stood at before the first day of a range and after its last."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        opening = unit.books.balances_before(first).get(key, 0) if first is not None else 0
        if last is None:
            return opening, unit.books.balances().get(key, 0)
        return opening, unit.books.balances_before(last + 1).get(key, 0)


@dataclass(frozen=True, slots=True)
class Opened:
    """An export that has begun: what every account stood at before, then its postings, oldest
    first, read a batch at a time; `closing` is right once all of them were read."""

    opening: Mapping[BalanceKey, int]
    entries: Iterator[Entry]
    closing: dict[BalanceKey, int]


def export(
    services: Services,
    caller: Caller,
    first: date | None,
    last: date | None,
    key: BalanceKey | None = None,
) -> Opened:
    """Every posting of a range of days (of one account, if asked), without a limit and without
    holding them all."""
    caller.must(Right.SEE)
    first_day, last_day = period(first, last)
    with services.store.read() as unit:
        before = unit.books.balances_before(first_day) if first_day is not None else {}
    opening = {k: units for k, units in before.items() if units and key in (None, k)}
    closing = dict(opening)
    wanted = PostingFilter(key, first_day, last_day, after_id=0)
    return Opened(opening, _all(services, wanted, closing), closing)


def _all(
    services: Services, wanted: PostingFilter, closing: dict[BalanceKey, int]
) -> Iterator[Entry]:
    after = 0
    while True:
        batch = PostingFilter(wanted.place, wanted.first_day, wanted.last_day, after_id=after)
        with services.store.read() as unit:
            found = unit.books.page(batch, BATCH)
            entries = _entries(services, unit, found)
        for entry in entries:
            _add(closing, entry.posted, wanted.place)
            yield entry
        if len(found) < BATCH:
            return
        after = found[-1].id


def _add(closing: dict[BalanceKey, int], posted: Posted, only: BalanceKey | None) -> None:
    made = posted.posting
    for account, units in ((made.debit, made.units), (made.credit, -made.units)):
        key = (account, made.chain, made.token)
        if only in (None, key):
            closing[key] = closing.get(key, 0) + units


def _entries(services: Services, unit: Unit, found: Sequence[Posted]) -> list[Entry]:
    intents = unit.intents.of({one.posting.intent_id for one in found})
    return [_entry(services, one, intents.get(one.posting.intent_id)) for one in found]


def _entry(services: Services, posted: Posted, intent: Intent | None) -> Entry:
    made = posted.posting
    money = money_of(services, made.chain, made.token)
    return Entry(posted, money, _worth_then(posted, money, intent), _with_whom(posted, intent))


def _worth_then(posted: Posted, money: Money, intent: Intent | None) -> int | None:
    """At the price of the payment's own terms; a dollar is always one."""
    made = posted.posting
    if money.symbol == _DOLLAR:
        return micro_usd_down(made.units, money.decimals, 10**PICO_USD_DECIMALS)
    if intent is None:
        return None
    terms, costs = intent.terms, intent.costs
    if (made.chain, made.token) == (terms.source_chain, terms.token_in) and terms.total_units:
        return made.units * costs.total_micro_usd // terms.total_units
    if (made.chain, made.token) == (terms.destination_chain, terms.token_out) and terms.out_units:
        return made.units * costs.amount_micro_usd // terms.out_units
    return None


def _with_whom(posted: Posted, intent: Intent | None) -> str:
    """Who stands on the other side, as far as the payment tells."""
    made = posted.posting
    sides = {made.debit, made.credit}
    if Account.CAPITAL in sides:
        return "the operator"
    if Account.NETWORK_FEES in sides:
        return "the chain's validators"
    if intent is None:
        return ""
    if Account.RECIPIENT in sides:
        return intent.terms.recipient
    if Account.PAYER in sides:
        return intent.terms.refund_address if made.debit is Account.PAYER else intent.sender
    if Account.APP_FEES in sides:
        return intent.client_id
    if sides & {Account.BRIDGE_FEES, Account.ESCROW}:
        return intent.terms.bridge
    return ""


def money_of(services: Services, chain: str, token: str) -> Money:
    """How amounts of a token are written; one that the catalogue lacks counts its units."""
    if is_fiat(chain):
        corridor = services.fiat.corridors.get(token)
        return Money(token, corridor.currency.digits if corridor else 0)
    known = services.catalogue.by_address.get((chain, token))
    if known is not None:
        return Money(known.symbol, known.decimals)
    on = services.catalogue.chains.get(chain)
    if on is not None and token == services.catalogue.native_token(chain):
        return Money(on.native_symbol, on.native_decimals)
    return Money(f"units of {token}", 0)


def _prices(services: Services) -> Mapping[str, int]:
    dollar = {_DOLLAR: 10**PICO_USD_DECIMALS}
    try:
        prices = services.prices.usd(services.catalogue.symbols)
    except Unreachable:
        return dollar
    return {symbol: price.pico_usd for symbol, price in prices.items()} | dollar


def totals(lines: Iterable[Line]) -> dict[Account, int | None]:
    """What the accounts are worth in all, as far as there are prices, in micro-USD; None where
    there is none at all, as for local money."""
    sums: dict[Account, int | None] = {}
    for line in lines:
        before = sums.setdefault(line.key[0], None)
        if line.micro_usd is not None:
            sums[line.key[0]] = (before or 0) + line.micro_usd
    return sums
