"""Encryption with keys from outside the database: Fernet, the newest of several keys first."""

import hmac
import secrets
from collections.abc import Sequence
from hashlib import sha256

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from crossway.ports.store import Store

INDEX_KEY = "index key"
_INDEX_BYTES = 32


class WrongKey(ValueError):
    """A secret key that cannot be used, or is not the one that a value was encrypted with."""


class FernetVault:
    """`ports.vault.Vault`: the first key encrypts, every key decrypts."""

    def __init__(self, keys: Sequence[bytes], index_key: bytes) -> None:
        """`index_key` makes digests; it outlives the keys, so that look-ups go on after a change.

        Raises `WrongKey` when a key is none."""
        self._newest, self._all = _read(keys)
        self._index_key = index_key

    def seal(self, plain: bytes) -> bytes:
        return self._newest.encrypt(plain)

    def open(self, sealed: bytes) -> bytes:
        return _opened(self._all, sealed)

    def renew(self, sealed: bytes) -> bytes | None:
        try:
            self._newest.decrypt(sealed)
        except InvalidToken:
            return self._newest.encrypt(_opened(self._all, sealed))
        return None

    def index(self, text: str) -> str:
        return hmac.new(self._index_key, text.encode(), sha256).hexdigest()


def open_vault(keys: Sequence[bytes], store: Store) -> FernetVault:
    """The vault of a database. Its index key lies there, encrypted, made by whoever came first;
    where none of the keys opens it, they are not this database's: `WrongKey`."""
    newest, every = _read(keys)
    made = newest.encrypt(secrets.token_bytes(_INDEX_BYTES))
    kept = store.write(lambda unit: unit.sealed.keep(INDEX_KEY, made))
    return FernetVault(keys, _opened(every, kept))


def check_keys(keys: Sequence[bytes], store: Store) -> None:
    """Raises `WrongKey` when a database was first started with none of these; writes nothing."""
    _, every = _read(keys)
    with store.read() as unit:
        kept = unit.sealed.kept(INDEX_KEY)
    if kept is not None:
        _opened(every, kept)


def _read(keys: Sequence[bytes]) -> tuple[Fernet, MultiFernet]:
    try:
        read = [Fernet(key) for key in keys]
    except ValueError as error:
        raise WrongKey("the secret key must be 32 bytes in URL-safe base64") from error
    if not read:
        raise WrongKey("the secret key is empty")
    return read[0], MultiFernet(read)


def _opened(every: MultiFernet, sealed: bytes) -> bytes:
    try:
        return every.decrypt(sealed)
    except InvalidToken as error:
        raise WrongKey("none of the secret keys opens what was encrypted here") from error
