"""The books on screen: trial balance, postings of an account, and exports."""

import io
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import cast

from crossway.dashboard.views import status_labels
from crossway.dashboard.views.book_cells import (
    format_money,
    location_cell,
    location_name,
    money_cell,
)
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import (
    address_cell,
    bridge_cell,
    capitalize_first,
    format_approx_usd,
    to_millis,
    tx_cell,
)
from crossway.dashboard.views.links import owner_href, owner_label, page_href
from crossway.domain.clients import Principal
from crossway.domain.ledger import NO_INTENT, Account, BalanceKey, is_fiat
from crossway.domain.owners import owner_title
from crossway.domain.quotes import BridgeName
from crossway.ports.services import Services
from crossway.ports.treasury_repository import PostingFilter
from crossway.usecases.money import books, books_export
from crossway.usecases.money.books import AccountBalance, PostingDetail, TrialBalance

PAGE_SIZE, TRIAL_PAGE_SIZE = 50, 30
SUMMARY_COLUMNS = (
    Column("Account"),
    Column("Debit balance", "right", "At today's prices, where known"),
    Column("Credit balance", "right", "At today's prices, where known"),
)
TRIAL_COLUMNS = (
    Column("Account"),
    Column("Location"),
    Column("Debit balance", "right"),
    Column("Credit balance", "right"),
)
POSTING_COLUMNS = (
    Column("Time"),
    Column("From"),
    Column("To"),
    Column("Amount", "right"),
    Column("For", hint="The payment or the rebalancing transfer"),
    Column("Transaction"),
    Column("Counterparty"),
)


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of a list; `older_than` is the cursor of the next page, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


def parse_balance_key(
    account: str | None, chain: str | None, token: str | None
) -> BalanceKey | None:
    """The account of a link's query parameters; None without one."""
    if account in tuple(Account) and chain and token:
        return Account(str(account)), chain, token
    return None


def balance_href(key: BalanceKey) -> str:
    """The link to an account's postings."""
    return page_href("books", account=key[0].value, chain=key[1], token=key[2])


def describe_balance_check(services: Services, trial: TrialBalance) -> tuple[bool, str]:
    """Whether debits equal credits for every token, and the result as a sentence."""
    positions = {balance.key[1:] for balance in trial.balances}
    if not trial.imbalances:
        chains = len({chain for chain, _ in positions})
        return True, (
            f"The books balance: debits equal credits for each of {len(positions):,} tokens in "
            f"{chains:,} locations."
        )
    out = "; ".join(
        f"{format_money(books.get_denomination(services, *position), units)} on "
        f"{location_name(services, position[0])}"
        for position, units in list(trial.imbalances.items())[:5]
    )
    return False, f"The books do not balance. Out by {out}."


def build_summary_rows(trial: TrialBalance) -> tuple[Row, ...]:
    """Rows of all accounts with their total value."""
    totals = books.total_by_account(trial.balances)
    return tuple(
        Row(
            account.value,
            (Cell(status_labels.ACCOUNT_NAMES[account]), *_usd_sides(totals[account])),
            href=page_href("books", only=account.value),
            label=f"Balances of {status_labels.ACCOUNT_NAMES[account]}",
        )
        for account in Account
        if account in totals
    )


def _usd_sides(micro_usd: int | None) -> tuple[Cell, Cell]:
    if micro_usd is None:
        return Cell("–", hint="No price available"), Cell("")
    cell = Cell(format_approx_usd(abs(micro_usd)))
    return (cell, Cell("")) if micro_usd >= 0 else (Cell(""), cell)


def build_trial_rows(
    services: Services, trial: TrialBalance, only: str | None, chain: str | None, start: int
) -> ListPage:
    """One page of balances by chain and token, from index `start`; a row opens its postings."""
    matching = [
        balance
        for balance in trial.balances
        if (not only or balance.key[0] == only) and (not chain or balance.key[1] == chain)
    ]
    end = start + TRIAL_PAGE_SIZE
    rows = tuple(_trial_row(services, balance) for balance in matching[start:end])
    return ListPage(rows, end if end < len(matching) else None)


def _trial_row(services: Services, balance: AccountBalance) -> Row:
    name, location = (
        status_labels.ACCOUNT_NAMES[balance.key[0]],
        location_cell(services, balance.key[1]),
    )
    usd_value = "" if balance.micro_usd is None else format_approx_usd(abs(balance.micro_usd))
    cell = money_cell(services, balance.key[1:], abs(balance.amount), usd_value)
    sides = (cell, Cell("")) if balance.amount >= 0 else (Cell(""), cell)
    return Row(
        ":".join(balance.key),
        (Cell(name), location, *sides),
        href=balance_href(balance.key),
        label=f"Postings of {name}, {balance.denomination.symbol} on {location.text}",
    )


