"""Starknet's hashes, addresses and transactions, as other libraries and the published ones say."""

import json
import pickle
from datetime import UTC, datetime
from importlib.resources import files

import orjson
import pytest
from starknet_py.abi.v2 import AbiParser
from starknet_py.constants import EC_ORDER
from starknet_py.hash.utils import message_signature, verify_message_signature
from starknet_py.net.models.chains import StarknetChainId
from starknet_py.serialization.data_serializers.array_serializer import ArraySerializer
from starknet_py.serialization.data_serializers.payload_serializer import PayloadSerializer
from starknet_py.serialization.data_serializers.struct_serializer import StructSerializer
from starknet_py.serialization.data_serializers.uint_serializer import UintSerializer
from starknet_py.serialization.factory import serializer_for_payload

from crossway.adapters.chains.intent_hash import hash_terms
from crossway.adapters.chains.rpc.keys import KeyMissing, load_signer
from crossway.adapters.chains.starknet import abi
from crossway.adapters.chains.starknet.calldata import Call, encode_calls
from crossway.adapters.chains.starknet.chain_context import load_chain_params
from crossway.adapters.chains.starknet.contracts import default_deployment
from crossway.adapters.chains.starknet.felts import (
    contract_address,
    decode_short_string,
    join_u256,
    selector,
    split_u256,
    to_felt,
    to_hex,
)
from crossway.adapters.chains.starknet.rpc_schemas import Event, parse_transfer
from crossway.adapters.chains.starknet.signers import KEYS, StarkSigner
from crossway.adapters.chains.starknet.transactions import (
    FeeBounds,
    fee_bounds,
    fee_for_prices,
    sign_transaction,
)
from crossway.adapters.chains.starknet.tx_results import decode_revert
from crossway.catalogue import load_catalogue
from crossway.domain.intent import Terms
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.ports.chain import ALREADY_DONE

SECRET = bytes.fromhex("0139fe4d6f02e666e86a6f58e65060f115cd3c185bd9e98bd829636931458f79")
MAINNET = "STARKNET_MAINNET"

ACCOUNT = "0x00" + "7b" * 2 + "0" * 57 + "1"
PARAMS = load_chain_params(MAINNET)
CALLS = [Call(ACCOUNT, "approve", (1, 2, 3)), Call(ACCOUNT, "fill", (4,))]


def test_a_contracts_address_is_the_published_one() -> None:
    class_hash = 951442054899045155353616354734460058868858519055082696003992725251069061570
    plain = contract_address(class_hash, 1111, (21, 37), 0)
    assert plain == 1357105550695717639826158786311415599375114169232402161465584707209611368775
    deployed = contract_address(class_hash, 1111, (21, 37), 1234)
    assert deployed == 3179899882984850239687045389724311807765146621017486664543269641150383510696


def test_selectors_are_the_published_ones() -> None:
    assert hex(selector("Transfer")) == (
        "0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9"
    )
    assert hex(selector("transfer")) == (
        "0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e"
    )


def test_a_key_signs_what_wallets_libraries_sign_and_nothing_shows_it() -> None:
    signer = StarkSigner(SECRET)
    digest = 0x3F7A1B0CD9A2E5D8C4B3A291807F6E5D4C3B2A19F8E7D6C5B4A39281706F5E4
    assert signer.sign(digest) == message_signature(digest, int.from_bytes(SECRET, "big"))
    assert verify_message_signature(digest, list(signer.sign(digest)), signer.public)
    assert SECRET.hex().lstrip("0") not in repr(signer)
    with pytest.raises(TypeError):
        pickle.dumps(signer)


@pytest.mark.parametrize("number", [0, EC_ORDER, 2**256 - 1])
def test_a_number_beyond_the_curve_is_no_key(number: int) -> None:
    with pytest.raises(KeyMissing, match="below the curve's order"):
        load_signer(KEYS, "env:KEY", "", {"KEY": hex(number)})


def test_functions_are_those_of_the_compiled_contracts() -> None:
    """By the ABI that the Cairo compiler wrote, as starknet-py parses it."""
    functions = {
        "IntentFactory": (abi.START, abi.REFUND, abi.REDIRECT, abi.EXECUTED),
        "Escrow": (abi.SETTLE, abi.WITHDRAW, abi.RETAINED, abi.EXECUTED),
        "Filler": (abi.FILL, abi.EXECUTED),
    }
    artifacts = files("crossway.adapters.chains.starknet") / "artifacts"
    for contract, used in functions.items():
        compiled = json.loads((artifacts / f"{contract}.sierra.json").read_bytes())["abi"]
        types = [each for each in compiled if each["type"] in ("struct", "enum")]
        (interface,) = (each for each in compiled if each["type"] == "interface")
        names = [function.entry for function in used]
        items = [each for each in interface["items"] if each["name"] in names]
        # Parsing a whole ABI takes seconds.
        parsed = AbiParser([*types, {**interface, "items": items}]).parse()
        (found,) = parsed.interfaces.values()
        for function in used:
            inputs = serializer_for_payload(found.items[function.entry].inputs)
            assert shape(function.arguments) == shape(inputs)


