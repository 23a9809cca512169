"""What people write about a payment or an order, for those who look at it next."""

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Right
from crossway.ports.finding_records import Note
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payments.intents import by_id

LONGEST = 2_000  # characters


def write(services: Services, caller: Caller, intent_id: int, words: str) -> Note:
    """Keep a note with a payment, with the name of who wrote it; audited. Raises `NotFound`."""
    caller.must(Right.WORK)
    words = words.strip()
    if not words:
        raise InvalidInput("note is empty: write what the next person should know")
    if len(words) > LONGEST:
        raise InvalidInput(f"note has {len(words):,} characters; at most {LONGEST:,} are kept")
    intent = by_id(services, caller, intent_id)
    note = Note(0, f"intent:{intent.id}", services.clock.now(), caller.who, words)

    def work(unit: Unit) -> Note:
        made = unit.desk.add_note(note)
        told = {"intent": intent.id, "note": made.id}
        unit.network.audit(caller.who, "note written", told, note.at, note.subject)
        return made

    return services.store.write(work)
