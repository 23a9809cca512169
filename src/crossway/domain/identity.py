"""Reading what somebody hands in about a person, and showing it masked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final
from unicodedata import normalize

from crossway.domain.errors import InvalidInput
from crossway.domain.kyc import Requirement

MOST_DOCUMENT_BYTES: Final = 5 * 2**20
MOST_FIELD_CHARACTERS: Final = 200
LONGEST_EMAIL: Final = 254
LEAST_TELLING: Final = 4  # characters; a shorter value is as likely to be a common word
_OLDEST = date(1900, 1, 1)
_EMAIL = re.compile(r'[^\s@<>()\[\]\\,;:"]{1,64}@(?:[\w-]{1,63}\.)+[\w-]{2,63}\Z')
_PHONE = re.compile(r"\+?[0-9][0-9 ()-]{5,18}[0-9]\Z", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z", re.ASCII)
_ENDING = 1024  # how near to its end a PDF says that it ends


def read_email(given: object, field: str = "userEmail") -> str:
    """An e-mail address in its one form; a refusal does not repeat it."""
    if given is None or given == "":
        raise InvalidInput(f"{field} is required: the e-mail address of the user")
    text = normalize("NFC", given).strip().lower() if isinstance(given, str) else ""
    if len(text) > LONGEST_EMAIL or not text.isprintable() or not _EMAIL.match(text):
        raise InvalidInput(f"{field} must be an e-mail address such as ada@example.com")
    return text


def masked(email: str) -> str:
    """An e-mail address that its owner knows again and others do not learn: `a…@e….com`."""
    local, _, host = email.partition("@")
    name, _, top = host.rpartition(".")
    return f"{local[:1]}…@{name[:1]}….{top}"


def without(text: str, values: Iterable[str]) -> str:
    """A sentence of somebody else's without these values, should it repeat any of them."""
    for value in sorted(values, key=len, reverse=True):
        if len(value) >= LEAST_TELLING:
            text = re.sub(re.escape(value), "…", text, flags=re.IGNORECASE)
    return text


def read_values(
    asked: Sequence[Requirement], given: object, today: date, documents: str
) -> dict[str, str]:
    """Fields by key in their one form; refuses with every complaint, unknown fields too.

    A field that is left out is only missing: it can be handed in later. `documents` says in words
    where those go.
    """
    if not isinstance(given, Mapping) or not given:
        raise InvalidInput("fields must be an object with at least one value")
    by_key = {one.key: one for one in asked}
    complaints: list[str] = []
    read: dict[str, str] = {}
    for key, value in given.items():
        try:
            if key not in by_key:
                known = ", ".join(by_key) or "nothing"
                raise InvalidInput(f"fields.{shown(key)} is not asked for; asked for is {known}")
            if by_key[key].type == "document":
                raise InvalidInput(f"fields.{key} is a document: {documents}")
            read[key] = read_value(by_key[key], value, today)
        except InvalidInput as refusal:
            complaints.append(str(refusal))
    if complaints:
        raise InvalidInput("; ".join(complaints))
    return read


def read_value(asked: Requirement, given: object, today: date) -> str:
    """One field, or a refusal that names it and does not repeat its value."""
    name = f"fields.{asked.key}"
    if not isinstance(given, str) or not given.strip() or not given.isprintable():
        raise InvalidInput(f"{name} must be a text: {asked.label}")
    text = normalize("NFC", given).strip()
    if len(text) > MOST_FIELD_CHARACTERS:
        raise InvalidInput(f"{name} must be at most {MOST_FIELD_CHARACTERS} characters")
    if asked.type == "email":
        text = read_email(text, name)
    elif asked.type == "phone" and not _PHONE.match(text):
        raise InvalidInput(f"{name} must be a phone number such as +254700000000")
    elif asked.type == "date":
        _refuse_other_dates(name, text, today)
    elif asked.type == "enum" and text not in asked.options:
        raise InvalidInput(f"{name} must be one of {', '.join(asked.options)}")
    if asked.pattern and not re.fullmatch(asked.pattern, text):
        raise InvalidInput(f"{name} has not the right form: {asked.label}")
    return text


def read_document(
    asked: Sequence[Requirement], key: object, media_type: object, content: bytes
) -> str:
    """The key of a document that is asked for, whose content is what it is declared to be."""
    keys = [one.key for one in asked if one.type == "document"]
    if not isinstance(key, str) or key not in keys:
        named = ", ".join(keys) or "none"
        raise InvalidInput(f"key must name a document that is asked for: {named}")
    if not content:
        raise InvalidInput(f"{key}: the document is empty")
    if len(content) > MOST_DOCUMENT_BYTES:
        raise InvalidInput(f"{key}: a document must be at most 5 MiB long")
    found = media_type_of(content)
    if found is None:
        raise InvalidInput(f"{key}: a document must be a PNG, a JPEG or a PDF")
    if media_type != found:
        raise InvalidInput(f"{key}: the content is {found}, so Content-Type must say so")
    return key


def media_type_of(content: bytes) -> str | None:
    """What a file is by its first and last bytes, of the three kinds that are taken."""
    if content.startswith(b"\x89PNG\r\n\x1a\n") and content[12:16] == b"IHDR":
        return "image/png"
    if content.startswith(b"\xff\xd8\xff") and b"\xff\xd9" in content[-_ENDING:]:
        return "image/jpeg"
    if re.match(rb"%PDF-[12]\.[0-9]", content) and b"%%EOF" in content[-_ENDING:]:
        return "application/pdf"
    return None


def shown(key: object) -> str:
    """The name of an unknown field in a refusal: short, and nothing that breaks a line."""
    text = str(key)[:40]
    return text if text.isprintable() else "?"


def _refuse_other_dates(name: str, text: str, today: date) -> None:
    try:
        day = date.fromisoformat(text) if _DATE.match(text) else None
    except ValueError:
        day = None
    if day is None:
        raise InvalidInput(f"{name} must be a date such as 1990-12-31")
    if not _OLDEST <= day <= today:
        raise InvalidInput(f"{name} must be a date from 1900-01-01 to today")
