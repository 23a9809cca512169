"""Parses search text into the identifiers it may stand for."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

MAX_CHARACTERS: Final = 2_000
MAX_SPELLINGS: Final = 40
_WORD = re.compile(
    r"(payment|intent|order|ramp order|delivery|webhook|request|event|client|link|payment link)"
    r"\s*[#:]?\s*(\S.*)\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"#?\s*([0-9]{1,17})\Z", re.ASCII)
_HEX = re.compile(r"(?:0x)?[0-9a-f]{16,130}\Z", re.IGNORECASE | re.ASCII)
_CODE = re.compile(r"[0-9A-Za-z]{25,130}\Z", re.ASCII)
_CAIP = re.compile(r"[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}[:/](.+)\Z", re.ASCII)
_WRAPPING = " \t\r\n\u00a0\u200b\u200c\u200d\u2060\ufeff'\"`<>()[]{},;"
_PAGE_KINDS: Final = {
    "intent": "payment",
    "ramp_order": "order",
    "delivery": "delivery",
    "webhook": "webhook",
    "request": "request",
    "client": "client",
    "payment_link": "link",
}
_KIND_ALIASES: Final = {"intent": "payment", "ramp order": "order", "payment link": "link"}


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The possible meanings of a search text.

    `kind` is the named resource (`order 12`), else empty; `number` the id, if it is one;
    `spellings` are the text and its alternative spellings.
    """

    kind: str
    number: int | None
    spellings: tuple[str, ...]


def parse(text: str) -> SearchQuery:
    """Parse a search text: surrounding and inner white space, hex in any case, links to explorers
    and to the dashboard, payment URIs, CAIP-10 accounts, `order 12`."""
    text = "".join(
        character
        for character in text[:MAX_CHARACTERS]
        if character.isprintable() or character.isspace()
    ).strip(_WRAPPING)
    kind = ""
    if match := _WORD.match(text):
        kind, text = match.group(1).lower(), match.group(2).strip(_WRAPPING)
        kind = _KIND_ALIASES.get(kind, kind)
    if (link_parts := _parse_link(text)) is not None:
        kind, parts = link_parts
    else:
        parts = _parse_uri(text)
    number = _NUMBER.match(parts[0]) if parts else None
    # A link can contain NUL, which PostgreSQL rejects in text.
    spellings = dict.fromkeys(
        spelling for part in parts for spelling in _list_spellings(part.replace("\0", ""))
    )
    limited = tuple(spellings)[:MAX_SPELLINGS]
    return SearchQuery(kind, int(number.group(1)) if number else None, limited)


def _parse_link(text: str) -> tuple[str, list[str]] | None:
    """The kind and identifiers in a link; None when the text is not a link."""
    if not re.match(r"https?://", text, re.IGNORECASE):
        return None
    try:
        link = urlsplit("".join(text.split()))
    except ValueError:
        return "", [text]
    query_params = dict(parse_qsl(link.query))
    path = [unquote(part) for part in f"{link.path}/{link.fragment}".split("/") if part]
    kind = _PAGE_KINDS.get(path[-1] if path else "")
    if kind and "id" in query_params:
        return kind, [query_params["id"]]
    # The longest part of an explorer link is the identifier it shows.
    identifiers = sorted((*path, *query_params.values()), key=len, reverse=True)
    return "", [part.partition("?")[0] for part in identifiers[:2]] or [text]


def _parse_uri(text: str) -> list[str]:
    """The identifiers in a payment URI or CAIP-10 account, payee first; else the text itself."""
    compact = "".join(text.split())
    scheme, colon, uri_body = compact.partition(":")
    if colon and scheme.lower() in ("ethereum", "solana", "tron", "starknet", "bitcoin"):
        path, _, query = uri_body.partition("?")
        query_params = dict(parse_qsl(query))
        payee = path.removeprefix("pay-").partition("@")[0].partition("/")[0]
        identifiers = [query_params.get("address", ""), payee, query_params.get("reference", "")]
        if query_params.get("address"):
            # The path of a token transfer is the token, which identifies no payment.
            identifiers = identifiers[:1]
        return [identifier for identifier in identifiers if identifier] or [text]
    if account := _CAIP.match(compact):
        return [account.group(1).rpartition(":")[2], text]
    return [text]


def _list_spellings(text: str) -> list[str]:
    """The text and its possible stored spellings: without white space, in lower case, with and
    without `0x`, with and without leading zeros."""
    text = text.strip(_WRAPPING)
    spellings = [text] if text else []
    compact = "".join(text.split())
    if compact != text and (_HEX.match(compact) or _CODE.match(compact)):
        spellings.append(compact)
    if _HEX.match(compact):
        digits = compact[2:] if compact[:2].lower() == "0x" else compact
        lower = digits.lower()
        spellings += [f"0x{lower}", lower, f"0x{digits}", digits]
        if (stripped := lower.lstrip("0")) and len(lower) != 40:
            spellings += [f"0x{stripped}", f"0x{stripped:0>64}"]
    return list(dict.fromkeys(spellings))
