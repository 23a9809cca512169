"""Starknet's hashes, addresses and transactions, as other libraries and the published ones say."""

import pickle
from datetime import UTC, datetime

import orjson
import pytest
from starknet_py.constants import EC_ORDER
from starknet_py.hash.utils import message_signature, verify_message_signature
from starknet_py.net.account.account import _parse_calls
from starknet_py.net.client_models import Call as TheirCall
from starknet_py.net.client_models import ResourceBounds, ResourceBoundsMapping
from starknet_py.net.models.chains import StarknetChainId
from starknet_py.net.models.transaction import InvokeV3

from crossway.adapters.chains.binding import bound
from crossway.adapters.chains.live.keys import KeyMissing, signer_of
from crossway.adapters.chains.starknet.calldata import Call, calls_of, executed
from crossway.adapters.chains.starknet.contracts import deployment
from crossway.adapters.chains.starknet.felts import (
    contract_address,
    name_of,
    number,
    pair,
    selector,
    text_of,
    whole,
)
from crossway.adapters.chains.starknet.keys import KEYS, StarkSigner
from crossway.adapters.chains.starknet.outcomes import why_of
from crossway.adapters.chains.starknet.traits import traits
from crossway.adapters.chains.starknet.transactions import bounds_of, offered, signed
from crossway.adapters.chains.starknet.wire import Event, transfer_of
from crossway.catalogue import load
from crossway.domain.actions import Action, Output
from crossway.domain.intent import Terms
from crossway.domain.transfers import Duty
from crossway.ports.chain import ALREADY_DONE

SECRET = bytes.fromhex("0139fe4d6f02e666e86a6f58e65060f115cd3c185bd9e98bd829636931458f79")
MAINNET = "STARKNET_MAINNET"

ACCOUNT = "0x00" + "7b" * 2 + "0" * 57 + "1"
CUSTOMS = traits(MAINNET)
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
        signer_of(KEYS, "env:KEY", "", {"KEY": hex(number)})


def test_a_key_may_be_written_without_leading_zeros() -> None:
    short = signer_of(KEYS, "env:KEY", "", {"KEY": "0x139"})
    assert short.address == signer_of(KEYS, "env:KEY", "", {"KEY": "139".zfill(64)}).address


def test_a_transaction_has_the_hash_that_starknet_py_gives_it() -> None:
    fee = 10**17 + 12345
    bounds = bounds_of(CUSTOMS, fee)
    mine = signed(StarkSigner(SECRET), StarknetChainId.MAINNET, ACCOUNT, CALLS, 7, bounds, fee)
    told = orjson.loads(mine.raw)
    calls = [TheirCall(number(c.to), selector(c.entry), list(c.data)) for c in CALLS]
    theirs = InvokeV3(
        version=3,
        signature=[],
        nonce=7,
        sender_address=number(ACCOUNT),
        calldata=_parse_calls(1, calls),
        resource_bounds=ResourceBoundsMapping(
            **{
                name: ResourceBounds(int(b["max_amount"], 16), int(b["max_price_per_unit"], 16))
                for name, b in told["resource_bounds"].items()
            }
        ),
        tip=int(told["tip"], 16),
        account_deployment_data=[],
    )
    digest = theirs.calculate_hash(StarknetChainId.MAINNET)
    assert mine.tx_id == name_of(digest)
    assert [int(one, 16) for one in told["calldata"]] == theirs.calldata == executed(CALLS)
    signature = [int(one, 16) for one in told["signature"]]
    assert verify_message_signature(digest, signature, StarkSigner(SECRET).public)


@pytest.mark.parametrize(("l2", "data"), [(3 * 10**9, 10**6), (8 * 10**9, 10**15), (1, 1)])
def test_the_bounds_hold_the_prices_and_never_cost_more_than_the_fee(l2: int, data: int) -> None:
    fee = offered(CUSTOMS, l2, data)
    bounds = bounds_of(CUSTOMS, fee)
    assert bounds.l2_price >= l2
    assert bounds.data_price >= data
    assert bounds.most <= fee


