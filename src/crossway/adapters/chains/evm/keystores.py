"""Making new accounts: a key that exists only encrypted, in the usual form of key stores."""

import json
import secrets
from collections.abc import Mapping

from eth_keyfile.keyfile import create_keyfile_json

from crossway.adapters.chains.evm.keys import LocalSigner, password_of


def new_keystore(password: str, environment: Mapping[str, str]) -> tuple[str, bytes]:
    """A new account's address and its key store; the password is `env:NAME` or `file:PATH`.
    Raises `KeyMissing`."""
    words = password_of(password, environment)
    key = secrets.token_bytes(32)
    # Declared as text and worked on as bytes.
    stored = create_keyfile_json(key, words.encode(), kdf="scrypt")  # type: ignore[arg-type]
    return LocalSigner(key).address, json.dumps(stored).encode()
