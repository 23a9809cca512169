"""Response models of `/v1/invoices` and `/v1/subscriptions`."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Self

from pydantic import Field

from crossway.api.schemas.fields import (
    TIME,
    USDC_ARBITRUM,
    WALLET,
    IntegerString,
    JsonObject,
    Model,
    chain_field,
    field,
    symbol_field,
)
from crossway.api.schemas.responses import raw_json
from crossway.domain.calendar_periods import Interval
from crossway.domain.invoices import InvoiceLine, InvoiceStatus, add_up, read_lines
from crossway.domain.subscriptions import Subscription, SubscriptionState
from crossway.usecases.billing.invoice_fields import LANGUAGES
from crossway.usecases.billing.invoice_view import InvoiceView
from crossway.usecases.instants import timestamp

INVOICE_ID, SUBSCRIPTION_ID = "inv_5f8942ea98e7c86e3595", "sub_5f8942ea98e7c86e3595"
_LINK_ID: Final = "pl_5f8942ea98e7c86e3595"
_DAY: Final = {"format": "date"}


class PayerOut(Model):
    """Whom an invoice is for; texts are empty where nothing is known."""

    name: str = field("Name.", "Ada")
    email: str = field("E-mail address.", "ada@example.com")
    address: str = field("Postal address.", "1 High Street")


class LineOut(Model):
    """One line of an invoice; amounts in the smallest unit of its token."""

    description: str = field("What it is for.", "Hosting")
    quantity: int = field("How many.", 2)
    unit_amount: IntegerString = field("Net price of one.", "5000000")
    net_amount: IntegerString = field("Net price of the line.", "10000000")
    tax_bps: int = field("Tax in hundredths of a percent.", 1900)

    @classmethod
    def from_line(cls, line: InvoiceLine) -> Self:
        """One line."""
        return cls(
            description=line.description,
            quantity=line.quantity,
            unit_amount=str(line.unit_amount),
            net_amount=str(line.net),
            tax_bps=line.tax_bps,
        )


class TaxOut(Model):
    """The tax of one rate."""

    tax_bps: int = field("Rate in hundredths of a percent.", 1900)
    net_amount: IntegerString = field("Sum of its lines.", "10000000")
    amount: IntegerString = field("The tax.", "1900000")


class _ContentOut(Model):
    title: str = field("Title on the payment page; empty for the number.", "Hosting")
    payer: PayerOut = Field(description="Whom it is for.")
    lines: list[LineOut] = Field(description="The lines.")
    tax_name: str = field("What the tax is called.", "VAT")
    net_amount: IntegerString = field("Sum of the lines.", "10000000")
    taxes: list[TaxOut] = Field(description="The tax of each rate, from the lowest on.")
    total_amount: IntegerString = field("What is to be paid.", "11900000")
    token_symbol: str = symbol_field("The token of all amounts.")
    token_decimals: int = field("Its decimal places.", 6)
    notes: str = field("Text below the lines.", "Thank you")
    language: str = field("Language of mails.", "en", extra={"enum": list(LANGUAGES)})
    allow_parts: bool = field("Whether it may be paid in parts.", False)
    remind_days_before: int | None = field("Reminder before the due date; null for none.", 3)
    remind_days_after: int | None = field("Reminder after the due date; null for none.", 7)

    @staticmethod
    def content_fields(content: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a stored content."""
        lines, token = read_lines(content), content["token"]
        totals = add_up(lines, token["decimals"])
        names = ("title", "tax_name", "notes", "language", "allow_parts")
        reminders = ("remind_days_before", "remind_days_after")
        return {
            **{name: content[name] for name in (*names, *reminders)},
            "payer": PayerOut(**content["payer"]),
            "lines": [LineOut.from_line(line) for line in lines],
            "net_amount": str(totals.net),
            "taxes": [
                TaxOut(tax_bps=tax.bps, net_amount=str(tax.net), amount=str(tax.amount))
                for tax in totals.taxes
            ],
            "total_amount": str(totals.total),
            "token_symbol": token["symbol"],
            "token_decimals": token["decimals"],
        }