def test_a_higher_fee_raises_price_and_tip_as_the_sequencer_asks() -> None:
    fee = offered(CUSTOMS, 3 * 10**9, 10**6)
    before, after = bounds_of(CUSTOMS, fee), bounds_of(CUSTOMS, fee * 5 // 4 + 1)
    assert before.tip > 0
    assert after.l2_price * 10 >= before.l2_price * 11
    assert after.tip * 10 >= before.tip * 11


def test_numbers_of_256_bits_go_in_halves_and_come_back() -> None:
    for value in (0, 1, 2**128 - 1, 2**128, 2**256 - 1):
        assert whole(*pair(value)) == value
    with pytest.raises(ValueError, match="half"):
        whole(2**128, 0)


def test_transfers_are_read_from_keys_and_from_data_and_nothing_else_is_one() -> None:
    transfer = selector("Transfer")
    keyed = Event(ACCOUNT, (transfer, 1, 2), (5, 0))
    older = Event(ACCOUNT, (transfer,), (1, 2, 5, 0))
    assert transfer_of(keyed) == transfer_of(older)
    moved = transfer_of(older)
    assert moved is not None
    assert (moved.source, moved.to, moved.units) == (name_of(1), name_of(2), 5)
    # One of a kind, another event, and a number of 256 bits that is none.
    assert transfer_of(Event(ACCOUNT, (transfer, 1, 2, 3, 0), ())) is None
    assert transfer_of(Event(ACCOUNT, (selector("Approval"), 1, 2), (5, 0))) is None
    assert transfer_of(Event(ACCOUNT, (transfer, 1, 2), (2**130, 0))) is None


def test_what_a_contract_refused_is_found_in_a_nodes_words() -> None:
    felt = "0x414c52454144595f46494c4c4544"
    assert text_of(int(felt, 16)) == "ALREADY_FILLED"
    nested = (
        "Transaction execution has failed:\n0: Error in the called contract (contract address: "
        "0x07b1, class hash: 0x5dec, selector: 0x15d40a):\nExecution failed. Failure reason:\n("
        f"{felt} ('ALREADY_FILLED'), 0x454e545259504f494e545f4641494c4544 ('ENTRYPOINT_FAILED')).\n"
    )
    for said in (nested, f"Execution failed. Failure reason: {felt}.", "Error: ALREADY_FILLED"):
        assert (why_of(said).words, why_of(said).permanent) == (ALREADY_DONE, True)
    assert "stock" in why_of("ERC20: insufficient balance").words
    limit = "Insufficient max L2Gas: max amount: 5, actual used: 6."
    assert "more gas" in why_of(limit).words
    assert "STRK" in why_of("Insufficient fee token balance").words
    assert not why_of("anything else").permanent


CATALOGUE = load()
AT = deployment()
DOLLARS = CATALOGUE.tokens[MAINNET, "USDC"].address


def terms(source: str = MAINNET, token: str = DOLLARS, refund: str = ACCOUNT) -> Terms:
    return Terms(
        nonce=2**200 + 9,
        source_chain=source,
        destination_chain=MAINNET,
        token_in=token,
        token_out=DOLLARS,
        total_units=25_000_000,
        out_units=24_000_000,
        recipient=name_of(77),
        refund_address=refund,
        bridge="",
        expires_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def action(duty: Duty, outputs: tuple[Output, ...], of: Terms, bridger: str = "") -> Action:
    bridger = bridger or AT.escrow
    key = "0x" + bound(CATALOGUE, of, bridger, ACCOUNT).key.hex()
    return Action(duty, MAINNET, ACCOUNT, key, outputs, None, None, of, bridger, ACCOUNT)


def test_a_start_carries_the_terms_and_no_other_addresss_money() -> None:
    of = terms()
    key = bound(CATALOGUE, of, AT.escrow, ACCOUNT).key
    output = Output(AT.deposit_address(key), AT.escrow, DOLLARS, of.total_units)
    (call,) = calls_of(CATALOGUE, AT, action(Duty.START, (output,), of))
    assert (call.to, call.entry, len(call.data)) == (AT.factory, "start", 14)
    assert call.data[2:5] == (*pair(of.nonce), number(DOLLARS))
    assert call.data[7:10] == (number(AT.escrow), number(ACCOUNT), number(ACCOUNT))
    stranger = Output(name_of(5), AT.escrow, DOLLARS, of.total_units)
    with pytest.raises(ValueError, match="no deposit address"):
        calls_of(CATALOGUE, AT, action(Duty.START, (stranger,), of))


def test_a_fill_allows_exactly_what_it_pays() -> None:
    of = terms()
    output = Output(ACCOUNT, of.recipient, DOLLARS, of.out_units)
    approve, fill = calls_of(CATALOGUE, AT, action(Duty.FILL, (output,), of))
    assert (approve.to, approve.entry) == (DOLLARS, "approve")
    assert approve.data == (number(AT.filler), of.out_units, 0)
    assert (fill.to, fill.entry) == (AT.filler, "fill")
    assert fill.data[2:] == (number(DOLLARS), 77, of.out_units, 0)


def test_terms_of_another_chain_are_carried_where_the_field_holds_them() -> None:
    evm = CATALOGUE.tokens["BASE_MAINNET", "USDC"].address
    of = terms("BASE_MAINNET", evm, "0x" + "00" * 19 + "11")
    bridger = "0x" + "00" * 19 + "22"
    moved = action(Duty.FILL, (Output(ACCOUNT, of.recipient, DOLLARS, 5),), of, bridger)
    assert calls_of(CATALOGUE, AT, moved)[1].entry == "fill"
