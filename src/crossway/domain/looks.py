"""How a client's page for payers looks: its picture, its colour and where it may be framed."""

from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from crossway.domain.errors import InvalidInput

MOST_PICTURE_BYTES = 100 * 1024
MOST_FRAMES = 10
LIGHTEST, DARKEST = "#ffffff", "#000000"
_LONGEST_ORIGIN = 255


@dataclass(frozen=True, slots=True)
class Look:
    """What a client's payers see besides its name and its colour.

    `picture` is the logo as a file, empty for none; `frames` are the origins of the sites that may
    show the page inside their own, such as `https://shop.example`.
    """

    client_id: str
    picture: bytes = b""
    picture_type: str = ""
    frames: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """What the picture is found by; empty without one. Another picture has another."""
        return sha256(self.picture).hexdigest()[:32] if self.picture else ""


def picture_type(picture: bytes) -> str:
    """The media type of a logo by its first bytes. Refuses what is too large, and what is no PNG,
    JPEG or WebP: an SVG can carry scripts and call elsewhere."""
    if len(picture) > MOST_PICTURE_BYTES:
        raise InvalidInput(f"logo must be at most {MOST_PICTURE_BYTES // 1024} KB")
    if picture.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if picture.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if picture[:4] == b"RIFF" and picture[8:12] == b"WEBP":
        return "image/webp"
    raise InvalidInput("logo must be a PNG, JPEG or WebP picture")


def frame_origin(text: str) -> str:
    """The origin of a site that may frame a page, in its one spelling; raises `InvalidInput`."""
    found = origin_of(text)
    near = urlsplit(found).hostname in ("localhost", "127.0.0.1")
    if not found.startswith("https:") and not near:
        raise InvalidInput(f"frames: {found} must begin with https")
    return found


def origin_of(text: str) -> str:
    """An origin, such as `https://shop.example`, in its one spelling; raises `InvalidInput`."""
    wrong = InvalidInput(f"frames: {text[:60]} must be an origin, such as https://shop.example")
    if len(text) > _LONGEST_ORIGIN or not text.isascii():
        raise wrong
    try:
        parts = urlsplit(text.strip().lower().rstrip("/"))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise wrong from None
    rest = parts.path or parts.query or parts.fragment or "@" in parts.netloc
    named = host and all(part.replace("-", "").isalnum() for part in host.split("."))
    if rest or not named or parts.scheme not in ("http", "https"):
        raise wrong
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


def ink_on(colour: str) -> str:
    """The text colour on a ground `#rrggbb` that reads best: one of the two reaches 4.5:1 on any
    ground."""
    white, black = contrast(colour, LIGHTEST), contrast(colour, DARKEST)
    return LIGHTEST if white >= black else DARKEST


def contrast(one: str, other: str) -> float:
    """How far two colours `#rrggbb` stand apart, from 1 to 21, as WCAG 2 has it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)
