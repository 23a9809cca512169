"""Sanitizing a provider's payment instructions for display: single lines and https links."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from crossway.domain.errors import Unreachable

MAX_CHARACTERS = 500


def clean_instructions(instructions: Mapping[str, str | None]) -> dict[str, str]:
    """Labels to values, each as a single printable line; empty ones are removed."""
    cleaned = {_line(label): _line(value or "") for label, value in instructions.items()}
    return {label: value for label, value in cleaned.items() if label and value}


def require_https_url(title: str, link: str | None) -> str:
    """The link to the provider's page, or empty. Raises `Unreachable` for anything but https."""
    if not link:
        return ""
    try:
        parts = urlsplit(link)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme != "https" or not parts.hostname or not link.isprintable() or " " in link:
        raise Unreachable(f"{title} returned a page that is not an https URL")
    return link


def _line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:MAX_CHARACTERS]
