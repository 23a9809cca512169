"""A client's branding of its checkout pages: logo, text colour and allowed frame origins."""

from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from crossway.domain.errors import InvalidInput

MAX_LOGO_BYTES = 100 * 1024
MAX_FRAME_ORIGINS = 10
WHITE, BLACK = "#ffffff", "#000000"
_MAX_ORIGIN_CHARACTERS = 255


@dataclass(frozen=True, slots=True)
class Branding:
    """The branding beyond display name and colour.

    `logo` is an image file, empty for none. `frames` are the origins of sites that may embed the
    checkout page, such as `https://shop.example`.
    """

    client_id: str
    logo: bytes = b""
    logo_type: str = ""
    frames: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The content hash in the logo's URL; empty without a logo."""
        return sha256(self.logo).hexdigest()[:32] if self.logo else ""


def detect_logo_type(logo: bytes) -> str:
    """The media type of a logo, detected from its first bytes.

    Raises `InvalidInput` for a file that is too large or not a PNG, JPEG or WebP image (an SVG can
    contain scripts and external references).
    """
    if len(logo) > MAX_LOGO_BYTES:
        raise InvalidInput(f"logo must be at most {MAX_LOGO_BYTES // 1024} KB")
    if logo.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if logo.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if logo[:4] == b"RIFF" and logo[8:12] == b"WEBP":
        return "image/webp"
    raise InvalidInput("logo must be a PNG, JPEG or WebP picture")


def frame_origin(text: str) -> str:
    """The canonical origin of a site that may embed a page; raises `InvalidInput`."""
    origin = origin_of(text)
    is_local = urlsplit(origin).hostname in ("localhost", "127.0.0.1")
    if not origin.startswith("https:") and not is_local:
        raise InvalidInput(f"frames: {origin} must begin with https")
    return origin


def origin_of(text: str) -> str:
    """An origin such as `https://shop.example` in canonical form; raises `InvalidInput`."""
    error = InvalidInput(f"frames: {text[:60]} must be an origin, such as https://shop.example")
    if len(text) > _MAX_ORIGIN_CHARACTERS or not text.isascii():
        raise error
    try:
        parts = urlsplit(text.strip().lower().rstrip("/"))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise error from None
    extra_parts = parts.path or parts.query or parts.fragment or "@" in parts.netloc
    valid_host = host and all(part.replace("-", "").isalnum() for part in host.split("."))
    if extra_parts or not valid_host or parts.scheme not in ("http", "https"):
        raise error
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


def text_colour_on(colour: str) -> str:
    """Black or white, whichever contrasts more with a `#rrggbb` background (at least 4.5:1)."""
    white, black = contrast(colour, WHITE), contrast(colour, BLACK)
    return WHITE if white >= black else BLACK


def contrast(first: str, second: str) -> float:
    """The WCAG 2 contrast ratio of two `#rrggbb` colours, from 1 to 21."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (int(colour[offset : offset + 2], 16) / 255 for offset in (1, 3, 5))
    return 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)


def _linear(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)
