"""The books on screen: the trial balance, one account's postings, what a line is about."""

import io
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import cast

from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import (
    about_usd,
    address_cell,
    amount,
    chain_name,
    grouped,
    millis,
    tx_cell,
)
from crossway.dashboard.views.links import intent_href, link
from crossway.domain.clients import Caller
from crossway.domain.ledger import FIAT, OF_NO_INTENT, Account, BalanceKey, is_fiat
from crossway.domain.ramps import provider_name
from crossway.ports.services import Services
from crossway.ports.treasury_records import PostingFilter
from crossway.usecases.money import books, books_files
from crossway.usecases.money.books import Entry, Line, Money, Trial

PAGE_SIZE, TRIAL_SIZE = 50, 30
SUMMARY_COLUMNS = (
    Column("Account"),
    Column("Debit balance", "right", "At today's prices, as far as there are any"),
    Column("Credit balance", "right", "At today's prices, as far as there are any"),
)
TRIAL_COLUMNS = (
    Column("Account"),
    Column("Where"),
    Column("Debit balance", "right"),
    Column("Credit balance", "right"),
)
POSTING_COLUMNS = (
    Column("When"),
    Column("From"),
    Column("To"),
    Column("Amount", "right"),
    Column("Payment"),
    Column("Shown by"),
    Column("With whom"),
)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a list: `older_than` is where the next one starts, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


def key_of(account: str | None, chain: str | None, token: str | None) -> BalanceKey | None:
    """The account that a link names; None where it names none."""
    if account in tuple(Account) and chain and token:
        return Account(str(account)), chain, token
    return None


def href(key: BalanceKey) -> str:
    """The link that opens an account's postings."""
    return link("books", account=key[0].value, chain=key[1], token=key[2])


def place_name(services: Services, place: str) -> str:
    """A chain, or the provider that keeps local money."""
    if is_fiat(place):
        return provider_name(place.removeprefix(FIAT))
    return chain_name(services.catalogue, place)


def amount_of(money: Money, units: int) -> str:
    """Every digit of an amount, with at least the two places of money."""
    if money.decimals < 2:
        return f"{grouped(money.formatted(units))} {money.symbol}"
    return amount(units, money.decimals, money.symbol)


def verdict(services: Services, trial: Trial) -> tuple[bool, str]:
    """Whether debits are credits everywhere, and that as a sentence."""
    places = {line.key[1:] for line in trial.lines}
    if not trial.out:
        chains = len({chain for chain, _ in places})
        return True, (
            f"The books balance: debits equal credits for each of {len(places):,} tokens in "
            f"{chains:,} places."
        )
    out = "; ".join(
        f"{amount_of(books.money_of(services, *place), units)} on {place_name(services, place[0])}"
        for place, units in list(trial.out.items())[:5]
    )
    return False, f"The books do not balance. Out by {out}."


def summary(trial: Trial) -> tuple[Row, ...]:
    """Every account with what it is worth in all."""
    worth = books.totals(trial.lines)
    return tuple(
        Row(
            account.value,
            (Cell(wording.ACCOUNTS[account]), *_usd_sides(worth[account])),
            href=link("books", only=account.value),
            label=f"The lines of {wording.ACCOUNTS[account]}",
        )
        for account in Account
        if account in worth
    )


def _usd_sides(micro_usd: int | None) -> tuple[Cell, Cell]:
    if micro_usd is None:
        return Cell("–", hint="There is no price of what lies there"), Cell("")
    shown = Cell(about_usd(abs(micro_usd)))
    return (shown, Cell("")) if micro_usd >= 0 else (Cell(""), shown)


def lines(
    services: Services, trial: Trial, only: str | None, chain: str | None, start: int
) -> Listing:
    """Accounts by chain and token, from the line of this number on; a line opens its postings."""
    met = [
        line
        for line in trial.lines
        if (not only or line.key[0] == only) and (not chain or line.key[1] == chain)
    ]
    end = start + TRIAL_SIZE
    shown = tuple(_line(services, line) for line in met[start:end])
    return Listing(shown, end if end < len(met) else None)


def _line(services: Services, line: Line) -> Row:
    name, where = wording.ACCOUNTS[line.key[0]], place_name(services, line.key[1])
    shown_amount = amount_of(line.money, abs(line.units))
    worth = "" if line.micro_usd is None else about_usd(abs(line.micro_usd))
    shown = Cell(shown_amount, sub=worth)
    sides = (shown, Cell("")) if line.units >= 0 else (Cell(""), shown)
    return Row(
        ":".join(line.key),
        (Cell(name), Cell(where), *sides),
        href=href(line.key),
        label=f"Postings of {name}, {line.money.symbol} on {where}",
    )


