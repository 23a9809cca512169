"""What somebody pasted, read as the identifiers that it may mean."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

LONGEST: Final = 2_000
MOST_SPELLINGS: Final = 40
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
_SCREENS: Final = {
    "intent": "payment",
    "ramp_order": "order",
    "delivery": "delivery",
    "webhook": "webhook",
    "request": "request",
    "client": "client",
    "payment_link": "link",
}
_ALIKE: Final = {"intent": "payment", "ramp order": "order", "payment link": "link"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a text may mean: `kind` where it says so itself (`order 12`), else empty; `number` where
    it is one; `spellings` are the text and all that it may have been meant as."""

    kind: str
    number: int | None
    spellings: tuple[str, ...]


def wanted(text: str) -> Wanted:
    """Read what was pasted: white space around it and in it, hex in any case, links to explorers
    and to this dashboard, payment URIs, CAIP-10 accounts, `order 12`."""
    text = "".join(one for one in text[:LONGEST] if one.isprintable() or one.isspace())
    text = text.strip(_WRAPPING)
    kind = ""
    if said := _WORD.match(text):
        kind, text = said.group(1).lower(), said.group(2).strip(_WRAPPING)
        kind = _ALIKE.get(kind, kind)
    linked = _of_link(text)
    if linked is not None:
        kind, parts = linked
    else:
        parts = _of_uri(text)
    number = _NUMBER.match(parts[0]) if parts else None
    # A link can spell a NUL, which PostgreSQL takes in no text.
    spellings = dict.fromkeys(
        spelled for part in parts for spelled in _spellings(part.replace("\0", ""))
    )
    found = tuple(spellings)[:MOST_SPELLINGS]
    return Wanted(kind, int(number.group(1)) if number else None, found)


def _of_link(text: str) -> tuple[str, list[str]] | None:
    """The kind of screen and the names in a link; None when it is none."""
    if not re.match(r"https?://", text, re.IGNORECASE):
        return None
    try:
        link = urlsplit("".join(text.split()))
    except ValueError:
        return "", [text]
    given = dict(parse_qsl(link.query))
    path = [unquote(part) for part in f"{link.path}/{link.fragment}".split("/") if part]
    screen = _SCREENS.get(path[-1] if path else "")
    if screen and "id" in given:
        return screen, [given["id"]]
    # The longest part of an explorer's link is what it shows.
    named = sorted((*path, *given.values()), key=len, reverse=True)
    return "", [part.partition("?")[0] for part in named[:2]] or [text]


def _of_uri(text: str) -> list[str]:
    """What a payment URI or a CAIP-10 account names, the payee first; else the text itself."""
    whole = "".join(text.split())
    scheme, colon, rest = whole.partition(":")
    if colon and scheme.lower() in ("ethereum", "solana", "tron", "starknet", "bitcoin"):
        path, _, query = rest.partition("?")
        given = dict(parse_qsl(query))
        payee = path.removeprefix("pay-").partition("@")[0].partition("/")[0]
        named = [given.get("address", ""), payee, given.get("reference", "")]
        if given.get("address"):
            # The path of a transfer is the token, which names no payment.
            named = named[:1]
        return [name for name in named if name] or [text]
    if account := _CAIP.match(whole):
        return [account.group(1).rpartition(":")[2], text]
    return [text]


def _spellings(text: str) -> list[str]:
    """The text as it stands, and as it may be stored: without white space, in small letters, with
    and without `0x`, with and without leading zeros."""
    text = text.strip(_WRAPPING)
    found = [text] if text else []
    bare = "".join(text.split())
    if bare != text and (_HEX.match(bare) or _CODE.match(bare)):
        found.append(bare)
    if _HEX.match(bare):
        digits = bare[2:] if bare[:2].lower() == "0x" else bare
        small = digits.lower()
        found += [f"0x{small}", small, f"0x{digits}", digits]
        if (lean := small.lstrip("0")) and len(small) != 40:
            found += [f"0x{lean}", f"0x{lean:0>64}"]
    return list(dict.fromkeys(found))
