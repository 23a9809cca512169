"""What a merchant or an operator tells the payer about a refund, stored beside the payment."""

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.ports.search_repository import Note
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

MAX_LENGTH = 200  # characters


def parse_reason(value: object) -> str:
    """A reason as typed: one line of plain text, without what surrounds it; none is empty. Raises
    `InvalidInput`."""
    text = value.strip() if isinstance(value, str) else "" if value is None else None
    if text is None or not text.isprintable() or len(text) > MAX_LENGTH:
        raise InvalidInput(f"reason must be one line of at most {MAX_LENGTH} printable characters")
    return text


def record_reason(
    unit: UnitOfWork, services: Services, caller: Principal, intent_id: int, reason: str
) -> dict[str, int]:
    """Store a reason, if there is one; returns the details of the refund for the audit log."""
    if not reason:
        return {"intent": intent_id}
    note = Note(0, _subject(intent_id), services.clock.now(), caller.actor_name, reason)
    return {"intent": intent_id, "reason": unit.notes_and_saved_views.add_note(note).id}


def list_reasons(unit: UnitOfWork, intent_id: int) -> list[Note]:
    """Every reason that was given for refunds of a payment, oldest first. The last one counts."""
    return unit.notes_and_saved_views.list_notes(_subject(intent_id))


def is_reason(note: Note) -> bool:
    """Whether a note is such a reason, which the payer sees."""
    return note.subject.startswith(_PREFIX)


# Not that of the payment's notes, which no payer may see.
_PREFIX = "refund:"


def _subject(intent_id: int) -> str:
    return f"{_PREFIX}{intent_id}"
