"""Step-up: sensitive actions require that the person proved who they are a moment ago."""

from datetime import timedelta

from crossway.domain.errors import Forbidden
from crossway.domain.staff import StaffSession
from crossway.ports.services import Services

VALID_FOR = timedelta(minutes=5)


class StepUpRequired(Forbidden):
    """The person must prove again who they are, and may then repeat what they asked for."""


def require_step_up(services: Services, session: StaffSession | None) -> None:
    """Raise `StepUpRequired` unless the person of a session proved who they are within the last
    five minutes. Callers without a session are not asked: API keys, the command line, and a
    dashboard that requires no sign-in."""
    if session is None:
        return
    age = None if session.proven_at is None else services.clock.machine() - session.proven_at
    if age is None or age > VALID_FOR:
        raise StepUpRequired("Confirm that it is you, then this is carried out")
