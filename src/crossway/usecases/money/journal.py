"""The journal for accountants: two balanced lines for each posting, with the rate of its hour."""

from collections.abc import Iterator
from datetime import date
from typing import Final

from crossway.domain.clients import Principal
from crossway.domain.ledger import NO_INTENT, is_fiat
from crossway.domain.money import MICRO_USD_DECIMALS, PICO_USD_DECIMALS
from crossway.domain.owners import owner_subject
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.treasury_repository import PostingFilter, StoredPosting
from crossway.usecases.money.books import BATCH_SIZE, Denomination, day_range, get_denomination
from crossway.usecases.money.profit_counting import hour_number
from crossway.usecases.money.sheets import Sheet, Value, exact

COLUMNS: Final = (
    "entry", "date", "time", "account", "debit", "credit", "currency", "chain", "token", "rate_usd",
    "debit_usd", "credit_usd", "reference", "payment",
)  # fmt: skip
_PICO_IN_MICRO: Final = 1_000_000


def make_journal(services: Services, caller: Principal, first: date, last: date) -> Sheet:
    """The postings of a range of UTC days, both included, oldest first, read in batches.

    Each is one entry of two lines with the same amount: the account that is debited, then the one
    that is credited. `rate_usd` is the price of a whole token in the hour of the posting, and
    empty where it is unknown, as are the values in USD then. Raises `InvalidInput` for a reversed
    range.
    """
    caller.require_permission(Permission.VIEW)
    first_day, last_day = day_range(first, last)
    return Sheet("Journal", COLUMNS, _rows(services, first_day, last_day))


def _rows(
    services: Services, first_day: int | None, last_day: int | None
) -> Iterator[tuple[Value, ...]]:
    after_id = 0
    while True:
        with services.store.read() as unit:
            batch = PostingFilter(None, first_day, last_day, after_id=after_id)
            stored = unit.ledger.list_page(batch, BATCH_SIZE)
            prices = unit.profit.get_prices({hour_number(p.at) for p in stored})
        for one in stored:
            denomination = get_denomination(services, one.posting.chain, one.posting.token)
            price = prices.get((hour_number(one.at), denomination.symbol))
            rate = None if price is None or is_fiat(one.posting.chain) else price
            yield from _entry(one, denomination, rate)
        if len(stored) < BATCH_SIZE:
            return
        after_id = stored[-1].id


def _entry(
    one: StoredPosting, denomination: Denomination, pico_usd: int | None
) -> Iterator[tuple[Value, ...]]:
    posting, at = one.posting, one.at
    amount = exact(posting.amount, denomination.decimals)
    rate = usd = None
    if pico_usd is not None:
        rate = exact(pico_usd, PICO_USD_DECIMALS)
        scale = 10**denomination.decimals * _PICO_IN_MICRO
        usd = exact(posting.amount * pico_usd // scale, MICRO_USD_DECIMALS)
    owner = owner_subject(posting.intent_id) if posting.intent_id != NO_INTENT else None
    about = (denomination.symbol, posting.chain, posting.token, rate)
    when = (one.id, f"{at:%Y-%m-%d}", f"{at:%H:%M:%S}")
    yield (*when, posting.debit.value, amount, None, *about, usd, None, posting.tx, owner)
    yield (*when, posting.credit.value, None, amount, *about, None, usd, posting.tx, owner)
