"""Setting up an installation over the network: its first admin, with a token that only the machine
that runs it knows."""

import hmac
import logging

from crossway.domain.clients import staff_principal
from crossway.domain.errors import Unauthorized
from crossway.domain.roles import Role
from crossway.domain.staff import AuthMethod
from crossway.ports.services import Services
from crossway.usecases.staff.members import NewStaffMember, add_member
from crossway.usecases.staff.sessions import (
    SignInRequirement,
    get_sign_in_requirement,
    start_session,
)

_ACTOR = "Setup token"
_TOKEN_CHARACTERS = 32
_log = logging.getLogger(__name__)


def needs_first_admin(services: Services, has_password: bool) -> bool:
    """Whether the first admin can be added with the setup token: nobody is staff yet, and no
    installation password is set."""
    requirement = get_sign_in_requirement(services, has_password)
    return requirement in (SignInRequirement.NONE, SignInRequirement.CLOSED)


def get_setup_token(services: Services) -> str:
    """The token, 128 bits in hexadecimal digits. It follows from the installation's secret key, so
    that it is the same in every process, and is worth nothing once there is staff."""
    return services.vault.blind_index("setup token")[:_TOKEN_CHARACTERS]


def add_first_admin(
    services: Services, has_password: bool, token: str, name: object, password: object
) -> str:
    """Add the first admin and start their session; returns its token. Raises `Unauthorized` for a
    wrong setup token, and `InvalidInput` and `InvalidStatus` as `add_member` does."""
    typed, expected = token.strip().lower(), get_setup_token(services)
    is_right = hmac.compare_digest(typed.encode(), expected.encode())
    if not is_right or not needs_first_admin(services, has_password):
        # Not in the audit log: anybody could fill it.
        _log.warning("A wrong setup token was entered")
        raise Unauthorized("That is not the token of this installation")
    request = NewStaffMember(name, Role.ADMIN, password)
    member = add_member(services, staff_principal(_ACTOR), request, must_be_first=True)
    return start_session(services, member, AuthMethod.PASSWORD)
