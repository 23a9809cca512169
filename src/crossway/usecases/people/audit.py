"""The audit log: who changed what, and whether anybody has changed the log."""

from dataclasses import dataclass

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Right
from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.ports.services import Services

MOST_PAGE = 200
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Checked:
    """What the hashes of the whole log say.

    `broken` are the first entries behind which something was changed, added or taken out;
    `unproven` how many there are from before entries had hashes. `newest` is the last hash: kept
    elsewhere, it shows later that nobody wrote the whole log anew.
    """

    entries: int
    unproven: int
    broken: tuple[int, ...]
    newest: str
    holds_known: bool

    @property
    def intact(self) -> bool:
        """Whether nothing speaks against the log. One whose hashes are all gone proves nothing."""
        return not self.broken and self.holds_known and not self.bare

    @property
    def bare(self) -> bool:
        """Whether there are entries, and not one has a hash."""
        return self.entries == self.unproven > 0


def page(services: Services, caller: Caller, wanted: AuditFilter, limit: int) -> list[AuditEntry]:
    """Entries, newest first; go on with `before_id` of the last one. Operators only."""
    caller.must(Right.SEE)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    with services.store.read() as unit:
        return unit.audits.page(wanted, limit)


def names(services: Services, caller: Caller) -> tuple[list[str], list[str]]:
    """Everybody who did something, and everything that was done, to choose from."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        return unit.audits.names()


def check(services: Services, caller: Caller, known: str = "") -> Checked:
    """Go through the whole log; `known` is a hash that it must hold. Operators only."""
    caller.must(Right.SEE)
    entries = unproven = last = 0
    previous, broken, found = "", [], not known
    with services.store.read() as unit:
        while some := unit.audits.chain(last, _AT_ONCE):
            for entry in some:
                entries += 1
                if not entry.hash and not previous:
                    unproven += 1
                elif unit.audits.expected_hash(previous, entry) != entry.hash:
                    broken.append(entry.id)
                previous = entry.hash
                found = found or entry.hash == known
            last = some[-1].id
    return Checked(entries, unproven, tuple(broken), previous, found)
