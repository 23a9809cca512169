"""Invoices, and subscriptions that repeat them."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, TypedDict, Unpack

from crossway_client.records.billing import Invoice, Subscription
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint, iterator
from crossway_client.transport.requests import (
    Request,
    get,
    given,
    optional_list,
    page_of,
    record,
)
from crossway_client.transport.steps import Feed, pages


class InvoiceFields(TypedDict, total=False):
    """What an invoice may have besides its lines and where its money goes."""

    token_out: str | None
    title: str | None
    payer: Mapping[str, str] | None
    time_zone: str | None
    tax_name: str | None
    notes: str | None
    language: str | None
    allow_parts: bool | None
    remind_days_before: int | None
    remind_days_after: int | None
    source_chains: Sequence[str] | None
    source_tokens: Sequence[str] | None
    metadata: Mapping[str, Any] | None


class Invoices(Resource[CarrierT]):
    """`/invoices`; amounts are in the smallest unit of the invoice's token."""

    @endpoint
    def create(
        self,
        *,
        lines: Sequence[Mapping[str, Any]],
        destination_chain: str,
        recipient: str,
        due_date: date | str | None = None,
        idempotency_key: str | None = None,
        **content: Unpack[InvoiceFields],
    ) -> Request[Invoice]:
        """Issue an invoice. A line has `description`, `unit_amount` (net, an integer) and perhaps
        `quantity` and `tax_bps`."""
        body = given(
            lines=[_line(one) for one in lines],
            destination_chain=destination_chain,
            recipient=recipient,
            due_date=_day(due_date),
            **_listed(content),
        )
        result = record(Invoice)
        return Request("POST", "/invoices", result, body=body, idempotency_key=idempotency_key)

    @endpoint
    def get(self, invoice_id: str) -> Request[Invoice]:
        """One invoice with what is paid of it."""
        return get("/invoices/{id}", record(Invoice), id=invoice_id)

    @endpoint
    def void(self, invoice_id: str, *, idempotency_key: str | None = None) -> Request[Invoice]:
        """Make an invoice void that nothing was paid of."""
        segments = {"id": invoice_id}
        path, result = "/invoices/{id}/void", record(Invoice)
        return Request("POST", path, result, segments, idempotency_key=idempotency_key)

    @iterator
    def list(self, *, subscription_id: str | None = None, page_size: int = 100) -> Feed[Invoice]:
        """Every invoice, newest first; pages are requested when they are needed."""
        query = {"limit": page_size, "subscription_id": subscription_id}
        return pages(Request("GET", "/invoices", page_of("invoices", Invoice), query=query))


class Subscriptions(Resource[CarrierT]):
    """`/subscriptions`; amounts are in the smallest unit of the invoices' token."""

    @endpoint
    def create(
        self,
        *,
        interval: str,
        lines: Sequence[Mapping[str, Any]],
        destination_chain: str,
        recipient: str,
        every: int | None = None,
        first_due_date: date | str | None = None,
        lead_days: int | None = None,
        periods: int | None = None,
        max_unpaid: int | None = None,
        idempotency_key: str | None = None,
        **content: Unpack[InvoiceFields],
    ) -> Request[Subscription]:
        """Issue an invoice every so many weeks or months; lines are those of an invoice."""
        body = given(
            interval=interval,
            lines=[_line(one) for one in lines],
            destination_chain=destination_chain,
            recipient=recipient,
            every=every,
            first_due_date=_day(first_due_date),
            lead_days=lead_days,
            periods=periods,
            max_unpaid=max_unpaid,
            **_listed(content),
        )
        result = record(Subscription)
        return Request("POST", "/subscriptions", result, body=body, idempotency_key=idempotency_key)

    @endpoint
    def get(self, subscription_id: str) -> Request[Subscription]:
        """One subscription."""
        return get("/subscriptions/{id}", record(Subscription), id=subscription_id)

    @endpoint
    def update(self, subscription_id: str, *, state: str) -> Request[Subscription]:
        """Pause (`paused`), resume (`active`) or cancel (`cancelled`) it."""
        segments, path = {"id": subscription_id}, "/subscriptions/{id}"
        return Request("PATCH", path, record(Subscription), segments, body={"state": state})

    @iterator
    def list(self, *, page_size: int = 100) -> Feed[Subscription]:
        """Every subscription, newest first; pages are requested when they are needed."""
        result, query = page_of("subscriptions", Subscription), {"limit": page_size}
        return pages(Request("GET", "/subscriptions", result, query=query))


def _listed(content: InvoiceFields) -> dict[str, Any]:
    """The fields with lists as JSON has them."""
    chains, tokens = content.get("source_chains"), content.get("source_tokens")
    return {
        **content,
        "source_chains": optional_list(chains),
        "source_tokens": optional_list(tokens),
    }


def _line(line: Mapping[str, Any]) -> dict[str, Any]:
    """A line as the API takes it: amounts are texts there."""
    amount = {"unit_amount": str(line["unit_amount"])} if "unit_amount" in line else {}
    return {**line, **amount}


def _day(day: date | str | None) -> str | None:
    return day.isoformat() if isinstance(day, date) else day
