"""Staff of a small installation who sign in, with what they sign in with."""

from dataclasses import replace
from pathlib import Path

import pyotp

from crossway.domain.clients import Principal, staff_principal
from crossway.domain.second_factors import RelyingParty
from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.ports.policy import SessionPolicy
from crossway.usecases.staff import audit, members, passkeys, second_factors, sessions, sign_in
from crossway.usecases.staff.sessions import ActiveSession
from tests.harness import Harness
from tests.passkeys import SoftwarePasskey

PASSWORD = "four words nobody expects"
MACHINE = staff_principal("command line")
OFFICE = "203.0.113.7"
SITE = RelyingParty("localhost", "http://localhost:8600")


class StaffWorld(Harness):
    """An installation with Ada, an admin; `policy` is that of sessions."""

    def __init__(self, folder: Path, **policy: object) -> None:
        sessions_policy = replace(SessionPolicy(), **policy)  # type: ignore[arg-type]
        super().__init__(f"sqlite:///{folder / 'w.db'}", chains=(), sessions=sessions_policy)
        self.add("Ada")

    def add(self, name: str, role: str = "admin", email: str | None = None) -> int:
        request = members.NewStaffMember(name, role, PASSWORD, email)
        return members.add_member(self.services, MACHINE, request).id

    def enter(self, name: str = "Ada", password: str = PASSWORD) -> ActiveSession:
        """A new session by password alone."""
        return self.active(sign_in.sign_in_with_password(self.services, name, password, OFFICE))

    def pending(self, name: str = "Ada") -> sign_in.PendingSignIn:
        """A sign-in that waits for its second factor."""
        try:
            self.enter(name)
        except sign_in.SecondFactorRequired as asked:
            return asked.pending
        raise AssertionError("no second factor was asked for")

    def active(self, token: str) -> ActiveSession:
        found = sessions.get_own_session(self.services, token)
        assert found is not None
        return found

    def add_authenticator(self, active: ActiveSession) -> tuple[pyotp.TOTP, tuple[str, ...]]:
        """An authenticator app that is enrolled, and the recovery codes that came with it."""
        enrolment = second_factors.begin_authenticator(self.services, active)
        app = pyotp.TOTP(enrolment.secret)
        codes = second_factors.confirm_authenticator(
            self.services, active, enrolment, self.code(app)
        )
        return app, codes

    def add_passkey(
        self, active: ActiveSession, name: str = "Laptop"
    ) -> tuple[SoftwarePasskey, tuple[str, ...]]:
        passkey = SoftwarePasskey()
        asked = passkeys.begin_registration(self.services, active, SITE)
        answer = passkey.register(asked.options)
        codes = passkeys.add_passkey(self.services, active, SITE, asked.challenge, answer, name)
        return passkey, codes

    def code(self, app: pyotp.TOTP, steps: int = 0) -> str:
        """The code that an app shows now, or some steps later."""
        return str(app.at(int(self.machine.seconds) + 30 * steps))

    def is_open(self, active: ActiveSession) -> bool:
        with self.store.read() as unit:
            open_sessions = unit.staff.list_open_sessions(active.session.member_id)
        return active.session.id in [session.id for session in open_sessions]

    def audited(self, limit: int = 50) -> list[AuditEntry]:
        """The audit log, oldest first."""
        return audit.list_entries(self.services, MACHINE, AuditFilter(), limit)[::-1]

    def actions(self) -> list[str]:
        return [entry.action for entry in self.audited()]

    def principal(self, active: ActiveSession) -> Principal:
        return replace(staff_principal(active.name, active.role), session=active.session)
