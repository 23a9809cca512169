"""The second person: who somebody is under every name, and that they did not ask themselves."""

from datetime import datetime

from crossway.domain.clients import Principal
from crossway.domain.errors import Forbidden
from crossway.ports.store import UnitOfWork


def identity_of(caller: Principal) -> str:
    """Who a caller is: the staff account behind their session, whatever it is called now; else the
    name of the command line, or of a dashboard without accounts."""
    member_id = caller.session.member_id if caller.session is not None else None
    return caller.client.name if member_id is None else f"staff:{member_id}"


def require_second_person(
    unit: UnitOfWork, caller: Principal, asked_by: str, asked_at: datetime
) -> None:
    """Raise `Forbidden` if the caller is who asked (an identity, empty where no person did), or
    has an account that was made after that."""
    if identity_of(caller) == asked_by:
        raise Forbidden("You asked for this yourself: another person has to approve it")
    member_id = caller.session.member_id if caller.session is not None else None
    member = None if member_id is None else unit.staff.get(member_id)
    if asked_by and member is not None and member.created_at > asked_at:
        raise Forbidden("Your account is younger than this: another person has to approve it")
