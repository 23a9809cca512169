"""The repository of staff members and their sessions."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from crossway.domain.staff import AuthMethod, StaffMember, StaffSession


class StaffRepository(Protocol):
    """Staff members and sessions. E-mail addresses are encrypted and found by a keyed digest."""

    def add(self, member: StaffMember, email_index: str | None) -> StaffMember | None:
        """Store a new member; None when the name or the address is taken."""
        ...

    def update(self, member: StaffMember) -> None:
        """Store role, password and `disabled_at`."""
        ...

    def update_email(
        self, member_id: int, encrypted_email: bytes | None, email_index: str | None
    ) -> bool:
        """Store another e-mail address or none; False when another member has it."""
        ...

    def get(self, member_id: int) -> StaffMember | None: ...
    def find_by_name(self, name_key: str) -> StaffMember | None: ...
    def find_by_email(self, email_index: str) -> StaffMember | None: ...
    def list_all(self) -> list[StaffMember]:
        """All members, oldest first."""
        ...

    def has_any(self) -> bool:
        """Whether there is any member."""
        ...

    def start_session(
        self, session: StaffSession, token_hash: str, assertion_id: str | None
    ) -> bool:
        """Store a new session; False when the identity provider's assertion was used before."""
        ...

    def get_session(self, token_hash: str) -> StaffSession | None: ...
    def touch_session(self, token_hash: str, at: datetime) -> None:
        """Move the time of the last activity forward, never back."""
        ...

    def record_proof(self, session_id: int, at: datetime) -> None:
        """Store when the person last proved who they are."""
        ...

    def record_browser(self, token_hash: str, browser: str) -> None:
        """Store what the person signs in with."""
        ...

    def end_sessions(self, session_ids: Collection[int], at: datetime) -> None: ...
    def list_open_sessions(self, member_id: int | None) -> list[StaffSession]:
        """Open sessions of a member; for None, those from before there were members."""
        ...

    def record_sign_in(self, member_id: int, auth_method: AuthMethod, at: datetime) -> None: ...
    def delete_sessions_before(self, before: datetime) -> int:
        """Delete sessions that started before an instant; returns how many."""
        ...