def shape(serializer: object) -> object:
    """The names and types of what a serializer takes, in order."""
    match serializer:
        case PayloadSerializer() | StructSerializer():
            return [(name, shape(each)) for name, each in serializer.serializers.items()]
        case ArraySerializer():
            return [shape(serializer.inner_serializer)]
        case UintSerializer():
            return serializer.bits
        case _:
            return type(serializer).__name__


def test_a_key_may_be_written_without_leading_zeros() -> None:
    short = load_signer(KEYS, "env:KEY", "", {"KEY": "0x139"})
    assert short.address == load_signer(KEYS, "env:KEY", "", {"KEY": "139".zfill(64)}).address


def test_the_public_key_is_the_one_published_with_crypto_cpp() -> None:
    """github.com/starkware-libs/crypto-cpp, ffi/crypto_lib_test.go."""
    key = "03c1e9550e66958296d11b60f8e8e7a7ad990d07fa65d5f7652c4a6c87d4e3cc"
    signer = load_signer(KEYS, "env:KEY", "", {"KEY": key})
    assert signer.address == "0x077a3b314db07c45076d11f62b6f9e748a39790441823307743cf00d6597ea43"


def test_a_transaction_has_the_hash_and_the_signature_that_it_always_had() -> None:
    """Recorded when both were found equal to starknet-py's; what a network computes is compared in
    tests/chains, where another implementation hashes."""
    fee = 10**17 + 12345
    bounds = FeeBounds(60_000_000, 9 * 10**8, 1_000, 10**10, 10**7)
    signed = sign_transaction(
        StarkSigner(SECRET), StarknetChainId.MAINNET, ACCOUNT, CALLS, 7, bounds, fee
    )
    told = orjson.loads(signed.raw)
    assert signed.tx_id == "0x0356cf0f1fc88750f36eb6f140016778a22b0fa2e91a33bc0f6b2ac1a2316ce4"
    assert told["signature"] == [
        "0x21489e78100741b446751b1842feec60437fa963540cb1945d4340b24a6b2a1",
        "0x4c4060a938f3f498725ebfb68f4ccbd4a5f5221908c65f63acf4172de6d57d",
    ]
    assert (told["type"], told["version"], told["nonce"], told["tip"]) == (
        "INVOKE",
        "0x3",
        "0x7",
        hex(10**7),
    )
    assert told["sender_address"] == hex(to_felt(ACCOUNT))
    calls = [2, to_felt(ACCOUNT), selector("approve"), 3, 1, 2, 3]
    calls += [to_felt(ACCOUNT), selector("fill"), 1, 4]
    assert [int(felt, 16) for felt in told["calldata"]] == calls
    assert told["resource_bounds"]["l2_gas"] == {
        "max_amount": hex(60_000_000),
        "max_price_per_unit": hex(9 * 10**8),
    }


@pytest.mark.parametrize(("l2", "data"), [(3 * 10**9, 10**6), (8 * 10**9, 10**15), (1, 1)])
def test_the_bounds_hold_the_prices_and_never_cost_more_than_the_fee(l2: int, data: int) -> None:
    fee = fee_for_prices(PARAMS, l2, data)
    bounds = fee_bounds(PARAMS, fee)
    assert bounds.l2_price >= l2
    assert bounds.data_price >= data
    assert bounds.max_fee <= fee


