"""The money of a payment: deposits, outbound transactions, ledger, the cost of a refund."""

from collections.abc import Sequence
from datetime import datetime

from crossway.dashboard.views import status_labels
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.fiat import format_fiat
from crossway.dashboard.views.formatting import (
    address_cell,
    capitalize_first,
    chain_cell,
    chain_name,
    format_amount,
    format_approx_usd,
    format_short_amount,
    format_token_amount,
    time_cell,
    to_millis,
    token_amount_cell,
    tx_cell,
)
from crossway.dashboard.views.marks import mark_chains, mark_provider
from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit
from crossway.domain.errors import Unreachable
from crossway.domain.fiat import Fiat
from crossway.domain.intent import Intent
from crossway.domain.ledger import FIAT, Posting, is_fiat
from crossway.domain.outbound import OutboundTx
from crossway.domain.ramps import provider_name
from crossway.ports.services import Services
from crossway.usecases.payments import timeline
from crossway.usecases.payments.timeline import IntentTimeline

DEPOSIT_COLUMNS = (
    Column("Amount"),
    Column("Type"),
    Column("Chain"),
    Column("From"),
    Column("Transaction"),
    Column("Detected"),
)
OUTBOUND_TX_COLUMNS = (
    Column("Purpose"),
    Column("Status"),
    Column("Amount"),
    Column("To"),
    Column("Transaction"),
    Column("Updated"),
)
LEDGER_COLUMNS = (
    Column("Time"),
    Column("From"),
    Column("To"),
    Column("Amount", "right"),
    Column("Location"),
    Column("Transaction"),
)


def build_deposit_rows(catalogue: Catalogue, deposits: Sequence[Deposit]) -> tuple[Row, ...]:
    """Rows of the deposits detected at the deposit address, newest first."""
    return tuple(
        _deposit_row(catalogue, deposit)
        for deposit in sorted(deposits, key=lambda d: (d.incoming.at, d.id), reverse=True)
    )


def _deposit_row(catalogue: Catalogue, deposit: Deposit) -> Row:
    incoming = deposit.incoming
    chain = catalogue.chains.get(incoming.chain)
    badges: list[Badge] = [status_labels.DEPOSIT_STATES[deposit.state]]
    if deposit.purpose is not None:
        badges.append(status_labels.DEPOSIT_PURPOSES[deposit.purpose])
    return Row(
        key=str(deposit.id),
        cells=(
            token_amount_cell(catalogue, incoming.chain, incoming.token, incoming.amount),
            Cell(badges=tuple(badges), sub=deposit.note),
            chain_cell(catalogue, incoming.chain, sub=f"block {incoming.block_height:,}"),
            address_cell(chain, incoming.sender, "sender"),
            tx_cell(chain, incoming.tx_hash),
            time_cell(incoming.at),
        ),
    )


def build_outbound_tx_rows(catalogue: Catalogue, timeline: IntentTimeline) -> tuple[Row, ...]:
    """Rows of the payment's outbound transactions, oldest first."""
    ordered = sorted(timeline.outbound_txs, key=lambda outbound_tx: outbound_tx.id)
    return tuple(
        outbound_tx_row(catalogue, tx, status_labels.describe_outbound_tx(tx, timeline.intent))
        for tx in ordered
    )


def outbound_tx_row(catalogue: Catalogue, outbound_tx: OutboundTx, purpose: str) -> Row:
    """The row of one outbound transaction and its purpose."""
    chain = catalogue.chains.get(outbound_tx.chain)
    units = outbound_tx.amount
    amount = (
        "entire balance"
        if units is None
        else format_token_amount(catalogue, outbound_tx.chain, outbound_tx.token, units)
    )
    attempts = f"{outbound_tx.attempt_count} attempts" if outbound_tx.attempt_count > 1 else ""
    return Row(
        key=str(outbound_tx.id),
        cells=(
            Cell(
                purpose,
                sub=f"on {chain_name(catalogue, outbound_tx.chain)}",
                marks=mark_chains(outbound_tx.chain),
            ),
            Cell(
                badges=(status_labels.OUTBOUND_TX_STATES[outbound_tx.state],),
                sub=". ".join(
                    part
                    for part in (capitalize_first(outbound_tx.reason).rstrip("."), attempts)
                    if part
                ),
            ),
            Cell(amount),
            address_cell(chain, outbound_tx.to_address, "receiver"),
            tx_cell(chain, outbound_tx.tx_id),
            time_cell(outbound_tx.updated_at),
        ),
    )


def build_ledger_rows(
    catalogue: Catalogue, fiat: Fiat, postings: Sequence[tuple[datetime, Posting]]
) -> tuple[Row, ...]:
    """Rows of the ledger postings, oldest first, from the credited to the debited account."""
    return tuple(
        Row(
            key=str(index),
            cells=(
                Cell(at=to_millis(at), as_="exact"),
                Cell(status_labels.ACCOUNT_NAMES[posting.credit]),
                Cell(status_labels.ACCOUNT_NAMES[posting.debit]),
                *_location_cells(catalogue, fiat, posting),
            ),
        )
        for index, (at, posting) in enumerate(postings)
    )


def _location_cells(catalogue: Catalogue, fiat: Fiat, posting: Posting) -> tuple[Cell, Cell, Cell]:
    """Amount, location and proof: a transaction, or a ramp order's report for fiat money."""
    if not is_fiat(posting.chain):
        amount = token_amount_cell(catalogue, posting.chain, posting.token, posting.amount)
        location = chain_cell(catalogue, posting.chain)
        return amount, location, _transaction_cell(catalogue, posting)
    corridor = fiat.corridors.get(posting.token)
    digits = corridor.currency.digits if corridor else 0
    _, number, step = posting.tx.split(":")
    provider = posting.chain.removeprefix(FIAT)
    return (
        Cell(format_fiat(posting.amount, digits, posting.token)),
        Cell(provider_name(provider), marks=mark_provider(provider)),
        Cell(f"Order {number}, {step}"),
    )


def _transaction_cell(catalogue: Catalogue, posting: Posting) -> Cell:
    """The transaction of a posting; a deposit's reference has the position within it as suffix."""
    return tx_cell(catalogue.chains.get(posting.chain), posting.tx.split("#")[0].split(":")[0])


def describe_refund_cost(services: Services, intent: Intent) -> str:
    """The cost of refunding the payment's balance as a sentence; empty without a balance."""
    try:
        refund_cost = timeline.estimate_refund(services, intent)
    except Unreachable:
        return "The network fee of a refund is unknown: the chain is not responding."
    if refund_cost is None:
        return ""
    chain = services.catalogue.chains[refund_cost.chain]
    fee = format_short_amount(refund_cost.fee_units, chain.native_decimals, chain.native_symbol)
    fee_usd = (
        f" ({format_approx_usd(refund_cost.fee_micro_usd)})"
        if refund_cost.fee_micro_usd is not None
        else ""
    )
    balance = format_amount(intent.balance_at_address, intent.asset_decimals, intent.asset_symbol)
    if refund_cost.is_dust:
        return f"{balance} is not worth a refund: the network fee is higher, {fee}{fee_usd}."
    return (
        f"Refunding {balance} costs {fee}{fee_usd} in network fees now. The relayer pays the fee; "
        f"the payer gets the full {balance}."
    )
