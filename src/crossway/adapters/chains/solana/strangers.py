"""What the program was called for while nobody looked: whoever starts or refunds an intent before
its deposit was seen leaves its account as empty as it was before."""

from collections.abc import Collection
from dataclasses import dataclass, field

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.posting import Learnt
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
    """The newest transaction of the program that was looked at, and those that we signed, each with
    the deposit address that it takes from; empty where it takes from none."""

    newest: str = ""
    tries: int = 0
    sources: Learnt[str] = field(default_factory=Learnt)


def paid_out(
    ground: Ground,
    line: Line,
    ours: Ours,
    after: int,
    owners: Collection[str],
    seen: Collection[str],
) -> tuple[set[str], str]:
    """The deposit addresses that the program paid from since the last look, or after a slot, but
    those `seen` to have changed; and the newest transaction, to be kept when all was read."""
    # Lists of transactions may lag behind blocks.
    listed = _entries(line, ground.program.id, ours.newest, after - ground.traits.behind)
    # Our own take along what came in since we looked, and leave as little as others do.
    known = {"", *seen}
    theirs = [one.name for one in listed if one.worked and ours.sources.get(one.name) not in known]
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
