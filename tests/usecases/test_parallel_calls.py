"""Asking at once: late, failing and hanging subjects are left out and hurt nobody else."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from crossway.domain.errors import Unreachable
from crossway.domain.quotes import ExcludedSource
from crossway.ports.policy import TimeoutPolicy
from crossway.usecases.parallel_calls import MAX_CONCURRENT_CALLS, call_all

PATIENT = TimeoutPolicy(deadline=30.0, enough=100)
HASTY = TimeoutPolicy(deadline=0.05, enough=100)


class Hanging:
    """A question that is answered only when it is let go; `entered` counts those who asked."""

    def __init__(self) -> None:
        self.let_go = threading.Event()
        self.entered = threading.Semaphore(0)

    def __call__(self) -> str:
        self.entered.release()
        assert self.let_go.wait(30)
        return "at last"


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(MAX_CONCURRENT_CALLS + 2) as made:
        yield made


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    made = Hanging()
    yield made
    made.let_go.set()


def says(answer: str) -> Callable[[], str]:
    return lambda: answer


def fails(error: BaseException) -> Callable[[], str]:
    def question() -> str:
        raise error

    return question


def test_everyone_who_answers_is_heard(pool: ThreadPoolExecutor) -> None:
    answers = call_all(pool, {"A": says("a"), "B": says("b")}, PATIENT)
    assert (answers.results, answers.excluded) == ({"A": "a", "B": "b"}, ())


def test_nobody_asked_is_nobody_missing(pool: ThreadPoolExecutor) -> None:
    assert call_all(pool, {}, PATIENT).excluded == ()


def test_who_fails_is_left_out_and_named(
    pool: ThreadPoolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    questions = {
        "A": says("a"),
        "B": fails(Unreachable("gave no answer")),
        "C": fails(KeyError("secret detail")),
    }
    answers = call_all(pool, questions, PATIENT)
    assert answers.results == {"A": "a"}
    assert answers.excluded == (
        ExcludedSource("B", "gave no answer"),
        ExcludedSource("C", "failed with KeyError"),
    )
    # What only a defect explains is in the log, and an outsider's silence is not.
    assert [(one.getMessage(), one.exc_info and one.exc_info[0]) for one in caplog.records] == [
        ("the call to C failed", KeyError)
    ]


def test_who_is_late_is_left_out_and_named(pool: ThreadPoolExecutor, hanging: Hanging) -> None:
    answers = call_all(pool, {"A": says("a"), "B": hanging}, HASTY)
    assert answers.results == {"A": "a"}
    assert answers.excluded == (ExcludedSource("B", "did not respond in time"),)


def test_once_enough_have_answered_the_rest_get_only_grace(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    patience = TimeoutPolicy(deadline=30.0, enough=2, grace=0.05, shrink=0.5)
    answers = call_all(pool, {"A": says("a"), "B": says("b"), "C": hanging}, patience)
    assert set(answers.results) == {"A", "B"}
    assert [left.subject for left in answers.excluded] == ["C"]


def test_failures_are_not_answers_so_the_rest_keep_their_time(pool: ThreadPoolExecutor) -> None:
    patience = TimeoutPolicy(deadline=30.0, enough=1, grace=0.0)
    failed = threading.Event()

    def after_the_failure() -> str:
        assert failed.wait(30)
        return "b"

    def failing() -> str:
        failed.set()
        raise Unreachable("no")

    answers = call_all(pool, {"A": failing, "B": after_the_failure}, patience)
    assert answers.results == {"B": "b"}


def test_a_subject_that_hangs_takes_a_few_threads_and_is_then_not_asked_at_all(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    for _ in range(MAX_CONCURRENT_CALLS):
        assert call_all(pool, {"B": hanging}, HASTY).excluded[0].reason == "did not respond in time"
    for _ in range(MAX_CONCURRENT_CALLS):
        assert hanging.entered.acquire(timeout=30)
    for _ in range(3):
        answers = call_all(pool, {"A": says("a"), "B": hanging}, PATIENT)
        assert answers.results == {"A": "a"}
        assert answers.excluded == (ExcludedSource("B", "has earlier calls pending"),)
    assert not hanging.entered.acquire(blocking=False)


def test_a_subject_that_comes_back_is_asked_again(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    for _ in range(MAX_CONCURRENT_CALLS):
        call_all(pool, {"B": hanging}, HASTY)
    hanging.let_go.set()
    answers = call_all(pool, {"B": says("b")}, PATIENT)
    while answers.excluded:  # Its threads need a moment to come back.
        assert answers.excluded == (ExcludedSource("B", "has earlier calls pending"),)
        answers = call_all(pool, {"B": says("b")}, PATIENT)
    assert answers.results == {"B": "b"}


def test_a_crowd_that_asks_a_healthy_subject_stands_in_line_and_is_all_answered(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    count = 6 * MAX_CONCURRENT_CALLS
    with ThreadPoolExecutor(count) as crowd:
        asked = [crowd.submit(call_all, pool, {"B": hanging}, PATIENT) for _ in range(count)]
        for _ in range(MAX_CONCURRENT_CALLS):
            assert hanging.entered.acquire(timeout=30)
        assert not hanging.entered.acquire(timeout=0.02)
        assert call_all(pool, {"A": says("a")}, PATIENT).results == {"A": "a"}
        hanging.let_go.set()
        assert [one.result(30).results for one in asked] == [{"B": "at last"}] * count


def test_a_question_given_up_in_line_is_never_asked(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    asked = threading.Event()
    with ThreadPoolExecutor(MAX_CONCURRENT_CALLS) as crowd:
        patient = [
            crowd.submit(call_all, pool, {"B": hanging}, PATIENT)
            for _ in range(MAX_CONCURRENT_CALLS)
        ]
        for _ in range(MAX_CONCURRENT_CALLS):
            assert hanging.entered.acquire(timeout=30)
        answers = call_all(pool, {"B": lambda: asked.set() or ""}, HASTY)
        assert answers.excluded == (ExcludedSource("B", "did not respond in time"),)
        hanging.let_go.set()
        for one in patient:
            one.result(30)
    assert call_all(pool, {"B": says("b")}, PATIENT).results == {"B": "b"}
    assert not asked.is_set()


def test_who_never_waits_answers_in_the_thread_that_asks(pool: ThreadPoolExecutor) -> None:
    asked: list[threading.Thread] = []

    def question() -> str:
        asked.append(threading.current_thread())
        return "b"

    questions = {"A": says("a"), "B": question, "C": fails(Unreachable("down"))}
    answers = call_all(pool, questions, PATIENT, in_process=["B", "C"])
    assert asked == [threading.current_thread()]
    assert answers.results == {"A": "a", "B": "b"}
    assert answers.excluded == (ExcludedSource("C", "down"),)
