"""What a payment was quoted, compared with what happened."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.formatting import (
    chain_name,
    format_amount,
    format_duration,
    format_token_amount,
    format_usd,
)
from crossway.dashboard.views.payment_steps import state_entry_times
from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit, DepositPurpose, DepositState
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account, Posting
from crossway.usecases.payments.timeline import IntentTimeline

_OPEN_STATES = (State.PENDING, State.FUNDED, State.INITIATED)
_UNQUOTED: Final[Mapping[DepositPurpose, str]] = MappingProxyType(
    {
        DepositPurpose.LATE: "Deposited after the expiry",
        DepositPurpose.OVERPAYMENT: "Deposited again",
    }
)
_MOVING = "Taken for moving inventory"
COMPARISON_COLUMNS = (Column(""), Column("Quoted", "right"), Column("Actual", "right"))


def build_comparison_rows(catalogue: Catalogue, timeline: IntentTimeline) -> tuple[Row, ...]:
    """Rows that compare quoted with actual values."""
    intent, postings = timeline.intent, [posting for _, posting in timeline.postings]
    terms = intent.terms
    booked = _net_amounts(catalogue, postings)
    rows = [
        (
            "Deposit",
            format_amount(terms.deposit_amount, intent.asset_decimals, intent.asset_symbol),
            _format_deposited(timeline),
        ),
        *_unquoted_deposit_rows(timeline),
        (
            "Recipient gets",
            format_amount(terms.payout_amount, intent.out_decimals, intent.out_symbol),
            booked.get(Account.RECIPIENT, _placeholder(intent)),
        ),
        *_fee_rows(intent, booked),
        ("Swap", *_swap_figures(catalogue, intent, postings)),
        *_duration_rows(catalogue, timeline),
        ("Refunded", "–", _format_refunded(catalogue, postings)),
    ]
    absent = {
        "Swap": intent.swap is None,
        "App fee": not intent.costs.app_micro_usd,
        _MOVING: not _moved_inventory(intent, booked),
        "Bridge fee not taken": Account.BRIDGE_SURPLUS not in booked,
    }
    rows = [row for row in rows if not absent.get(row[0])]
    return tuple(Row(name, (Cell(name), Cell(q), Cell(a))) for name, q, a in rows)


def _format_deposited(timeline: IntentTimeline) -> str:
    """What arrived in time. Where nothing did and the payment has ended, a dash: what came later
    has a row of its own."""
    intent = timeline.intent
    if not intent.received_amount:
        return _placeholder(intent)
    return format_amount(intent.received_amount, intent.asset_decimals, intent.asset_symbol)


def _unquoted_deposit_rows(timeline: IntentTimeline) -> list[tuple[str, str, str]]:
    """What arrived after the payment had expired, or again after it was paid: nothing of it was
    quoted, and all of it goes back."""
    rows = []
    for purpose, label in _UNQUOTED.items():
        amounts = [one.incoming.amount for one in _deposits(timeline, purpose)]
        if amounts:
            intent = timeline.intent
            text = format_amount(sum(amounts), intent.asset_decimals, intent.asset_symbol)
            rows.append((label, "–", text))
    return rows


def _deposits(timeline: IntentTimeline, purpose: DepositPurpose) -> list[Deposit]:
    """The deposits of a purpose, without those that a reorganization undid."""
    return [
        deposit
        for deposit in timeline.deposits
        if deposit.purpose is purpose and deposit.state is not DepositState.ORPHANED
    ]


def _fee_rows(intent: Intent, booked: Mapping[Account, str]) -> list[tuple[str, str, str]]:
    """The fees as they were quoted and as they were booked; what the swap costs is in none."""
    costs, swap_cost = intent.costs, intent.swap.cost_micro_usd if intent.swap else 0
    service = booked.get(Account.SERVICE_FEES, "–")
    moved = _moved_inventory(intent, booked)
    # Earlier versions booked what was charged for a payment out of inventory as the bridge's fee.
    taken = None if moved else booked.get(Account.BRIDGE_FEES)
    taken = taken or booked.get(Account.SPREAD, "–")
    return [
        ("Service fee", format_usd(costs.service_micro_usd, 4), service),
        (
            "Bridge fee" if intent.custody is Custody.BRIDGE else "Spread",
            format_usd(costs.bridge_micro_usd - swap_cost, 4),
            taken,
        ),
        (_MOVING, "–", booked.get(Account.BRIDGE_FEES, "–")),
        ("Bridge fee not taken", "–", booked.get(Account.BRIDGE_SURPLUS, "–")),
        ("App fee", format_usd(costs.app_micro_usd, 4), booked.get(Account.APP_FEES, "–")),
        ("Relayer's network fees", "included in the fees", booked.get(Account.NETWORK_FEES, "–")),
    ]


def _moved_inventory(intent: Intent, booked: Mapping[Account, str]) -> bool:
    """Whether a bridge has moved inventory for the payment."""
    return intent.custody is Custody.OPERATOR and Account.CROSSED in booked


def _swap_figures(
    catalogue: Catalogue, intent: Intent, postings: Sequence[Posting]
) -> tuple[str, str]:
    """What the swap was expected to cost of the deposit, and what it did."""
    if intent.swap is None:
        return "", ""
    spent = sum(
        p.amount * ((p.debit is Account.EXCHANGED) - (p.credit is Account.EXCHANGED))
        for p in postings
        if p.token == intent.terms.token_in
    )
    quoted = format_amount(intent.swap.expected_input, intent.asset_decimals, intent.asset_symbol)
    bought = format_amount(intent.swap.output, intent.swap.decimals, intent.swap.symbol)
    if not spent:
        return f"{quoted} for {bought}", _placeholder(intent)
    chain, token = intent.terms.source_chain, intent.terms.token_in
    return f"{quoted} for {bought}", format_token_amount(catalogue, chain, token, spent)


def _duration_rows(catalogue: Catalogue, timeline: IntentTimeline) -> list[tuple[str, str, str]]:
    """Quoted and actual durations of the confirmation and of the payout."""
    intent, times = timeline.intent, state_entry_times(timeline.transitions)
    chain = catalogue.chains[intent.terms.source_chain]
    quoted = chain.confirmation_seconds(intent.costs.total_micro_usd)
    paid = [d for d in _deposits(timeline, DepositPurpose.PAYMENT) if d.credited_at]
    confirmed = filled = _placeholder(intent)
    if paid and State.FUNDED in times:
        last = max(paid, key=lambda d: d.incoming.at)
        waited = (times[State.FUNDED] - last.incoming.at).total_seconds()
        confirmed = format_duration(max(waited, 0))
    elif late := _deposits(timeline, DepositPurpose.LATE):
        # It was confirmed like any other, before it went back.
        waits = [(d.credited_at - d.incoming.at).total_seconds() for d in late if d.credited_at]
        confirmed = format_duration(max(0.0, *waits)) if waits else confirmed
    if State.FUNDED in times and State.COMPLETED in times:
        filled = format_duration((times[State.COMPLETED] - times[State.FUNDED]).total_seconds())
    return [
        ("Confirmation time", f"about {format_duration(quoted)}", confirmed),
        ("Payout time", "–", filled),
    ]


def _placeholder(intent: Intent) -> str:
    """The placeholder of a missing value: `not yet` while the payment is open, else a dash."""
    return "not yet" if intent.state in _OPEN_STATES else "–"


def _net_amounts(catalogue: Catalogue, postings: Sequence[Posting]) -> dict[Account, str]:
    """The net amount of each account as text, per token."""
    totals: dict[Account, dict[tuple[str, str], int]] = defaultdict(lambda: defaultdict(int))
    for posting in postings:
        totals[posting.debit][posting.chain, posting.token] += posting.amount
        totals[posting.credit][posting.chain, posting.token] -= posting.amount
    return {
        account: " + ".join(
            format_token_amount(catalogue, chain, token, abs(units))
            + _chain_suffix(catalogue, chain, balances)
            for (chain, token), units in balances.items()
            if units
        )
        for account, balances in totals.items()
        if any(balances.values())
    }


def _chain_suffix(catalogue: Catalogue, chain: str, balances: Mapping[tuple[str, str], int]) -> str:
    """The chain as a suffix when amounts of several chains are listed together."""
    several = len({where for (where, _), units in balances.items() if units}) > 1
    return f" on {chain_name(catalogue, chain)}" if several else ""


def _format_refunded(catalogue: Catalogue, postings: Sequence[Posting]) -> str:
    """The amounts returned to the payer per token, less what a reorganization reversed."""
    totals: dict[tuple[str, str], int] = defaultdict(int)
    for posting in postings:
        if "#" in posting.tx:
            # A deposit, or its reversal.
            continue
        if posting.debit is Account.PAYER:
            totals[posting.chain, posting.token] += posting.amount
        elif posting.credit is Account.PAYER:
            totals[posting.chain, posting.token] -= posting.amount
    amounts = (
        format_token_amount(catalogue, *asset, units) for asset, units in totals.items() if units
    )
    return " + ".join(amounts) or "–"
