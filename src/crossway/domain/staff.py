"""Staff members, their sessions and sign-in rules."""

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from crossway.domain.errors import InvalidInput
from crossway.domain.roles import Role

MAX_NAME_CHARACTERS: Final = 60
# Several name others to be taken for them: the first mark that is found decides.
_BROWSER_MARKS: Final = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"), ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)  # fmt: skip
_SYSTEM_MARKS: Final = (
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("Mac OS X", "macOS"), ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip
MAX_SESSION_AGE: Final = timedelta(hours=24)
INSTALLATION_OPERATOR: Final = "Operator"
# Names that the audit log uses for callers without an account.
_RESERVED_NAMES: Final = frozenset(
    {INSTALLATION_OPERATOR, "Command line", "First run", "Somebody", "Crossway"}
)


class AuthMethod(StrEnum):
    """How a staff member signed in."""

    PASSWORD = "password"
    IDENTITY_PROVIDER = "provider"
    PASSKEY = "passkey"
    INSTALLATION_PASSWORD = "installation's password"


@dataclass(frozen=True, slots=True)
class StaffMember:
    """A staff member; the name is unique regardless of case.

    `password_hash` is empty for those who sign in through an identity provider only.
    `last_seen_at` and `auth_method` describe the last sign-in.
    """

    id: int
    name: str
    role: Role
    created_at: datetime
    password_hash: str = field(default="", repr=False)
    encrypted_email: bytes | None = field(default=None, repr=False)
    disabled_at: datetime | None = None
    last_seen_at: datetime | None = None
    auth_method: AuthMethod | None = None

    @property
    def active(self) -> bool:
        """Whether the member may sign in."""
        return self.disabled_at is None


@dataclass(frozen=True, slots=True)
class StaffSession:
    """A staff session; `member_id` None signed in with the installation's password, before any
    staff existed. `proven_at` is when the person last proved who they are, None if long ago;
    `browser` is what they sign in with, in words, empty if unknown."""

    id: int
    member_id: int | None
    auth_method: AuthMethod
    started_at: datetime
    last_seen_at: datetime
    ended_at: datetime | None = None
    proven_at: datetime | None = None
    browser: str = ""

    def is_expired(self, now: datetime, idle: timedelta, seen_at: datetime | None = None) -> bool:
        """Whether the session was ended, was idle for too long, or is older than a day."""
        last_seen = max(self.last_seen_at, seen_at or self.last_seen_at)
        return (
            self.ended_at is not None
            or now - last_seen > idle
            or now - self.started_at > MAX_SESSION_AGE
        )


def describe_browser(user_agent: str) -> str:
    """A browser and its system in words, such as `Firefox on Linux`; empty for an unknown one."""
    browser, system = (
        next((name for mark, name in marks if mark in user_agent), "")
        for marks in (_BROWSER_MARKS, _SYSTEM_MARKS)
    )
    return f"{browser} on {system}" if browser and system else browser or system


def name_key(name: str) -> str:
    """The form in which names are compared: normalised and case-insensitive."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def parse_name(value: object) -> str:
    """Parse a staff name; raises `InvalidInput`."""
    name = unicodedata.normalize("NFC", value).strip() if isinstance(value, str) else ""
    if not name or len(name) > MAX_NAME_CHARACTERS or not name.isprintable():
        raise InvalidInput(f"name must be 1 to {MAX_NAME_CHARACTERS} printable characters")
    if name_key(name) in {name_key(reserved) for reserved in _RESERVED_NAMES}:
        raise InvalidInput(f"name: {name} has another meaning in the audit log: choose another")
    return name


def parse_role(value: object) -> Role:
    """Parse a role; raises `InvalidInput`."""
    try:
        return Role(str(value))
    except ValueError as error:
        raise InvalidInput(f"role must be one of {', '.join(Role)}") from error
