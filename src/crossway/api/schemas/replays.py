"""Request and response models of replays of events."""

from typing import Self

from pydantic import SkipValidation

from crossway.api.schemas.fields import TIME, Model, RequestModel, field
from crossway.usecases.developers import deliveries
from crossway.usecases.instants import timestamp


class ReplayRange(RequestModel):
    """The period whose events are resent."""

    since: SkipValidation[str] = field(
        "Start of the period, inclusive.", TIME, alias="from", extra={"format": "date-time"}
    )
    to: SkipValidation[str | None] = field(
        "End of the period, exclusive; now by default.",
        TIME,
        default=None,
        extra={"format": "date-time"},
    )


class Replayed(Model):
    """What was queued again."""

    replayed: int = field("Number of events that were queued.", 12)
    already_queued: int = field("Number of events of the period that were queued before.", 0)
    start: str = field(
        "Where the period begins: at `from`, or later where older events are not stored any more.",
        TIME,
    )
    end: str = field("Where it ends, exclusive.", TIME)

    @classmethod
    def from_replay(cls, replay: deliveries.ReplayedEvents) -> Self:
        """What a replay did."""
        return cls(
            replayed=replay.count,
            already_queued=replay.already_queued,
            start=timestamp(replay.start),
            end=timestamp(replay.end),
        )


class ReplayedMissed(Model):
    """The missed events that were queued again."""

    replayed: int = field("Number of events that were queued.", 37)
