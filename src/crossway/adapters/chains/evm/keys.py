"""Relayers' keys: from the environment or an encrypted key store, and how they sign."""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from coincurve import PrivateKey
from eth_keyfile.keyfile import decode_keyfile_json

from crossway.adapters.chains.addresses import canonical, keccak256
from crossway.ports.signing import Signer

_PLAIN = re.compile(r"(?:0x)?([0-9a-fA-F]{64})\Z", re.ASCII)


class KeyMissing(ValueError):
    """A key that is not there or cannot be used, as a sentence that repeats nothing of it."""


class LocalSigner:
    """Signs with a key in this process's memory. Nothing shows it: not `repr`, no error."""

    __slots__ = ("_key", "address")

    def __init__(self, secret: bytes) -> None:
        try:
            self._key = PrivateKey(secret)
        except ValueError:
            raise KeyMissing("it is no private key") from None
        public = self._key.public_key.format(compressed=False)
        self.address = canonical("evm", "0x" + keccak256(public[1:])[-20:].hex())

    def __repr__(self) -> str:
        return f"LocalSigner({self.address})"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key is not written down")

    def sign(self, digest: bytes) -> tuple[int, int, int]:
        signature = self._key.sign_recoverable(digest, hasher=None)
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big")
        return signature[64], r, s


def signer_of(reference: str, password: str, environment: Mapping[str, str]) -> Signer:
    """The signer that a profile names: `env:NAME` or `keystore:PATH`, whose password is `env:NAME`
    or `file:PATH`. Raises `KeyMissing`."""
    kind, _, where = reference.partition(":")
    if kind == "env":
        return LocalSigner(_plain(where, environment))
    if kind == "keystore":
        return LocalSigner(_from_keystore(Path(where), password_of(password, environment)))
    raise KeyMissing("its key must be env:NAME or keystore:PATH")


class Keyring:
    """Opens each key once, however many chains it is for: an encrypted one takes seconds and a
    quarter of a gigabyte, as whoever guesses its password shall need them, too."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment, self._lock = environment, Lock()
        self._opened: dict[tuple[str, str], Signer] = {}

    def signer(self, reference: str, password: str) -> Signer:
        """As `signer_of`. Raises `KeyMissing`."""
        with self._lock:
            known = self._opened.get((reference, password))
            if known is None:
                known = signer_of(reference, password, self._environment)
                self._opened[reference, password] = known
            return known


def _plain(name: str, environment: Mapping[str, str]) -> bytes:
    value = environment.get(name, "").strip()
    if not value:
        raise KeyMissing(f"the environment has no {name}")
    match = _PLAIN.match(value)
    if match is None:
        raise KeyMissing(f"{name} must be a private key: 64 hex digits")
    return bytes.fromhex(match.group(1))


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
