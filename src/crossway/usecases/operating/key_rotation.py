"""Re-encrypting stored data after a change of the secret key, so that the old key can be removed;
encrypting what earlier versions stored as plain text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from crossway.ports.services import Services
from crossway.ports.store import Store, UnitOfWork
from crossway.ports.vault import Vault

# Small batches: a document can have 5 MiB, and on SQLite all other writers wait meanwhile.
BATCH_SIZE = 8
SEAL_BATCH_SIZE = 500
MAX_PASSES = 3
_SEALED = "sealed text"


@dataclass
class RotationResult:
    """By kind, the number of re-encrypted values, and the ids of those that no configured key can
    decrypt. `clean`: everything is encrypted with the first key, and the others can be removed."""

    reencrypted: dict[str, int] = field(default_factory=dict)
    undecryptable: dict[str, list[Any]] = field(default_factory=dict)
    clean: bool = False


def seal_stored_text(store: Store, vault: Vault) -> int:
    """Encrypt what an earlier version stored as plain text, once; returns how many values. May be
    interrupted and repeated."""
    with store.read() as unit:
        if unit.encrypted_values.get_secret(_SEALED) is not None:
            return 0
    sealed = _seal_text(store)
    done = vault.encrypt(b"done")
    store.write(lambda unit: unit.encrypted_values.store_secret(_SEALED, done))
    return sealed


def _seal_text(store: Store) -> int:
    with store.read() as unit:
        kinds = unit.encrypted_values.list_sealed_kinds()
    sealed = 0
    for kind in kinds:
        after: int | None = 0
        while after is not None:
            page = partial(_seal_page, kind, after)
            count, after = store.write(page)
            sealed += count
    return sealed


def _seal_page(kind: str, after: int, unit: UnitOfWork) -> tuple[int, int | None]:
    return unit.encrypted_values.seal_page(kind, SEAL_BATCH_SIZE, after)


def rotate_encryption(services: Services, actor: str) -> RotationResult:
    """Re-encrypt with the first key all values encrypted with another one. May be interrupted and
    restarted at any time. Repeats until a pass finds nothing (at most `MAX_PASSES`), as another
    process may still be writing with the old key."""
    result = RotationResult()
    _seal_text(services.store)
    for _ in range(MAX_PASSES):
        with services.store.read() as unit:
            kinds = unit.encrypted_values.list_kinds()
        changed = sum(_reencrypt_kind(services, kind, result) for kind in kinds)
        result.clean = changed == 0 and not any(result.undecryptable.values())
        if changed == 0:
            break
    now = services.clock.now()
    detail = {"reencrypted": dict(result.reencrypted), "clean": result.clean}
    services.store.write(
        lambda unit: unit.audit_log.record(actor, "secrets re-encrypted", detail, now)
    )
    return result


def _reencrypt_kind(services: Services, kind: str, result: RotationResult) -> int:
    """Run one pass over one kind and return the number of re-encrypted values."""
    changed = 0
    undecryptable: list[Any] = []
    after: Any = None
    while True:
        page = services.store.write(partial(_reencrypt_page, services, kind, after))
        changed += len(page.reencrypted)
        undecryptable += page.undecryptable
        after = page.last
        if after is None:
            break
    result.reencrypted[kind] = result.reencrypted.get(kind, 0) + changed
    result.undecryptable[kind] = undecryptable
    return changed


@dataclass(frozen=True, slots=True)
class _Page:
    reencrypted: Mapping[Any, bytes]
    undecryptable: list[Any]
    last: Any


def _reencrypt_page(services: Services, kind: str, after: Any, unit: UnitOfWork) -> _Page:
    values = unit.encrypted_values.lock_page(kind, BATCH_SIZE, after)
    reencrypted: dict[Any, bytes] = {}
    undecryptable = []
    for key, encrypted in values:
        try:
            reencrypted_value = services.vault.reencrypt(encrypted)
        except ValueError:
            undecryptable.append(key)
            continue
        if reencrypted_value is not None:
            reencrypted[key] = reencrypted_value
    unit.encrypted_values.replace(kind, reencrypted)
    return _Page(reencrypted, undecryptable, values[-1][0] if values else None)
