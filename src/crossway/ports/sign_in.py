"""How an installation watches over its people, and what one process knows of who is signed in."""

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from crossway.domain.staff import Member, Stay


@dataclass(frozen=True, slots=True)
class Vigilance:
    """Without activity for `idle_seconds` people are signed out. Whoever moves more than
    `second_confirmation_micro_usd` by hand types the amount again (0: always)."""

    idle_seconds: int = 1800
    second_confirmation_micro_usd: int = 1_000_000_000


@dataclass
class SignInMemory:
    """`seen` is a stay and its person by the token's hash with the time.monotonic() of the look-up,
    `known` whether there are people at all, likewise; a change made here begins a new epoch, and
    what was read before counts no more. `active` is when somebody last did something, newer than
    what is stored; `tries` when a name or an address tried to sign in, in time.monotonic().
    """

    epoch: object = field(default_factory=object)
    seen: dict[str, tuple[object, float, Stay | None, Member | None]] = field(default_factory=dict)
    known: tuple[object, float, bool] | None = None
    active: dict[str, datetime] = field(default_factory=dict)
    tries: dict[str, deque[float]] = field(default_factory=dict)
    trying: Lock = field(default_factory=Lock)
