"""Keys that nothing shows, and transactions as the library that others use writes them."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from eth_account import Account

from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.chain_context import load_chain_params
from crossway.adapters.chains.evm.transactions import KEYS, LocalSigner, gas_price, sign_transaction
from crossway.adapters.chains.rpc.chain_context import read_params
from crossway.adapters.chains.rpc.keys import KeyMissing, load_signer
from crossway.adapters.chains.rpc.profile import read_profile, resolve_urls
from crossway.catalogue import load_catalogue

SECRET = bytes.fromhex("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318")
WHO = Account.from_key(SECRET)
TO = "0x4e59b44847b379578588920cA78FbF26c0B4956C"
CALL = Call(TO, bytes(range(64)), 17)


def test_a_transaction_has_the_bytes_that_eth_account_gives_it() -> None:
    params = load_chain_params("BASE_MAINNET")
    fee = params.gas_limit * 3_000_000_007
    price = gas_price(fee, params)
    other = WHO.sign_transaction(
        {
            "chainId": 8453,
            "nonce": 0,
            "to": TO,
            "data": CALL.data,
            "value": 17,
            "gas": params.gas_limit,
            "maxFeePerGas": price.max_fee,
            "maxPriorityFeePerGas": price.priority_fee,
        }
    )
    mine = sign_transaction(LocalSigner(SECRET), 8453, params, CALL, 0, fee)
    assert mine.raw == bytes(other.raw_transaction)
    assert mine.tx_id == "0x" + bytes(other.hash).hex()


def test_a_legacy_transaction_has_the_bytes_that_eth_account_gives_it() -> None:
    params = replace(load_chain_params("BASE_MAINNET"), fees="legacy")
    fee = params.gas_limit * 5_000_000_000
    other = WHO.sign_transaction(
        {"chainId": 56, "nonce": 258, "to": TO, "data": CALL.data, "value": 17,
         "gas": params.gas_limit, "gasPrice": 5_000_000_000}
    )  # fmt: skip
    mine = sign_transaction(LocalSigner(SECRET), 56, params, CALL, 258, fee)
    assert mine.raw == bytes(other.raw_transaction)
    assert mine.tx_id == "0x" + bytes(other.hash).hex()


def test_a_higher_fee_raises_both_parts_of_the_price_as_nodes_ask() -> None:
    for chain in ("BASE_MAINNET", "POLYGON_MAINNET", "ETHEREUM_MAINNET"):
        params = load_chain_params(chain)
        fee = params.gas_limit * 20_000_000_000
        before, after = gas_price(fee, params), gas_price(fee * 5 // 4 + 1, params)
        assert after.max_fee * 10 >= before.max_fee * 11
        assert after.priority_fee * 10 >= before.priority_fee * 11


def test_a_key_is_shown_by_nothing() -> None:
    signer = LocalSigner(SECRET)
    assert signer.address == WHO.address
    assert SECRET.hex() not in repr(signer) + str(signer) + repr([signer])
    with pytest.raises(TypeError):
        pickle.dumps(signer)


def test_a_key_comes_from_the_environment_or_an_encrypted_store(tmp_path: Path) -> None:
    named = load_signer(KEYS, "env:KEY", "", {"KEY": "0x" + SECRET.hex()})
    store, password = tmp_path / "key.json", tmp_path / "password"
    store.write_text(json.dumps(Account.encrypt(SECRET, "a password", iterations=4)))
    password.write_text("a password\n")
    stored = load_signer(KEYS, f"keystore:{store}", f"file:{password}", {})
    again = load_signer(KEYS, f"keystore:{store}", "env:PASSWORD", {"PASSWORD": "a password"})
    assert {named.address, stored.address, again.address} == {WHO.address}


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
    treasury = WHO.address
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
