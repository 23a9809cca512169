"""Payments that this process has read or changed lately, so that the same row is decoded once.

What events never change is taken from memory. What they change is read each time and compared, so
a remembered payment stands for no other row than the one that the database has now.
"""

from collections.abc import Collection, Iterable
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, Engine, select

from crossway.domain.intent import Intent
from crossway.sql.in_values import within
from crossway.storage.intent_rows import CHANGING_COLUMNS, INTENTS, changing_values
from crossway.storage.prepared import fetch
from crossway.storage.tables import intents

# So many payments are remembered: more than an engine has under way, in some 20 MB.
LIMIT: Final = 4_096
_OPTION: Final = "crossway_known_intents"
_AMONG: Final = within(intents.c.id, "ids")
_WHOLE: Final = select(intents).where(_AMONG)
_STATES: Final = select(
    intents.c.id, intents.c.intent_hash, *(intents.c[name] for name in CHANGING_COLUMNS)
).where(_AMONG)
_LOCK: Final = _STATES.order_by(intents.c.id).with_for_update()
_CHANGING_OF_ROW: Final = itemgetter(*map(list(intents.columns.keys()).index, CHANGING_COLUMNS))
_State = tuple[Any, ...]


class KnownIntents:
    """Whole payments by id, each with its hash and the values of the columns that change."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._known: dict[int, tuple[_State, Intent]] = {}

    def remember(self, intent: Intent, changing: _State) -> None:
        """Remember a payment with the values of its changing columns; the oldest is forgotten."""
        self._known.pop(intent.id, None)
        self._known[intent.id] = ((intent.intent_hash, *changing), intent)
        while len(self._known) > self._limit:
            self._known.pop(next(iter(self._known)), None)

    def find(self, intent_id: int, state: _State) -> Intent | None:
        """The payment with this hash and these values of its changing columns, if it is known."""
        known = self._known.get(intent_id)
        return known[1] if known is not None and known[0] == state else None


def share_known_intents(*engines: Engine) -> None:
    """Let the connections of these engines, which are of one database, remember payments."""
    known = KnownIntents()
    for engine in engines:
        engine.update_execution_options(**{_OPTION: known})


def read_intents(
    db: Connection, ids: Collection[int], for_update: bool = False
) -> dict[int, Intent]:
    """The payments with these ids, locked for an update or not."""
    if not ids:
        return {}
    known = _known_of(db)
    found: dict[int, Intent] = {}
    unknown = []
    for row in fetch(db, _LOCK if for_update else _STATES, {"ids": ids}):
        intent = known.find(row[0], row[1:])
        if intent is None:
            unknown.append(row[0])
        else:
            found[row[0]] = intent
    for row in fetch(db, _WHOLE, {"ids": unknown}) if unknown else ():
        intent = INTENTS.decode(row)
        found[intent.id] = intent
        known.remember(intent, _CHANGING_OF_ROW(row))
    return found


def read_whole(db: Connection, ids: Collection[int]) -> dict[int, Intent]:
    """The payments with these ids as the database has them, whatever is remembered."""
    rows = fetch(db, _WHOLE, {"ids": ids}) if ids else ()
    return {intent.id: intent for intent in map(INTENTS.decode, rows)}


def remember_changed(db: Connection, changed: Iterable[Intent]) -> None:
    """Remember payments as this transaction changes them. If it is not committed, the next read
    finds other values in the database."""
    known = _known_of(db)
    for intent in changed:
        known.remember(intent, changing_values(intent))


def _known_of(db: Connection) -> KnownIntents:
    known = db.get_execution_options().get(_OPTION)
    return known if isinstance(known, KnownIntents) else KnownIntents()
