"""The list of ramp orders: filters, rows and the export."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crossway.dashboard.views import ramp_wording
from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.fiat import country_name, fiat_amount
from crossway.dashboard.views.figures import amount, chain_name, millis
from crossway.dashboard.views.links import order_href
from crossway.domain.clients import Caller
from crossway.domain.identity import read_email
from crossway.domain.money import format_units
from crossway.domain.ramps import Direction, OrderState, RampOrder, provider_name
from crossway.ports.ramp_records import OrderFilter
from crossway.ports.services import Services
from crossway.usecases.identity import kyc
from crossway.usecases.ramps import orders as ramp_orders

PAGE_SIZE = 25
EVERY = "All"
S = OrderState
QUICK: Mapping[str, tuple[OrderState, ...]] = {
    EVERY: (),
    "To be paid": (S.PENDING, S.INITIATED),
    "Processing": (S.PROCESSING,),
    "Completed": (S.COMPLETED,),
    "Ended early": (S.CANCELLED, S.EXPIRED),
    "Failed": (S.FAILED, S.REFUNDED),
}
COLUMNS = (
    Column("Order"),
    Column("Status"),
    Column("Local money", "right"),
    Column("Crypto", "right"),
    Column("Provider"),
    Column("Person", wide=True),
    Column("Created", wide=True),
    Column("Time left"),
)
_RUNNING = (S.PENDING, S.INITIATED)
EXPORTED = (
    "id", "type", "provider", "state", "fiat_currency", "fiat_amount", "crypto", "crypto_amount",
    "chain", "country", "fees_usd", "intent_address", "provider_reference", "created_at",
    "completed_at", "failure_reason",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: `older_than` is where the next one starts, None on the last."""

    rows: tuple[Row, ...]
    total: int
    older_than: int | None


def wanted(asked: Mapping[str, str], before_id: int | None) -> OrderFilter:
    """The filters in the address of the screen as the store understands them."""
    return OrderFilter(
        states=QUICK.get(asked.get("show", EVERY), ()),
        direction=asked.get("type") or None,
        provider=asked.get("provider") or None,
        currency=asked.get("currency") or None,
        text=asked.get("search", "").strip(),
        before_id=before_id,
    )


def listing(services: Services, caller: Caller, filters: OrderFilter) -> Listing:
    """One page of orders, newest first."""
    found, total = ramp_orders.page(services, caller, filters, PAGE_SIZE + 1)
    shown = found[:PAGE_SIZE]
    people = _people(services, shown)
    return Listing(
        rows=tuple(_row(services, order, people) for order in shown),
        total=total,
        older_than=shown[-1].id if len(found) > PAGE_SIZE else None,
    )


def of_person(services: Services, caller: Caller, email: str) -> Listing:
    """The latest orders of whoever has this e-mail address, which stands in no filter of a link."""
    with services.store.read() as unit:
        person = unit.people.find(services.vault.index(read_email(email, "E-mail")))
    if person is None:
        return Listing((), 0, None)
    return listing(services, caller, OrderFilter(person_id=person.id))


def user_chain(order: RampOrder) -> str:
    """The chain on which the user gets or pays crypto."""
    return order.destination_chain if order.direction is Direction.ON else order.source_chain


def _people(services: Services, orders: Sequence[RampOrder]) -> dict[str, str]:
    """The masked e-mail addresses of those the orders are for, by their ids."""
    ids = {order.person_id for order in orders if order.person_id}
    with services.store.read() as unit:
        known = [person for one in ids if (person := unit.people.get(one))]
    return {person.id: kyc.masked_email(services, person) for person in known}


def _row(services: Services, order: RampOrder, people: Mapping[str, str]) -> Row:
    status, kind = ramp_wording.STATES[order.state], ramp_wording.KINDS[order.direction]
    on = order.direction is Direction.ON
    provider = provider_name(order.provider)
    return Row(
        key=str(order.id),
        href=order_href(order.id),
        label=f"Order {order.id}, {kind}, {status.text}, {provider}",
        cells=(
            Cell(f"#{order.id}", sub=kind),
            Cell(chips=(status,), sub=ramp_wording.said(order, order.failure_reason)),
            Cell(
                fiat_amount(order.fiat_minor, order.digits, order.currency),
                sub="the user pays" if on else "the user gets",
            ),
            Cell(
                amount(order.crypto_units, order.decimals, order.symbol),
                sub=f"on {chain_name(services.catalogue, user_chain(order))}",
            ),
            Cell(provider, sub=country_name(services.fiat, order.country)),
            Cell(people.get(order.person_id or "") or "–"),
            Cell(at=millis(order.created_at)),
            Cell(at=millis(order.expires_at), as_="left") if order.state in _RUNNING else Cell("–"),
        ),
    )


def exported(
    services: Services, caller: Caller, asked: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    """All orders that the filter of an address leaves, newest first; nothing personal in it."""
    filters: OrderFilter | None = wanted(asked, None)
    while filters is not None:
        found, _total = ramp_orders.page(services, caller, filters, ramp_orders.MOST_PAGE)
        yield from map(_exported, found)
        more = len(found) == ramp_orders.MOST_PAGE
        filters = replace(filters, before_id=found[-1].id) if more else None


def _exported(order: RampOrder) -> dict[str, Any]:
    values = (
        order.id, order.direction, order.provider, order.state, order.currency,
        format_units(order.fiat_minor, order.digits, order.digits), order.symbol,
        format_units(order.crypto_units, order.decimals), user_chain(order), order.country,
        format_units(order.fees_micro_usd, 6), order.intent_address, order.provider_reference,
        order.created_at.isoformat(),
        order.completed_at.isoformat() if order.completed_at else "", order.failure_reason,
    )  # fmt: skip
    return dict(zip(EXPORTED, values, strict=True))