def test_a_higher_fee_raises_price_and_tip_as_the_sequencer_asks() -> None:
    fee = fee_for_prices(PARAMS, 3 * 10**9, 10**6)
    before, after = fee_bounds(PARAMS, fee), fee_bounds(PARAMS, fee * 5 // 4 + 1)
    assert before.tip > 0
    assert after.l2_price * 10 >= before.l2_price * 11
    assert after.tip * 10 >= before.tip * 11


def test_numbers_of_256_bits_go_in_halves_and_come_back() -> None:
    for value in (0, 1, 2**128 - 1, 2**128, 2**256 - 1):
        assert join_u256(*split_u256(value)) == value
    with pytest.raises(ValueError, match="half"):
        join_u256(2**128, 0)


def test_transfers_are_read_from_keys_and_from_data_and_nothing_else_is_one() -> None:
    transfer = selector("Transfer")
    keyed = Event(ACCOUNT, (transfer, 1, 2), (5, 0))
    older = Event(ACCOUNT, (transfer,), (1, 2, 5, 0))
    assert parse_transfer(keyed) == parse_transfer(older)
    moved = parse_transfer(older)
    assert moved is not None
    assert (moved.source, moved.to, moved.amount) == (to_hex(1), to_hex(2), 5)
    # One of a kind, another event, and a number of 256 bits that is none.
    assert parse_transfer(Event(ACCOUNT, (transfer, 1, 2, 3, 0), ())) is None
    assert parse_transfer(Event(ACCOUNT, (selector("Approval"), 1, 2), (5, 0))) is None
    assert parse_transfer(Event(ACCOUNT, (transfer, 1, 2), (2**130, 0))) is None


def test_what_a_contract_refused_is_found_in_a_nodes_words() -> None:
    felt = "0x414c52454144595f46494c4c4544"
    assert decode_short_string(int(felt, 16)) == "ALREADY_FILLED"
    nested = (
        "Transaction execution has failed:\n0: Error in the called contract (contract address: "
        "0x07b1, class hash: 0x5dec, selector: 0x15d40a):\nExecution failed. Failure reason:\n("
        f"{felt} ('ALREADY_FILLED'), 0x454e545259504f494e545f4641494c4544 ('ENTRYPOINT_FAILED')).\n"
    )
    for said in (nested, f"Execution failed. Failure reason: {felt}.", "Error: ALREADY_FILLED"):
        assert (decode_revert(said).message, decode_revert(said).permanent) == (ALREADY_DONE, True)
    assert "balance was too low" in decode_revert("ERC20: insufficient balance").message
    limit = "Insufficient max L2Gas: max amount: 5, actual used: 6."
    assert "more gas" in decode_revert(limit).message
    assert "STRK" in decode_revert("Insufficient fee token balance").message
    assert not decode_revert("anything else").permanent


CATALOGUE = load_catalogue()
AT = default_deployment()
DOLLARS = CATALOGUE.tokens[MAINNET, "USDC"].address


def terms(source: str = MAINNET, token: str = DOLLARS, refund: str = ACCOUNT) -> Terms:
    return Terms(
        nonce=2**200 + 9,
        source_chain=source,
        destination_chain=MAINNET,
        token_in=token,
        token_out=DOLLARS,
        deposit_amount=25_000_000,
        payout_amount=24_000_000,
        recipient=to_hex(77),
        refund_address=refund,
        bridge="",
        expires_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def action(
    duty: OutboundTxKind,
    outputs: tuple[Output, ...],
    of: Terms,
    bridger: str = AT.escrow,
    coordinator: str = ACCOUNT,
) -> OutboundCall:
    key = "0x" + hash_terms(CATALOGUE, of, bridger, coordinator).intent_hash.hex()
    return OutboundCall(duty, MAINNET, ACCOUNT, key, outputs, None, None, of, bridger, coordinator)


def test_a_start_carries_the_terms_and_no_other_addresss_money() -> None:
    of = terms()
    key = hash_terms(CATALOGUE, of, AT.escrow, ACCOUNT).intent_hash
    output = Output(AT.deposit_address(key), AT.escrow, DOLLARS, of.deposit_amount)
    (call,) = encode_calls(CATALOGUE, AT, action(OutboundTxKind.START, (output,), of))
    assert (call.to, call.entry, len(call.data)) == (AT.factory, "start", 14)
    assert call.data[2:5] == (*split_u256(of.nonce), to_felt(DOLLARS))
    assert call.data[7:10] == (to_felt(AT.escrow), to_felt(ACCOUNT), to_felt(ACCOUNT))
    stranger = Output(to_hex(5), AT.escrow, DOLLARS, of.deposit_amount)
    with pytest.raises(ValueError, match="no deposit address"):
        encode_calls(CATALOGUE, AT, action(OutboundTxKind.START, (stranger,), of))


def test_a_fill_allows_exactly_what_it_pays() -> None:
    of = terms()
    output = Output(ACCOUNT, of.recipient, DOLLARS, of.payout_amount)
    approve, fill = encode_calls(CATALOGUE, AT, action(OutboundTxKind.FILL, (output,), of))
    assert (approve.to, approve.entry) == (DOLLARS, "approve")
    assert approve.data == (to_felt(AT.filler), of.payout_amount, 0)
    assert (fill.to, fill.entry) == (AT.filler, "fill")
    assert fill.data[2:] == (to_felt(DOLLARS), 77, of.payout_amount, 0)


def test_terms_of_another_chain_are_carried_where_the_field_holds_them() -> None:
    evm = CATALOGUE.tokens["BASE_MAINNET", "USDC"].address
    of = terms("BASE_MAINNET", evm, "0x" + "00" * 19 + "11")
    bridger, coordinator = "0x" + "00" * 19 + "22", "0x" + "00" * 19 + "33"
    output = Output(ACCOUNT, of.recipient, DOLLARS, 5)
    moved = action(OutboundTxKind.FILL, (output,), of, bridger, coordinator)
    assert encode_calls(CATALOGUE, AT, moved)[1].entry == "fill"