def describe_balance_key(services: Services, key: BalanceKey) -> str:
    """An account's name: `Relayer's own funds: USDC on Base`."""
    symbol = books.get_denomination(services, key[1], key[2]).symbol
    return f"{status_labels.ACCOUNT_NAMES[key[0]]}: {symbol} on {location_name(services, key[1])}"


def format_balance(services: Services, key: BalanceKey, units: int) -> str:
    """An account's balance with its side."""
    money = books.get_denomination(services, key[1], key[2])
    side = "debit" if units >= 0 else "credit"
    text = format_money(money, abs(units))
    return f"{text} ({side})" if units else text


def load_postings(services: Services, caller: Principal, posting_filter: PostingFilter) -> ListPage:
    """One page of postings, newest first."""
    entries = books.list_postings(services, caller, posting_filter, PAGE_SIZE + 1)
    page_entries = entries[:PAGE_SIZE]
    older = page_entries[-1].posted.id if len(entries) > PAGE_SIZE else None
    return ListPage(
        tuple(_posting_row(services, entry, posting_filter.balance_key) for entry in page_entries),
        older,
    )


def _posting_row(services: Services, entry: PostingDetail, balance_key: BalanceKey | None) -> Row:
    posting, intent_id = entry.posted.posting, entry.posted.posting.intent_id
    chain = services.catalogue.chains.get(posting.chain)
    side: tuple[Badge, ...] = ()
    if balance_key is not None:
        debit = posting.debit is balance_key[0]
        side = (Badge("Debit" if debit else "Credit", "blue" if debit else "violet"),)
    usd_value = "" if entry.micro_usd is None else format_approx_usd(entry.micro_usd)
    location = location_name(services, posting.chain)
    has_intent = intent_id != NO_INTENT
    counterparty = entry.counterparty
    is_bridge = counterparty in set(BridgeName)
    return Row(
        str(entry.posted.id),
        (
            Cell(at=to_millis(entry.posted.at), as_="exact"),
            Cell(status_labels.ACCOUNT_NAMES[posting.credit]),
            Cell(status_labels.ACCOUNT_NAMES[posting.debit]),
            money_cell(
                services,
                (posting.chain, posting.token),
                posting.amount,
                " · ".join(filter(None, (usd_value, "" if balance_key else location))),
                side,
            ),
            Cell(owner_label(intent_id) if has_intent else "–"),
            _transaction_cell(services, entry),
            address_cell(chain, counterparty)
            if len(counterparty) > 24
            else bridge_cell(counterparty)
            if is_bridge
            else Cell(capitalize_first(counterparty) or "–"),
        ),
        href=owner_href(intent_id) if has_intent else "",
        label=capitalize_first(owner_title(intent_id)) if has_intent else "",
    )


_MANUAL_POSTINGS: Mapping[str, str] = {
    "inventory:opening": "Opening inventory",
    "inventory:added": "Inventory added",
    "inventory:withdrawn": "Inventory withdrawn",
    "dust": "Not worth returning",
    "claimed": "Returned by somebody else",
}


def _transaction_cell(services: Services, entry: PostingDetail) -> Cell:
    posting = entry.posted.posting
    if posting.tx in _MANUAL_POSTINGS:
        return Cell(_MANUAL_POSTINGS[posting.tx])
    if is_fiat(posting.chain):
        _, order_id, step = posting.tx.split(":")
        return Cell(f"Order {order_id}, {step}")
    if posting.tx.startswith("found:"):
        return Cell("Found on chain")
    return tx_cell(services.catalogue.chains.get(posting.chain), posting.tx.split(":")[0])


def write_export(
    services: Services,
    caller: Principal,
    form: str,
    days: tuple[date | None, date | None],
    key: BalanceKey | None,
) -> io.RawIOBase:
    """An export as a temporary file, written in pieces so that it may exceed memory."""
    # Streamlit needs an unbuffered file; it is deleted once Streamlit has read it.
    file = cast(io.RawIOBase, tempfile.TemporaryFile(buffering=0))  # noqa: SIM115
    written = io.BufferedWriter(file)
    for piece in books_export.export_file(services, caller, form, *days, key=key):
        written.write(piece.encode())
    written.flush()
    file = written.detach()
    file.seek(0)
    return file


def export_file_name(form: str, days: tuple[date | None, date | None]) -> str:
    """The name of an export: `books-2026-11-01-to-2026-11-30.csv`."""
    parts = ["books", *_date_parts(days)]
    return f"{'-'.join(parts)}.{form}"


def _date_parts(days: tuple[date | None, date | None]) -> Iterator[str]:
    first, last = days
    if first:
        yield first.isoformat()
    if last:
        yield f"to-{last.isoformat()}"


def list_accounts(trial: TrialBalance) -> list[str]:
    """The accounts with postings, in the order of the chart of accounts."""
    used = {balance.key[0] for balance in trial.balances}
    return [account.value for account in Account if account in used]


def list_locations(trial: TrialBalance) -> list[str]:
    """The locations with postings."""
    return sorted({balance.key[1] for balance in trial.balances})
