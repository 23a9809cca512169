"""What nodes must agree on: the status of transactions, executed markers, and deposits."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar, cast

import pytest

from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.chain import TxNotFound, TxPending, TxStatus, TxUnknown

T = TypeVar("T")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
TRANSFER = IncomingTransfer("BASE_MAINNET", "0x01", 0, 7, "0x07", "token", "a", "b", 5, NOW)


class Agreement:
    """A pool whose nodes answer what they are given, each in place of its session."""

    def __init__(self, *answers: object) -> None:
        self.answers, self.quorum_size = answers, len(answers)

    def quorum(self, task: Callable[[RpcSession], T]) -> list[T]:
        return [task(cast(RpcSession, answer)) for answer in self.answers]

    def gather(
        self, task: Callable[[RpcSession], T], suffices: object
    ) -> tuple[list[T], list[str]]:
        return self.quorum(task), []


def nodes(*answers: object) -> RpcPool:
    return cast(RpcPool, Agreement(*answers))


@pytest.mark.parametrize("order", [1, -1])
def test_a_status_that_nodes_report_differently_is_unknown(order: int) -> None:
    gone: dict[str, TxStatus] = {"both": TxPending(), "one": TxNotFound(dropped=True)}
    there: dict[str, TxStatus] = {"both": TxPending(), "one": TxPending()}
    pool = nodes(*[gone, there][::order])
    statuses = quorum_reads.tx_statuses(pool, ["both", "one"], read_statuses)
    assert statuses == {"both": TxPending(), "one": TxUnknown()}


def read_statuses(answer: RpcSession, ids: list[str]) -> dict[str, TxStatus]:
    return cast(dict[str, TxStatus], answer)


@pytest.mark.parametrize("order", [1, -1])
def test_nothing_counts_as_executed_where_nodes_disagree(order: int) -> None:
    def read(answer: RpcSession, markers: list[str]) -> set[str]:
        return set(markers) & cast(set[str], answer)

    pool = nodes(*[{"start:1", "fill:1"}, {"start:1"}][::order])
    assert quorum_reads.executed_markers(pool, {"start:1"}, read) == {"start:1"}
    with pytest.raises(Unreachable, match="disagree"):
        quorum_reads.executed_markers(pool, {"start:1", "fill:1"}, read)


@pytest.mark.parametrize("order", [1, -1])
def test_a_deposit_is_included_only_where_every_node_has_it(order: int) -> None:
    pool = nodes(*[[True, True, False], [True, False, False]][::order])
    included = quorum_reads.verify_inclusion(
        pool, [TRANSFER] * 3, lambda answer: cast(list[bool], answer)
    )
    assert included == [True, False, False]


def test_every_marker_is_queried_from_the_contract_that_records_it() -> None:
    contracts = {"start": "factory", "fill": "filler", "settle": "escrow"}

    def contract_of(marker: str) -> str:
        return contracts[marker.partition(":")[0]]

    markers = ["start:1", "fill:1", "start:2", "settle:1", "start:3"]
    assert quorum_reads.group_markers(contract_of, markers, 2) == [
        ("factory", ["start:1", "start:2"]),
        ("factory", ["start:3"]),
        ("filler", ["fill:1"]),
        ("escrow", ["settle:1"]),
    ]


def test_a_balance_on_which_nodes_differ_is_left_out() -> None:
    pool = nodes({"a": 5, "b": 0}, {"a": 5, "b": 7})
    read = cast(Callable[[RpcSession], dict[str, int]], lambda answer: answer)
    assert quorum_reads.agreed_balances(pool, read) == {"a": 5}


def test_a_third_node_settles_what_two_differ_on() -> None:
    pool = nodes({"a": 5}, {"a": 0}, {"a": 5})
    cast(Agreement, pool).quorum_size = 2
    read = cast(Callable[[RpcSession], dict[str, int]], lambda answer: answer)
    assert quorum_reads.agreed_balances(pool, read) == {"a": 5}
    included = quorum_reads.verify_inclusion(
        pool, [TRANSFER], lambda answer: [cast(dict[str, int], answer)["a"] == 5]
    )
    assert included == [True]
