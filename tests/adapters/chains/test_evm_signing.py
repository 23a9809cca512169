"""Keys that nothing shows, and transactions as their published examples have them."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from eth_account.types import TransactionDictType

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.chain_context import load_chain_params
from crossway.adapters.chains.evm.transactions import (
    KEYS,
    GasPrice,
    LocalSigner,
    gas_price,
    sign_fields,
    sign_transaction,
)
from crossway.adapters.chains.rpc.chain_context import read_params
from crossway.adapters.chains.rpc.keys import KeyMissing, load_signer
from crossway.adapters.chains.rpc.profile import read_profile, resolve_urls
from crossway.catalogue import load_catalogue

# The key of web3.js's documentation and tests, and its address.
SECRET = bytes.fromhex("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318")
ADDRESS = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"
TO = "0x4e59b44847b379578588920cA78FbF26c0B4956C"
CALL = Call(TO, bytes(range(64)), 17)


def test_a_legacy_transaction_is_the_example_of_eip_155() -> None:
    fields: TransactionDictType = {
        "nonce": 9,
        "gasPrice": 20 * 10**9,
        "gas": 21_000,
        "to": bytes.fromhex("35" * 20),
        "value": 10**18,
        "data": b"",
    }
    assert sign_fields(LocalSigner(bytes.fromhex("46" * 32)), 1, fields).hex() == (
        "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080"
        "25a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276"
        "a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
    )


def test_a_transaction_of_type_2_is_that_of_the_tests_of_web3_js() -> None:
    """github.com/web3/web3.js, eth.accounts.signTransaction, as geth's eth_signTransaction has
    it."""
    fields: TransactionDictType = {
        "nonce": 0,
        "maxPriorityFeePerGas": 0x3B9ACA00,
        "maxFeePerGas": 0xB2D05E00,
        "gas": 0x6A40,
        "to": bytes.fromhex("F0109fC8DF283027b6285cc889F5aA624EaC1F55"),
        "value": 10**9,
        "data": b"",
    }
    raw = sign_fields(LocalSigner(SECRET), 1, fields)
    assert raw.hex() == (
        "02f86e0180843b9aca0084b2d05e00826a4094f0109fc8df283027b6285cc889f5aa624eac1f55843b9aca00"
        "80c080a0d1290a118d51918c1ca17e3af0267c45efcd745cf42e78eabc444c424d6bcf37"
        "a003c81e1fda169575023a94200ee034128747f91020e704abaee30dbcfc785c36"
    )
    assert keccak256(raw).hex() == (
        "82c19b39a6b7eaa0492863a8b236fad5018f267b4977c270ddd5228c4cbda60e"
    )


@pytest.mark.parametrize(("fees", "chain_id", "nonce", "tx_id"), [
    ("eip1559", 8453, 0, "0x1778aff09905375f5160cdde10014d946f5c9925dbbfb18bfa1eca2ceae75a24"),
    ("legacy", 56, 258, "0x3c2527ca4a12042bef4657066fd7cae8d5f75265c2ffc77f90e31bca92e10ded"),
])  # fmt: skip
def test_a_call_has_the_bytes_that_it_always_had(
    fees: str, chain_id: int, nonce: int, tx_id: str
) -> None:
    """Recorded when the bytes were written by hand, and found equal to eth-account's."""
    params = replace(load_chain_params("BASE_MAINNET"), fees=fees, gas_limit=700_000)
    fee = params.gas_limit * 3_000_000_007
    price = GasPrice(3_000_000_007, 300_000_000)
    signed = sign_transaction(LocalSigner(SECRET), chain_id, params, CALL, nonce, fee, price)
    assert signed.tx_id == "0x" + keccak256(signed.raw).hex() == tx_id


