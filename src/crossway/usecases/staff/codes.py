"""Codes that stand for a second factor: those of an authenticator app, and recovery codes."""

from crossway.domain.errors import Unauthorized
from crossway.domain.second_factors import hash_recovery_code
from crossway.domain.staff import StaffMember
from crossway.ports.second_factors import AuthenticatorCodes
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork


class WrongCode(Unauthorized):
    """A code is wrong, or was used before."""


def use_code(services: Services, member: StaffMember, code: str, unit: UnitOfWork) -> str:
    """Use up a code and return what it was, for the audit log. Raises `WrongCode`."""
    if _use_authenticator_code(services, member, code, unit):
        return "authenticator app"
    now = services.clock.now()
    if unit.second_factors.use_recovery_code(hash_recovery_code(member.id, code), now):
        left = unit.second_factors.get(member.id).recovery_codes_left
        detail, subject = {"left": left}, f"staff:{member.id}"
        unit.audit_log.record(member.name, "recovery code used", detail, now, subject)
        return "recovery code"
    raise WrongCode("The code is wrong or was used before: wait for the next one")


def has_recovery_code(unit: UnitOfWork, member: StaffMember | None, typed: str) -> bool:
    """Whether this is one of a person's recovery codes that was not used."""
    code_hash = hash_recovery_code(member.id if member else 0, typed)
    return unit.second_factors.has_recovery_code(code_hash)


def get_authenticator_codes(services: Services) -> AuthenticatorCodes:
    """The port that verifies codes of authenticator apps."""
    assert services.authenticator_codes is not None, "this service was built without codes"
    return services.authenticator_codes


def _use_authenticator_code(
    services: Services, member: StaffMember, code: str, unit: UnitOfWork
) -> bool:
    """Use up a code of the person's authenticator app; False where it is none, or an earlier one
    than the last."""
    authenticator = unit.second_factors.get(member.id).authenticator
    if authenticator is None:
        return False
    secret = services.vault.decrypt(authenticator.encrypted_secret).decode()
    digits = "".join(code.split())
    step = get_authenticator_codes(services).find_step(secret, digits, services.clock.machine())
    return step is not None and unit.second_factors.use_step(member.id, step)
