"""What one transaction of ours is to do on a chain."""

from dataclasses import dataclass
from datetime import datetime

from crossway.domain.intent import Terms
from crossway.domain.transfers import Duty


@dataclass(frozen=True, slots=True)
class Output:
    """One payment inside a transaction; `units` None means all that lies at `source`.

    An output that is not `required` may be refused by its receiver without undoing the rest.
    """

    source: str
    to: str
    token: str
    units: int | None
    required: bool = True


@dataclass(frozen=True, slots=True)
class Action:
    """What one transaction is to do, for an adapter to sign.

    `marker` makes it happen at most once on that chain (start and fill of one intent);
    `not_after` is the last chain time at which it may still be mined. `terms`, `bridger` and
    `coordinator` are those of the intent as stored: a contract checks its calls against them.
    """

    duty: Duty
    chain: str
    account: str
    intent_key: str
    outputs: tuple[Output, ...]
    marker: str | None = None
    not_after: datetime | None = None
    terms: Terms | None = None
    bridger: str = ""
    coordinator: str = ""
