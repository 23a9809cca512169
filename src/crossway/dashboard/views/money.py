"""The money of one payment: deposits, transfers, ledger, and quoted against actual."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.fiat import fiat_amount
from crossway.dashboard.views.figures import (
    about_usd,
    address_cell,
    amount,
    brief_amount,
    chain_name,
    duration,
    millis,
    time_cell,
    token_amount,
    tx_cell,
    usd,
)
from crossway.dashboard.views.story import reached
from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit, Purpose
from crossway.domain.errors import Unreachable
from crossway.domain.fiat import Fiat
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import FIAT, Account, Posting, is_fiat
from crossway.domain.ramps import provider_name
from crossway.domain.transfers import Transfer
from crossway.ports.services import Services
from crossway.usecases.payments import tracking
from crossway.usecases.payments.tracking import Story
from crossway.usecases.pricing.comparison import wait_seconds

_UNDER_WAY = (State.PENDING, State.FUNDED, State.INITIATED)
DEPOSIT_COLUMNS = (
    Column("Amount"),
    Column("What it is"),
    Column("Chain"),
    Column("From"),
    Column("Transaction"),
    Column("Seen"),
)
TRANSFER_COLUMNS = (
    Column("What"),
    Column("Status"),
    Column("Amount"),
    Column("To"),
    Column("Transaction"),
    Column("Updated"),
)
LEDGER_COLUMNS = (
    Column("When"),
    Column("From"),
    Column("To"),
    Column("Amount", "right"),
    Column("Where"),
    Column("Shown by"),
)
COMPARE_COLUMNS = (Column(""), Column("Quoted", "right"), Column("Actual", "right"))


def deposit_rows(catalogue: Catalogue, deposits: Sequence[Deposit]) -> tuple[Row, ...]:
    """What was seen at the deposit address, newest first."""
    return tuple(
        _deposit(catalogue, deposit)
        for deposit in sorted(deposits, key=lambda d: (d.incoming.at, d.id), reverse=True)
    )


def _deposit(catalogue: Catalogue, deposit: Deposit) -> Row:
    incoming = deposit.incoming
    chain = catalogue.chains.get(incoming.chain)
    chips: list[Chip] = [wording.DEPOSITS[deposit.state]]
    if deposit.purpose is not None:
        chips.append(wording.PURPOSES[deposit.purpose])
    return Row(
        key=str(deposit.id),
        cells=(
            Cell(token_amount(catalogue, incoming.chain, incoming.token, incoming.units)),
            Cell(chips=tuple(chips), sub=deposit.note),
            Cell(chain_name(catalogue, incoming.chain), sub=f"block {incoming.block_height:,}"),
            address_cell(chain, incoming.sender, "sender"),
            tx_cell(chain, incoming.tx_hash),
            time_cell(incoming.at),
        ),
    )


def transfer_rows(catalogue: Catalogue, story: Story) -> tuple[Row, ...]:
    """What this payment owes and has sent, in the order it came up."""
    ordered = sorted(story.transfers, key=lambda transfer: transfer.id)
    return tuple(_transfer(catalogue, transfer, story.intent) for transfer in ordered)


def _transfer(catalogue: Catalogue, transfer: Transfer, intent: Intent) -> Row:
    chain = catalogue.chains.get(transfer.chain)
    units = transfer.units
    what = (
        "all that lies there"
        if units is None
        else token_amount(catalogue, transfer.chain, transfer.token, units)
    )
    tries = f"{transfer.tries} tries so far" if transfer.tries > 1 else ""
    return Row(
        key=str(transfer.id),
        cells=(
            Cell(wording.duty(transfer, intent), sub=f"on {chain_name(catalogue, transfer.chain)}"),
            Cell(
                chips=(wording.TRANSFERS[transfer.state],),
                sub=". ".join(part for part in (transfer.reason.rstrip("."), tries) if part),
            ),
            Cell(what),
            address_cell(chain, transfer.to_address, "receiver"),
            tx_cell(chain, transfer.tx_id),
            time_cell(transfer.updated_at),
        ),
    )


def ledger_rows(
    catalogue: Catalogue, fiat: Fiat, postings: Sequence[tuple[datetime, Posting]]
) -> tuple[Row, ...]:
    """Every movement in the books, oldest first: from the credited to the debited account."""
    return tuple(
        Row(
            key=str(index),
            cells=(
                Cell(at=millis(at), as_="exact"),
                Cell(wording.ACCOUNTS[posting.credit]),
                Cell(wording.ACCOUNTS[posting.debit]),
                *_booked_at(catalogue, fiat, posting),
            ),
        )
        for index, (at, posting) in enumerate(postings)
    )


def _booked_at(catalogue: Catalogue, fiat: Fiat, posting: Posting) -> tuple[Cell, Cell, Cell]:
    """How much, where, and what shows it: a transaction, or an order's report of local money."""
    if not is_fiat(posting.chain):
        amount = token_amount(catalogue, posting.chain, posting.token, posting.units)
        where = chain_name(catalogue, posting.chain)
        return Cell(amount), Cell(where), _shown_by(catalogue, posting)
    corridor = fiat.corridors.get(posting.token)
    digits = corridor.currency.digits if corridor else 0
    _, number, what = posting.tx.split(":")
    return (
        Cell(fiat_amount(posting.units, digits, posting.token)),
        Cell(provider_name(posting.chain.removeprefix(FIAT))),
        Cell(f"Order {number}, {what}"),
    )


