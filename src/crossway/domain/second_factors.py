"""Second factors of staff: authenticator apps, passkeys and recovery codes."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from crossway.domain.errors import InvalidInput

RECOVERY_CODES: Final = 10
MAX_PASSKEYS: Final = 20
MAX_PASSKEY_NAME_CHARACTERS: Final = 60
MAX_CODE_CHARACTERS: Final = 40
PASSKEYS_NEED_URL: Final = (
    "Passkeys need the https address of this installation in CROSSWAY_PUBLIC_URL: ask who runs it."
)
# Without characters that are mistaken for one another; 16 of these have 79 bits.
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_LOOPBACK: Final = ("127.0.0.1", "::1", "0.0.0.0")
_GROUPS, _GROUP_CHARACTERS = 4, 4


@dataclass(frozen=True, slots=True)
class Authenticator:
    """An authenticator app that shares a secret with us; `last_step` is the step of time, 30
    seconds each since 1970, of the last code that was taken."""

    member_id: int
    encrypted_secret: bytes = field(repr=False)
    last_step: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey; `sign_count` is how often its authenticator says it was used, 0 if it does not
    count."""

    id: int
    member_id: int
    credential_id: str
    public_key: bytes = field(repr=False)
    sign_count: int
    name: str
    created_at: datetime
    last_used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SecondFactors:
    """The second factors of one person. Recovery codes stand in for them and are none."""

    authenticator: Authenticator | None
    passkeys: tuple[Passkey, ...]
    recovery_codes_left: int

    @property
    def any(self) -> bool:
        """Whether the person has a second factor."""
        return self.authenticator is not None or bool(self.passkeys)


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """Where passkeys are valid: a domain, and the origin of the pages that ask for them."""

    id: str
    origin: str


def find_relying_party(public_url: str, page_url: str) -> RelyingParty | None:
    """Where passkeys of a page are valid: at the public URL, or without one at localhost. None
    where browsers have none for the page: at a bare IP address, or without https."""
    parts = urlsplit(page_url)
    origin, host = f"{parts.scheme}://{parts.netloc}", parts.hostname or ""
    if host != "localhost" and (parts.scheme != "https" or not public_url or _is_address(host)):
        return None
    return RelyingParty(host, origin) if origin == (public_url or origin) else None


def find_passkey_url(public_url: str, page_url: str) -> str:
    """Where passkeys work instead of at a page's address; empty where a public URL is missing."""
    page = urlsplit(page_url)
    if public_url or page.hostname not in _LOOPBACK or page.scheme not in ("http", "https"):
        return public_url
    return f"{page.scheme}://localhost" + (f":{page.port}" if page.port else "")


def parse_passkey_name(value: object) -> str:
    """Parse the name that a person gives a passkey; raises `InvalidInput`."""
    name = value.strip() if isinstance(value, str) else ""
    if not name or len(name) > MAX_PASSKEY_NAME_CHARACTERS or not name.isprintable():
        raise InvalidInput(
            f"passkey name must be 1 to {MAX_PASSKEY_NAME_CHARACTERS} printable characters"
        )
    return name


def generate_recovery_codes() -> tuple[str, ...]:
    """A new set of recovery codes, from the system's randomness."""
    return tuple(_generate_recovery_code() for _ in range(RECOVERY_CODES))


def hash_recovery_code(member_id: int, typed: str) -> str:
    """The hash by which a person's recovery code is stored, however it is typed. A slow hash is not
    needed: the codes cannot be guessed."""
    code = "".join(character for character in typed.casefold() if character.isalnum())
    return sha256(f"{member_id} {code}".encode()).hexdigest()


def _generate_recovery_code() -> str:
    groups = (
        "".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_CHARACTERS)) for _ in range(_GROUPS)
    )
    return "-".join(groups)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
