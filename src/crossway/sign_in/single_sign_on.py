"""The routes of single sign-on: to the identity provider, back from it, and signing out."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Final

from anyio.to_thread import run_sync
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from crossway.domain.errors import Unauthorized
from crossway.sign_in.endpoints import TRIES_PER_MINUTE, page_endpoint, script_endpoint
from crossway.sign_in.pages import HEADERS
from crossway.sign_in.visit import ROOT, SignInSite, Visit, own_path
from crossway.usecases.staff import sessions, sign_in
from crossway.usecases.staff.sessions import ActiveSession, SignInRequirement
from crossway.usecases.staff.sign_in import SecondFactorRequired

_NEXT: Final = "next"


def routes(site: SignInSite) -> list[Route]:
    """The routes; without providers, there is only signing out."""
    sign_out = script_endpoint(site, _sign_out, TRIES_PER_MINUTE)
    if not site.providers.labels:
        return [Route("/sign-out", sign_out, methods=["POST"])]
    page = partial(page_endpoint, site, per_minute=TRIES_PER_MINUTE)
    return [
        # A link and no form: browsers refuse a form that ends at another site.
        Route(f"{ROOT}/with/{{provider}}", page(_ask), methods=["GET"]),
        Route("/oauth2callback", page(_return), methods=["GET"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


async def _ask(visit: Visit) -> Response:
    request = visit.request
    request.session[_NEXT] = visit.next_path
    return await visit.site.providers.ask(request, request.path_params["provider"])


async def _return(visit: Visit) -> Response:
    claims = await visit.site.providers.read_claims(visit.request)
    return await run_sync(_enter, visit, claims, limiter=visit.site.threads)


def _enter(visit: Visit, claims: Mapping[str, object]) -> Response:
    services = visit.services
    if sessions.get_sign_in_requirement(services, True) is not SignInRequirement.STAFF:
        raise Unauthorized("Nobody is staff yet: add the first person, then sign in")
    next_path = own_path(str(visit.request.session.pop(_NEXT, "")))
    issued = claims.get("iat")
    at = datetime.fromtimestamp(issued if isinstance(issued, int | float) else 0, UTC)
    proof = " ".join(str(claims.get(name)) for name in ("iss", "sub", "iat", "nonce", "jti"))
    verified = claims.get("email_verified", True) is True
    try:
        token = sign_in.sign_in_with_provider(services, claims.get("email"), verified, at, proof)
    except SecondFactorRequired as required:
        go_on = RedirectResponse(visit.path_to_sign_in(next_path), 303, HEADERS)
        return visit.wait_for_second_factor(required.pending, go_on)
    return visit.begin_session(token, RedirectResponse(next_path, 303, HEADERS))


async def _sign_out(visit: Visit) -> Response:
    """End the session, at the provider as well; the page's script goes where the answer says. With
    `again`, the person has to sign in once more to prove that it is them."""
    active = await run_sync(_end_session, visit, limiter=visit.site.threads)
    place = visit.path_to_sign_in(visit.next_path)
    providers, again = visit.site.providers, bool(visit.form.get("again"))
    if providers.labels and again:
        providers.ask_for_proof(visit.request)
    elif providers.labels and active is not None:
        place = await providers.sign_out_url(visit.request) or place
    response = JSONResponse({"next": place}, headers=HEADERS)
    if again:
        visit.delete_cookie(response, sessions.COOKIE)
    return response


def _end_session(visit: Visit) -> ActiveSession | None:
    """End the session of the browser's cookie; returns it as it was, None without one."""
    active = sessions.get_own_session(visit.services, visit.token) if visit.token else None
    sessions.sign_out(visit.services, visit.token)
    return active
