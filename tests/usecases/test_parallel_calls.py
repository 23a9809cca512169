"""Parallel calls: late, failing and hanging sources are excluded and do not affect others."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from crossway.domain.errors import Unreachable
from crossway.domain.quotes import ExcludedSource
from crossway.ports.policy import TimeoutPolicy
from crossway.usecases.parallel_calls import MAX_CONCURRENT_CALLS, call_all

LONG_TIMEOUT = TimeoutPolicy(deadline=30.0, enough=100)
SHORT_TIMEOUT = TimeoutPolicy(deadline=0.05, enough=100)


class HangingCall:
    """A call that returns only when released; `entered` counts its callers."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.entered = threading.Semaphore(0)

    def __call__(self) -> str:
        self.entered.release()
        assert self.released.wait(30)
        return "at last"


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(MAX_CONCURRENT_CALLS + 2) as executor:
        yield executor


@pytest.fixture
def hanging() -> Iterator[HangingCall]:
    hanging_call = HangingCall()
    yield hanging_call
    hanging_call.released.set()


def returns(answer: str) -> Callable[[], str]:
    return lambda: answer


def raises(error: BaseException) -> Callable[[], str]:
    def call() -> str:
        raise error

    return call


def test_all_results_are_returned(pool: ThreadPoolExecutor) -> None:
    results = call_all(pool, {"A": returns("a"), "B": returns("b")}, LONG_TIMEOUT)
    assert (results.results, results.excluded) == ({"A": "a", "B": "b"}, ())


def test_no_calls_give_no_exclusions(pool: ThreadPoolExecutor) -> None:
    assert call_all(pool, {}, LONG_TIMEOUT).excluded == ()


def test_failing_sources_are_excluded_and_named(
    pool: ThreadPoolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    calls = {
        "A": returns("a"),
        "B": raises(Unreachable("gave no answer")),
        "C": raises(KeyError("secret detail")),
    }
    results = call_all(pool, calls, LONG_TIMEOUT)
    assert results.results == {"A": "a"}
    assert results.excluded == (
        ExcludedSource("B", "gave no answer"),
        ExcludedSource("C", "failed with KeyError"),
    )
    # Defects are logged; unreachable sources are not.
    assert [
        (record.getMessage(), record.exc_info and record.exc_info[0]) for record in caplog.records
    ] == [("the call to C failed", KeyError)]


def test_late_sources_are_excluded_and_named(
    pool: ThreadPoolExecutor, hanging: HangingCall
) -> None:
    results = call_all(pool, {"A": returns("a"), "B": hanging}, SHORT_TIMEOUT)
    assert results.results == {"A": "a"}
    assert results.excluded == (ExcludedSource("B", "did not respond in time"),)


def test_once_enough_have_answered_the_rest_get_only_grace(
    pool: ThreadPoolExecutor, hanging: HangingCall
) -> None:
    timeouts = TimeoutPolicy(deadline=30.0, enough=2, grace=0.05, shrink=0.5)
    results = call_all(pool, {"A": returns("a"), "B": returns("b"), "C": hanging}, timeouts)
    assert set(results.results) == {"A", "B"}
    assert [left.subject for left in results.excluded] == ["C"]


def test_failures_are_not_answers_so_the_rest_keep_their_time(pool: ThreadPoolExecutor) -> None:
    timeouts = TimeoutPolicy(deadline=30.0, enough=1, grace=0.0)
    failed = threading.Event()

    def after_the_failure() -> str:
        assert failed.wait(30)
        return "b"

    def failing() -> str:
        failed.set()
        raise Unreachable("no")

    results = call_all(pool, {"A": failing, "B": after_the_failure}, timeouts)
    assert results.results == {"B": "b"}


def test_a_hanging_source_takes_a_few_threads_and_is_then_not_called_again(
    pool: ThreadPoolExecutor, hanging: HangingCall
) -> None:
    for _ in range(MAX_CONCURRENT_CALLS):
        assert (
            call_all(pool, {"B": hanging}, SHORT_TIMEOUT).excluded[0].reason
            == "did not respond in time"
        )
    for _ in range(MAX_CONCURRENT_CALLS):
        assert hanging.entered.acquire(timeout=30)
    for _ in range(3):
        results = call_all(pool, {"A": returns("a"), "B": hanging}, LONG_TIMEOUT)
        assert results.results == {"A": "a"}
        assert results.excluded == (ExcludedSource("B", "has earlier calls pending"),)
    assert not hanging.entered.acquire(blocking=False)


def test_a_source_that_recovers_is_called_again(
    pool: ThreadPoolExecutor, hanging: HangingCall
) -> None:
    for _ in range(MAX_CONCURRENT_CALLS):
        call_all(pool, {"B": hanging}, SHORT_TIMEOUT)
    hanging.released.set()
    results = call_all(pool, {"B": returns("b")}, LONG_TIMEOUT)
    while results.excluded:  # The threads need a moment to finish.
        assert results.excluded == (ExcludedSource("B", "has earlier calls pending"),)
        results = call_all(pool, {"B": returns("b")}, LONG_TIMEOUT)
    assert results.results == {"B": "b"}


def test_many_callers_of_a_healthy_source_queue_and_all_get_results(
    pool: ThreadPoolExecutor, hanging: HangingCall
) -> None:
    count = 6 * MAX_CONCURRENT_CALLS
    with ThreadPoolExecutor(count) as crowd:
        calls_made = [
            crowd.submit(call_all, pool, {"B": hanging}, LONG_TIMEOUT) for _ in range(count)
        ]
        for _ in range(MAX_CONCURRENT_CALLS):
            assert hanging.entered.acquire(timeout=30)
        assert not hanging.entered.acquire(timeout=0.02)
        assert call_all(pool, {"A": returns("a")}, LONG_TIMEOUT).results == {"A": "a"}
        hanging.released.set()
        assert [caller.result(30).results for caller in calls_made] == [{"B": "at last"}] * count


def test_a_call_cancelled_in_the_queue_never_runs(
    pool: ThreadPoolExecutor, hanging: HangingCall
) -> None:
    calls_made = threading.Event()
    with ThreadPoolExecutor(MAX_CONCURRENT_CALLS) as crowd:
        patient = [
            crowd.submit(call_all, pool, {"B": hanging}, LONG_TIMEOUT)
            for _ in range(MAX_CONCURRENT_CALLS)
        ]
        for _ in range(MAX_CONCURRENT_CALLS):
            assert hanging.entered.acquire(timeout=30)
        results = call_all(pool, {"B": lambda: calls_made.set() or ""}, SHORT_TIMEOUT)
        assert results.excluded == (ExcludedSource("B", "did not respond in time"),)
        hanging.released.set()
        for caller in patient:
            caller.result(30)
    assert call_all(pool, {"B": returns("b")}, LONG_TIMEOUT).results == {"B": "b"}
    assert not calls_made.is_set()


def test_in_process_sources_are_called_on_the_calling_thread(pool: ThreadPoolExecutor) -> None:
    calls_made: list[threading.Thread] = []

    def call() -> str:
        calls_made.append(threading.current_thread())
        return "b"

    calls = {"A": returns("a"), "B": call, "C": raises(Unreachable("down"))}
    results = call_all(pool, calls, LONG_TIMEOUT, in_process=["B", "C"])
    assert calls_made == [threading.current_thread()]
    assert results.results == {"A": "a", "B": "b"}
    assert results.excluded == (ExcludedSource("C", "down"),)
