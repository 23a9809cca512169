"""Transfers of tokens found in logs: many receivers in one question, less when a node objects."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.evm.traits import Traits
from crossway.adapters.chains.evm.wire import TRANSFER, Log, Malformed, log, rows, topic_address
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question, Silent, TooLarge

# What nodes say when a question asks for too much, in their many words.
_TOO_MUCH = re.compile(
    r"too (many|large|big|wide)|range|limit|exceed|more than|larger|time(d )?out|size|results",
    re.IGNORECASE,
)
_TOO_MUCH_CODES = (-32005, -32614)


@dataclass
class Limits:
    """How much is asked for at once: what a chain is known for, less as nodes objected."""

    blocks: int
    recipients: int

    def grow(self, traits: Traits) -> None:
        """All went well: ask for a little more again, up to what is usual."""
        self.blocks = min(traits.log_blocks, self.blocks + self.blocks // 8 + 1)
        self.recipients = min(traits.recipients, self.recipients + self.recipients // 8 + 1)


@dataclass(frozen=True, slots=True)
class Span:
    """Blocks from one to another, both included; `to` are topics, None for all receivers."""

    first: int
    last: int
    to: tuple[str, ...] | None


def limits_of(traits: Traits) -> Limits:
    """The limits to begin with."""
    return Limits(traits.log_blocks, traits.recipients)


def topic(address: str) -> str:
    """An address as events hold it."""
    return "0x" + address[2:].lower().rjust(64, "0")


def spans(limits: Limits, first: int, last: int, to: Sequence[str] | None) -> list[Span]:
    """The questions that cover these blocks and receivers."""
    parts: list[tuple[str, ...] | None] = [None]
    if to is not None:
        size = limits.recipients
        topics = [topic(one) for one in to]
        parts = [tuple(topics[at : at + size]) for at in range(0, len(topics), size)]
    return [
        Span(start, min(start + limits.blocks - 1, last), part)
        for start in range(first, last + 1, limits.blocks)
        for part in parts
    ]


def question(tokens: Collection[str], span: Span) -> Question:
    """Ask for the transfers of these tokens in a span."""
    wanted: dict[str, Any] = {
        "fromBlock": hex(span.first),
        "toBlock": hex(span.last),
        "address": sorted(tokens),
        "topics": [TRANSFER] if span.to is None else [TRANSFER, None, list(span.to)],
    }
    return Question("eth_getLogs", (wanted,))


def answered(
    line: Line, limits: Limits, tokens: Collection[str], span: Span, answer: Any
) -> list[Log]:
    """The transfers that an answer holds; where it is an objection to so much, asks for less."""
    if not isinstance(answer, Objection):
        return _read(tokens, span, answer)
    if not _TOO_MUCH.search(answer.message) and answer.code not in _TOO_MUCH_CODES:
        raise Silent(f"the node objects: {answer.message}")
    found: list[Log] = []
    for half in _halves(limits, span, answer.message):
        found += fetched(line, limits, tokens, half)
    return found


def fetched(line: Line, limits: Limits, tokens: Collection[str], span: Span) -> list[Log]:
    """The transfers of a span, asked for by itself."""
    try:
        answer = line.tell([question(tokens, span)])[0]
    except TooLarge as error:
        answer = Objection(_TOO_MUCH_CODES[0], str(error))
    return answered(line, limits, tokens, span, answer)


def _halves(limits: Limits, span: Span, why: str) -> tuple[Span, Span]:
    width = span.last - span.first + 1
    if width > 1:
        limits.blocks = max(1, min(limits.blocks, width // 2))
        middle = span.first + width // 2
        return Span(span.first, middle - 1, span.to), Span(middle, span.last, span.to)
    if span.to is None or len(span.to) < 2:
        raise Silent(f"the node objects to the smallest question: {why}")
    half = len(span.to) // 2
    limits.recipients = max(1, min(limits.recipients, half))
    return Span(span.first, span.last, span.to[:half]), Span(span.first, span.last, span.to[half:])


def _read(tokens: Collection[str], span: Span, answer: Any) -> list[Log]:
    found = [log(one) for one in rows(answer, "events")]
    hashes: dict[int, str] = {}
    for one in found:
        if not span.first <= one.height <= span.last or one.address not in tokens:
            raise Malformed("the node answered events that were not asked for")
        if not one.topics or one.topics[0] != TRANSFER:
            raise Malformed("the node answered events that were not asked for")
        if hashes.setdefault(one.height, one.block_hash) != one.block_hash:
            raise Malformed(f"the node tells of two blocks {one.height}")
        if span.to is not None and (len(one.topics) < 3 or one.topics[2] not in span.to):
            raise Malformed("the node answered events that were not asked for")
    # A transfer of a token that is one of a kind has a topic more.
    return [one for one in found if len(one.topics) == 3 and len(one.data) == 32]


def events(
    line: Line, limits: Limits, wanted: Mapping[str, Any], first: int, last: int
) -> list[Log]:
    """Events of our own contracts over blocks, fewer at a time where a node objects."""
    found: list[Log] = []
    while first <= last:
        end = min(first + limits.blocks - 1, last)
        answer = line.tell([events_question(wanted, first, end)])[0]
        if not isinstance(answer, Objection):
            found += [log(one) for one in rows(answer, "events")]
            first = end + 1
        elif first == end or not _TOO_MUCH.search(answer.message):
            raise Silent(f"the node objects: {answer.message}")
        else:
            limits.blocks = max(1, (end - first + 1) // 2)
    return found


def events_question(wanted: Mapping[str, Any], first: int, last: int) -> Question:
    """Ask for events of an address with topics, over blocks."""
    return Question("eth_getLogs", ({**wanted, "fromBlock": hex(first), "toBlock": hex(last)},))


def receiver(one: Log) -> str:
    """Who got a transfer."""
    return topic_address(one.topics[2])
