"""The controls on outgoing money as rows: approvals, the address book and daily caps."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import (
    chain_cell,
    chain_name,
    format_token_amount,
    format_usd,
    format_utc,
    time_cell,
    token_amount_cell,
)
from crossway.dashboard.views.links import intent_href
from crossway.dashboard.views.marks import mark_token
from crossway.domain.approvals import Approval, ApprovalKind, ApprovalState
from crossway.domain.catalogue import Catalogue
from crossway.domain.outgoing_controls import BookedAddress, TransferCap
from crossway.ports.records import KillSwitch
from crossway.usecases.money.approvals import TITLES

S = ApprovalState
OPEN_COLUMNS: Final = (
    Column("What"),
    Column("Details"),
    Column("Value", "right"),
    Column("Asked for by"),
    Column("Asked for"),
    Column("Ends", hint="Then it has to be asked for again."),
)
ENDED_COLUMNS: Final = (
    Column("What"),
    Column("Details"),
    Column("Value", "right"),
    Column("Asked for by"),
    Column("Decision"),
    Column("When"),
)
ADDRESS_COLUMNS: Final = (
    Column("Name"),
    Column("Chain"),
    Column("Address"),
    Column("Status"),
    Column("Added by"),
    Column("Added"),
)
CAP_COLUMNS: Final = (
    Column("Chain"),
    Column("Token"),
    Column("Cap", "right", "The most that is sent by hand within 24 hours"),
    Column("Sent", "right", "By hand in the last 24 hours"),
    Column("Set by"),
    Column("Set"),
)
_STATES: Final[Mapping[ApprovalState, Badge]] = {
    S.REQUESTED: Badge("Waits", "orange", "hourglass_empty", "A second person has to decide."),
    S.CARRIED_OUT: Badge("Approved", "green", "check", "It was carried out at once."),
    S.DECLINED: Badge("Declined", "red", "block"),
    S.EXPIRED: Badge("Expired", "gray", "timer_off", "Nobody decided in time."),
    S.CANCELLED: Badge("Taken back", "gray", "undo"),
}


def build_open_rows(catalogue: Catalogue, approvals: Sequence[Approval]) -> tuple[Row, ...]:
    """Rows of what waits for a second person, oldest first."""
    return tuple(
        Row(
            str(one.id),
            (
                *_subject_cells(catalogue, one),
                time_cell(one.requested_at),
                time_cell(one.expires_at, "left"),
            ),
            href=_href(one),
            label=describe(catalogue, one),
        )
        for one in approvals
    )


def build_ended_rows(catalogue: Catalogue, approvals: Sequence[Approval]) -> tuple[Row, ...]:
    """Rows of what was decided, with by whom and why."""
    return tuple(
        Row(
            str(one.id),
            (
                *_subject_cells(catalogue, one),
                Cell(one.decided_by.name, sub=one.reason, badges=(_STATES[one.state],)),
                time_cell(one.decided_at, "exact"),
            ),
            href=_href(one),
        )
        for one in approvals
    )


def build_address_rows(
    catalogue: Catalogue, entries: Sequence[BookedAddress], now: datetime
) -> tuple[Row, ...]:
    """Rows of the address book."""
    return tuple(
        Row(
            str(entry.id),
            (
                Cell(entry.name),
                chain_cell(catalogue, entry.chain),
                Cell(entry.address, copy=entry.address, value_name="address", mono=True),
                Cell("Usable")
                if entry.is_usable(now)
                else Cell("Usable", at=time_cell(entry.usable_at).at, as_="left"),
                Cell(entry.added_by),
                time_cell(entry.added_at, "exact"),
            ),
        )
        for entry in entries
    )


def build_cap_rows(
    catalogue: Catalogue, caps: Sequence[tuple[TransferCap, int]]
) -> tuple[Row, ...]:
    """Rows of the daily caps, each with what was sent under it."""
    rows = []
    for cap, used in caps:
        token = catalogue.by_address.get((cap.chain, cap.token))
        amounts = [
            token_amount_cell(catalogue, cap.chain, cap.token, units)
            for units in (cap.amount, used)
        ]
        cells = (
            chain_cell(catalogue, cap.chain),
            Cell(token.symbol, marks=mark_token(token.symbol)) if token else Cell(cap.token),
            *amounts,
            Cell(cap.by),
            time_cell(cap.at, "exact"),
        )
        rows.append(Row(f"{cap.chain}:{cap.token}", cells))
    return tuple(rows)


def describe(catalogue: Catalogue, approval: Approval) -> str:
    """What is asked for, in one sentence for a confirmation."""
    detail = approval.detail
    match approval.kind:
        case ApprovalKind.STOP_RELEASE:
            return (
                f"Money may go out again: {detail['note'].rstrip('.')}. It was stopped by "
                f"{detail['stopped_by']}: {detail['stopped'].rstrip('.')}."
            )
        case ApprovalKind.TREASURY_ADDRESS:
            place = chain_name(catalogue, detail["chain"])
            return f"{detail['name']}, {detail['address']} on {place}, joins the address book."
        case ApprovalKind.TRANSFER_CAP:
            return _describe_cap(catalogue, detail)
        case ApprovalKind.REFUND_ELSEWHERE:
            return f"{detail['amount']} of payment {detail['intent']} go to {_addresses(detail)}."
    return f"{detail['amount']} that arrived for payment {detail['intent']} are returned."


def describe_stop(stop: KillSwitch) -> str:
    """Since when, by whom and why nothing goes out, for the banner above every page."""
    return (
        f"All outgoing money has been stopped since {format_utc(stop.at)}, by {stop.by}: "
        f"{stop.reason.rstrip('.')}. Nothing is paid out or refunded, and no new payment is taken, "
        "until two people release it under Treasury."
    )


def _subject_cells(catalogue: Catalogue, approval: Approval) -> tuple[Cell, Cell, Cell, Cell]:
    value = "–" if approval.micro_usd is None else format_usd(approval.micro_usd)
    return (
        Cell(TITLES[approval.kind]),
        _describe_cell(catalogue, approval),
        Cell(value),
        Cell(approval.requested_by.name),
    )


def _describe_cell(catalogue: Catalogue, approval: Approval) -> Cell:
    """As `describe`, with a long address on a line of its own."""
    if approval.kind is not ApprovalKind.TREASURY_ADDRESS:
        return Cell(describe(catalogue, approval))
    detail = approval.detail
    place = chain_name(catalogue, detail["chain"])
    return Cell(f"{detail['name']} on {place} joins the address book.", sub=detail["address"])


def _describe_cap(catalogue: Catalogue, detail: Mapping[str, Any]) -> str:
    token = catalogue.tokens[detail["chain"], detail["symbol"]]

    def amount(units: str) -> str:
        if not units:
            return "no cap"
        return format_token_amount(catalogue, token.chain, token.address, int(units))

    before, after = amount(detail["before"]), amount(detail["units"])
    return f"The cap on {chain_name(catalogue, token.chain)} goes from {before} to {after}."


def _href(approval: Approval) -> str:
    intent_id = approval.detail.get("intent")
    return intent_href(intent_id) if isinstance(intent_id, int) else ""


def _addresses(detail: Mapping[str, Any]) -> str:
    return " and ".join(sorted(set(detail["addresses"].values())))
