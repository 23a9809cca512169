"""Invoices and subscriptions through the client."""

from datetime import UTC, date, datetime, timedelta

import pytest

from crossway.bootstrap import Service
from crossway_client import BadRequest, Crossway
from crossway_client.records.events import InvoiceEvent, SubscriptionEvent, parse_event
from tests.api.conftest import WALLET

LINE = {"description": "Hosting", "quantity": 2, "unit_amount": 5_000_000, "tax_bps": 1_900}
TO = {"destination_chain": "ARBITRUM", "recipient": WALLET}


def test_an_invoice_is_issued_read_listed_and_voided(crossway: Crossway) -> None:
    due = (datetime.now(UTC) + timedelta(days=30)).date()
    invoice = crossway.invoices.create(
        lines=[LINE], due_date=due, payer={"name": "Ada"}, metadata={"order": 7}, **TO
    )
    assert (invoice.number, invoice.status, invoice.overdue) == ("TEST-INV-000001", "open", False)
    assert (invoice.net_amount, invoice.total_amount, invoice.paid_amount) == (
        10_000_000, 11_900_000, 0,
    )  # fmt: skip
    assert [(tax.tax_bps, tax.amount) for tax in invoice.taxes] == [(1_900, 1_900_000)]
    assert (invoice.due_date, invoice.time_zone) == (due, "UTC")
    assert invoice.metadata == {"order": 7}
    assert invoice.url.endswith(f"/pay/i/{invoice.id}")
    assert crossway.invoices.get(invoice.id) == invoice
    crossway.invoices.create(lines=[LINE], idempotency_key="once", **TO)
    again = crossway.invoices.create(lines=[LINE], idempotency_key="once", **TO)
    assert again.number == "TEST-INV-000002"
    assert [one.number for one in crossway.invoices.list(page_size=1)] == [
        "TEST-INV-000002",
        "TEST-INV-000001",
    ]
    assert crossway.invoices.void(invoice.id).status == "void"
    with pytest.raises(BadRequest, match="already void"):
        crossway.invoices.void(invoice.id)
    with pytest.raises(BadRequest, match="lines must be a list"):
        crossway.invoices.create(lines=[], **TO)


def test_a_subscription_is_created_read_listed_and_paused(crossway: Crossway) -> None:
    made = crossway.subscriptions.create(
        interval="month", lines=[LINE], first_due_date=date(2030, 1, 31), lead_days=7, **TO
    )
    assert (made.state, made.next_due_date, made.skipped_periods) == (
        "active", date(2030, 1, 31), 0,
    )  # fmt: skip
    assert made.next_issue_at == datetime(2030, 1, 24, tzinfo=UTC)
    assert crossway.subscriptions.get(made.id) == made
    assert list(crossway.subscriptions.list()) == [made]
    paused = crossway.subscriptions.update(made.id, state="paused")
    assert (paused.state, paused.next_due_date) == ("paused", None)
    assert list(crossway.invoices.list(subscription_id=made.id)) == []


def test_events_carry_what_they_are_about(crossway: Crossway, service: Service) -> None:
    invoice = crossway.invoices.create(lines=[LINE], **TO)
    made = crossway.subscriptions.create(interval="week", lines=[LINE], **TO)
    crossway.subscriptions.update(made.id, state="cancelled")
    outgoing = service.services.webhooks
    assert outgoing is not None
    with service.services.store.read() as unit:
        events = unit.outbox.list_unsequenced(1_000)
        bodies = outgoing.render_events(unit, events)
    issued, cancelled = [parse_event(bodies[event.id]) for event in events[-2:]]
    assert isinstance(issued, InvoiceEvent)
    assert (issued.type, issued.invoice.number) == ("invoice_issued", invoice.number)
    assert issued.invoice.url.endswith(f"/pay/i/{invoice.id}")
    assert isinstance(cancelled, SubscriptionEvent)
    assert cancelled.subscription.state == "cancelled"
