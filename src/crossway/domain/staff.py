"""The people of an installation: who they are, how they come in, and when they are let out."""

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Role

LONGEST_NAME: Final = 60
SHORTEST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 200
LONGEST_STAY: Final = timedelta(hours=24)
FIRST: Final = "Operator"
# The audit log has these names for whoever is no person.
_TAKEN: Final = frozenset({FIRST, "Command line", "First run", "Somebody", "Crossway"})
_FEWEST_CHARACTERS: Final = 5


class Way(StrEnum):
    """How somebody signed in."""

    PASSWORD = "password"
    PROVIDER = "provider"
    FIRST = "installation's password"


@dataclass(frozen=True, slots=True)
class Member:
    """One of the installation's people. The name is unique in any spelling of its case.

    `password_hash` is empty for those who come in by their e-mail address alone; `seen_at` and
    `way` tell of the last time they were here.
    """

    id: int
    name: str
    role: Role
    created_at: datetime
    password_hash: str = field(default="", repr=False)
    email_sealed: bytes | None = field(default=None, repr=False)
    disabled_at: datetime | None = None
    seen_at: datetime | None = None
    way: Way | None = None

    @property
    def active(self) -> bool:
        """Whether they may come in."""
        return self.disabled_at is None


@dataclass(frozen=True, slots=True)
class Stay:
    """One time that somebody is signed in; `member_id` None came in by the installation's password,
    before it knew any people."""

    id: int
    member_id: int | None
    way: Way
    began_at: datetime
    seen_at: datetime
    ended_at: datetime | None = None

    def over(self, now: datetime, idle: timedelta, seen_at: datetime | None = None) -> bool:
        """Whether it has ended: by hand, for want of activity, or after a day."""
        seen = max(self.seen_at, seen_at or self.seen_at)
        return self.ended_at is not None or now - seen > idle or now - self.began_at > LONGEST_STAY


def name_key(name: str) -> str:
    """What a name is found by, however it is written."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def read_name(given: object) -> str:
    """A person's name; raises `InvalidInput`."""
    name = unicodedata.normalize("NFC", given).strip() if isinstance(given, str) else ""
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise InvalidInput(f"name must be 1 to {LONGEST_NAME} printable characters")
    if name_key(name) in {name_key(one) for one in _TAKEN}:
        raise InvalidInput(f"name: {name} has another meaning in the audit log: choose another")
    return name


def read_role(given: object) -> Role:
    """A role by its name; raises `InvalidInput`."""
    try:
        return Role(str(given))
    except ValueError as error:
        raise InvalidInput(f"role must be one of {', '.join(Role)}") from error


def read_password(given: object, name: str) -> str:
    """A password that is worth the name; raises `InvalidInput`, which does not repeat it."""
    if not isinstance(given, str) or len(given) < SHORTEST_PASSWORD:
        raise InvalidInput(
            f"password must have at least {SHORTEST_PASSWORD} characters: four or five words that "
            "nobody expects together are good, and easy to remember"
        )
    if len(given) > LONGEST_PASSWORD:
        raise InvalidInput(f"password must have at most {LONGEST_PASSWORD} characters")
    if len(set(given)) < _FEWEST_CHARACTERS or not name_key(given).replace(name_key(name), ""):
        raise InvalidInput(
            "password must not be the name, nor one character after another: take four or five "
            "words that nobody expects together"
        )
    return given
