"""Tron's transactions as its documentation has them, and what nodes are told."""

import pickle
from hashlib import sha256

import httpx
import pytest
from base58 import b58decode_check
from pydantic import SecretStr

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.keys import KeyMissing, load_signer
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.tron.address_format import to_base58, to_evm_address
from crossway.adapters.chains.tron.chain_params import load_chain_params
from crossway.adapters.chains.tron.contract_creation import (
    CreateSmartContract,
    SmartContract,
    encode_creation,
)
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
HASH = "0x" + bytes(range(32)).hex()
REF_BLOCK = RefBlock(0x4321, HASH, 1_700_000_000_000, 1_700_000_060_000)


# What nodes answered in Tron's documentation of smart contracts
# (developers.tron.network/docs/smart-contract-deployment-and-invocation).
CREATION = bytes.fromhex(
    "0a1541d1e7a6bc354106cb410e65ff8b181c600ff142921289030a1541d1e7a6bc354106cb410e65ff8b181c600f"
    "f142921a5c0a2b1a03736574220e12036b65791a0775696e743235362210120576616c75651a0775696e74323536"
    "300240030a2d10011a03676574220e12036b65791a0775696e743235362a10120576616c75651a0775696e743235"
    "363002400222fd01608060405234801561001057600080fd5b5060de8061001f6000396000f30060806040526004"
    "361060485763ffffffff7c01000000000000000000000000000000000000000000000000000000006000350416631a"
    "b06ee58114604d5780639507d39a146067575b600080fd5b348015605857600080fd5b506065600435602435608e56"
    "5b005b348015607257600080fd5b50607c60043560a0565b60408051918252519081900360200190f35b60009182"
    "526020829052604090912055565b600090815260208190526040902054905600a165627a7a72305820fdfe832221"
    "d60dd582b4526afa20518b98c2e1cb0054653053a844cf265b2504002930643a0c536f6d65436f6e747261637440"
    "a08d06"
)
TRIGGER = (
    "0a021c51220874912b480b7b887c40c8d2e7e78a305aae01081f12a9010a31747970652e676f6f676c6561706973"
    "2e636f6d2f70726f746f636f6c2e54726967676572536d617274436f6e747261637412740a1541977c20977f412c"
    "2a1aa4ef3d49fee5ec4c31cdfb1215419e62be7f4f103c36507cb2a753418791b1cdc1822244a9059cbb00000000"
    "000000000000004115208ef33a926919ed270e2fa61367b2da3753da000000000000000000000000000000000000"
    "000000000000000000000000003270b286e4e78a30900180c2d72f"
)


def test_a_call_has_the_bytes_and_the_name_of_tron_s_documentation() -> None:
    data = "a9059cbb00000000000000000000004115208ef33a926919ed270e2fa61367b2da3753da" + "32".zfill(
        64
    )
    ref_block = RefBlock(
        0x1C51, "0x" + "00" * 8 + "74912b480b7b887c" + "00" * 8, 1652169442098, 1652169501000
    )
    call = Call("0x9e62be7f4f103c36507cb2a753418791b1cdc182", bytes.fromhex(data))
    owner = "0x977c20977f412c2a1aa4ef3d49fee5ec4c31cdfb"
    raw = encode_call_tx(owner, call, ref_block, 100_000_000)
    assert raw.hex() == TRIGGER
    tx_id = "d2ce86097df40287ad45ebc67f0d546ee98c2d7cd7c101e4d4d5b0c8a752d900"
    assert parse_raw_transaction(raw).tx_id == tx_id == sign_transaction(WHO, raw, 0, 0).tx_id


def test_a_call_is_signed_and_read_back_with_its_sequence_number() -> None:
    call = with_sequence_number(Call(to_evm_address(USDT), bytes(range(68)), 17), 258)
    raw = encode_call_tx(to_evm_address(WHO.address), call, REF_BLOCK, 60_000_000)
    signed = sign_transaction(WHO, raw, 258, 5)
    assert signed.tx_id == sha256(raw).hexdigest()
    assert unsigned_bytes(signed.raw) == raw
    # Recorded when the bytes were written by hand, and found equal to tronpy's.
    assert (
        sha256(signed.raw).hexdigest()
        == "d8e4e0002b7c734fc943d2717742ea88ebef0be4738f58881a5545a16cfeece3"
    )
    found = parse_raw_transaction(raw)
    assert (found.tx_id, found.sender, found.to) == (
        signed.tx_id,
        to_evm_address(WHO.address),
        to_evm_address(USDT),
    )
    assert (found.data, found.sequence, found.expires_ms) == (call.data, 258, REF_BLOCK.expires_ms)


def test_a_payment_of_trx_has_the_bytes_that_it_always_had() -> None:
    raw = encode_transfer_tx(to_evm_address(WHO.address), to_evm_address(USDT), 5, REF_BLOCK)
    assert (
        sha256(raw).hexdigest()
        == "2b7709e4cf9724ba4cfcd673357e06fae080d8adad3469b9adcf12a59a7be76a"
    )
    assert parse_raw_transaction(raw).sequence is None


def test_a_contract_is_created_with_the_fields_of_tron_s_documentation() -> None:
    owner = bytes.fromhex("41d1e7a6bc354106cb410e65ff8b181c600ff14292")
    creation = CreateSmartContract.FromString(CREATION)
    contract = SmartContract.FromString(creation.new_contract)
    assert creation.owner_address == contract.origin_address == owner
    assert contract.bytecode.hex().startswith("608060405234801561001057600080fd5b5060de")
    assert (contract.name, contract.consume_user_resource_percent) == (b"SomeContract", 100)
    assert contract.origin_energy_limit == 100_000
    assert contract.SerializeToString() == creation.new_contract
    assert creation.SerializeToString() == CREATION


def test_a_contract_of_ours_is_created_as_its_documented_one_without_an_abi() -> None:
    owner = bytes.fromhex("41d1e7a6bc354106cb410e65ff8b181c600ff14292")
    made = encode_creation(owner, "Filler", b"\x60\x80").hex()
    # Each field's number and type, and its length where it has one.
    contract = "0a15" + owner.hex() + "22026080" + "3064" + "3a06" + b"Filler".hex() + "4080ade204"
    assert made == "0a15" + owner.hex() + f"12{len(contract) // 2:02x}" + contract


def test_a_call_of_somebody_else_carries_no_number() -> None:
    raw = encode_call_tx(
        to_evm_address(WHO.address), Call(to_evm_address(USDT), bytes(68)), REF_BLOCK, 1
    )
    assert parse_raw_transaction(raw).sequence is None
    with pytest.raises(MalformedResponse):
        parse_raw_transaction(b"\xff" * 40)


def test_an_address_is_that_of_the_key_as_tronweb_s_tests_have_it() -> None:
    key = "da146374a75310b9666e834ee4ad0866d6f4035967bfc76217c5a495fff9f0d0"
    signer = load_signer(KEYS, "env:KEY", "", {"KEY": key})
    assert signer.address == "TPL66VK2gCXNCD7EJg9pgJRfqcRazjhUZY"
    assert to_base58(to_evm_address(signer.address)) == signer.address
    assert key not in repr(signer) + str(signer)
    with pytest.raises(TypeError):
        pickle.dumps(signer)


@pytest.mark.parametrize("number", [0, 2**256 - 1])
def test_a_number_beyond_the_curve_is_no_key(number: int) -> None:
    with pytest.raises(KeyMissing, match="no private key"):
        load_signer(KEYS, "env:KEY", "", {"KEY": f"{number:064x}"})


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
