"""Encryption with Fernet keys from outside the database; the newest of several keys comes first."""

import hmac
import secrets
from collections.abc import Sequence
from hashlib import sha256, sha512

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from crossway.ports.store import LockedStore, Store

INDEX_KEY = "index key"
_INDEX_BYTES = 32


class InvalidSecretKey(ValueError):
    """A secret key is malformed, or none of the keys decrypts a stored value."""


class FernetVault:
    """`ports.vault.Vault`: the first key encrypts, every key decrypts."""

    def __init__(self, keys: Sequence[bytes], index_key: bytes) -> None:
        """`index_key` keys the digests of `blind_index`; it stays the same when keys are rotated.

        Raises `InvalidSecretKey` for a malformed key.
        """
        self._newest_key, self._all_keys = _parse_keys(keys)
        self._index_key = index_key
        self._derived_keys: dict[str, bytes] = {}
        # Not derived from the index key: who can write the database could exchange that.
        self._signing_keys = [hmac.new(key, b"signatures", sha256).digest() for key in keys]

    def encrypt(self, plaintext: bytes) -> bytes:
        return self._newest_key.encrypt(plaintext)

    def decrypt(self, encrypted: bytes) -> bytes:
        return _decrypt(self._all_keys, encrypted)

    def reencrypt(self, encrypted: bytes) -> bytes | None:
        try:
            self._newest_key.decrypt(encrypted)
        except InvalidToken:
            return self._newest_key.encrypt(_decrypt(self._all_keys, encrypted))
        return None

    def derive_key(self, purpose: str) -> bytes:
        if purpose not in self._derived_keys:
            root = hmac.new(self._index_key, b"derived keys", sha512).digest()
            self._derived_keys[purpose] = hmac.new(root, purpose.encode(), sha256).digest()
        return self._derived_keys[purpose]

    def sign(self, text: str) -> str:
        return _hmac(self._signing_keys[0], text)

    def is_signed(self, text: str, signature: str) -> bool:
        expected = (_hmac(key, text) for key in self._signing_keys)
        return any(hmac.compare_digest(one, signature) for one in expected)

    def blind_index(self, text: str) -> str:
        return _hmac(self._index_key, text)


def _hmac(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), sha256).hexdigest()


def open_vault(keys: Sequence[bytes], store: LockedStore) -> FernetVault:
    """Open the vault of a database, and unlock its store with it. Its encrypted index key is stored
    there on first use; raises `InvalidSecretKey` when none of the keys decrypts it."""
    newest_key, all_keys = _parse_keys(keys)
    new_index_key = newest_key.encrypt(secrets.token_bytes(_INDEX_BYTES))
    stored = store.write(lambda unit: unit.encrypted_values.store_secret(INDEX_KEY, new_index_key))
    vault = FernetVault(keys, _decrypt(all_keys, stored))
    store.unlock(vault)
    return vault


def check_keys(keys: Sequence[bytes], store: Store) -> None:
    """Raise `InvalidSecretKey` unless one of the keys belongs to the database; writes nothing."""
    _, all_keys = _parse_keys(keys)
    with store.read() as unit:
        stored = unit.encrypted_values.get_secret(INDEX_KEY)
    if stored is not None:
        _decrypt(all_keys, stored)


def _parse_keys(keys: Sequence[bytes]) -> tuple[Fernet, MultiFernet]:
    try:
        fernets = [Fernet(key) for key in keys]
    except ValueError as error:
        raise InvalidSecretKey("the secret key must be 32 bytes in URL-safe base64") from error
    if not fernets:
        raise InvalidSecretKey("the secret key is empty")
    return fernets[0], MultiFernet(fernets)


def _decrypt(all_keys: MultiFernet, encrypted: bytes) -> bytes:
    try:
        return all_keys.decrypt(encrypted)
    except InvalidToken as error:
        raise InvalidSecretKey(
            "none of the secret keys decrypts the data of this database"
        ) from error
