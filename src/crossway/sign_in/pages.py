"""The HTML of the sign-in pages."""

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from starlette.responses import Response

from crossway.domain.errors import DomainError
from crossway.domain.second_factors import (
    MAX_CODE_CHARACTERS,
    PASSKEYS_NEED_URL,
    find_passkey_url,
)
from crossway.domain.staff import MAX_NAME_CHARACTERS
from crossway.domain.staff_passwords import MAX_PASSWORD_CHARACTERS
from crossway.sign_in.visit import HOME, ROOT, Visit
from crossway.usecases.staff import passkeys, sessions
from crossway.usecases.staff.first_admin import needs_first_admin
from crossway.usecases.staff.sessions import SignInRequirement
from crossway.web_pages.assets import Assets, load_templates

_HERE: Final = Path(__file__).parent
_STATIC: Final = Path(__file__).parents[3] / "static"
_TEMPLATES: Final = load_templates(_HERE / "templates")
_FONT: Final = "inter-latin-wght-normal.woff2"
ASSETS: Final = Assets(
    f"{ROOT}/assets",
    {
        "sign_in.css": (_HERE / "assets" / "sign_in.css", "text/css"),
        "sign_in.js": (_HERE / "assets" / "sign_in.js", "text/javascript"),
        "logo.svg": (_STATIC / "logo.svg", "image/svg+xml"),
        "logo-dark.svg": (_STATIC / "logo-dark.svg", "image/svg+xml"),
        "favicon.svg": (_STATIC / "favicon.svg", "image/svg+xml"),
        _FONT: (_STATIC / _FONT, "font/woff2"),
    },
)
_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {"cache-control": "no-store", "content-security-policy": _POLICY}


class Step(StrEnum):
    """What the visitor is asked for."""

    PASSWORD = "password"
    INSTALL_PASSWORD = "install password"
    SECOND_FACTOR = "second factor"
    FIRST_ADMIN = "first admin"


TITLES: Final = {
    Step.PASSWORD: "Sign in",
    Step.INSTALL_PASSWORD: "Sign in",
    Step.SECOND_FACTOR: "Sign in",
    Step.FIRST_ADMIN: "Set up Crossway",
}


@dataclass(frozen=True, slots=True)
class SignInPage:
    """The content of a page. `providers` are links with their labels; `passkey_hint` says why the
    page offers no passkey, `passkey_url` is where one would work; both may be empty."""

    step: Step
    next_path: str
    error: str = ""
    note: str = ""
    name: str = ""
    asks_recovery_code: bool = False
    providers: tuple[tuple[str, str], ...] = ()
    offers_passkey: bool = False
    passkey_hint: str = ""
    passkey_url: str = ""
    has_authenticator: bool = False
    live: bool = False


def build_page(visit: Visit) -> SignInPage:
    """The page that a visitor gets first, or after the first factor was right."""
    services = visit.services
    page = SignInPage(_step(visit), visit.next_path, live=services.environment == "live")
    if page.step in (Step.FIRST_ADMIN, Step.INSTALL_PASSWORD):
        return page
    pending = visit.pending
    if pending is not None:
        page = replace(
            page,
            name=pending.member.name,
            has_authenticator=pending.factors.authenticator is not None,
        )
        wants_passkey = bool(pending.factors.passkeys)
    else:
        wants_passkey = passkeys.has_passkeys(services)
        query = urlencode({"next": visit.next_path})
        links = tuple(
            (f"{ROOT}/with/{name}?{query}", label)
            for name, label in visit.site.providers.labels.items()
        )
        note = sessions.explain_sign_out(services, visit.token) if visit.token else ""
        page = replace(page, providers=links, note=note)
    if not wants_passkey:
        return page
    if visit.relying_party is not None:
        return replace(page, offers_passkey=True)
    place = find_passkey_url(services.policy.ingress.public_url, str(visit.request.url))
    return replace(page, passkey_hint="" if place else PASSKEYS_NEED_URL, passkey_url=place)


def render(visit: Visit, page: SignInPage, status: int = 200) -> Response:
    """A complete page."""
    html = _TEMPLATES.get_template("sign_in.html").render(
        page=page,
        title=TITLES[page.step],
        Step=Step,
        asset=ASSETS.url,
        root=ROOT,
        home=HOME,
        max_name=MAX_NAME_CHARACTERS,
        max_password=MAX_PASSWORD_CHARACTERS,
        max_code=MAX_CODE_CHARACTERS,
    )
    response = Response(html, status, HEADERS, "text/html")
    if page.note:
        # The session that ended is explained once.
        visit.delete_cookie(response, sessions.COOKIE)
    return response


def as_sentence(error: DomainError) -> str:
    """What was wrong, as a sentence."""
    text = str(error)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _step(visit: Visit) -> Step:
    has_password = bool(visit.site.install_password)
    if needs_first_admin(visit.services, has_password):
        return Step.FIRST_ADMIN
    requirement = sessions.get_sign_in_requirement(visit.services, has_password)
    if requirement is SignInRequirement.INSTALL_PASSWORD:
        return Step.INSTALL_PASSWORD
    return Step.SECOND_FACTOR if visit.pending is not None else Step.PASSWORD
