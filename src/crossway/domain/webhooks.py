"""What is told to the outside: events, the endpoints they go to, and the life of a delivery."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Announcement:
    """One event of a client's resource. `facts` is the JSON of what of it can change, as it stood
    at `at`; `position` its place in the order in which all is told."""

    id: int
    event_id: str
    client_id: str
    type: str
    kind: str
    resource_id: int
    at: datetime
    facts: str
    position: int | None
