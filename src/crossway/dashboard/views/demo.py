"""The demo month that is being generated, in words: what is done, since when, and what is left."""

from crossway.dashboard.views.formatting import format_duration
from crossway.ports.demo import DemoJob, DemoProgress


def describe_payments(progress: DemoProgress) -> str:
    """`62 of 150 payments`; the step alone before the plan is known."""
    if not progress.total:
        return progress.step
    return f"{progress.done:,} of {progress.total:,} payments"


def describe_pace(job: DemoJob) -> str:
    """`14 November · 12 s so far · about 18 s left`, measured from the pace so far."""
    left = job.seconds_left()
    parts = [job.progress.step, f"{format_duration(job.seconds_elapsed())} so far"]
    if left is not None:
        parts.append(f"about {format_duration(left)} left")
    return " · ".join(parts)


def describe_end(job: DemoJob) -> str:
    """What was generated, and in what time."""
    time = format_duration(job.seconds_elapsed())
    if job.summary is None:
        return f"The demo month is ready, after {time}."
    counts = f"{job.summary.payments:,} payments and {job.summary.orders:,} ramp orders"
    return f"The demo month is ready: {counts} in {time}."
