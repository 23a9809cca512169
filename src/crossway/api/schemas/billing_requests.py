"""Request models of `/v1/invoices` and `/v1/subscriptions`."""

from typing import Any

from pydantic import SkipValidation

from crossway.api.schemas.fields import (
    CHAINS,
    SYMBOLS,
    USDC_ARBITRUM,
    WALLET,
    OptionalObject,
    RequestModel,
    chain_field,
    field,
    within,
)
from crossway.domain.calendar_periods import Interval
from crossway.domain.invoices import BASIS_POINTS
from crossway.usecases.billing.invoice_fields import (
    LANGUAGES,
    MAX_LINES,
    MAX_NOTES,
    MAX_QUANTITY,
    MAX_REMINDER_DAYS,
    ContentRequest,
)
from crossway.usecases.billing.subscriptions import (
    MAX_EVERY,
    MAX_LEAD_DAYS,
    MAX_PERIODS,
    MAX_UNPAID,
    SubscriptionRequest,
)

_LINE = {"description": "Hosting", "quantity": 2, "unit_amount": "5000000", "tax_bps": 1900}
_PAYER = {"name": "Ada", "email": "ada@example.com", "address": "1 High Street"}
_DAY = {"format": "date"}
_LINES: dict[str, Any] = {
    "minItems": 1,
    "maxItems": MAX_LINES,
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["description", "unit_amount"],
        "properties": {
            "description": {
                "type": "string",
                "description": "What it is for.",
                "maxLength": 200,
                "pattern": r"\S",
            },
            "quantity": {
                "type": "integer",
                "description": "How many; 1 by default.",
                **within(1, MAX_QUANTITY),
            },
            "unit_amount": {
                "type": "string",
                "description": "Net price of one, in the smallest unit of `token_out`, with at "
                "most 6 decimal places.",
                "pattern": "^[0-9]*[1-9][0-9]*$",
            },
            "tax_bps": {
                "type": "integer",
                "description": "Tax in hundredths of a percent; 0 by default.",
                **within(0, BASIS_POINTS),
            },
        },
    },
}


class _ContentFields(RequestModel):
    lines: SkipValidation[list[dict[str, Any]]] = field(
        "The lines. The tax of each rate is rounded once, half up.", [_LINE], extra=_LINES
    )
    destination_chain: SkipValidation[str] = chain_field(
        "The chain on which the recipient is paid.", "ARBITRUM_MAINNET"
    )
    recipient: SkipValidation[str] = field(
        "Wallet of the recipient on the destination chain.", WALLET
    )
    token_out: SkipValidation[str | None] = field(
        "Token address on the destination chain; its USDC by default.", USDC_ARBITRUM, default=None
    )
    title: SkipValidation[str | None] = field(
        "Title on the payment page; the number by default.",
        "Hosting",
        default=None,
        extra={"maxLength": 100},
    )
    payer: SkipValidation[dict[str, Any] | None] = field(
        "Whom it is for: `name`, `email`, `address`. Reminders are mailed to the `email`.",
        _PAYER,
        default=None,
    )
    tax_name: SkipValidation[str | None] = field(
        "What the tax is called; VAT by default.", "VAT", default=None, extra={"maxLength": 40}
    )
    notes: SkipValidation[str | None] = field(
        "Text below the lines.", "Thank you", default=None, extra={"maxLength": MAX_NOTES}
    )
    language: SkipValidation[str | None] = field(
        "Language of mails; English by default.",
        "en",
        default=None,
        extra={"enum": list(LANGUAGES)},
    )
    allow_parts: SkipValidation[bool | None] = field(
        "Whether it may be paid in parts; false by default.", False, default=None
    )
    remind_days_before: SkipValidation[int | None] = field(
        "Remind so many days before the due date.",
        3,
        default=None,
        extra=within(0, MAX_REMINDER_DAYS),
    )
    remind_days_after: SkipValidation[int | None] = field(
        "Remind so many days after the due date, if it is unpaid.",
        7,
        default=None,
        extra=within(0, MAX_REMINDER_DAYS),
    )
    source_chains: SkipValidation[list[str] | None] = field(
        "Chains on which payers may pay; all by default.",
        ["BASE_MAINNET"],
        default=None,
        extra={"items": {"type": "string", CHAINS: True}},
    )
    source_tokens: SkipValidation[list[str] | None] = field(
        "Symbols of tokens with which payers may pay; all by default.",
        ["USDC", "USDT"],
        default=None,
        extra={"items": {"type": "string", SYMBOLS: True}},
    )
    metadata: OptionalObject = field(
        "Your own data, up to 7 KiB of JSON: in the metadata of every intent.",
        {"order": "A-1001"},
        default=None,
    )
    time_zone: SkipValidation[str | None] = field(
        "Time zone of its dates; UTC by default.", "Europe/Berlin", default=None
    )

    def content(self) -> ContentRequest:
        """What the use case makes the content of."""
        names = ContentRequest.__slots__
        values = {name: value for name, value in self.given_fields().items() if name in names}
        return ContentRequest(**values, field_errors=self.field_errors)


class CreateInvoice(_ContentFields):
    """The body of POST /invoices."""

    due_date: SkipValidation[str | None] = field(
        "When it is due; today by default.", "2027-01-31", default=None, extra=_DAY
    )


class CreateSubscription(_ContentFields):
    """The body of POST /subscriptions: what each of its invoices has, and how they repeat."""

    interval: SkipValidation[str] = field(
        "What it repeats by.", "month", extra={"enum": [one.value for one in Interval]}
    )
    every: SkipValidation[int | None] = field(
        "Every so many weeks or months; 1 by default.", 1, default=None, extra=within(1, MAX_EVERY)
    )
    first_due_date: SkipValidation[str | None] = field(
        "When the first invoice is due; today by default. What is due on the 31st is due on the "
        "last day of shorter months.",
        "2027-01-31",
        default=None,
        extra=_DAY,
    )
    lead_days: SkipValidation[int | None] = field(
        "How many days before its due date an invoice is issued; 0 by default.",
        7,
        default=None,
        extra=within(0, MAX_LEAD_DAYS),
    )
    periods: SkipValidation[int | None] = field(
        "How many invoices there are; without an end by default.",
        12,
        default=None,
        extra=within(1, MAX_PERIODS),
    )
    max_unpaid: SkipValidation[int | None] = field(
        "With so many unpaid invoices it pauses itself; 2 by default.",
        2,
        default=None,
        extra=within(1, MAX_UNPAID),
    )

    def to_request(self) -> SubscriptionRequest:
        """How it repeats, as the use case takes it."""
        names = SubscriptionRequest.__slots__
        values = {name: value for name, value in self.given_fields().items() if name in names}
        return SubscriptionRequest(**values)


class ChangeSubscription(RequestModel):
    """The body of PATCH /subscriptions/{id}."""

    state: SkipValidation[str] = field(
        "Pauses, resumes or cancels it.",
        "paused",
        extra={"enum": ["active", "paused", "cancelled"]},
    )
