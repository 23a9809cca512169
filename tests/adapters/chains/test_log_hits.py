"""The logs that matter among very many: what a look at the bytes finds is what a parser finds."""

import json
from collections.abc import Callable, Collection
from typing import Any

import pytest

from crossway.adapters.chains.evm.log_hits import find_hits
from crossway.adapters.chains.evm.rpc_schemas import TRANSFER

OURS, THEIRS = "ab" * 20, "cd" * 20
TOKEN = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"


def log(to: str, number: int = 0, **more: Any) -> dict[str, Any]:
    pads = "0" * 24
    return {
        "address": TOKEN,
        "topics": [TRANSFER, f"0x{pads}{THEIRS}", f"0x{pads}{to}"],
        "data": f"0x{number:064x}",
        "blockNumber": "0x10",
        "transactionHash": f"0x{number:064x}",
        "transactionIndex": "0x0",
        "blockHash": "0x" + "ee" * 32,
        "logIndex": hex(number),
        "removed": False,
    } | more


def watched(keys: Collection[bytes]) -> set[bytes]:
    return set(keys) & {OURS.encode()}


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


@pytest.mark.parametrize("order", [sorted, list, reversed])
def test_only_logs_of_watched_recipients_are_read(order: Callable[[Any], Any]) -> None:
    """In whatever order a node writes a log's fields."""
    logs = [log(OURS if number % 10 == 3 else THEIRS, number) for number in range(34)]
    logs = [dict(order(one.items())) for one in logs]
    content = compact({"jsonrpc": "2.0", "result": logs, "id": 0})
    assert find_hits(content, watched) == [logs[3], logs[13], logs[23], logs[33]]
    nobody = compact({"jsonrpc": "2.0", "id": 0, "result": [log(THEIRS)] * 5})
    assert find_hits(nobody, watched) == []


def test_an_indented_response_is_left_to_the_parser() -> None:
    assert find_hits(json.dumps({"result": [log(OURS)]}, indent=2).encode(), watched) is None


@pytest.mark.parametrize(
    "result",
    [
        [],
        [log(OURS), log(THEIRS, topics=[TRANSFER])],
        [log(OURS), log(THEIRS, topics=[])],
        [log(OURS, topics=[TRANSFER, "0x" + "12" * 32, "0x" + "34" * 32])],
        [log(OURS, topics=[TRANSFER.upper().replace("X", "x"), "0x" + "12" * 32, OURS])],
    ],
)
def test_a_response_that_is_not_as_usual_is_left_to_the_parser(result: list[Any]) -> None:
    assert find_hits(compact({"jsonrpc": "2.0", "id": 0, "result": result}), watched) is None


def test_errors_and_what_is_no_json_are_left_to_the_parser() -> None:
    error = {"jsonrpc": "2.0", "id": 0, "error": {"code": -32005, "message": "too many results"}}
    assert find_hits(compact(error), watched) is None
    assert find_hits(compact({"id": 0, "error": None, "result": [log(OURS)]}), watched) is None
    assert find_hits(b"<html>Welcome!</html>", watched) is None
    cut_off = compact({"jsonrpc": "2.0", "id": 0, "result": [log(OURS)]})
    assert find_hits(cut_off[: cut_off.index(b'"data"')], watched) is None
