"""Tron's transactions as the library that others use writes them, and what nodes are told."""

from hashlib import sha256

import httpx
import pytest
from base58 import b58decode_check
from pydantic import SecretStr
from tronpy.keys import PrivateKey
from tronpy.proto import tron_pb2
from tronpy.proto.transaction import _raw_data_to_protobuf, calculate_txid_from_raw_data

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.keys import load_signer
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.tron.address_format import to_base58, to_evm_address
from crossway.adapters.chains.tron.chain_params import load_chain_params
from crossway.adapters.chains.tron.contracts import deployment_from_profile
from crossway.adapters.chains.tron.node import KEY_HEADER, TronNode
from crossway.adapters.chains.tron.resources import AccountResources, ResourcePrices, fee_units
from crossway.adapters.chains.tron.transactions import (
    KEYS,
    RefBlock,
    TronSigner,
    created_address,
    encode_call_tx,
    encode_transfer_tx,
    parse_raw_transaction,
    sign_transaction,
    unsigned_bytes,
    with_sequence_number,
)

SECRET = bytes.fromhex("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318")
USDT = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
WHO = TronSigner(SECRET)
# The fields that tronpy takes from a block's hash are those of a reference block.
HASH = "0x" + bytes(range(32)).hex()
REF_BLOCK = RefBlock(0x4321, HASH, 1_700_000_000_000, 1_700_000_060_000)


def by_tronpy(kind: str, value: dict[str, object], **more: int) -> dict[str, object]:
    url = f"type.googleapis.com/protocol.{kind}"
    contract = {"type": kind, "parameter": {"value": value, "type_url": url}}
    return {
        "contract": [contract],
        "ref_block_bytes": "4321",
        "ref_block_hash": HASH[2:][16:32],
        "expiration": REF_BLOCK.expires_ms,
        "timestamp": REF_BLOCK.created_ms,
        **more,
    }


def test_a_call_has_the_bytes_and_the_name_that_tronpy_gives_it() -> None:
    call = with_sequence_number(Call(to_evm_address(USDT), bytes(range(68)), 17), 258)
    mine = encode_call_tx(to_evm_address(WHO.address), call, REF_BLOCK, 60_000_000)
    other = by_tronpy(
        "TriggerSmartContract",
        {
            "owner_address": WHO.address,
            "contract_address": USDT,
            "data": call.data.hex(),
            "call_value": 17,
        },
        fee_limit=60_000_000,
    )
    assert mine == _raw_data_to_protobuf(other).SerializeToString()
    one = sign_transaction(WHO, mine, 258, 5)
    assert one.tx_id == calculate_txid_from_raw_data(other) == sha256(mine).hexdigest()
    assert unsigned_bytes(one.raw) == mine
    signature = tron_pb2.Transaction.FromString(one.raw).signature[0]
    assert signature.hex() == PrivateKey(SECRET).sign_msg_hash(sha256(mine).digest()).hex()
    found = parse_raw_transaction(mine)
    assert (found.tx_id, found.sender, found.to) == (
        one.tx_id,
        to_evm_address(WHO.address),
        to_evm_address(USDT),
    )
    assert (found.data, found.sequence, found.expires_ms) == (call.data, 258, REF_BLOCK.expires_ms)


def test_a_payment_of_trx_has_the_bytes_that_tronpy_gives_it() -> None:
    mine = encode_transfer_tx(to_evm_address(WHO.address), to_evm_address(USDT), 5, REF_BLOCK)
    other = by_tronpy(
        "TransferContract", {"owner_address": WHO.address, "to_address": USDT, "amount": 5}
    )
    assert mine == _raw_data_to_protobuf(other).SerializeToString()
    assert parse_raw_transaction(mine).sequence is None


def test_a_call_of_somebody_else_carries_no_number() -> None:
    raw = encode_call_tx(
        to_evm_address(WHO.address), Call(to_evm_address(USDT), bytes(68)), REF_BLOCK, 1
    )
    assert parse_raw_transaction(raw).sequence is None
    with pytest.raises(MalformedResponse):
        parse_raw_transaction(b"\xff" * 40)


def test_an_address_is_that_of_the_key_as_tronpy_writes_it() -> None:
    assert WHO.address == PrivateKey(SECRET).public_key.to_base58check_address()
    assert to_base58(to_evm_address(WHO.address)) == WHO.address
    again = load_signer(KEYS, "env:KEY", "", {"KEY": SECRET.hex()})
    assert again.address == WHO.address
    assert SECRET.hex() not in repr(again)


def test_a_created_contract_s_address_follows_from_its_transaction_and_owner() -> None:
    """As java-tron does (WalletUtil.generateContractAddress): the name of the transaction, then the
    21 bytes of who sent it."""
    name = "5a" * 32
    digest = keccak256(bytes.fromhex(name) + b58decode_check(WHO.address))
    assert (
        b58decode_check(created_address(name, to_evm_address(WHO.address))) == b"\x41" + digest[12:]
    )


def test_a_key_before_the_host_is_a_header_and_in_no_url() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        told = [] if request.url.path.endswith("/x") else {"id": 0, "result": "0x1"}
        return httpx.Response(200, json=told)

    client = httpx.Client(transport=httpx.MockTransport(answer))
    url = SecretStr("https://a-secret-key@api.trongrid.example/base/")
    node = TronNode(url, client, 50)
    assert node.send([RpcRequest("/wallet/x", ({},)), RpcRequest("eth_chainId")]) == [[], "0x1"]
    assert [str(one.url) for one in seen] == [
        "https://api.trongrid.example/base/jsonrpc",
        "https://api.trongrid.example/base/wallet/x",
    ]
    assert {one.headers[KEY_HEADER] for one in seen} == {"a-secret-key"}
    assert not any("authorization" in one.headers for one in seen)
    assert "a-secret-key" not in node.name + repr(node)


def test_a_fee_counts_what_is_staked_and_whole_transactions_of_bandwidth() -> None:
    params, prices = load_chain_params(), ResourcePrices(100, 1_000, True)
    whole = params.energy_limit * 100 + params.tx_bytes * 1_000
    assert fee_units(params, prices, AccountResources(0, 0, 0)) == whole
    assert fee_units(params, prices, AccountResources(0, 0, params.tx_bytes - 1)) == whole
    assert (
        fee_units(params, prices, AccountResources(0, 0, params.tx_bytes))
        == params.energy_limit * 100
    )
    assert (
        fee_units(params, prices, AccountResources(50_000, params.tx_bytes, 0))
        == whole - 5_000_000 - 800_000
    )
    assert (
        fee_units(params, prices, AccountResources(params.energy_limit + 1, params.tx_bytes, 0))
        == 0
    )


def test_contracts_of_a_profile_are_refused_in_words() -> None:
    for wrong, words in (
        ({"factory": "T123"}, "contracts.factory is not a Tron address"),
        ({"vault": USDT}, "contracts.vault is unknown: expected factory, escrow, filler"),
        ({"prefix": "0x42"}, "contracts.prefix must be 0x41"),
    ):
        with pytest.raises(ValueError, match=words):
            deployment_from_profile("TRON_MAINNET", wrong)
    assert deployment_from_profile("TRON_MAINNET", {}).prefix == 0x41
