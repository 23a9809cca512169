"""Which head counts where nodes report different ones, and how a false one goes away again."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from crossway.adapters.chains.rpc.head_agreement import HeadReport
from crossway.adapters.chains.rpc.head_tracker import (
    LOWER_HEAD_SECONDS,
    HeadPolicy,
    HeadTracker,
)
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainHead

HOUR = timedelta(hours=1)


class Nodes:
    """A pool whose nodes report these heads, in this order; `asked` counts them."""

    def __init__(self, quorum: int, *heads: ChainHead) -> None:
        self.quorum_size, self.heads, self.asked = quorum, list(heads), 0
        self.seconds_per_call = 0.0

    def calls_by_node(self) -> list[int]:
        return [self.asked]

    def seconds_worth(self, calls_before: Sequence[int]) -> float:
        return self.seconds_per_call * (self.asked - calls_before[0])

    def wrong_chains(self) -> tuple[str, ...]:
        return ()

    def unreachable(self, message: str) -> Unreachable:
        return Unreachable(message)

    def gather(
        self, task: Callable[[Any], Any], suffices: Callable[[Sequence[Any]], bool]
    ) -> tuple[list[Any], list[str]]:
        results: list[Any] = []
        errors: list[str] = []
        for number, head in enumerate(self.heads):
            self.asked += 1
            try:
                results.append(task(HeadReport(f"node-{number}", head)))
            except Unreachable as error:
                errors.append(str(error))
            if suffices(results):
                break
        return results, errors


class Tracker(HeadTracker[Any, HeadReport]):
    """Reads what `Nodes` reports, and lets a test pass the time."""

    def __init__(self, quorum: int, *heads: ChainHead) -> None:
        self.nodes, self.now = Nodes(quorum, *heads), 0.0
        chain = SimpleNamespace(block_time_seconds=2.0, confirmations=SimpleNamespace(finalized=10))
        context = SimpleNamespace(pool=self.nodes, chain=chain)
        super().__init__(context, HeadPolicy(poll_seconds=0), lambda: self.now)

    def _read(self, session: Any) -> HeadReport:
        report: HeadReport = session
        return report


def head(height: int, ahead: timedelta = timedelta(), finalized: int | None = None) -> ChainHead:
    """A head of a chain whose clock is right."""
    final = height - 10 if finalized is None else finalized
    return ChainHead(height, f"0x{height}", datetime.now(UTC) + ahead, final)


@pytest.mark.parametrize("order", [1, -1])
def test_the_head_is_the_highest_that_the_quorum_has_reached(order: int) -> None:
    tracker = Tracker(2, *[head(1_000, finalized=980), head(1_003, finalized=985)][::order])
    found = tracker.heads()
    assert (found.height, found.block_hash, found.finalized) == (1_000, "0x1000", 980)
    assert not found.doubts
    assert tracker.nodes.asked == 2


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("false", [head(9_000_000), head(1_001, HOUR), head(9_000_000, HOUR)])
def test_one_false_head_of_two_moves_nothing_and_is_told(false: ChainHead, order: int) -> None:
    tracker = Tracker(2, *[false, head(1_000)][::order])
    found = tracker.heads()
    assert found.height == 1_000
    assert found.time < datetime.now(UTC) + timedelta(minutes=1)
    (doubt,) = found.doubts
    assert doubt.startswith("node-0" if order == 1 else "node-1")


def test_a_time_that_only_one_of_several_nodes_reports_is_not_believed_without_a_quorum() -> None:
    tracker = Tracker(1, head(1_001, HOUR), head(1_000))
    found = tracker.heads()
    assert found.height == 1_000
    assert found.time < datetime.now(UTC) + timedelta(minutes=1)
    assert "node-0 reports the time" in found.doubts[0]


def test_a_single_node_ahead_of_this_machines_clock_is_no_answer() -> None:
    with pytest.raises(Unreachable, match=r"node-0 reports the time .* machine's clock"):
        Tracker(1, head(1_000, HOUR)).heads()


def test_where_all_nodes_agree_this_machines_clock_is_wrong_and_work_goes_on() -> None:
    found = Tracker(2, head(1_000, HOUR), head(1_001, HOUR)).heads()
    assert found.height == 1_000
    # But nothing expires by more than what is believed.
    assert found.time < datetime.now(UTC) + timedelta(minutes=3)
    assert len(found.doubts) == 2


def test_a_third_node_is_asked_only_where_two_are_far_apart() -> None:
    tracker = Tracker(2, head(500), head(1_000), head(1_001))
    found = tracker.heads()
    assert found.height == 1_000
    assert found.doubts == ("node-0 is behind: block 500 of 1,000",)
    tracker.nodes.heads[0], tracker.nodes.asked = head(1_002), 0
    assert tracker.heads().height == 1_000
    assert tracker.nodes.asked == 2


def test_a_node_slightly_behind_takes_nothing_back_from_a_quorum() -> None:
    tracker = Tracker(2, head(1_000), head(1_000))
    tracker.heads()
    tracker.nodes.heads = [head(1_002), head(998)]
    assert tracker.heads().height == 1_000


def test_a_false_height_of_the_only_node_comes_down_again() -> None:
    tracker = Tracker(1, head(9_000_000))
    tracker.heads()
    tracker.nodes.heads = [head(1_000)]
    with pytest.raises(Unreachable, match="node-0 is behind: block 1000 after 9000000"):
        tracker.heads()
    tracker.now = LOWER_HEAD_SECONDS + 1
    assert tracker.heads().height == 1_000


def test_a_node_that_pauses_for_a_moment_is_no_outage_of_the_chain() -> None:
    tracker = Tracker(2, head(1_000), head(1_000))
    tracker.heads()
    tracker.nodes.heads, tracker.now = [head(1_001)], 9.0
    assert tracker.heads().height == 1_000
    tracker.now = 11.0
    with pytest.raises(Unreachable):
        tracker.heads()
    tracker.nodes.heads, tracker.now = [head(1_001)] * 2, 12.0
    assert tracker.heads().height == 1_001


def test_too_few_nodes_are_no_answer() -> None:
    with pytest.raises(Unreachable):
        Tracker(2, head(1_000)).heads()


def test_a_head_is_read_as_rarely_as_the_budget_of_calls_asks_for() -> None:
    tracker = Tracker(1, head(1_000))
    tracker.nodes.seconds_per_call = 2.0
    tracker.heads()
    # What follows the head counts, too.
    tracker.nodes.asked += 4
    tracker.now = 9.9
    tracker.heads()
    assert tracker.nodes.asked == 5
    tracker.now = 10.0
    tracker.heads()
    assert tracker.nodes.asked == 6


def test_blocks_below_a_head_are_scanned_on_as_the_budget_of_calls_allows() -> None:
    tracker = Tracker(1, head(1_000))
    tracker.heads()
    # Without a budget at once.
    assert [tracker.begin_scan(), tracker.begin_scan()] == [True, True]
    tracker.nodes.seconds_per_call = 2.0
    tracker.now = 10.0
    tracker.heads()
    assert tracker.begin_scan()
    tracker.nodes.asked += 4
    assert not tracker.begin_scan()
    tracker.now = 20.0
    assert tracker.begin_scan()
