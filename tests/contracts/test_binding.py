"""Addresses and markers are bound to the terms by one rule, here and in the contracts."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import encode

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS, default_deployment
from crossway.adapters.chains.intent_hash import (
    TermsHashes,
    create2_address,
    dest_terms,
    hash_terms,
    source_terms,
)
from crossway.catalogue import load_catalogue
from crossway.domain.intent import Terms
from tests.chains.anvil import running
from tests.contracts.gas import SOURCE

CATALOGUE = load_catalogue()
VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "binding.json").read_text())
EVM = [one for one in VECTORS if one["terms"]["source_chain"].startswith(("BASE", "ETHEREUM"))]


def terms_of(one: dict[str, Any]) -> Terms:
    told = one["terms"]
    return Terms(**{**told, "expires_at": datetime.fromtimestamp(told["expires_at"], UTC)})


def bound_of(one: dict[str, Any]) -> TermsHashes:
    return hash_terms(CATALOGUE, terms_of(one), one["bridger"], one["coordinator"])


@pytest.mark.parametrize("one", VECTORS, ids=lambda one: one["name"])
def test_the_hashes_are_those_of_the_vectors(one: dict[str, Any]) -> None:
    found = bound_of(one)
    assert found.source_hash.hex() == one["source_hash"]
    assert found.dest_hash.hex() == one["dest_hash"]
    assert found.intent_hash.hex() == one["intent_hash"]


def test_each_term_changes_the_intent_hash() -> None:
    one = VECTORS[0]
    terms, key = terms_of(one), bound_of(one).intent_hash
    other = "0x" + "5" * 40
    changed = [
        replace(terms, nonce=terms.nonce + 1),
        replace(terms, source_chain="ETHEREUM_MAINNET"),
        replace(terms, destination_chain="ETHEREUM_MAINNET"),
        replace(terms, token_in=other),
        replace(terms, token_out=other),
        replace(terms, deposit_amount=terms.deposit_amount + 1),
        replace(terms, payout_amount=terms.payout_amount - 1),
        replace(terms, recipient=other),
        replace(terms, refund_address=other),
        replace(terms, expires_at=datetime.fromtimestamp(1, UTC)),
    ]
    accounts = one["bridger"], one["coordinator"]
    keys = [hash_terms(CATALOGUE, each, *accounts).intent_hash for each in changed]
    keys.append(hash_terms(CATALOGUE, terms, other, one["coordinator"]).intent_hash)
    keys.append(hash_terms(CATALOGUE, terms, one["bridger"], other).intent_hash)
    assert len({key, *keys}) == len(keys) + 1


def test_a_deposit_address_on_tron_differs_in_its_prefix_alone() -> None:
    deployer, salt, code = b"\1" * 20, b"\2" * 32, b"\3" * 32
    assert create2_address(0xFF, deployer, salt, code) != create2_address(
        0x41, deployer, salt, code
    )
    # The example of EIP-1014.
    nothing = bytes.fromhex("bc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a")
    assert create2_address(0xFF, bytes(20), bytes(32), nothing).hex() == (
        "4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38"
    )


def test_the_contract_computes_the_same_hashes_and_addresses() -> None:
    at = default_deployment()
    with running("BASE_MAINNET") as one:

        def ask(signature: str, data: bytes) -> str:
            call = {
                "to": at.factory,
                "data": "0x" + (keccak256(signature.encode())[:4] + data).hex(),
            }
            return str(one.rpc("eth_call", call, "latest"))

        for vector in EVM:
            terms, found = terms_of(vector), bound_of(vector)
            source = source_terms(CATALOGUE, terms, vector["bridger"], vector["coordinator"])
            told = ask(f"intentHash({SOURCE},bytes32)", source.encode() + found.dest_hash)
            assert told[2:] == found.intent_hash.hex()
            address = ask("depositAddress(bytes32)", found.intent_hash)
            assert address[-40:] == at.deposit_address(found.intent_hash)[2:].lower()
        assert int(ask("REDIRECT_DELAY()", b""), 16) == REDIRECT_SECONDS


def test_words_are_those_of_the_contracts_encoding() -> None:
    one = EVM[0]
    terms = terms_of(one)
    source = (
        8453, terms.nonce, terms.token_in, terms.deposit_amount, one["bridger"],
        terms.refund_address, one["coordinator"], int(terms.expires_at.timestamp()),
    )  # fmt: skip
    found = source_terms(CATALOGUE, terms, one["bridger"], one["coordinator"])
    assert encode([SOURCE], [source]) == found.encode()
    assert len(dest_terms(CATALOGUE, terms).encode()) == 128
