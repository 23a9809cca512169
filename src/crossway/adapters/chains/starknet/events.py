"""Events found by questions: many receivers in one, page by page, less when a node objects."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question, Silent
from crossway.adapters.chains.starknet.felts import number, written
from crossway.adapters.chains.starknet.traits import Traits
from crossway.adapters.chains.starknet.wire import (
    PAGE_TOO_BIG,
    TOO_MANY_KEYS,
    TRANSFER,
    Malformed,
    Told,
    is_keyed,
    rows,
    table,
    told,
    transfer_of,
)

# A question that needs more pages asks for too many blocks.
MOST_PAGES, FEW_PAGES = 40, 8
_NO_END = 2_000
_ENOUGH = 50


@dataclass
class Limits:
    """How much is asked for at once: what a chain is known for, less as nodes objected."""

    blocks: int
    recipients: int
    page: int

    def grow(self, traits: Traits) -> None:
        """All went well: ask for a little more again, up to what is usual."""
        self.blocks = min(traits.blocks, self.blocks + self.blocks // 8 + 1)
        self.recipients = min(traits.recipients, self.recipients + self.recipients // 8 + 1)


def limits_of(traits: Traits) -> Limits:
    """The limits to begin with."""
    return Limits(traits.blocks, traits.recipients, traits.page)


@dataclass
class Layouts:
    """Which tokens name receivers in the keys of their events, as was seen: only those can be
    asked for by receiver. Of the others all transfers are read, which needs nothing to be known."""

    seen: dict[str, int] = field(default_factory=dict)

    def learn(self, found: Collection[Told]) -> None:
        """See how tokens tell of their transfers; one that names nobody in keys never counts."""
        for one in found:
            if transfer_of(one.event) is not None:
                token, keyed = one.event.address, is_keyed(one.event)
                many = self.seen.get(token, 0)
                self.seen[token] = min(many + 1, _ENOUGH) if keyed and many >= 0 else -1

    def unsure(self, tokens: Collection[str]) -> list[str]:
        """Tokens all of whose transfers have to be read."""
        return sorted(t for t in tokens if self.seen.get(t, 0) < _ENOUGH)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Events in blocks from one to another, both included: `keys` are the values allowed at each
    place, all where none is named; of one contract, or of any."""

    first: int
    last: int
    keys: tuple[tuple[int, ...], ...]
    address: str = ""


def of_receivers(limits: Limits, first: int, last: int, to: Sequence[str]) -> list[Wanted]:
    """Transfers of whatever token to these receivers."""
    felts = [number(one) for one in to]
    size = limits.recipients
    return [
        Wanted(first, last, ((TRANSFER,), (), tuple(felts[at : at + size])))
        for at in range(0, len(felts), size)
    ]


def of_token(first: int, last: int, token: str) -> Wanted:
    """All transfers of a token."""
    return Wanted(first, last, ((TRANSFER,),), token)


def question(limits: Limits, wanted: Wanted, page: str = "") -> Question:
    """Ask for a page of events; the first one unless told which."""
    asked: dict[str, Any] = {
        "from_block": {"block_number": wanted.first},
        "to_block": {"block_number": wanted.last},
        "keys": [written(one) for one in wanted.keys],
        "chunk_size": limits.page,
    }
    if wanted.address:
        asked["address"] = hex(number(wanted.address))
    if page:
        asked["continuation_token"] = page
    return Question("starknet_getEvents", (asked,))


def answered(line: Line, limits: Limits, wanted: Wanted, answer: Any) -> list[Told]:
    """The events that an answer and the pages after it hold; where it is an objection to so much,
    or there are very many, asks for less."""
    found = _pages(line, limits, wanted, answer, MOST_PAGES)
    if found is None:
        limits.blocks = max(1, (wanted.last - wanted.first + 1) // 2)
        return _halves(line, limits, wanted)
    return found


def few(line: Line, limits: Limits, wanted: Wanted, answer: Any) -> list[Told] | None:
    """As `answered`; None where there are many and they are of more than one block."""
    return _pages(line, limits, wanted, answer, FEW_PAGES)


def _pages(line: Line, limits: Limits, wanted: Wanted, answer: Any, most: int) -> list[Told] | None:
    if isinstance(answer, Objection):
        return _less(line, limits, wanted, answer)
    found, page = _read(wanted, answer)
    pages = 1
    while page:
        pages += 1
        if pages > most and wanted.last > wanted.first:
            return None
        if pages > _NO_END:
            raise Silent("the node's pages of events do not end")
        more, page = _read(wanted, line.ask(question(limits, wanted, page))[0])
        found += more
    return found


def fetched(line: Line, limits: Limits, wanted: Sequence[Wanted]) -> list[Told]:
    """All events that these questions find."""
    answers = line.tell([question(limits, one) for one in wanted])
    return [
        event
        for one, answer in zip(wanted, answers, strict=True)
        for event in answered(line, limits, one, answer)
    ]


def _less(line: Line, limits: Limits, wanted: Wanted, said: Objection) -> list[Told]:
    if said.code == PAGE_TOO_BIG:
        return _smaller(line, limits, wanted)
    receivers = wanted.keys[-1]
    if said.code == TOO_MANY_KEYS and len(receivers) > 1:
        half = len(receivers) // 2
        limits.recipients = max(1, min(limits.recipients, half))
        parts = receivers[:half], receivers[half:]
        return fetched(
            line, limits, [replace(wanted, keys=(*wanted.keys[:-1], part)) for part in parts]
        )
    raise Silent(f"the node objects: {said.message}")


def _smaller(line: Line, limits: Limits, wanted: Wanted) -> list[Told]:
    """Asks for smaller pages, beginning with the size that another question came down to."""
    while True:
        answer = line.tell([question(limits, wanted)])[0]
        if not isinstance(answer, Objection) or answer.code != PAGE_TOO_BIG:
            return answered(line, limits, wanted, answer)
        if limits.page == 1:
            raise Silent(f"the node objects to the smallest question: {answer.message}")
        limits.page //= 2


def _halves(line: Line, limits: Limits, wanted: Wanted) -> list[Told]:
    middle = (wanted.first + wanted.last) // 2
    return fetched(line, limits, [replace(wanted, last=middle), replace(wanted, first=middle + 1)])


def _read(wanted: Wanted, answer: Any) -> tuple[list[Told], str]:
    """A page's events, and the name of the next page; empty after the last."""
    page: Mapping[str, Any] = table(answer, "events")
    found = [told(one) for one in rows(page.get("events"), "events")]
    for one in found:
        if not wanted.first <= one.height <= wanted.last or not _fits(wanted, one):
            raise Malformed("the node answered events that were not asked for")
    following = page.get("continuation_token")
    if following is not None and not isinstance(following, str):
        raise Malformed("the node answered something else than a page of events")
    return found, following or ""


def _fits(wanted: Wanted, one: Told) -> bool:
    keys = one.event.keys
    if wanted.address and one.event.address != wanted.address:
        return False
    if len(keys) < len(wanted.keys):
        return False
    return all(not may or key in may for may, key in zip(wanted.keys, keys, strict=False))