def test_a_higher_fee_raises_both_parts_of_the_price_as_nodes_ask() -> None:
    for chain in ("BASE_MAINNET", "POLYGON_MAINNET", "ETHEREUM_MAINNET"):
        params = load_chain_params(chain)
        fee = params.gas_limit * 20_000_000_000
        before = gas_price(fee, params, tip=10**9)
        # The market's tip may have fallen meanwhile.
        after = gas_price(fee * 5 // 4 + 1, params, 10**8, before.priority_fee)
        assert after.max_fee * 10 >= before.max_fee * 11
        assert after.priority_fee * 10 >= before.priority_fee * 11


def test_a_key_is_shown_by_nothing() -> None:
    signer = LocalSigner(SECRET)
    assert signer.address == ADDRESS
    assert SECRET.hex() not in repr(signer) + str(signer) + repr([signer])
    with pytest.raises(TypeError):
        pickle.dumps(signer)


# The test vectors of Web3 Secret Storage, version 3: their password is `testpassword`.
STORED_KEY = bytes.fromhex("7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d")
KEY_STORES = {
    "pbkdf2": {
        "cipher": "aes-128-ctr",
        "cipherparams": {"iv": "6087dab2f9fdbbfaddc31a909735c1e6"},
        "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
        "kdf": "pbkdf2",
        "kdfparams": {
            "c": 262_144,
            "dklen": 32,
            "prf": "hmac-sha256",
            "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
        },
        "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
    },
    "scrypt": {
        "cipher": "aes-128-ctr",
        "cipherparams": {"iv": "83dbcc02d8ccb40e466191a123791e0e"},
        "ciphertext": "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
        "kdf": "scrypt",
        "kdfparams": {
            "dklen": 32,
            "n": 262_144,
            "p": 8,
            "r": 1,
            "salt": "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
        },
        "mac": "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
    },
}


@pytest.mark.parametrize("kdf", KEY_STORES)
def test_a_key_store_of_the_published_vectors_opens_with_its_password(
    kdf: str, tmp_path: Path
) -> None:
    store, password = tmp_path / "key.json", tmp_path / "password"
    store.write_text(json.dumps({"crypto": KEY_STORES[kdf], "version": 3}))
    password.write_text("testpassword\n")
    stored = load_signer(KEYS, f"keystore:{store}", f"file:{password}", {})
    assert stored.address == LocalSigner(STORED_KEY).address


def test_a_key_store_stays_closed_without_its_password_which_no_message_repeats(
    tmp_path: Path,
) -> None:
    store = tmp_path / "key.json"
    store.write_text(json.dumps({"crypto": KEY_STORES["pbkdf2"], "version": 3}))
    with pytest.raises(KeyMissing, match="does not open with its password") as told:
        load_signer(KEYS, f"keystore:{store}", "env:WORD", {"WORD": "testpassw0rd"})
    assert "testpassw0rd" not in str(told.value)


def test_a_key_comes_from_the_environment() -> None:
    assert load_signer(KEYS, "env:KEY", "", {"KEY": "0x" + SECRET.hex()}).address == ADDRESS


def test_what_is_wrong_with_a_key_is_said_without_the_key(tmp_path: Path) -> None:
    bad = SECRET.hex()[:-1]
    wrong = {
        ("env:KEY", ""): "the environment has no KEY",
        ("env:BAD", ""): "must be a private key: 64 hex digits",
        ("env:ZERO", ""): "no private key",
        (f"keystore:{tmp_path / 'none'}", "env:BAD"): "cannot be read",
        ("file:x", ""): "env:NAME or keystore:PATH",
    }
    for (reference, password), words in wrong.items():
        with pytest.raises(KeyMissing, match=words) as told:
            load_signer(KEYS, reference, password, {"BAD": bad, "ZERO": "0" * 64})
        assert bad not in str(told.value)


def test_a_profile_names_variables_and_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    treasury = ADDRESS
    good = f"""
        [chains.BASE_MAINNET]
        rpc = ["https://base.example/v2/${{NODE_KEY}}"]
        key = "env:KEY"
        treasury = "{treasury}"
    """
    path.write_text(good)
    profile = read_profile(path, load_catalogue())
    chain = profile.chains["BASE_MAINNET"]
    (url,) = resolve_urls("BASE_MAINNET", chain, {"NODE_KEY": "very-secret"})
    assert url.get_secret_value() == "https://base.example/v2/very-secret"
    assert "very-secret" not in repr(url) + repr(profile)
    with pytest.raises(ValueError, match="the environment has no NODE_KEY"):
        resolve_urls("BASE_MAINNET", chain, {})
    for old, new, words in (
        ("BASE_MAINNET", "MOON_MAINNET", "there is no such chain"),
        ("BASE_MAINNET", "SOLANA_MAINNET", "SOLANA_MAINNET.treasury is not a Solana address"),
        ("rpc =", 'program = "x"\nrpc =', "BASE_MAINNET.program means nothing on Base"),
        ("rpc =", 'coordinator = "x"\nrpc =', "BASE_MAINNET.coordinator is not an EVM address"),
        (
            "rpc =",
            f'coordinator = "{treasury.lower()}"\nrpc =',
            f"BASE_MAINNET.coordinator must be written {treasury}",
        ),
        (
            "BASE_MAINNET]",
            'SOLANA_MAINNET]\ncoordinator = "x"',
            "SOLANA_MAINNET.coordinator cannot be set.*knows no agents",
        ),
        ("env:KEY", SECRET.hex(), "chains.BASE_MAINNET.key"),
        (treasury, treasury.lower(), f"must be written {treasury}"),
        ("rpc =", "quorum = 2\nrpc =", "quorum must not be more than"),
    ):
        path.write_text(good.replace(old, new))
        with pytest.raises(ValueError, match=words) as told:
            read_profile(path, load_catalogue())
        assert SECRET.hex() not in str(told.value)


def test_chain_params_are_those_of_evm_chains() -> None:
    evm = {chain.id for chain in load_catalogue().chains.values() if chain.kind == "evm"}
    assert set(read_params("crossway.adapters.chains.evm")) - {"default"} <= evm
    assert all(load_chain_params(chain).gas_limit >= 500_000 for chain in evm)
