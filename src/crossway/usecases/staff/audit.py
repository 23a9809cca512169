"""Listing the audit log and verifying its hash chain."""

from dataclasses import dataclass

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Permission
from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.ports.services import Services

MAX_PAGE_SIZE = 200
_BATCH_SIZE = 1_000


@dataclass(frozen=True, slots=True)
class AuditVerification:
    """The result of verifying the hash chain of the whole log.

    `broken` are the ids of entries whose hash does not match: an entry was changed, added or
    removed there. `unhashed_entries` counts the entries from before entries had hashes. `newest`
    is the last hash; stored elsewhere, it later proves that the log was not rewritten.
    """

    entries: int
    unhashed_entries: int
    broken: tuple[int, ...]
    newest: str
    holds_known: bool

    @property
    def intact(self) -> bool:
        """Whether all hashes match. A log whose hashes were all removed is not intact."""
        return not self.broken and self.holds_known and not self.unhashed

    @property
    def unhashed(self) -> bool:
        """Whether there are entries but none has a hash."""
        return self.entries == self.unhashed_entries > 0


def list_entries(
    services: Services, caller: Principal, audit_filter: AuditFilter, limit: int
) -> list[AuditEntry]:
    """A page of entries, newest first; continue with the last entry's id as `before_id`. Staff
    only."""
    caller.require_permission(Permission.VIEW)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    with services.store.read() as unit:
        return unit.audit_log.list_page(audit_filter, limit)


def list_actors_and_actions(services: Services, caller: Principal) -> tuple[list[str], list[str]]:
    """All actors and all actions in the log, for filters. Staff only."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.audit_log.list_actors_and_actions()


def verify_log(services: Services, caller: Principal, known_hash: str = "") -> AuditVerification:
    """Verify the whole log; `known_hash` is an earlier hash that it must contain. Staff only."""
    caller.require_permission(Permission.VIEW)
    entries = unhashed_entries = last = 0
    previous, broken, holds_known = "", [], not known_hash
    with services.store.read() as unit:
        while batch := unit.audit_log.list_after(last, _BATCH_SIZE):
            for entry in batch:
                entries += 1
                if not entry.hash and not previous:
                    unhashed_entries += 1
                elif unit.audit_log.compute_hash(previous, entry) != entry.hash:
                    broken.append(entry.id)
                previous = entry.hash
                holds_known = holds_known or entry.hash == known_hash
            last = batch[-1].id
    return AuditVerification(entries, unhashed_entries, tuple(broken), previous, holds_known)
