"""Records of the timeline of an intent."""

from datetime import datetime

from crossway_client.records.base import Record


class TimelineAmount(Record):
    """An amount of a token in its smallest unit; `formatted` has its symbol too."""

    amount: int
    token: str
    symbol: str | None
    formatted: str | None


class TimelineStep(Record):
    """One step of a payment; `sentence` tells it in English."""

    name: str
    sentence: str
    at: datetime
    chain: str | None
    tx: str | None
    amount: TimelineAmount | None


class NextStep(Record):
    """What happens next, and until when."""

    sentence: str
    due_at: datetime | None


class Timeline(Record):
    """The timeline of an intent, oldest step first; `truncated` if older steps are left out."""

    intent_id: int
    intent_address: str
    intent_status: str
    steps: tuple[TimelineStep, ...]
    next_step: NextStep | None
    truncated: bool
