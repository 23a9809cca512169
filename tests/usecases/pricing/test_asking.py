"""Asking at once: late, failing and hanging subjects are left out and hurt nobody else."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from crossway.domain.errors import Unreachable
from crossway.domain.quotes import LeftOut
from crossway.ports.services import Patience
from crossway.usecases.pricing.asking import AT_ONCE, ask

PATIENT = Patience(deadline=30.0, enough=100)
HASTY = Patience(deadline=0.05, enough=100)


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
    with ThreadPoolExecutor(AT_ONCE + 2) as made:
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
    answers = ask(pool, {"A": says("a"), "B": says("b")}, PATIENT)
    assert (answers.given, answers.missing) == ({"A": "a", "B": "b"}, ())


def test_nobody_asked_is_nobody_missing(pool: ThreadPoolExecutor) -> None:
    assert ask(pool, {}, PATIENT).missing == ()


def test_who_fails_is_left_out_and_named(
    pool: ThreadPoolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    questions = {
        "A": says("a"),
        "B": fails(Unreachable("gave no answer")),
        "C": fails(KeyError("secret detail")),
    }
    answers = ask(pool, questions, PATIENT)
    assert answers.given == {"A": "a"}
    assert answers.missing == (
        LeftOut("B", "gave no answer"),
        LeftOut("C", "failed with KeyError"),
    )
    # What only a defect explains is in the log, and an outsider's silence is not.
    assert [(one.getMessage(), one.exc_info and one.exc_info[0]) for one in caplog.records] == [
        ("C could not be asked", KeyError)
    ]


def test_who_is_late_is_left_out_and_named(pool: ThreadPoolExecutor, hanging: Hanging) -> None:
    answers = ask(pool, {"A": says("a"), "B": hanging}, HASTY)
    assert answers.given == {"A": "a"}
    assert answers.missing == (LeftOut("B", "gave no answer in time"),)


def test_once_enough_have_answered_the_rest_get_only_grace(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    patience = Patience(deadline=30.0, enough=2, grace=0.05, shrink=0.5)
    answers = ask(pool, {"A": says("a"), "B": says("b"), "C": hanging}, patience)
    assert set(answers.given) == {"A", "B"}
    assert [left.subject for left in answers.missing] == ["C"]


def test_failures_are_not_answers_so_the_rest_keep_their_time(pool: ThreadPoolExecutor) -> None:
    patience = Patience(deadline=30.0, enough=1, grace=0.0)
    failed = threading.Event()

    def after_the_failure() -> str:
        assert failed.wait(30)
        return "b"

    def failing() -> str:
        failed.set()
        raise Unreachable("no")

    answers = ask(pool, {"A": failing, "B": after_the_failure}, patience)
    assert answers.given == {"B": "b"}


def test_a_subject_that_hangs_takes_a_few_threads_and_is_then_not_asked_at_all(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    for _ in range(AT_ONCE):
        assert ask(pool, {"B": hanging}, HASTY).missing[0].reason == "gave no answer in time"
    for _ in range(AT_ONCE):
        assert hanging.entered.acquire(timeout=30)
    for _ in range(3):
        answers = ask(pool, {"A": says("a"), "B": hanging}, PATIENT)
        assert answers.given == {"A": "a"}
        assert answers.missing == (LeftOut("B", "still owes earlier answers"),)
    assert not hanging.entered.acquire(blocking=False)


def test_a_subject_that_comes_back_is_asked_again(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    for _ in range(AT_ONCE):
        ask(pool, {"B": hanging}, HASTY)
    hanging.let_go.set()
    answers = ask(pool, {"B": says("b")}, PATIENT)
    while answers.missing:  # Its threads need a moment to come back.
        assert answers.missing == (LeftOut("B", "still owes earlier answers"),)
        answers = ask(pool, {"B": says("b")}, PATIENT)
    assert answers.given == {"B": "b"}


def test_a_crowd_that_asks_a_healthy_subject_stands_in_line_and_is_all_answered(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    count = 6 * AT_ONCE
    with ThreadPoolExecutor(count) as crowd:
        asked = [crowd.submit(ask, pool, {"B": hanging}, PATIENT) for _ in range(count)]
        for _ in range(AT_ONCE):
            assert hanging.entered.acquire(timeout=30)
        assert not hanging.entered.acquire(timeout=0.02)
        assert ask(pool, {"A": says("a")}, PATIENT).given == {"A": "a"}
        hanging.let_go.set()
        assert [one.result(30).given for one in asked] == [{"B": "at last"}] * count


def test_a_question_given_up_in_line_is_never_asked(
    pool: ThreadPoolExecutor, hanging: Hanging
) -> None:
    asked = threading.Event()
    with ThreadPoolExecutor(AT_ONCE) as crowd:
        patient = [crowd.submit(ask, pool, {"B": hanging}, PATIENT) for _ in range(AT_ONCE)]
        for _ in range(AT_ONCE):
            assert hanging.entered.acquire(timeout=30)
        answers = ask(pool, {"B": lambda: asked.set() or ""}, HASTY)
        assert answers.missing == (LeftOut("B", "gave no answer in time"),)
        hanging.let_go.set()
        for one in patient:
            one.result(30)
    assert ask(pool, {"B": says("b")}, PATIENT).given == {"B": "b"}
    assert not asked.is_set()


def test_who_never_waits_answers_in_the_thread_that_asks(pool: ThreadPoolExecutor) -> None:
    asked: list[threading.Thread] = []

    def question() -> str:
        asked.append(threading.current_thread())
        return "b"

    questions = {"A": says("a"), "B": question, "C": fails(Unreachable("down"))}
    answers = ask(pool, questions, PATIENT, at_once=["B", "C"])
    assert asked == [threading.current_thread()]
    assert answers.given == {"A": "a", "B": "b"}
    assert answers.missing == (LeftOut("C", "down"),)
