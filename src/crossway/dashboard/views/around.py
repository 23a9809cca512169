"""What belongs to one payment besides its money: what was signed, told to clients, and asked."""

from dataclasses import dataclass

from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.deliveries import state
from crossway.dashboard.views.figures import (
    address_cell,
    brief_amount,
    chain_name,
    millis,
    time_cell,
    tx_cell,
)
from crossway.dashboard.views.links import delivery_href, request_href
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Caller
from crossway.ports.logs import AskedRequest
from crossway.ports.services import Services
from crossway.usecases.payments import tracking
from crossway.usecases.payments.tracking import Story

ATTEMPT_COLUMNS = (
    Column("For"),
    Column("Transaction"),
    Column("Account"),
    Column("Nonce", "right"),
    Column("Most it pays in fees", "right"),
    Column("Signed"),
)
TOLD_COLUMNS = (
    Column("Delivery"),
    Column("Event"),
    Column("Status"),
    Column("Answer"),
    Column("Created"),
)
ASKED_COLUMNS = (
    Column("Request"),
    Column("Answer"),
    Column("Key"),
    Column("When"),
    Column("Request id", wide=True),
)


@dataclass(frozen=True, slots=True)
class Around:
    """The rows of what was told and asked."""

    told: tuple[Row, ...]
    asked: tuple[Row, ...]


def attempt_rows(catalogue: Catalogue, story: Story) -> tuple[Row, ...]:
    """Every transaction that was signed for this payment, the newest first; of several for one
    duty at most one is mined."""
    duties = {transfer.id: transfer for transfer in story.transfers}
    rows = []
    for number, one in enumerate(sorted(story.attempts, key=lambda a: a.at, reverse=True)):
        chain, transfer = catalogue.chains.get(one.chain), duties[one.transfer_id]
        fee = "–"
        if chain is not None:
            fee = brief_amount(one.signed.fee_units, chain.native_decimals, chain.native_symbol)
        replaced = transfer.tx_id not in (None, one.signed.tx_id)
        where = "replaced by another" if replaced else f"on {chain_name(catalogue, one.chain)}"
        rows.append(
            Row(
                f"attempt-{number}",
                (
                    Cell(wording.DUTIES[transfer.duty], where),
                    tx_cell(chain, one.signed.tx_id),
                    address_cell(chain, one.account, "account"),
                    Cell(str(one.signed.nonce)),
                    Cell(fee),
                    time_cell(one.at),
                ),
            )
        )
    return tuple(rows)


def around(services: Services, caller: Caller, intent_id: int) -> Around:
    """What clients were told of a payment and asked about it, newest first."""
    found = tracking.around(services, caller, intent_id)
    told = tuple(
        Row(
            str(delivery.id),
            (
                Cell(f"#{delivery.id}", sub=f"webhook {delivery.webhook_id}"),
                Cell(event.type, mono=True, copy=event.event_id, what="event id"),
                Cell(chips=(state(delivery),), sub=delivery.error),
                Cell(str(delivery.status or "–")),
                Cell(at=millis(delivery.created_at)),
            ),
            delivery_href(delivery.id),
            f"Delivery {delivery.id}, {event.type}, {state(delivery).text}",
        )
        for delivery, event in found.told
    )
    return Around(told, tuple(_asked(one) for one in found.asked))


def _asked(one: AskedRequest) -> Row:
    good = one.status < 400
    chip = Chip(str(one.status), "green" if good else "orange", "check" if good else "warning")
    cells = (
        Cell(f"{one.method} {one.path}", mono=True),
        Cell(chips=(chip,)),
        Cell(f"{one.key_shown}…" if one.key_shown else "–", mono=True),
        Cell(at=millis(one.at)),
        Cell(one.request_id, copy=one.request_id, what="request id", mono=True),
    )
    return Row(str(one.id), cells, request_href(one.id), f"Request {one.method} {one.path}")


def choices(services: Services, caller: Caller, intent_id: int) -> dict[int, str]:
    """The deliveries of a payment's events in words, by their numbers."""
    found = tracking.around(services, caller, intent_id).told
    return {
        delivery.id: f"#{delivery.id} {event.type}, {state(delivery).text.lower()}"
        for delivery, event in found
    }
