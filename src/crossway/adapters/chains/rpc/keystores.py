"""Making new accounts: a key that exists only encrypted, in the usual form of key stores."""

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
    """Who signs with a new key of a family, and its key store; the password is `env:NAME` or
    `file:PATH`. Raises `KeyMissing`."""
    words = load_password(password, environment)
    key, signer = _new(kind)
    # Declared as text and worked on as bytes.
    stored = create_keyfile_json(key, words.encode(), kdf="scrypt")  # type: ignore[arg-type]
    return signer, json.dumps(stored).encode()


def _new(kind: KeyKind[S]) -> tuple[bytes, S]:
    """Any 32 bytes are a key of most families, and nearly any of all."""
    while True:
        key = secrets.token_bytes(32)
        try:
            return key, kind.create_signer(key)
        except KeyMissing:
            continue
