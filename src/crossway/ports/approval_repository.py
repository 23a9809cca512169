"""The repository of approvals."""

from datetime import datetime
from typing import Protocol

from crossway.domain.approvals import Approval, ApprovalKind, NewApproval


class ApprovalRepository(Protocol):
    """What was asked for and who decided on it."""

    def add(self, new: NewApproval) -> Approval | None:
        """Store what is asked for; None where one of its kind and subject is open."""
        ...

    def get(self, approval_id: int) -> Approval | None: ...
    def lock(self, approval_id: int) -> Approval | None:
        """As `get`; nobody else changes it until the unit of work ends."""
        ...

    def find_open(self, kind: ApprovalKind, subject: str) -> Approval | None:
        """The open one of a kind and subject, locked as by `lock`."""
        ...

    def list_open(self, limit: int) -> list[Approval]:
        """Open ones, oldest first."""
        ...

    def list_overdue(self, now: datetime, limit: int) -> list[Approval]:
        """Open ones whose time is over."""
        ...

    def list_ended(self, limit: int, before_id: int | None = None) -> list[Approval]:
        """Those that are not open any more, newest first."""
        ...

    def update(self, approval: Approval) -> None:
        """Store the state and the decision of one that is locked."""
        ...
