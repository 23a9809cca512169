"""Relayers' keys of every family: from the environment or an encrypted key store."""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from eth_keyfile.keyfile import decode_keyfile_json

S = TypeVar("S")
_PLAIN = re.compile(r"(?:0x)?([0-9a-fA-F]{64})\Z", re.ASCII)


class KeyMissing(ValueError):
    """A key that is not there or cannot be used, as a sentence that repeats nothing of it."""


@dataclass(frozen=True, slots=True)
class KeyKind(Generic[S]):
    """The keys of a family: what one looks like in words, how it is read from a variable (None
    where it is none), and who signs with it (raises `KeyMissing` where nobody can)."""

    looks: str
    read: Callable[[str], bytes | None]
    signer: Callable[[bytes], S]


def read_hex(text: str) -> bytes | None:
    """The 32 bytes of 64 hex digits, with or without 0x."""
    match = _PLAIN.match(text)
    return None if match is None else bytes.fromhex(match.group(1))


def signer_of(kind: KeyKind[S], reference: str, password: str, environment: Mapping[str, str]) -> S:
    """The signer that a profile names: `env:NAME` or `keystore:PATH`, whose password is `env:NAME`
    or `file:PATH`. Raises `KeyMissing`."""
    way, _, where = reference.partition(":")
    if way == "env":
        return kind.signer(_plain(kind, where, environment))
    if way == "keystore":
        return kind.signer(_from_keystore(Path(where), password_of(password, environment)))
    raise KeyMissing("its key must be env:NAME or keystore:PATH")


class Keyring:
    """Opens each key once, however many chains it is for: an encrypted one takes seconds and a
    quarter of a gigabyte, as whoever guesses its password shall need them, too."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment, self._lock = environment, Lock()
        self._opened: dict[tuple[object, str, str], Any] = {}

    def signer(self, kind: KeyKind[S], reference: str, password: str) -> S:
        """As `signer_of`. Raises `KeyMissing`."""
        with self._lock:
            known: S | None = self._opened.get((kind, reference, password))
            if known is None:
                known = signer_of(kind, reference, password, self._environment)
                self._opened[kind, reference, password] = known
            return known

    def signer_for(self, field: str, kind: KeyKind[S], reference: str, password: str = "") -> S:
        """As `signer`, for what a `ValueError` names as the field that is wrong."""
        try:
            return self.signer(kind, reference, password)
        except KeyMissing as error:
            raise ValueError(f"{field}: {error}") from None


def _plain(kind: KeyKind[Any], name: str, environment: Mapping[str, str]) -> bytes:
    value = environment.get(name, "").strip()
    if not value:
        raise KeyMissing(f"the environment has no {name}")
    found = kind.read(value)
    if found is None:
        raise KeyMissing(f"{name} must be {kind.looks}")
    return found


def password_of(reference: str, environment: Mapping[str, str]) -> str:
    """A key store's password: `env:NAME` or `file:PATH`. Raises `KeyMissing`."""
    kind, _, where = reference.partition(":")
    if kind == "env" and environment.get(where):
        return environment[where]
    if kind == "env":
        raise KeyMissing(f"the environment has no {where} for the key store's password")
    if kind == "file":
        try:
            return Path(where).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError):
            raise KeyMissing(f"the key store's password file {where} cannot be read") from None
    raise KeyMissing("the key store's password must be env:NAME or file:PATH")


def _from_keystore(path: Path, password: str) -> bytes:
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError):
        raise KeyMissing(f"the key store {path} cannot be read") from None
    try:
        # Declared as text and worked on as bytes.
        return bytes(decode_keyfile_json(stored, password.encode()))  # type: ignore[arg-type]
    except Exception:
        # Whatever it says: of a wrong password nothing is repeated.
        raise KeyMissing(f"the key store {path} does not open with its password") from None


def environment() -> Mapping[str, str]:
    """Where keys and parts of URLs are looked up."""
    return os.environ