def _shown_by(catalogue: Catalogue, posting: Posting) -> Cell:
    """The transaction of a posting; a deposit's name carries its place in the transaction."""
    return tx_cell(catalogue.chains.get(posting.chain), posting.tx.split("#")[0].split(":")[0])


def compare_rows(catalogue: Catalogue, story: Story) -> tuple[Row, ...]:
    """What was quoted against what came of it."""
    intent, postings = story.intent, [posting for _, posting in story.postings]
    terms, costs = intent.terms, intent.costs
    booked = _booked(catalogue, postings)
    rows = [
        (
            "Deposit",
            amount(terms.total_units, intent.asset_decimals, intent.asset_symbol),
            amount(intent.received_units, intent.asset_decimals, intent.asset_symbol),
        ),
        (
            "Recipient gets",
            amount(terms.out_units, intent.out_decimals, intent.out_symbol),
            booked.get(Account.RECIPIENT, _missing(intent)),
        ),
        ("Service fee", usd(costs.service_micro_usd, 4), booked.get(Account.SERVICE_FEES, "–")),
        ("Bridge fee", usd(costs.bridge_micro_usd, 4), booked.get(Account.BRIDGE_FEES, "–")),
        ("App fee", usd(costs.app_micro_usd, 4), booked.get(Account.APP_FEES, "–")),
        ("Network costs of the relayer", "in the fees", booked.get(Account.NETWORK_FEES, "–")),
        *_times(catalogue, story),
        ("Went back", "–", _returned(catalogue, postings)),
    ]
    if not costs.app_micro_usd:
        rows = [row for row in rows if row[0] != "App fee"]
    return tuple(Row(name, (Cell(name), Cell(q), Cell(a))) for name, q, a in rows)


def _times(catalogue: Catalogue, story: Story) -> list[tuple[str, str, str]]:
    """How long the deposit was to wait, and how long it and the payout took."""
    intent, times = story.intent, reached(story.moves)
    chain = catalogue.chains[intent.terms.source_chain]
    quoted = wait_seconds(chain, intent.costs.total_micro_usd)
    paid = [d for d in story.deposits if d.purpose is Purpose.PAYMENT and d.credited_at]
    confirmed = filled = _missing(intent)
    if paid and State.FUNDED in times:
        last = max(paid, key=lambda d: d.incoming.at)
        waited = (times[State.FUNDED] - last.incoming.at).total_seconds()
        confirmed = duration(max(waited, 0))
    if State.FUNDED in times and State.COMPLETED in times:
        filled = duration((times[State.COMPLETED] - times[State.FUNDED]).total_seconds())
    return [
        ("Deposit to confirmed", f"about {duration(quoted)}", confirmed),
        ("Confirmed to payout", "–", filled),
    ]


def _missing(intent: Intent) -> str:
    """What stands for what has not happened: nothing more is to come once a payment has ended."""
    return "not yet" if intent.state in _UNDER_WAY else "–"


def way_out(services: Services, intent: Intent) -> str:
    """What it costs to send back what a payment holds, in words; empty where it holds nothing."""
    try:
        out = tracking.way_out(services, intent)
    except Unreachable:
        return "What the network asks for sending it back is unknown: the chain does not answer."
    if out is None:
        return ""
    chain = services.catalogue.chains[out.chain]
    fee = brief_amount(out.fee_units, chain.native_decimals, chain.native_symbol)
    worth = f" ({about_usd(out.fee_micro_usd)})" if out.fee_micro_usd is not None else ""
    held = amount(intent.held_units, intent.asset_decimals, intent.asset_symbol)
    if out.dust:
        return f"{held} stay where they are: sending them back costs more, {fee}{worth}."
    who = "The relayer pays it: the payer gets all back"
    return f"Sending back {held} costs {fee}{worth} in network fees now. {who}, {held}."


def _booked(catalogue: Catalogue, postings: Sequence[Posting]) -> dict[Account, str]:
    """What each account got in all, token by token."""
    totals: dict[Account, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    for posting in postings:
        totals[posting.debit][posting.chain, posting.token] += posting.units
        totals[posting.credit][posting.chain, posting.token] -= posting.units
    return {
        account: " + ".join(
            token_amount(catalogue, chain, token, abs(units)) + _on(catalogue, chain, of)
            for (chain, token), units in of.items()
            if units
        )
        for account, of in totals.items()
        if any(of.values())
    }


def _on(catalogue: Catalogue, chain: str, of: Mapping[tuple[str, str], int]) -> str:
    """On which chain, where coins of several are told side by side."""
    several = len({where for (where, _), units in of.items() if units}) > 1
    return f" on {chain_name(catalogue, chain)}" if several else ""


def _returned(catalogue: Catalogue, postings: Sequence[Posting]) -> str:
    """What went back to the payer, token by token; what a reorganisation took back is less."""
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for posting in postings:
        if (posting.debit, posting.credit) == (Account.PAYER, Account.HELD):
            totals[posting.chain, posting.token] += posting.units
    back = (token_amount(catalogue, *place, units) for place, units in totals.items() if units)
    return " + ".join(back) or "–"
