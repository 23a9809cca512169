"""The vault: what it seals only its keys open, and its digests outlive a change of key."""

from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from crossway.adapters.vault import FernetVault, WrongKey, open_vault
from crossway.storage.store import open_store
from tests.databases import migrated
from tests.storage.records import at_once

OLD, NEW, OTHER = (Fernet.generate_key() for _ in range(3))


@given(st.binary())
def test_what_is_sealed_is_opened_and_never_looks_the_same(plain: bytes) -> None:
    vault = FernetVault([OLD], b"index key")
    first, second = vault.seal(plain), vault.seal(plain)
    assert first != second
    assert vault.open(first) == vault.open(second) == plain


def test_the_first_key_seals_and_every_key_opens() -> None:
    sealed = FernetVault([OLD], b"").seal(b"plain")
    both = FernetVault([NEW, OLD], b"")
    assert both.open(sealed) == b"plain"
    with pytest.raises(WrongKey):
        FernetVault([OLD], b"").open(both.seal(b"plain"))
    with pytest.raises(ValueError, match="none of the secret keys"):
        FernetVault([OTHER], b"").open(sealed)


def test_what_another_key_sealed_is_renewed_once() -> None:
    both = FernetVault([NEW, OLD], b"")
    renewed = both.renew(FernetVault([OLD], b"").seal(b"plain"))
    assert renewed is not None
    assert FernetVault([NEW], b"").open(renewed) == b"plain"
    assert both.renew(renewed) is None
    with pytest.raises(WrongKey):
        both.renew(FernetVault([OTHER], b"").seal(b"plain"))


@pytest.mark.parametrize("sealed", [b"", b"plain", b"gAAAAA", b"\x00\xff"])
def test_what_was_tampered_with_is_not_opened(sealed: bytes) -> None:
    vault = FernetVault([OLD], b"")
    token = bytearray(vault.seal(b"plain"))
    token[20] ^= 1
    for wrong in (sealed, bytes(token)):
        with pytest.raises(WrongKey):
            vault.open(wrong)


@pytest.mark.parametrize("keys", [[], [b""], [b"short"], [OLD, b"short"], [b"x" * 44]])
def test_a_key_that_is_none_is_refused(keys: list[bytes]) -> None:
    with pytest.raises(WrongKey, match="secret key"):
        FernetVault(keys, b"")


def test_a_digest_needs_the_index_key() -> None:
    vault = FernetVault([OLD], b"index key")
    assert vault.index("ada") == FernetVault([NEW], b"index key").index("ada")
    assert vault.index("ada") != vault.index("eve")
    assert vault.index("ada") != FernetVault([OLD], b"another").index("ada")
    assert "ada@example.com" not in vault.index("ada@example.com")


def test_those_who_start_at_once_share_one_index_key(tmp_path: Path) -> None:
    store = open_store(migrated(f"sqlite:///{tmp_path / 'a.db'}"))
    vaults = at_once([lambda: open_vault([OLD], store)] * 8)
    assert len({vault.index("ada") for vault in vaults}) == 1
    assert open_vault([NEW, OLD], store).index("ada") == vaults[0].index("ada")
    store.close()


def test_a_key_that_is_not_the_databases_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    store = open_store(migrated(f"sqlite:///{tmp_path / 'a.db'}"))
    index = open_vault([OLD], store).index("ada")
    with pytest.raises(WrongKey, match="none of the secret keys opens"):
        open_vault([NEW], store)
    assert open_vault([OLD], store).index("ada") == index
    store.close()
