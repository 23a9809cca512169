"""Listing the audit log, and verifying its hash chain and its signature."""

from dataclasses import dataclass
from datetime import datetime

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Permission
from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.ports.services import Services
from crossway.ports.store import Store, UnitOfWork

MAX_PAGE_SIZE = 200
_BATCH_SIZE = 1_000
SIGNED_ACTION = "audit log signed"


@dataclass(frozen=True, slots=True)
class AuditVerification:
    """The result of verifying the hash chain of the whole log.

    `broken` are the ids of entries whose hash does not match: an entry was changed, added or
    removed there. `unhashed_entries` counts the entries from before entries had hashes. `newest`
    is the last hash; stored elsewhere, it later proves that the log was not cut off. `signed`: the
    newest entry is signed with the secret key, and so all entries are. `first` is the first entry,
    `signed_from` the first with a signature, 0 without one; `unsigned` are later ones without.
    """

    entries: int
    unhashed_entries: int
    broken: tuple[int, ...]
    newest: str
    holds_known: bool
    signed: bool = True
    first: int = 0
    signed_from: int = 0
    unsigned: tuple[int, ...] = ()

    @property
    def intact(self) -> bool:
        """Whether all hashes match and are signed. A log whose hashes were all removed is not
        intact."""
        matches = not self.broken and self.holds_known and not self.unhashed
        return matches and self.signed and not self.unsigned

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
    first, signed, signed_from, unsigned = 0, True, 0, list[int]()
    with services.store.read() as unit:
        while batch := unit.audit_log.list_after(last, _BATCH_SIZE):
            for entry in batch:
                entries, first = entries + 1, first or entry.id
                if not entry.hash and not previous:
                    unhashed_entries += 1
                elif unit.audit_log.compute_hash(previous, entry) != entry.hash:
                    broken.append(entry.id)
                previous = entry.hash
                if entry.mac:
                    signed_from = signed_from or entry.id
                elif signed_from:
                    unsigned.append(entry.id)
                holds_known = holds_known or entry.hash == known_hash
            last, signed = batch[-1].id, unit.audit_log.is_signed(batch[-1])
    return AuditVerification(
        entries,
        unhashed_entries,
        tuple(broken),
        previous,
        holds_known,
        signed,
        first,
        signed_from,
        tuple(unsigned),
    )


def sign_earlier_entries(store: Store, now: datetime) -> bool:
    """Sign a log of an earlier version by an entry that says so; whether it was needed. A log in
    which any entry is signed is left as it is: an end without signature was not written by us."""

    def work(unit: UnitOfWork) -> bool:
        unit.leases.lock("audit")
        if not _is_unsigned(unit):
            return False
        unit.audit_log.record("Crossway", SIGNED_ACTION, {}, now)
        return True

    with store.read() as unit:
        needed = _is_unsigned(unit)
    return needed and store.write(work)


def _is_unsigned(unit: UnitOfWork) -> bool:
    return not unit.audit_log.is_empty() and not unit.audit_log.has_signature()
