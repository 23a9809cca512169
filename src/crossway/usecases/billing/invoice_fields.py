"""Parse and validate the fields of requests that create an invoice or a subscription."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from crossway.domain.errors import FieldError, InvalidInput
from crossway.domain.invoices import BASIS_POINTS, InvoiceLine, Totals, add_up
from crossway.domain.money import Token, parse_units
from crossway.domain.payment_links import MAX_DECIMAL_PLACES
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.validation_errors import ValidationErrors

MAX_LINES: Final = 100
MAX_QUANTITY: Final = 1_000_000
MAX_TOTAL: Final = 10**30
MAX_REMINDER_DAYS: Final = 90
MAX_NOTES: Final = 2_000
MAX_NAME: Final = 200
MAX_ADDRESS: Final = 500
# The languages of payers' pages, in which reminders are written.
LANGUAGES: Final = ("en", "de", "fr", "es", "pt", "ar")
_EMAIL: Final = re.compile(r"[^\s@<>,;:\"()\[\]\\]{1,64}@[A-Za-z0-9.-]{1,189}\Z")
_LINE_FIELDS: Final = {"description", "quantity", "unit_amount", "tax_bps"}
_PAYER_FIELDS: Final = {"name", "email", "address"}


@dataclass(frozen=True, slots=True)
class ContentRequest:
    """The fields of an invoice's content and of its payment link, as received; None is the
    default."""

    lines: object = None
    payer: object = None
    tax_name: object = None
    notes: object = None
    language: object = None
    allow_parts: object = None
    remind_days_before: object = None
    remind_days_after: object = None
    title: object = None
    destination_chain: object = None
    token_out: object = None
    recipient: object = None
    source_chains: object = None
    source_tokens: object = None
    metadata: object = None
    field_errors: tuple[FieldError, ...] = ()

    def link_fields(self) -> dict[str, Any]:
        """What its payment links are made of."""
        names = ("destination_chain", "token_out", "recipient", "source_chains", "source_tokens")
        return {"title": self.title, "metadata": self.metadata} | {
            name: getattr(self, name) for name in names
        }

    def link_request(self) -> LinkRequest:
        """The request for its payment link; the invoice's number takes the place of a title."""
        fields = self.link_fields()
        return LinkRequest(**(fields | {"title": fields["title"] or "Invoice"}))


def parse_content(request: ContentRequest, errors: ValidationErrors) -> dict[str, Any]:
    """The stored content of an invoice; lines that are refused are left out."""
    return {
        "title": _text(errors, "title", request.title, 100),
        "lines": _parse_lines(request.lines, errors),
        "payer": _parse_payer(request.payer, errors),
        "tax_name": _text(errors, "tax_name", request.tax_name, 40) or "VAT",
        "notes": _text(errors, "notes", request.notes, MAX_NOTES, multiline=True),
        "language": errors.collect(_parse_language, request.language) or "en",
        "allow_parts": bool(errors.collect(_parse_flag, "allow_parts", request.allow_parts)),
        "remind_days_before": _days(errors, "remind_days_before", request.remind_days_before),
        "remind_days_after": _days(errors, "remind_days_after", request.remind_days_after),
    }


def total_up(lines: Sequence[InvoiceLine], token: Token) -> Totals:
    """The totals of lines in a token; raises `InvalidInput` for amounts that payers cannot type and
    for what comes to nothing."""
    unit = 10 ** max(token.decimals - MAX_DECIMAL_PLACES, 0)
    if any(line.unit_amount % unit for line in lines):
        raise InvalidInput(f"lines: unit_amount has more than {MAX_DECIMAL_PLACES} decimal places")
    totals = add_up(lines, token.decimals)
    if totals.total >= MAX_TOTAL:
        raise InvalidInput("lines: the total is too large")
    return totals


def parse_count(name: str, value: object, least: int, most: int) -> int:
    """A whole number in a range; raises `InvalidInput`."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if not is_integer or not least <= int(str(value)) <= most:
        raise InvalidInput(f"{name} must be a whole number from {least} to {most}")
    return int(str(value))


def _parse_lines(value: object, errors: ValidationErrors) -> list[dict[str, Any]]:
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if not isinstance(value, Sequence) or not is_list or not 1 <= len(value) <= MAX_LINES:
        errors.add(f"lines must be a list of 1 to {MAX_LINES} lines")
        return []
    parsed = [errors.collect(_parse_line, f"lines[{i}]", line) for i, line in enumerate(value)]
    return [line for line in parsed if line is not None]


def _parse_line(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not _LINE_FIELDS.issuperset(value):
        known = ", ".join(sorted(_LINE_FIELDS))
        raise InvalidInput(f"{name} must be an object with no other fields than {known}")
    errors = ValidationErrors()
    description = _text(errors, f"{name}.description", value.get("description"), MAX_NAME, 1)
    unit_amount = errors.collect(parse_units, f"{name}.unit_amount", value.get("unit_amount"))
    quantity = errors.collect(
        parse_count, f"{name}.quantity", value.get("quantity", 1), 1, MAX_QUANTITY
    )
    tax = errors.collect(parse_count, f"{name}.tax_bps", value.get("tax_bps", 0), 0, BASIS_POINTS)
    errors.raise_if_any()
    return {
        "description": description,
        "quantity": quantity,
        "unit_amount": str(unit_amount),
        "tax_bps": tax,
    }


def _parse_payer(value: object, errors: ValidationErrors) -> dict[str, str]:
    empty = dict.fromkeys(sorted(_PAYER_FIELDS), "")
    if value is None:
        return empty
    if not isinstance(value, Mapping) or not _PAYER_FIELDS.issuperset(value):
        errors.add("payer must be an object with no other fields than address, email, name")
        return empty
    return {
        "name": _text(errors, "payer.name", value.get("name"), MAX_NAME),
        "address": _text(errors, "payer.address", value.get("address"), MAX_ADDRESS, 0, True),
        "email": errors.collect(_parse_email, value.get("email")) or "",
    }


def _parse_email(value: object) -> str:
    """An address that can stand in a header as it is: no name, comment or list."""
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or not value.isascii() or not _EMAIL.match(value):
        raise InvalidInput("payer.email must be an e-mail address such as name@shop.example")
    return value


def _parse_language(value: object) -> str:
    if value is None:
        return LANGUAGES[0]
    if value not in LANGUAGES:
        raise InvalidInput(f"language must be one of {', '.join(LANGUAGES)}")
    return str(value)


def _parse_flag(name: str, value: object) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    raise InvalidInput(f"{name} must be true or false")


def _days(errors: ValidationErrors, name: str, value: object) -> int | None:
    if value is None:
        return None
    return errors.collect(parse_count, name, value, 0, MAX_REMINDER_DAYS)


def _text(
    errors: ValidationErrors,
    name: str,
    value: object,
    longest: int,
    shortest: int = 0,
    multiline: bool = False,
) -> str:
    """A text of one line or several; empty where it is refused."""
    stripped = "" if value is None else value.strip() if isinstance(value, str) else None
    shown = None if stripped is None else stripped.replace("\n", "") if multiline else stripped
    if stripped is None or shown is None or (shown and not shown.isprintable()):
        errors.add(f"{name} must be a text of printable characters")
        return ""
    if not shortest <= len(stripped) <= longest:
        errors.add(f"{name} must have {shortest} to {longest} characters")
        return ""
    return stripped
