"""What we know of Across for inventory, against what it publishes: handlers, calls and events."""

import json

from eth_utils.abi import event_abi_to_log_topic, function_abi_to_4byte_selector

from crossway.adapters.bridges.across import pool_contract
from crossway.adapters.bridges.across.networks import inventory_terms, moved_symbols
from crossway.catalogue import load_catalogue
from tests.npm_packages import ACROSS_CONTRACTS, npm_package

CALLS = {
    "unsafeDeposit": pool_contract.UNSAFE_DEPOSIT,
    "fillStatuses": pool_contract.FILL_STATUSES,
    "pausedDeposits": pool_contract.PAUSED_DEPOSITS,
    "wrappedNativeToken": pool_contract.WRAPPED_NATIVE_TOKEN,
    "depositQuoteTimeBuffer": pool_contract.QUOTE_TIME_BUFFER,
    "fillDeadlineBuffer": pool_contract.FILL_DEADLINE_BUFFER,
}
EVENTS = {
    "FilledRelay": pool_contract.FILLED_RELAY,
    "ExecutedRelayerRefundRoot": pool_contract.REFUND_EXECUTED,
}


def test_the_handlers_are_those_that_across_publishes() -> None:
    listed = npm_package(*ACROSS_CONTRACTS) / "dist" / "broadcast" / "deployed-addresses.json"
    published = json.loads(listed.read_text(encoding="utf-8"))["chains"]
    catalogue, handlers = load_catalogue(), inventory_terms().handlers
    assert handlers.keys() == moved_symbols(catalogue).keys()
    assert handlers == {
        name: published[catalogue.chains[name].chain_id]["contracts"]["MulticallHandler"]["address"]
        for name in handlers
    }


def test_calls_and_events_are_those_of_the_pool() -> None:
    folder = npm_package(*ACROSS_CONTRACTS) / "dist" / "evm" / "artifacts" / "SpokePool.sol"
    abi = json.loads((folder / "SpokePool.json").read_text(encoding="utf-8"))["abi"]
    by_name = {each["name"]: each for each in abi if each["type"] in ("function", "event")}
    for name, function in CALLS.items():
        assert function.selector == function_abi_to_4byte_selector(by_name[name]), name
    for name, event in EVENTS.items():
        assert event.topic == "0x" + event_abi_to_log_topic(by_name[name]).hex(), name
        plain = [each for each in by_name[name]["inputs"] if not each["indexed"]]
        types = [each["type"] for each in plain]
        assert [t for t in types if t != "tuple"] == [t for t in event.types if t[0] != "("]
