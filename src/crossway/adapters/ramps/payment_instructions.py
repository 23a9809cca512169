"""What a provider tells the user to do, made fit to be shown: lines of text, and safe links."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from crossway.domain.errors import Unreachable

MAX_CHARACTERS = 500


def clean_instructions(told: Mapping[str, str | None]) -> dict[str, str]:
    """Labels to values, each on one line; what is empty is left out."""
    cleaned = {_line(label): _line(value or "") for label, value in told.items()}
    return {label: value for label, value in cleaned.items() if label and value}


def require_https_url(title: str, link: str | None) -> str:
    """A link to the provider's page, or none. Anything but https is not shown to anybody."""
    if not link:
        return ""
    try:
        parts = urlsplit(link)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme != "https" or not parts.hostname or not link.isprintable() or " " in link:
        raise Unreachable(f"{title} names a page that is not a web address with https")
    return link


def _line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:MAX_CHARACTERS]
