"""Inventory transfers as rows: what a bridge moves for whom, and how far it is."""

from collections.abc import Mapping, Sequence
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Row, Step
from crossway.dashboard.views.formatting import (
    capitalize_first,
    chain_name,
    format_amount,
    time_cell,
    to_millis,
    token_amount_cell,
    tx_cell,
)
from crossway.dashboard.views.links import owner_href, owner_label
from crossway.domain.catalogue import Catalogue
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.ledger import (
    UNIFIED_DECIMALS,
    UNIFIED_TOKEN,
    unified_location,
    unified_title,
)
from crossway.domain.quotes import bridge_title
from crossway.usecases.money.unified_balance import UnifiedBalance

S, Kind = InventoryTransferState, InventoryTransferKind
PAYMENT_COLUMNS: Final = (
    Column("What"),
    Column("Status"),
    Column("Amount"),
    Column("Sent in"),
    Column("Arrived in"),
    Column("Updated"),
)
OPEN_COLUMNS: Final = (Column("For"), *PAYMENT_COLUMNS)
STATES: Final[Mapping[InventoryTransferState, Badge]] = {
    S.PLANNED: Badge("Planned", "gray", "schedule", "Nothing is agreed to yet."),
    S.AGREED: Badge("Agreed", "blue", "handshake", "The service agreed; nothing is signed yet."),
    S.SENDING: Badge("Sending", "blue", "send", "Its transaction is signed."),
    S.SENT: Badge("On its way", "blue", "local_shipping", "It has not arrived yet."),
    S.OVERDUE: Badge("Overdue", "orange", "schedule", "It should have arrived."),
    S.DELIVERED: Badge("Arrived", "green", "check", "Its block is not final yet."),
    S.CLOSED: Badge("Arrived, final", "green", "lock", "It arrived for good."),
    S.REFUSED: Badge("Refused", "red", "block", "It ended before anything moved."),
    S.RETURNED: Badge("Given back", "red", "undo", "The service gave it back."),
}


def build_transfer_rows(
    catalogue: Catalogue, transfers: Sequence[InventoryTransfer]
) -> tuple[Row, ...]:
    """Rows of a payment's inventory transfers, oldest first."""
    return tuple(Row(str(t.id), _cells(catalogue, t)) for t in transfers)


def build_step(catalogue: Catalogue, transfers: Sequence[InventoryTransfer]) -> Step | None:
    """The step of a payout that waits for what a bridge moves to its chain: the newest transfer or
    mint; None without any."""
    waited_for = [t for t in transfers if t.kind is not Kind.DEPOSIT]
    if not waited_for:
        return None
    newest = max(waited_for, key=lambda t: t.id)
    verb = "Mint on" if newest.kind is Kind.MINT else "Transfer to"
    title = f"{verb} {chain_name(catalogue, newest.destination_chain)}"
    if newest.state in (S.DELIVERED, S.CLOSED):
        return Step(title, "done", to_millis(newest.updated_at))
    status = STATES[newest.state].text
    note = f"{status}: {newest.reason}" if newest.reason else status
    ended = newest.state in (S.REFUSED, S.RETURNED)
    return Step(title, "failed" if ended else "now", to_millis(newest.updated_at), note)


def build_open_rows(
    catalogue: Catalogue, transfers: Sequence[InventoryTransfer]
) -> tuple[Row, ...]:
    """Rows of inventory transfers, each with a link to what it is for."""
    return tuple(
        Row(
            str(t.id),
            (Cell(owner_label(t.intent_id)), *_cells(catalogue, t)),
            href=owner_href(t.intent_id),
        )
        for t in transfers
    )


def describe_unified(balances: Sequence[UnifiedBalance], testnets: bool) -> list[str]:
    """Sentences about the unified balance of main networks or of test networks."""
    location = unified_location(testnets)
    return [
        f"{unified_title(location)}: {_format_usdc(balance.available)} may be minted now; "
        f"{_format_usdc(balance.booked)} by the books."
        for balance in balances
        if balance.location == location
    ]


def _format_usdc(units: int) -> str:
    return format_amount(units, UNIFIED_DECIMALS, UNIFIED_TOKEN)


def describe_transfer(catalogue: Catalogue, transfer: InventoryTransfer) -> str:
    """What is moved, from where to where."""
    title = bridge_title(transfer.bridge)
    source = chain_name(catalogue, transfer.source_chain)
    destination = chain_name(catalogue, transfer.destination_chain)
    match transfer.kind:
        case Kind.MINT:
            return f"Mint on {destination} out of the unified balance"
        case Kind.DEPOSIT:
            return f"Deposit from {source} into the unified balance"
    return f"Transfer from {source} to {destination} over {title}"


def _cells(catalogue: Catalogue, transfer: InventoryTransfer) -> tuple[Cell, ...]:
    at_arrival = transfer.arrival_chain
    token = transfer.destination_token or transfer.source_token
    attempts = f"agreement {transfer.attempt}" if transfer.attempt > 1 else ""
    return (
        Cell(describe_transfer(catalogue, transfer), sub=attempts),
        Cell(badges=(STATES[transfer.state],), sub=capitalize_first(transfer.reason)),
        token_amount_cell(catalogue, at_arrival, token, transfer.amount),
        tx_cell(catalogue.chains.get(transfer.chain), transfer.source_tx),
        tx_cell(catalogue.chains.get(at_arrival), transfer.destination_tx),
        time_cell(transfer.updated_at),
    )
