"""Invoices: lines, tax, what is paid of them, and when their payers are reminded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from crossway.domain.calendar_periods import start_of_day
from crossway.domain.payment_links import MAX_DECIMAL_PLACES

BASIS_POINTS: Final = 10_000


class InvoiceState(StrEnum):
    """OPEN until the recipient has received the total, or the invoice is made void."""

    OPEN = "open"
    PAID = "paid"
    VOID = "void"


class InvoiceStatus(StrEnum):
    """The state as merchants and payers see it."""

    OPEN = "open"
    PARTIALLY_PAID = "partially_paid"
    PAID = "paid"
    VOID = "void"


class ReminderKind(StrEnum):
    """What a payer is told of an invoice, in this order."""

    ISSUED = "issued"
    UPCOMING = "upcoming"
    OVERDUE = "overdue"


@dataclass(frozen=True, slots=True)
class InvoiceLine:
    """One line; amounts are net, in smallest units of the token, `tax_bps` hundredths of a
    percent."""

    description: str
    quantity: int
    unit_amount: int
    tax_bps: int = 0

    @property
    def net(self) -> int:
        """The line's amount without tax."""
        return self.quantity * self.unit_amount


@dataclass(frozen=True, slots=True)
class TaxAmount:
    """The tax of one rate on the sum of its lines."""

    bps: int
    net: int
    amount: int


@dataclass(frozen=True, slots=True)
class Totals:
    """What the lines come to: net, tax by rate from the lowest on, and all together."""

    net: int
    taxes: tuple[TaxAmount, ...]
    total: int


def add_up(lines: Sequence[InvoiceLine], decimals: int) -> Totals:
    """The totals of lines. The tax of each rate is rounded once, half up, to what payers can type:
    at most 6 decimal places."""
    unit: int = 10 ** max(decimals - MAX_DECIMAL_PLACES, 0)
    nets: dict[int, int] = {}
    for line in lines:
        nets[line.tax_bps] = nets.get(line.tax_bps, 0) + line.net
    divisor = BASIS_POINTS * unit
    taxes = tuple(
        TaxAmount(bps, net, (net * bps * 2 + divisor) // (2 * divisor) * unit)
        for bps, net in sorted(nets.items())
        if bps
    )
    net = sum(nets.values())
    return Totals(net, taxes, net + sum(tax.amount for tax in taxes))


def read_lines(content: Mapping[str, Any]) -> tuple[InvoiceLine, ...]:
    """The lines of a stored content in their order."""
    return tuple(
        InvoiceLine(
            line["description"], line["quantity"], int(line["unit_amount"]), line["tax_bps"]
        )
        for line in content["lines"]
    )


@dataclass(frozen=True, slots=True)
class Balance:
    """What is paid of an invoice: `paid` has reached the recipient, `coming` is on its way or asked
    for by an open payment."""

    paid: int = 0
    coming: int = 0


@dataclass(frozen=True, slots=True)
class Invoice:
    """One invoice as stored; its payment link says where the money goes.

    `sequence` counts the invoices of a client and mode from 1 without gaps. `content` has lines,
    payer and notes, as `usecases.billing.invoice_fields` made them. `due_at` is when the due date
    has passed in the invoice's time zone; `reminders` counts what of the schedule is done.
    """

    id: int
    name: str
    client_id: str
    mode: str
    sequence: int
    payment_link_id: str
    subscription_id: int | None
    period: int | None
    state: InvoiceState
    total: int
    content: Mapping[str, Any]
    due_date: str
    time_zone: str
    due_at: datetime
    reminders: int
    remind_at: datetime | None
    issued_at: datetime
    updated_at: datetime
    paid_at: datetime | None = None

    @property
    def number(self) -> str:
        """The number on the paper."""
        return f"{'' if self.mode == 'live' else 'TEST-'}INV-{self.sequence:06d}"

    @property
    def lines(self) -> tuple[InvoiceLine, ...]:
        """The lines in their order."""
        return read_lines(self.content)

    @property
    def totals(self) -> Totals:
        """What the lines come to."""
        return add_up(self.lines, self.content["token"]["decimals"])

    @property
    def allows_parts(self) -> bool:
        """Whether payers may pay it in parts."""
        return bool(self.content["allow_parts"])

    def status(self, balance: Balance) -> InvoiceStatus:
        """The status with what is paid of it."""
        if self.state is InvoiceState.OPEN:
            return InvoiceStatus.PARTIALLY_PAID if balance.paid else InvoiceStatus.OPEN
        return InvoiceStatus(self.state.value)

    def is_overdue(self, now: datetime) -> bool:
        """Whether it should have been paid."""
        return self.state is InvoiceState.OPEN and now >= self.due_at


def reminder_times(
    content: Mapping[str, Any], due_date: date, time_zone: str, issued_at: datetime
) -> Iterator[tuple[ReminderKind, datetime]]:
    """What the payer is told and when: at once, some days before the due date if that lies ahead,
    and some days after it."""
    yield ReminderKind.ISSUED, issued_at
    before, after = content["remind_days_before"], content["remind_days_after"]
    if before is not None:
        at = start_of_day(due_date - timedelta(days=before), time_zone)
        if at > issued_at:
            yield ReminderKind.UPCOMING, at
    if after is not None:
        at = start_of_day(due_date + timedelta(days=after + 1), time_zone)
        yield ReminderKind.OVERDUE, max(at, issued_at)


def next_reminder(
    invoice: Invoice, now: datetime
) -> tuple[ReminderKind | None, int, datetime | None]:
    """The newest reminder that is due (earlier ones that were missed are left out), how many are
    done after it, and when the next one is due."""
    due = date.fromisoformat(invoice.due_date)
    times = list(reminder_times(invoice.content, due, invoice.time_zone, invoice.issued_at))
    ready = [index for index, (_, at) in enumerate(times) if at <= now]
    done = max([*(index + 1 for index in ready), invoice.reminders], default=0)
    kind = times[done - 1][0] if done > invoice.reminders else None
    return kind, done, times[done][1] if done < len(times) else None
