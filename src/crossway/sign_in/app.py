"""The routes of the sign-in pages: passwords, second factors, the first admin, and signing out."""

from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from crossway.sign_in import passkey_requests, single_sign_on
from crossway.sign_in.endpoints import TRIES_PER_MINUTE, VIEWS_PER_MINUTE, page_endpoint
from crossway.sign_in.pages import ASSETS, HEADERS, build_page, render
from crossway.sign_in.visit import ROOT, SignInSite, Visit
from crossway.usecases.staff import sessions, sign_in
from crossway.usecases.staff.first_admin import add_first_admin
from crossway.usecases.staff.sign_in import SecondFactorRequired


def create_sign_in(site: SignInSite) -> Starlette:
    """The pages; they are called with their whole path (`sign_in.PATHS`)."""
    page = partial(page_endpoint, site, per_minute=VIEWS_PER_MINUTE)
    form = partial(page_endpoint, site, per_minute=TRIES_PER_MINUTE)
    routes = [
        Route(f"{ROOT}/assets/{{name}}", ASSETS.respond, methods=["GET"]),
        Route(ROOT, page(_show), methods=["GET"]),
        Route(ROOT, form(_try_password), methods=["POST"]),
        Route(f"{ROOT}/code", form(_try_code), methods=["POST"]),
        Route(f"{ROOT}/again", page(_start_over), methods=["POST"]),
        Route(f"{ROOT}/first-admin", form(_add_first_admin), methods=["POST"]),
        *passkey_requests.routes(site),
        *single_sign_on.routes(site),
    ]
    if not site.providers.labels:
        return Starlette(routes=routes)
    # Between here and the provider, this cookie remembers what was asked.
    remembered = Middleware(
        SessionMiddleware,
        secret_key=site.providers.cookie_secret,
        session_cookie="crossway_oidc",
        max_age=None,
        https_only=site.providers.is_encrypted,
    )
    return Starlette(routes=routes, middleware=[remembered])


def _show(visit: Visit) -> Response:
    if visit.site.may_enter_freely(visit.request.scope) or _is_signed_in(visit):
        return _go(visit.next_path)
    return render(visit, build_page(visit))


def _try_password(visit: Visit) -> Response:
    services, site, typed = visit.services, visit.site, visit.form.get("password", "")
    if site.install_password and not _has_staff(visit):
        token = sign_in.sign_in_with_install_password(
            services, typed, site.install_password, visit.address
        )
        return _enter(visit, token)
    name, recovery_code = visit.form.get("name", ""), visit.form.get("recovery_code", "")
    try:
        token = sign_in.sign_in_with_password(services, name, typed, visit.address, recovery_code)
    except SecondFactorRequired as required:
        return visit.wait_for_second_factor(required.pending, _go_on(visit))
    return _enter(visit, token)


def _try_code(visit: Visit) -> Response:
    pending = visit.pending
    if pending is None:
        return _go_on(visit)
    code = visit.form.get("code", "")
    return _enter(visit, sign_in.complete_sign_in(visit.services, pending, code, visit.address))


def _start_over(visit: Visit) -> Response:
    return visit.cancel_pending(_go_on(visit))


def _add_first_admin(visit: Visit) -> Response:
    field, has_password = visit.form.get, bool(visit.site.install_password)
    token = add_first_admin(
        visit.services, has_password, field("token", ""), field("name"), field("password")
    )
    return _enter(visit, token)


def _has_staff(visit: Visit) -> bool:
    requirement = sessions.get_sign_in_requirement(visit.services, True)
    return requirement is sessions.SignInRequirement.STAFF


def _is_signed_in(visit: Visit) -> bool:
    return bool(visit.token) and sessions.get_own_session(visit.services, visit.token) is not None


def _enter(visit: Visit, token: str) -> Response:
    return visit.begin_session(token, _go(visit.next_path))


def _go_on(visit: Visit) -> Response:
    """The sign-in page again, for the next step."""
    return _go(visit.path_to_sign_in(visit.next_path))


def _go(path: str) -> Response:
    return RedirectResponse(path, 303, HEADERS)
