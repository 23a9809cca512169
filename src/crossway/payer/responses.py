"""How a page becomes an answer: the templates, the header fields, and the language it is in."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response

from crossway.domain.branding import text_colour_on
from crossway.payer.i18n import Translations, choose_language, language_names, load_translations
from crossway.ports.services import Services
from crossway.usecases.payers.checkout import Merchant

ROOT: Final = "/pay"
ASSETS: Final = {"pay.css": "text/css", "pay.js": "text/javascript"}
PRODUCT_NAME: Final = "Crossway"
_HERE: Final = Path(__file__).parent
_COMMON_HEADERS: Final = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex, nofollow",
    "cross-origin-opener-policy": "same-origin",
}
_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True, slots=True)
class PageBrand:
    """How a page shows whose it is."""

    name: str
    logo: str = ""
    colour: str = ""
    ink: str = ""
    frames: tuple[str, ...] = ()


def page_brand(merchant: Merchant) -> PageBrand:
    """The brand of a client, its text colour so that it can be read."""
    colour, look = merchant.client.public_profile.colour, merchant.branding
    logo = f"{ROOT}/logo/{look.digest}" if look.digest else ""
    return PageBrand(merchant.name, logo, colour, text_colour_on(colour) if colour else "", look.frames)


@dataclass(frozen=True)
class PageRequest:
    """What every page needs of a request: its language, and whether it is shown in a frame."""

    request: Request
    services: Services
    t: Translations
    embed: bool

    @staticmethod
    def of(request: Request, services: Services) -> "PageRequest":
        """What this request says of it."""
        query = request.query_params
        code = choose_language(query.get("lang", ""), request.headers.get("accept-language", ""))
        return PageRequest(request, services, load_translations(code), query.get("embed") == "1")

    @property
    def simulated(self) -> bool:
        """Whether no money is real."""
        return self.services.environment == "simulated"

    def preserved_params(self) -> dict[str, str]:
        """What of the query stays from page to page."""
        named = self.request.query_params.get("lang") == self.t.code
        return {
            **({"lang": self.t.code} if named else {}),
            **({"embed": "1"} if self.embed else {}),
        }

    def path(self, path: str, **more: str) -> str:
        """A path of ours with what stays from page to page."""
        query = urlencode({**self.preserved_params(), **more})
        return f"{ROOT}/{path}" + (f"?{query}" if query else "")

    def absolute_url(self, path: str) -> str:
        """The whole address of a path of ours, as another device finds it."""
        return base_url(self.services, self.request) + f"{ROOT}/{path}"

    def languages(self) -> list[tuple[str, str, str]]:
        """Each language: code, name, and this page in it."""
        query = {k: v for k, v in self.request.query_params.items() if k != "version"}
        here = ROOT + self.request.url.path.partition(ROOT)[2]
        return [
            (code, name, f"{here}?{urlencode({**query, 'lang': code})}")
            for code, name in language_names().items()
        ]


def base_url(services: Services, request: Request) -> str:
    """Where this service is reached, without a path: as it was set, else as it was asked."""
    return services.policy.ingress.public_url or f"{request.url.scheme}://{request.url.netloc}"


def render_page(
    asked: PageRequest, template: str, brand: PageBrand, title: str, status: int = 200, **more: Any
) -> Response:
    """A whole page."""
    nonce = secrets.token_urlsafe(16)
    html = _TEMPLATES.get_template(template).render(
        t=asked.t, embed=asked.embed, simulated=asked.simulated, brand=brand, title=title,
        nonce=nonce, asset=asset, plain=False, languages=asked.languages(), **more,
    )  # fmt: skip
    headers = {
        **_COMMON_HEADERS,
        "content-security-policy": content_security_policy(nonce, brand.frames),
    }
    if not brand.frames:
        headers["x-frame-options"] = "DENY"
    return Response(html, status, headers | {"content-language": asked.t.code}, "text/html")


def render_fragment(
    asked: PageRequest, template: str, brand: PageBrand, now: int, **more: Any
) -> Response:
    """A part of a page, which its script puts in the place of the old one."""
    html = _TEMPLATES.get_template(template).render(
        t=asked.t, embed=asked.embed, brand=brand, **more
    )
    return Response(html, 200, {**_COMMON_HEADERS, "x-now": str(now)}, "text/html")


def unchanged(now: int) -> Response:
    """The page is as it was; only the time went on."""
    return Response(None, 204, {**_COMMON_HEADERS, "x-now": str(now)})


def render_notice(asked: PageRequest, key: str, status: int, **values: object) -> Response:
    """A page that says one thing, such as that there is no such page."""
    headline, body = asked.t(f"{key}.title"), asked.t(f"{key}.body", **values)
    title = asked.t.plain(f"{key}.title")
    return render_page(
        asked, "notice.html", PageBrand(PRODUCT_NAME), title, status, headline=headline, body=body
    )


def redirect_to(path: str) -> Response:
    """Go there, and ask with GET."""
    return Response(None, 303, {**_COMMON_HEADERS, "location": path})


def immutable_file(body: bytes, media: str) -> Response:
    """A file whose address changes when it does."""
    headers = {
        "cache-control": "public, max-age=31536000, immutable",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'",
    }
    return Response(body, 200, headers, media)


def content_security_policy(nonce: str, frames: Sequence[str]) -> str:
    """The content security policy: nothing from elsewhere, no inline script, framed by whom the
    client named."""
    rules: Mapping[str, str] = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": f"'self' 'nonce-{nonce}'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": " ".join(frames) or "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


@cache
def asset_body(name: str) -> bytes:
    """A file of `assets/`."""
    return (_HERE / "assets" / name).read_bytes()


@cache
def asset(name: str) -> str:
    """The address of a file of `assets/`, another one whenever it changes."""
    return f"{ROOT}/assets/{name}?{sha256(asset_body(name)).hexdigest()[:12]}"
