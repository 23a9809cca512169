"""The vault: only its keys decrypt, and blind indexes stay the same after key rotation."""

from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from hypothesis import given
from hypothesis import strategies as st

from crossway.adapters.vault import FernetVault, InvalidSecretKey, open_vault
from crossway.storage.store import open_store
from tests.databases import new_sqlite
from tests.storage.records import run_concurrently

OLD, NEW, OTHER = (Fernet.generate_key() for _ in range(3))


@given(st.binary())
def test_encrypted_values_decrypt_and_never_repeat(plain: bytes) -> None:
    vault = FernetVault([OLD], b"index key")
    first, second = vault.encrypt(plain), vault.encrypt(plain)
    assert first != second
    assert vault.decrypt(first) == vault.decrypt(second) == plain


def test_the_first_key_encrypts_and_every_key_decrypts() -> None:
    sealed = FernetVault([OLD], b"").encrypt(b"plain")
    both = FernetVault([NEW, OLD], b"")
    assert both.decrypt(sealed) == b"plain"
    with pytest.raises(InvalidSecretKey):
        FernetVault([OLD], b"").decrypt(both.encrypt(b"plain"))
    with pytest.raises(ValueError, match="none of the secret keys"):
        FernetVault([OTHER], b"").decrypt(sealed)


def test_values_encrypted_with_another_key_are_reencrypted_once() -> None:
    both = FernetVault([NEW, OLD], b"")
    renewed = both.reencrypt(FernetVault([OLD], b"").encrypt(b"plain"))
    assert renewed is not None
    assert FernetVault([NEW], b"").decrypt(renewed) == b"plain"
    assert both.reencrypt(renewed) is None
    with pytest.raises(InvalidSecretKey):
        both.reencrypt(FernetVault([OTHER], b"").encrypt(b"plain"))


@pytest.mark.parametrize("sealed", [b"", b"plain", b"gAAAAA", b"\x00\xff"])
def test_modified_values_do_not_decrypt(sealed: bytes) -> None:
    vault = FernetVault([OLD], b"")
    token = bytearray(vault.encrypt(b"plain"))
    token[20] ^= 1
    for wrong in (sealed, bytes(token)):
        with pytest.raises(InvalidSecretKey):
            vault.decrypt(wrong)


@pytest.mark.parametrize("keys", [[], [b""], [b"short"], [OLD, b"short"], [b"x" * 44]])
def test_a_malformed_key_is_rejected(keys: list[bytes]) -> None:
    with pytest.raises(InvalidSecretKey, match="secret key"):
        FernetVault(keys, b"")


def test_a_blind_index_needs_the_index_key() -> None:
    vault = FernetVault([OLD], b"index key")
    assert vault.blind_index("ada") == FernetVault([NEW], b"index key").blind_index("ada")
    assert vault.blind_index("ada") != vault.blind_index("eve")
    assert vault.blind_index("ada") != FernetVault([OLD], b"another").blind_index("ada")
    assert "ada@example.com" not in vault.blind_index("ada@example.com")


def test_processes_started_concurrently_share_one_index_key(tmp_path: Path) -> None:
    store = open_store(new_sqlite(tmp_path))
    vaults = run_concurrently([lambda: open_vault([OLD], store)] * 8)
    assert len({vault.blind_index("ada") for vault in vaults}) == 1
    assert open_vault([NEW, OLD], store).blind_index("ada") == vaults[0].blind_index("ada")
    store.close()


def test_a_key_of_another_database_is_rejected_and_changes_nothing(tmp_path: Path) -> None:
    store = open_store(new_sqlite(tmp_path))
    index = open_vault([OLD], store).blind_index("ada")
    with pytest.raises(InvalidSecretKey, match="none of the secret keys decrypts"):
        open_vault([NEW], store)
    assert open_vault([OLD], store).blind_index("ada") == index
    store.close()
