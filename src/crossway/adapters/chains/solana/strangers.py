"""What others called the program for: they can start or refund an intent before its deposit was
seen, after which its account is as empty as before."""

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.solana.ground import Ground
from crossway.adapters.chains.solana.reading import (
    PAGE,
    Entry,
    ask_signatures,
    entries,
    transactions,
)

_MOST_PAGES = 20
# One of many nodes may not have yet what another listed; so often is it asked for.
_TRIES = 20


@dataclass
class Ours:
    """The newest transaction of the program that was looked at, and those that we sent."""

    newest: str = ""
    tries: int = 0
    sent: OrderedDict[str, Any] = field(default_factory=OrderedDict)


def paid_out(
    ground: Ground, line: Line, ours: Ours, after: int, owners: Collection[str]
) -> tuple[set[str], str]:
    """The deposit addresses that others let the program pay from since the last look, or after a
    slot; and the newest transaction, to be kept when all was read."""
    if ground.deposits is not None:
        # Addresses that sign for themselves: nobody else can.
        return set(), ""
    # Lists of transactions may lag behind blocks.
    listed = _entries(line, ground.program.id, ours.newest, after - ground.traits.behind)
    theirs = [one.name for one in listed if one.worked and one.name not in ours.sent]
    watched = set(owners)
    read = transactions(line, theirs) if watched else {}
    found = {
        told.source
        for one in read.values()
        if one.error is None
        for told in one.told(ground.program.id)
        if told.source in watched
    }
    lacking = bool(watched) and len(read) < len(theirs)
    ours.tries = ours.tries + 1 if lacking and ours.tries < _TRIES else 0
    return found, listed[0].name if listed and not ours.tries else ours.newest


def _entries(line: Line, program: str, until: str, after: int) -> list[Entry]:
    """Newest first: those after one that is known, else those above a slot."""
    found: list[Entry] = []
    before = ""
    for _ in range(_MOST_PAGES):
        page = entries(line.ask(ask_signatures(program, until, before))[0])
        found += page if until else [one for one in page if one.slot > after]
        if len(page) < PAGE or (not until and page[-1].slot <= after):
            break
        before = page[-1].name
    return found
