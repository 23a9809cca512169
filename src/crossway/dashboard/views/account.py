"""A person's own sign-in on screen: passkeys and active sessions."""

from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import time_cell
from crossway.dashboard.views.staff import AUTH_METHODS
from crossway.domain.second_factors import Passkey
from crossway.domain.staff import StaffSession
from crossway.ports.services import Services
from crossway.usecases.staff import account
from crossway.usecases.staff.sessions import ActiveSession

SESSION_COLUMNS: Final = (
    Column("Browser"),
    Column("Signed in with"),
    Column("Signed in", wide=True),
    Column("Last active"),
)
PASSKEY_COLUMNS: Final = (Column("Passkey"), Column("Added", wide=True), Column("Last used"))


def build_session_rows(services: Services, active: ActiveSession) -> tuple[Row, ...]:
    """The person's active sessions, newest first; the browser's own is marked."""
    return tuple(
        _session_row(session, session.id == active.session.id)
        for session in account.list_sessions(services, active)
    )


def build_passkey_rows(passkeys: tuple[Passkey, ...]) -> tuple[Row, ...]:
    """The person's passkeys, oldest first."""
    return tuple(
        Row(
            key=str(passkey.id),
            cells=(
                Cell(passkey.name),
                time_cell(passkey.created_at),
                time_cell(passkey.last_used_at) if passkey.last_used_at else Cell("Never"),
            ),
            label=passkey.name,
        )
        for passkey in passkeys
    )


def _session_row(session: StaffSession, is_own: bool) -> Row:
    badges = (Badge("This browser", "green", "computer"),) if is_own else ()
    method = AUTH_METHODS[session.auth_method]
    return Row(
        key=str(session.id),
        cells=(
            Cell(session.browser or "Unknown browser", badges=badges),
            Cell(method),
            time_cell(session.started_at),
            time_cell(session.last_seen_at),
        ),
        label=f"{session.browser}, this browser" if is_own else session.browser,
        marked=is_own,
    )
