"""What nodes of Starknet answer is read strictly, and how tokens tell of transfers is learned."""

from typing import Any

import pytest

from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.starknet.events import TransferLayouts
from crossway.adapters.chains.starknet.felts import PRIME, selector, to_hex
from crossway.adapters.chains.starknet.rpc_schemas import (
    Event,
    LocatedEvent,
    parse_block,
    parse_felt,
    parse_located_event,
    parse_receipt,
    parse_u256,
)

TOKEN, OTHER = to_hex(11), to_hex(12)
HEADER = {
    "status": "ACCEPTED_ON_L2",
    "block_number": 7,
    "block_hash": "0x7a",
    "timestamp": 1_800_000_000,
    "l2_gas_price": {"price_in_fri": "0xb2d05e00", "price_in_wei": "0x1"},
    "l1_data_gas_price": {"price_in_fri": "0x5f5e100", "price_in_wei": "0x1"},
}
RECEIPT = {
    "transaction_hash": "0x5",
    "finality_status": "ACCEPTED_ON_L2",
    "execution_status": "SUCCEEDED",
    "block_number": 7,
    "block_hash": "0x7a",
    "actual_fee": {"amount": "0x64", "unit": "FRI"},
    "events": [],
}


def transfers(token: str, keyed: bool, count: int) -> list[LocatedEvent]:
    name = selector("Transfer")
    one = Event(token, (name, 1, 2), (5, 0)) if keyed else Event(token, (name,), (1, 2, 5, 0))
    return [LocatedEvent(one, 7, to_hex(122), to_hex(5))] * count


def test_a_token_is_asked_for_by_receiver_once_enough_of_it_named_receivers_in_keys() -> None:
    layouts = TransferLayouts()
    layouts.learn(transfers(TOKEN, True, 49))
    assert layouts.unsure({TOKEN, OTHER}) == [TOKEN, OTHER]
    layouts.learn(transfers(TOKEN, True, 1))
    assert layouts.unsure({TOKEN, OTHER}) == [OTHER]


def test_a_token_that_once_named_nobody_in_keys_is_read_whole_from_then_on() -> None:
    layouts = TransferLayouts()
    layouts.learn(transfers(TOKEN, True, 60))
    layouts.learn(transfers(TOKEN, False, 1))
    layouts.learn(transfers(TOKEN, True, 1_000))
    assert layouts.unsure({TOKEN}) == [TOKEN]


@pytest.mark.parametrize("value", [None, 5, "5", "0x", "0xg", hex(PRIME), "0x" + "1" * 65, ["0x1"]])
def test_what_is_no_number_of_the_field_is_no_answer(value: Any) -> None:
    with pytest.raises(MalformedResponse):
        parse_felt(value)


@pytest.mark.parametrize(
    "change",
    [
        {"status": "PRE_CONFIRMED"},
        {"block_number": 8},
        {"block_number": True},
        {"block_hash": None},
        {"timestamp": 10**12},
        {"timestamp": -1},
        {"l2_gas_price": None},
    ],
)
def test_a_block_that_is_not_accepted_or_not_the_one_asked_for_is_no_answer(
    change: dict[str, Any],
) -> None:
    assert parse_block(HEADER, 7).hash == to_hex(0x7A)
    with pytest.raises(MalformedResponse):
        parse_block({**HEADER, **change}, 7)


@pytest.mark.parametrize(
    "change",
    [
        {"transaction_hash": "0x6"},
        {"execution_status": "MAYBE"},
        {"block_number": None},
        {"actual_fee": "0x64"},
        {"events": None},
    ],
)
def test_a_receipt_of_another_form_or_transaction_is_no_answer(change: dict[str, Any]) -> None:
    read = parse_receipt(RECEIPT, to_hex(5))
    assert read is not None
    assert (read.height, read.succeeded, read.fee_units) == (7, True, 100)
    with pytest.raises(MalformedResponse):
        parse_receipt({**RECEIPT, **change}, to_hex(5))


def test_a_receipt_before_its_block_is_accepted_is_none() -> None:
    for change in ({"finality_status": "PRE_CONFIRMED"}, {"block_hash": None}):
        assert parse_receipt({**RECEIPT, **change}, to_hex(5)) is None
    assert parse_receipt(RpcError(29, "Transaction hash not found"), to_hex(5)) is None
    with pytest.raises(MalformedResponse):
        parse_receipt(RpcError(-32603, "Internal error"), to_hex(5))


def test_an_event_without_a_block_and_halves_that_are_none_are_no_answer() -> None:
    with pytest.raises(MalformedResponse):
        parse_located_event(
            {"from_address": "0x1", "keys": [], "data": [], "transaction_hash": "0x5"}
        )
    assert parse_u256(["0x5", "0x0"], "a balance") == 5
    for value in (["0x5"], ["0x5", "0x0", "0x0"], [hex(2**128), "0x0"]):
        with pytest.raises(MalformedResponse):
            parse_u256(value, "a balance")
