"""Functions, events and errors of contracts, against what others published and eth-abi encodes."""

import pytest
from eth_abi.abi import encode
from web3 import Web3

from crossway.adapters.chains.addresses import address_from_digest, keccak256
from crossway.adapters.chains.evm import abi
from crossway.adapters.chains.evm.balances import lens_code
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.contracts import load_artifact
from crossway.adapters.chains.evm.logs import address_topic, transfer_recipient
from crossway.adapters.chains.evm.rpc_schemas import TRANSFER, parse_log, topic_address
from crossway.adapters.chains.evm.tx_results import decode_revert
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.rpc.tx_results import UNKNOWN_REVERT

ADDRESSES = [address_from_digest("evm", bytes([number]) * 32) for number in range(1, 4)]


def test_calls_of_a_token_have_the_selectors_of_erc_20() -> None:
    # As block explorers list them.
    functions = (abi.BALANCE_OF, abi.ALLOWANCE, abi.APPROVE)
    assert [each.selector.hex() for each in functions] == ["70a08231", "dd62ed3e", "095ea7b3"]
    owner, spender = ADDRESSES[:2]
    assert abi.ALLOWANCE.encode(owner, bytes.fromhex(spender[2:])).hex() == (
        "dd62ed3e" + owner[2:].lower().rjust(64, "0") + spender[2:].lower().rjust(64, "0")
    )
    assert abi.APPROVE.encode(owner, 2**256 - 1).hex().endswith("f" * 64)


def test_a_hash_of_another_length_is_refused_instead_of_padded() -> None:
    with pytest.raises(Exception, match="less than total byte size"):
        abi.FILL.encode(bytes(31), ADDRESSES[0], ADDRESSES[1], 5)


def test_a_call_is_decoded_into_what_was_encoded() -> None:
    call = abi.FILL.encode(b"\7" * 32, ADDRESSES[0], ADDRESSES[1], 2**255)
    lower = [address.lower() for address in ADDRESSES]
    assert abi.FILL.decode(call) == (b"\7" * 32, lower[0], lower[1], 2**255)


def test_an_event_of_our_contracts_is_read_from_its_data() -> None:
    words = [bytes(12) + bytes.fromhex(address[2:]) for address in ADDRESSES]
    data = b"".join(words) + (5).to_bytes(32, "big")
    assert abi.TOKENS_MOVED.decode(data) == (*(a.lower() for a in ADDRESSES), 5)
    for wrong in (data[:-1], b"\1" + data[1:], b""):
        with pytest.raises(MalformedResponse, match="an event of a contract"):
            abi.TOKENS_MOVED.decode(wrong)


def test_every_error_of_our_contracts_has_a_reason_except_that_of_a_reentrant_call() -> None:
    known = dict(abi.error_selectors())
    unknown = {name for name, data in known.items() if decode_revert(data) == UNKNOWN_REVERT}
    assert unknown == {"ReentrantCall"}
    # https://docs.soliditylang.org: an error's selector is a function's.
    assert known["InsufficientDeposit"] == (keccak256(b"InsufficientDeposit(uint256,uint256)")[:4])


@pytest.mark.parametrize("token", [ADDRESSES[2], "native"])
def test_the_lens_is_asked_as_the_codec_encodes_its_arguments(token: str) -> None:
    asked = lens_code(ADDRESSES, token)
    code, of = load_artifact("BalanceLens").bytecode, ZERO if token == "native" else token
    assert asked == "0x" + (code + encode(["address", "address[]"], [of, ADDRESSES])).hex()


def test_a_transfer_is_read_as_web3_reads_it() -> None:
    """Transfers are read by hand, because detection reads so many of them."""
    element = {
        "type": "event",
        "name": "Transfer",
        "anonymous": False,
        "inputs": [
            {"name": "from", "type": "address", "indexed": True},
            {"name": "to", "type": "address", "indexed": True},
            {"name": "value", "type": "uint256", "indexed": False},
        ],
    }
    token, sender, to = ADDRESSES
    raw = {
        "address": token,
        "topics": [TRANSFER, address_topic(sender), address_topic(to)],
        "data": "0x" + (2**200 + 5).to_bytes(32, "big").hex(),
        "blockNumber": "0x10",
        "blockHash": "0x" + "11" * 32,
        "transactionHash": "0x" + "22" * 32,
        "transactionIndex": "0x0",
        "logIndex": "0x3",
    }
    event = Web3().eth.contract(abi=[element]).events.Transfer()
    read = event.process_log(raw)
    log = parse_log(raw)
    assert read["args"] == {
        "from": topic_address(log.topics[1]),
        "to": transfer_recipient(log),
        "value": int.from_bytes(log.data, "big"),
    }
    assert (log.address, log.index) == (token, 3)
