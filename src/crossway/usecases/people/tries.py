"""How often somebody may try to sign in: by name and by address, counted in this process."""

import time
from collections import deque
from math import ceil

from crossway.domain.errors import TooManyRequests
from crossway.domain.staff import name_key
from crossway.ports.services import Services

WINDOW_SECONDS = 600.0
TRIES_OF_A_NAME = 5
TRIES_OF_AN_ADDRESS = 20
_MOST_KNOWN = 20_000


def count(services: Services, name: str, address: str) -> None:
    """Note one more try before its password is looked at, so that many at once count as well.
    Raises `TooManyRequests`, which says how long to wait; those refused do not count."""
    memory, now = services.sign_in, time.monotonic()
    limits = {_of_name(name): TRIES_OF_A_NAME, _of_address(address): TRIES_OF_AN_ADDRESS}
    with memory.trying:
        if len(memory.tries) > _MOST_KNOWN:
            _drop_old(memory.tries, now)
        found = {key: memory.tries.setdefault(key, deque()) for key in limits}
        waits = [0.0]
        for key, tries in found.items():
            while tries and now - tries[0] > WINDOW_SECONDS:
                tries.popleft()
            if len(tries) >= limits[key]:
                waits.append(tries[0] + WINDOW_SECONDS - now)
        if (seconds := ceil(max(waits))) > 0:
            raise TooManyRequests(
                f"Too many tries: wait {_words(seconds)}, then try again", seconds
            )
        for tries in found.values():
            tries.append(now)


def forgive(services: Services, name: str, address: str) -> None:
    """This try was right: it and those of the name before it count no more."""
    memory = services.sign_in
    with memory.trying:
        memory.tries.pop(_of_name(name), None)
        if tries := memory.tries.get(_of_address(address)):
            tries.pop()


def _of_name(name: str) -> str:
    return f"name:{name_key(name)[:100]}"


def _of_address(address: str) -> str:
    return f"address:{address}"


def _drop_old(known: dict[str, deque[float]], now: float) -> None:
    for key in [
        key for key, tries in known.items() if not tries or now - tries[-1] > WINDOW_SECONDS
    ]:
        del known[key]


def _words(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    minutes = ceil(seconds / 60)
    return f"{minutes} minute{'' if minutes == 1 else 's'}"
