"""What the script of the sign-in page asks for a passkey: a challenge, and whether it was met."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import partial

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from crossway.domain.errors import InvalidInput
from crossway.domain.second_factors import RelyingParty
from crossway.sign_in.endpoints import TRIES_PER_MINUTE, script_endpoint
from crossway.sign_in.pages import HEADERS
from crossway.sign_in.visit import ROOT, SignInSite, Visit
from crossway.usecases.staff import passkeys


def routes(site: SignInSite) -> list[Route]:
    """The routes."""
    endpoint = partial(script_endpoint, site, per_minute=TRIES_PER_MINUTE)
    return [
        Route(f"{ROOT}/passkey/challenge", endpoint(_challenge), methods=["POST"]),
        Route(f"{ROOT}/passkey", endpoint(_answer), methods=["POST"]),
    ]


def _challenge(visit: Visit) -> Response:
    request = passkeys.begin_sign_in(visit.services, _relying_party(visit))
    challenge = urlsafe_b64encode(request.challenge).decode()
    return JSONResponse({"challenge": challenge, "options": request.options}, headers=HEADERS)


def _answer(visit: Visit) -> Response:
    try:
        challenge = urlsafe_b64decode(visit.form.get("challenge", ""))
    except ValueError as error:
        raise InvalidInput("challenge must be the one that was sent") from error
    answer = visit.form.get("answer", "")
    token = passkeys.sign_in_with_passkey(visit.services, _relying_party(visit), challenge, answer)
    return visit.begin_session(token, JSONResponse({"next": visit.next_path}, headers=HEADERS))


def _relying_party(visit: Visit) -> RelyingParty:
    site = visit.relying_party
    if site is None:
        raise InvalidInput("passkeys do not work at the address of this page")
    return site