def title(services: Services, key: BalanceKey) -> str:
    """An account in words: `Relayer's own funds: USDC on Base`."""
    symbol = books.money_of(services, key[1], key[2]).symbol
    return f"{wording.ACCOUNTS[key[0]]}: {symbol} on {place_name(services, key[1])}"


def balance(services: Services, key: BalanceKey, units: int) -> str:
    """What an account stands at, with its side."""
    money = books.money_of(services, key[1], key[2])
    side = "debit" if units >= 0 else "credit"
    text = amount_of(money, abs(units))
    return f"{text} ({side})" if units else text


def listing(services: Services, caller: Caller, wanted: PostingFilter) -> Listing:
    """One page of postings, newest first."""
    found = books.page(services, caller, wanted, PAGE_SIZE + 1)
    shown = found[:PAGE_SIZE]
    older = shown[-1].posted.id if len(found) > PAGE_SIZE else None
    return Listing(tuple(_posting(services, entry, wanted.place) for entry in shown), older)


def _posting(services: Services, entry: Entry, of: BalanceKey | None) -> Row:
    made, number = entry.posted.posting, entry.posted.posting.intent_id
    chain = services.catalogue.chains.get(made.chain)
    moved = amount_of(entry.money, made.units)
    side: tuple[Chip, ...] = ()
    if of is not None:
        debit = made.debit is of[0]
        side = (Chip("Debit" if debit else "Credit", "blue" if debit else "violet"),)
    worth = "" if entry.micro_usd is None else about_usd(entry.micro_usd)
    where = place_name(services, made.chain)
    known = number != OF_NO_INTENT
    whom = entry.counterpart
    return Row(
        str(entry.posted.id),
        (
            Cell(at=millis(entry.posted.at), as_="exact"),
            Cell(wording.ACCOUNTS[made.credit]),
            Cell(wording.ACCOUNTS[made.debit]),
            Cell(moved, sub=" · ".join(filter(None, (worth, "" if of else where))), chips=side),
            Cell(f"#{number}" if known else "–"),
            _shown_by(services, entry),
            address_cell(chain, whom) if len(whom) > 24 else Cell(whom or "–"),
        ),
        href=intent_href(number) if known else "",
        label=f"Payment {number}" if known else "",
    )


_BY_HAND: Mapping[str, str] = {
    "stock:opening": "Opening stock",
    "stock:put-in": "Stock put in",
    "stock:taken-out": "Stock taken out",
    "dust": "Dust kept",
}


def _shown_by(services: Services, entry: Entry) -> Cell:
    made = entry.posted.posting
    if made.tx in _BY_HAND:
        return Cell(_BY_HAND[made.tx])
    if is_fiat(made.chain):
        _, number, what = made.tx.split(":")
        return Cell(f"Order {number}, {what}")
    if made.tx.startswith("found:"):
        return Cell("Found on the chain")
    return tx_cell(services.catalogue.chains.get(made.chain), made.tx.split(":")[0])


def file_of(
    services: Services,
    caller: Caller,
    form: str,
    days: tuple[date | None, date | None],
    key: BalanceKey | None,
) -> io.RawIOBase:
    """An export written to a file piece by piece, so that it may be larger than memory."""
    # Unbuffered, as Streamlit takes files; it is gone once Streamlit has read it.
    file = cast(io.RawIOBase, tempfile.TemporaryFile(buffering=0))  # noqa: SIM115
    written = io.BufferedWriter(file)
    for piece in books_files.pieces(services, caller, form, *days, key=key):
        written.write(piece.encode())
    written.flush()
    file = written.detach()
    file.seek(0)
    return file


def file_name(form: str, days: tuple[date | None, date | None]) -> str:
    """What an export is called: `books-2026-11-01-to-2026-11-30.csv`."""
    parts = ["books", *_between(days)]
    return f"{'-'.join(parts)}.{form}"


def _between(days: tuple[date | None, date | None]) -> Iterator[str]:
    first, last = days
    if first:
        yield first.isoformat()
    if last:
        yield f"to-{last.isoformat()}"


def accounts_of(trial: Trial) -> list[str]:
    """The accounts that something was posted to, in the order of the books."""
    used = {line.key[0] for line in trial.lines}
    return [account.value for account in Account if account in used]


def places_of(trial: Trial) -> list[str]:
    """The places where something was posted."""
    return sorted({line.key[1] for line in trial.lines})
