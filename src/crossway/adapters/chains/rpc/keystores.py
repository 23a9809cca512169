"""Creating new accounts, whose key exists only in an encrypted key store."""

import json
import secrets
from collections.abc import Mapping
from typing import TypeVar

from eth_keyfile.keyfile import create_keyfile_json

from crossway.adapters.chains.rpc.keys import KeyKind, KeyMissing, load_password

S = TypeVar("S")


def create_keystore(
    kind: KeyKind[S], password: str, environment: Mapping[str, str]
) -> tuple[S, bytes]:
    """The signer of a new key, and its key store as JSON; `password` is `env:NAME` or `file:PATH`.
    Raises `KeyMissing`."""
    words = load_password(password, environment)
    key, signer = _new(kind)
    # The stub declares the password as text, and the library expects bytes.
    stored = create_keyfile_json(key, words.encode(), kdf="scrypt")  # type: ignore[arg-type]
    return signer, json.dumps(stored).encode()


def _new(kind: KeyKind[S]) -> tuple[bytes, S]:
    """A random key that is valid for the family, which nearly all 32 bytes are."""
    while True:
        key = secrets.token_bytes(32)
        try:
            return key, kind.create_signer(key)
        except KeyMissing:
            continue
