"""HTTP responses of the payer's pages: templates, headers, language and branding."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from crossway.domain.branding import text_colour_on
from crossway.payer.i18n import Translations, choose_language, language_names, load_translations
from crossway.ports.services import Services
from crossway.usecases.payers.checkout import Merchant
from crossway.web_pages.assets import Assets, load_templates

ROOT: Final = "/pay"
PRODUCT_NAME: Final = "Crossway"
_HERE: Final = Path(__file__).parent
_COMMON_HEADERS: Final = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex, nofollow",
    "cross-origin-opener-policy": "same-origin",
}
_TEMPLATES: Final = load_templates(_HERE / "templates")
ASSETS: Final = Assets(
    f"{ROOT}/assets",
    {
        "pay.css": (_HERE / "assets" / "pay.css", "text/css"),
        **{path.name: (path, "text/javascript") for path in (_HERE / "assets").glob("*.js")},
    },
)


@dataclass(frozen=True, slots=True)
class PageBrand:
    """The branding of a page. `ink` is a readable text colour, `frames` are allowed embedders."""

    name: str
    logo: str = ""
    colour: str = ""
    ink: str = ""
    frames: tuple[str, ...] = ()


def page_brand(merchant: Merchant) -> PageBrand:
    """The branding of a client's pages."""
    colour, branding = merchant.client.public_profile.colour, merchant.branding
    logo = f"{ROOT}/logo/{branding.digest}" if branding.digest else ""
    return PageBrand(
        merchant.name, logo, colour, text_colour_on(colour) if colour else "", branding.frames
    )


@dataclass(frozen=True)
class PageRequest:
    """A page's request with its language, and whether the page is embedded in a frame."""

    request: Request
    services: Services
    t: Translations
    embed: bool

    @staticmethod
    def parse(request: Request, services: Services) -> "PageRequest":
        """The page request in an HTTP request."""
        query = request.query_params
        code = choose_language(query.get("lang", ""), request.headers.get("accept-language", ""))
        return PageRequest(request, services, load_translations(code), query.get("embed") == "1")

    @property
    def simulated(self) -> bool:
        """Whether the environment is simulated."""
        return self.services.environment == "simulated"

    def preserved_params(self) -> dict[str, str]:
        """The query parameters that links to other pages keep."""
        named = self.request.query_params.get("lang") == self.t.code
        return {
            **({"lang": self.t.code} if named else {}),
            **({"embed": "1"} if self.embed else {}),
        }

    def path(self, path: str, **more: str) -> str:
        """A path below `/pay` with the preserved parameters."""
        query = urlencode({**self.preserved_params(), **more})
        return f"{ROOT}/{path}" + (f"?{query}" if query else "")

    def absolute_url(self, path: str) -> str:
        """The absolute URL of a path below `/pay`."""
        return base_url(self.services, self.request) + f"{ROOT}/{path}"

    def languages(self) -> list[tuple[str, str, str]]:
        """Each language: its code, its name, and this page's URL in it."""
        query = {k: v for k, v in self.request.query_params.items() if k != "version"}
        path = ROOT + self.request.url.path.partition(ROOT)[2]
        return [
            (code, name, f"{path}?{urlencode({**query, 'lang': code})}")
            for code, name in language_names().items()
        ]


def base_url(services: Services, request: Request) -> str:
    """The service's public base URL: the configured one, or that of the request."""
    return services.policy.ingress.public_url or f"{request.url.scheme}://{request.url.netloc}"


def render_page(
    page_request: PageRequest,
    template: str,
    brand: PageBrand,
    title: str,
    status: int = 200,
    **more: Any,
) -> Response:
    """Render a complete page."""
    nonce = secrets.token_urlsafe(16)
    html = _TEMPLATES.get_template(template).render(
        t=page_request.t,
        embed=page_request.embed,
        simulated=page_request.simulated,
        brand=brand,
        title=title,
        nonce=nonce,
        asset=ASSETS.url,
        plain=False,
        languages=page_request.languages(),
        **more,
    )
    headers = {
        **_COMMON_HEADERS,
        "content-security-policy": content_security_policy(nonce, brand.frames),
    }
    if not brand.frames:
        headers["x-frame-options"] = "DENY"
    return Response(html, status, headers | {"content-language": page_request.t.code}, "text/html")


def download_file(content: str, name: str, media_type: str) -> Response:
    """A file that the browser saves."""
    headers = {**_COMMON_HEADERS, "content-disposition": f'attachment; filename="{name}"'}
    return Response(content, 200, headers, media_type)


def render_json(content: Mapping[str, Any], status: int = 200) -> Response:
    """An answer to a page's script."""
    body = json.dumps(content, ensure_ascii=False)
    return Response(body, status, _COMMON_HEADERS, "application/json")


def render_fragment(
    page_request: PageRequest, template: str, brand: PageBrand, now: int, **more: Any
) -> Response:
    """Render a part of a page that the page's script swaps in."""
    html = _TEMPLATES.get_template(template).render(
        t=page_request.t, embed=page_request.embed, brand=brand, **more
    )
    return Response(html, 200, {**_COMMON_HEADERS, "x-now": str(now)}, "text/html")


def unchanged(now: int) -> Response:
    """The response for an unchanged page; `now` updates its clock."""
    return Response(None, 204, {**_COMMON_HEADERS, "x-now": str(now)})


def render_notice(page_request: PageRequest, key: str, status: int, **values: object) -> Response:
    """Render a page with one message, such as "Page not found"."""
    headline, body = page_request.t(f"{key}.title"), page_request.t(f"{key}.body", **values)
    title = page_request.t.plain(f"{key}.title")
    return render_page(
        page_request,
        "notice.html",
        PageBrand(PRODUCT_NAME),
        title,
        status,
        headline=headline,
        body=body,
    )


def redirect_to(path: str) -> Response:
    """A redirect that is followed with GET."""
    return Response(None, 303, {**_COMMON_HEADERS, "location": path})


def content_security_policy(nonce: str, frames: Sequence[str]) -> str:
    """The content security policy: own resources only, no inline scripts, framed by `frames`."""
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