class InvoiceOut(_ContentOut):
    """One invoice; amounts in the smallest unit of its token."""

    id: str = field("Its identifier.", INVOICE_ID)
    number: str = field(
        "Its number: counted by client and mode without gaps, for void ones too.", "INV-000042"
    )
    url: str = field(
        "Its printable page, where it is paid.", "https://pay.shop.example/pay/i/inv_…"
    )
    client_id: str = field("Owning client.", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    mode: str = field("Mode of the key that created it.", "test", extra={"enum": ["test", "live"]})
    status: str = field(
        "Its status.", "open", extra={"enum": [status.value for status in InvoiceStatus]}
    )
    overdue: bool = field("Whether it is unpaid and its due date has passed.", False)
    paid_amount: IntegerString = field("What has reached the recipient.", "0")
    coming_amount: IntegerString = field("What open payments ask for, or is on its way.", "0")
    subscription_id: str | None = field("The subscription that issued it.", None)
    period: int | None = field("Its period of that, counted from 0.", None)
    payment_link_id: str = field("The link that pays it; in its intents.", _LINK_ID)
    destination_chain: str = chain_field("The chain of the recipient.", "ARBITRUM_MAINNET")
    token_out: str = field("Token address on the destination chain.", USDC_ARBITRUM)
    recipient: str = field("Wallet of the recipient.", WALLET)
    metadata: JsonObject = field("Your own data.", {"order": "A-1001"})
    due_date: str = field("When it is due.", "2027-01-31", extra=_DAY)
    time_zone: str = field("Time zone of that date.", "Europe/Berlin")
    reminder: str | None = field(
        "In events: the reminder that it is about; null elsewhere.",
        None,
        extra={"enum": ["upcoming", "overdue", None]},
    )
    issued_at: str = field("When it was issued.", TIME)
    paid_at: str | None = field("When it was found paid.", None)
    updated_at: str = field("When it last changed.", TIME)

    @classmethod
    def from_view(cls, view: InvoiceView, url: str, now: datetime, reminder: str = "") -> Self:
        """One invoice with the URL of its page, as it is `now`."""
        invoice, link, balance = view.invoice, view.link, view.balance
        metadata = {name: value for name, value in link.metadata.items() if name != "invoice"}
        return cls(
            **cls.content_fields(invoice.content),
            id=invoice.name,
            number=invoice.number,
            url=url,
            client_id=invoice.client_id,
            mode=invoice.mode,
            status=invoice.status(balance).value,
            overdue=invoice.is_overdue(now),
            paid_amount=str(balance.paid),
            coming_amount=str(balance.coming),
            subscription_id=view.subscription,
            period=invoice.period,
            payment_link_id=link.id,
            destination_chain=link.destination_chain,
            token_out=link.token_out,
            recipient=link.recipient,
            metadata=raw_json(metadata),
            due_date=invoice.due_date,
            time_zone=invoice.time_zone,
            reminder=reminder or None,
            issued_at=timestamp(invoice.issued_at),
            paid_at=timestamp(invoice.paid_at) if invoice.paid_at else None,
            updated_at=timestamp(invoice.updated_at),
        )


class InvoicePage(Model):
    """A page of invoices, newest first."""

    invoices: list[InvoiceOut] = Field(description="The invoices of this page.")
    limit: int = field("Maximum number of results of a page.", 20)
    next_cursor: str | None = field("`cursor` of the next page; null on the last.", INVOICE_ID)


class SubscriptionOut(_ContentOut):
    """One subscription, and what each of its invoices has."""

    id: str = field("Its identifier.", SUBSCRIPTION_ID)
    url: str = field("Its page, with a calendar.", "https://pay.shop.example/pay/s/sub_…")
    client_id: str = field("Owning client.", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    mode: str = field("Mode of the key that created it.", "test", extra={"enum": ["test", "live"]})
    state: str = field(
        "Whether it issues invoices.",
        "active",
        extra={"enum": [state.value for state in SubscriptionState]},
    )
    reason: str = field(
        "Why it paused itself or could not issue an invoice; empty for none.",
        "2 of its invoices are unpaid.",
    )
    interval: str = field("What it repeats by.", "month", extra={"enum": [*Interval]})
    every: int = field("Every so many weeks or months.", 1)
    first_due_date: str = field("When the first invoice is due.", "2027-01-31", extra=_DAY)
    time_zone: str = field("Time zone of its dates.", "Europe/Berlin")
    lead_days: int = field("Days from issue to due date.", 7)
    periods: int | None = field("How many invoices there are; null without an end.", 12)
    max_unpaid: int = field("With so many unpaid invoices it pauses itself.", 2)
    next_period: int = field("The next period, counted from 0.", 3)
    next_due_date: str | None = field(
        "When the next invoice is due; null if there is none.", "2027-04-30", extra=_DAY
    )
    next_issue_at: str | None = field("When it is issued.", TIME)
    skipped_periods: int = field(
        "Periods that passed without an invoice, because it was paused or the service was down.", 0
    )
    destination_chain: str = chain_field("The chain of the recipient.", "ARBITRUM_MAINNET")
    token_out: str = field("Token address on the destination chain.", USDC_ARBITRUM)
    recipient: str = field("Wallet of the recipient.", WALLET)
    metadata: JsonObject = field("Your own data.", {"order": "A-1001"})
    created_at: str = field("When it was created.", TIME)
    updated_at: str = field("When it last changed.", TIME)

    @classmethod
    def from_subscription(cls, one: Subscription, url: str) -> Self:
        """One subscription with the URL of its page."""
        due = one.schedule.due_date(one.next_period).isoformat() if one.next_at else None
        return cls(
            **cls.content_fields({**one.content, "title": one.link["title"] or ""}),
            id=one.name,
            url=url,
            client_id=one.client_id,
            mode=one.mode,
            state=one.state.value,
            reason=one.reason,
            interval=one.interval.value,
            every=one.every,
            first_due_date=one.first_date,
            time_zone=one.time_zone,
            lead_days=one.lead_days,
            periods=one.periods,
            max_unpaid=one.max_unpaid,
            next_period=one.next_period,
            next_due_date=due,
            next_issue_at=timestamp(one.next_at) if one.next_at else None,
            skipped_periods=one.skipped,
            destination_chain=one.link["destination_chain"],
            token_out=one.link["token_out"],
            recipient=one.link["recipient"],
            metadata=raw_json(dict(one.link["metadata"] or {})),
            created_at=timestamp(one.created_at),
            updated_at=timestamp(one.updated_at),
        )


class SubscriptionPage(Model):
    """A page of subscriptions, newest first."""

    subscriptions: list[SubscriptionOut] = Field(description="The subscriptions of this page.")
    limit: int = field("Maximum number of results of a page.", 20)
    next_cursor: str | None = field("`cursor` of the next page; null on the last.", SUBSCRIPTION_ID)
