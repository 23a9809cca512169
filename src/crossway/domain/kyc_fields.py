"""Parses submitted KYC fields and documents, and masks personal data."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final
from unicodedata import normalize

from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import FieldError, InvalidInput, MissingInput
from crossway.domain.kyc import Requirement

MAX_DOCUMENT_BYTES: Final = 5 * 2**20
MAX_FIELD_CHARACTERS: Final = 200
MAX_EMAIL_CHARACTERS: Final = 254
MIN_REDACTED_CHARACTERS: Final = 4  # a shorter value may be a common word
_MIN_DATE = date(1900, 1, 1)
_EMAIL = re.compile(r'[^\s@<>()\[\]\\,;:"]{1,64}@(?:[\w-]{1,63}\.)+[\w-]{2,63}\Z')
_PHONE = re.compile(r"\+?[0-9][0-9 ()-]{5,18}[0-9]\Z", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z", re.ASCII)
_TRAILER_BYTES = 1024  # bytes at the end of a file that hold its end marker


def parse_email(value: object, field: str = "userEmail") -> str:
    """Parse an e-mail address into canonical form; errors do not repeat it."""
    if value is None or value == "":
        raise MissingInput(f"{field} is required: the e-mail address of the user")
    text = normalize("NFC", value).strip().lower() if isinstance(value, str) else ""
    if len(text) > MAX_EMAIL_CHARACTERS or not text.isprintable() or not _EMAIL.match(text):
        raise InvalidInput(f"{field} must be an e-mail address such as ada@example.com")
    return text


def mask_email(email: str) -> str:
    """A masked e-mail address that only its owner recognises: `a…@e….com`."""
    local, _, host = email.partition("@")
    name, _, top = host.rpartition(".")
    return f"{local[:1]}…@{name[:1]}….{top}"


def strip_values(text: str, values: Iterable[str]) -> str:
    """A text from an outside service with these values replaced by `…`."""
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= MIN_REDACTED_CHARACTERS:
            text = re.sub(re.escape(value), "…", text, flags=re.IGNORECASE)
    return text


def parse_values(
    requirements: Sequence[Requirement], submitted: object, today: date, documents: str
) -> dict[str, str]:
    """Parse submitted fields by key; raises `InvalidInput` with every problem, unknown fields too.

    An omitted field is only missing and can be submitted later. `documents` tells the user where
    to submit documents.
    """
    if not isinstance(submitted, Mapping) or not submitted:
        raise InvalidInput("fields must be an object with at least one value")
    by_key = {requirement.key: requirement for requirement in requirements}
    errors: list[FieldError] = []
    values: dict[str, str] = {}
    for key, value in submitted.items():
        try:
            if key not in by_key:
                expected = ", ".join(by_key) or "nothing"
                raise InvalidInput(
                    f"fields.{printable_key(key)} is not asked for; asked for is {expected}"
                )
            if by_key[key].type == "document":
                raise InvalidInput(f"fields.{key} is a document: {documents}")
            values[key] = parse_value(by_key[key], value, today)
        except InvalidInput as error:
            errors += error.field_errors
    if errors:
        raise InvalidInput.of(errors)
    return values


def parse_value(requirement: Requirement, value: object, today: date) -> str:
    """Parse one field; the error names the field and does not repeat its value."""
    name = f"fields.{requirement.key}"
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise InvalidInput(f"{name} must be a text: {requirement.label}")
    text = normalize("NFC", value).strip()
    if len(text) > MAX_FIELD_CHARACTERS:
        raise InvalidInput(f"{name} must be at most {MAX_FIELD_CHARACTERS} characters")
    if requirement.type == "email":
        text = parse_email(text, name)
    elif requirement.type == "phone" and not _PHONE.match(text):
        raise InvalidInput(f"{name} must be a phone number such as +254700000000")
    elif requirement.type == "date":
        _validate_date(name, text, today)
    elif requirement.type == "enum" and text not in requirement.options:
        raise InvalidInput(f"{name} must be one of {', '.join(requirement.options)}")
    if requirement.pattern and not re.fullmatch(requirement.pattern, text):
        raise InvalidInput(f"{name} has not the right form: {requirement.label}")
    return text


def parse_document(
    requirements: Sequence[Requirement], key: object, media_type: object, content: bytes
) -> str:
    """Validate a document: its key is required and its content matches its media type."""
    keys = [requirement.key for requirement in requirements if requirement.type == "document"]
    if not isinstance(key, str) or key not in keys:
        document_keys = ", ".join(keys) or "none"
        raise InvalidInput(f"key must name a document that is asked for: {document_keys}")
    if not content:
        raise InvalidInput(f"{key}: the document is empty", ErrorCode.BODY_INVALID)
    if len(content) > MAX_DOCUMENT_BYTES:
        raise InvalidInput(f"{key}: a document must be at most 5 MiB long", ErrorCode.BODY_INVALID)
    detected = media_type_of(content)
    if detected is None:
        raise InvalidInput(
            f"{key}: a document must be a PNG, a JPEG or a PDF", ErrorCode.BODY_INVALID
        )
    if media_type != detected:
        raise InvalidInput(
            f"{key}: the content is {detected}, so Content-Type must say so",
            ErrorCode.BODY_INVALID,
        )
    return key


def media_type_of(content: bytes) -> str | None:
    """The media type of a PNG, JPEG or PDF by its first and last bytes, else None."""
    if content.startswith(b"\x89PNG\r\n\x1a\n") and content[12:16] == b"IHDR":
        return "image/png"
    if content.startswith(b"\xff\xd8\xff") and b"\xff\xd9" in content[-_TRAILER_BYTES:]:
        return "image/jpeg"
    if re.match(rb"%PDF-[12]\.[0-9]", content) and b"%%EOF" in content[-_TRAILER_BYTES:]:
        return "application/pdf"
    return None


def printable_key(key: object) -> str:
    """An unknown field name, shortened and safe to print."""
    text = str(key)[:40]
    return text if text.isprintable() else "?"


def _validate_date(name: str, text: str, today: date) -> None:
    try:
        day = date.fromisoformat(text) if _DATE.match(text) else None
    except ValueError:
        day = None
    if day is None:
        raise InvalidInput(f"{name} must be a date such as 1990-12-31")
    if not _MIN_DATE <= day <= today:
        raise InvalidInput(f"{name} must be a date from 1900-01-01 to today")
