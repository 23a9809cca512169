"""Totals of invoices, and when reminders are due."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from crossway.domain.invoices import (
    Balance,
    Invoice,
    InvoiceLine,
    InvoiceState,
    InvoiceStatus,
    ReminderKind,
    add_up,
    next_reminder,
)

ISSUED = datetime(2027, 1, 10, 9, tzinfo=UTC)
CONTENT = {
    "lines": [{"description": "Hosting", "quantity": 2, "unit_amount": "1500000", "tax_bps": 0}],
    "allow_parts": True,
    "remind_days_before": 3,
    "remind_days_after": 2,
}
INVOICE = Invoice(
    1, "inv_1", "c-1", "live", 42, "pl_1", None, None, InvoiceState.OPEN, 3_000_000, CONTENT,
    "2027-01-20", "Europe/Berlin", datetime(2027, 1, 20, 23, tzinfo=UTC), 0, ISSUED, ISSUED, ISSUED,
)  # fmt: skip


def test_taxes_are_rounded_once_for_each_rate() -> None:
    lines = [
        InvoiceLine("A", 3, 333_333, 1_900),
        InvoiceLine("B", 1, 333_334, 1_900),
        InvoiceLine("C", 10, 5, 700),
        InvoiceLine("D", 1, 7),
    ]
    totals = add_up(lines, 6)
    # 19 % of 1.333333 is 0.25333327; 7 % of 0.000050 is 0.0000035, half up.
    assert [(tax.bps, tax.net, tax.amount) for tax in totals.taxes] == [
        (700, 50, 4),
        (1_900, 1_333_333, 253_333),
    ]
    assert (totals.net, totals.total) == (1_333_390, 1_333_390 + 4 + 253_333)


def test_a_tax_is_no_finer_than_payers_can_type() -> None:
    wei = 10**18
    totals = add_up([InvoiceLine("A", 1, wei // 3 // 10**12 * 10**12, 1_900)], 18)
    # 19 % of 0.333333 is 0.06333327.
    assert totals.taxes[0].amount == 63_333 * 10**12


def test_the_number_says_the_mode() -> None:
    assert INVOICE.number == "INV-000042"
    assert replace(INVOICE, mode="test").number == "TEST-INV-000042"


def test_what_is_paid_in_part_says_so() -> None:
    assert INVOICE.status(Balance(0, 5)) is InvoiceStatus.OPEN
    assert INVOICE.status(Balance(1, 0)) is InvoiceStatus.PARTIALLY_PAID
    assert replace(INVOICE, state=InvoiceState.PAID).status(Balance(3)) is InvoiceStatus.PAID
    assert INVOICE.is_overdue(INVOICE.due_at)
    assert not INVOICE.is_overdue(INVOICE.due_at - timedelta(seconds=1))


# In Berlin: three days before the 20th, and two days after it has passed.
UPCOMING, OVERDUE = datetime(2027, 1, 16, 23, tzinfo=UTC), datetime(2027, 1, 22, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("done", "now", "expected"),
    [
        (0, ISSUED, (ReminderKind.ISSUED, 1, UPCOMING)),
        (1, UPCOMING - timedelta(seconds=1), (None, 1, UPCOMING)),
        (1, UPCOMING, (ReminderKind.UPCOMING, 2, OVERDUE)),
        (2, OVERDUE, (ReminderKind.OVERDUE, 3, None)),
        # What was missed is not told afterwards.
        (0, OVERDUE + timedelta(days=9), (ReminderKind.OVERDUE, 3, None)),
        (3, OVERDUE + timedelta(days=9), (None, 3, None)),
    ],
)
def test_reminders_follow_the_calendar_of_the_zone(
    done: int, now: datetime, expected: tuple[ReminderKind | None, int, datetime | None]
) -> None:
    assert next_reminder(replace(INVOICE, reminders=done), now) == expected


def test_what_is_due_soon_is_not_announced_again() -> None:
    soon = replace(INVOICE, due_date="2027-01-12")
    assert next_reminder(soon, ISSUED)[0] is ReminderKind.ISSUED
    assert next_reminder(replace(soon, reminders=1), ISSUED)[2] == datetime(
        2027, 1, 14, 23, tzinfo=UTC
    )
    assert date.fromisoformat(soon.due_date) > ISSUED.date()
