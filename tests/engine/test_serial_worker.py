"""The thread that asks one outside service, and what it reports of a service that hangs."""

import threading

from crossway.engine.serial_worker import SerialWorker
from tests.processes import PATIENCE_SECONDS, wait_until


class Health:
    """What a worker reports; its task ends while it is being reported as hanging."""

    def __init__(self) -> None:
        self.reports: list[str] = []
        self.task_may_end = threading.Event()
        self._success = threading.Event()

    def record_success(self) -> None:
        self.reports.append("success")
        self._success.set()

    def record_failure(self, error: Exception) -> None:
        self.task_may_end.set()
        self._success.wait(0.2)
        self.reports.append(str(error))


def test_a_task_that_ends_while_it_is_reported_as_hanging_is_not_left_reported() -> None:
    health = Health()
    worker = SerialWorker("a service", health)  # type: ignore[arg-type]
    worker.enqueue([1], lambda: health.task_may_end.wait(PATIENCE_SECONDS))
    wait_until("the task runs", lambda: worker.busy_seconds() > 0)
    worker.report_hanging(0)
    wait_until("the task is done", lambda: worker.without_pending([1]))
    assert health.reports == ["no answer within 0 s", "success"]
    worker.stop()


def test_a_stop_waits_for_what_was_queued() -> None:
    health, done = Health(), []
    worker = SerialWorker("a service", health)  # type: ignore[arg-type]
    worker.enqueue([1], lambda: health.task_may_end.wait(PATIENCE_SECONDS))
    worker.enqueue([2], lambda: done.append(2))
    health.task_may_end.set()
    worker.stop(PATIENCE_SECONDS)
    assert (done, health.reports) == ([2], ["success", "success"])


def test_a_stop_while_the_thread_is_being_started() -> None:
    """What asks the service runs in the engine's thread, the stop in that of the process."""
    for _ in range(300):
        worker = SerialWorker("a service", Health())  # type: ignore[arg-type]
        both = threading.Barrier(2)

        def ask(worker: SerialWorker = worker, both: threading.Barrier = both) -> None:
            both.wait(PATIENCE_SECONDS)
            worker.enqueue([1], lambda: None)

        engine = threading.Thread(target=ask)
        engine.start()
        both.wait(PATIENCE_SECONDS)
        while worker._thread is None:  # the moment before it is started
            pass
        worker.stop(PATIENCE_SECONDS)
        engine.join(PATIENCE_SECONDS)
