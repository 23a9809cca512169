"""Transactions that our account made, whoever signed them, and the running numbers they carry."""

from collections.abc import Callable, Iterator, Sequence
from threading import Lock

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.solana.calls import number_in
from crossway.adapters.chains.solana.ground import Ground, blocks_at
from crossway.adapters.chains.solana.outcomes import became
from crossway.adapters.chains.solana.reading import (
    Entry,
    Transaction,
    ask_signatures,
    entries,
    signatures,
    transactions,
)
from crossway.ports.chain import Made

_AT_ONCE = 50
# Transactions of one account land in about the order of their numbers: within this many slots.
_ABOUT = 400
_MOST_READ = 5_000


class Numbers:
    """The highest running number that a transaction in a block carried, read forward from the
    newest transaction that is known. `known` tells the numbers of those that this process made."""

    def __init__(self, ground: Ground, known: Callable[[str], int | None]) -> None:
        self._ground, self._known, self._lock = ground, known, Lock()
        self._newest: dict[str, str] = {}
        self._highest: dict[str, int] = {}

    def next_nonce(self, account: str) -> int:
        """One more than the highest number; 0 of an account that never carried one."""
        with self._lock:
            return self._ground.nodes.one(lambda line: self._read(line, account)) + 1

    def _read(self, line: Line, account: str) -> int:
        if account in self._newest:
            listed = signatures(line, [account], self._newest)[account]
            found = self._numbers(line, listed, account)
        else:
            listed = entries(line.ask(ask_signatures(account))[0])
            found = self._first(line, listed, account)
        highest = max([self._highest.get(account, -1), *found])
        if listed:
            self._newest[account] = listed[0].name
        self._highest[account] = highest
        return highest

    def _numbers(self, line: Line, listed: Sequence[Entry], account: str) -> list[int]:
        known = {one.name: self._known(one.name) for one in listed}
        read = transactions(line, [name for name, number in known.items() if number is None])
        numbers = [number_of(self._ground, one, account) for one in read.values()]
        numbers += [number for number in known.values() if number is not None]
        return [number for number in numbers if number >= 0]

    def _first(self, line: Line, listed: Sequence[Entry], account: str) -> list[int]:
        """Of a process that knows nothing: back from the newest one, until the numbers of some
        slots have been seen."""
        found: list[int] = []
        lowest: int | None = None
        for start in range(0, len(listed), _AT_ONCE):
            part = listed[start : start + _AT_ONCE]
            numbers = self._numbers(line, part, account)
            if numbers and lowest is None:
                lowest = part[0].slot - _ABOUT
            found += numbers
            if lowest is not None and part[-1].slot < lowest:
                break
        return found


def number_of(ground: Ground, one: Transaction, account: str) -> int:
    """The running number of a transaction of this account; -1 where it carries none."""
    if one.keys[0] != account:
        return -1
    for call in one.calls:
        if call.program == ground.program.id and (number := number_in(call.data)) is not None:
            return number
    return -1


def made_by(ground: Ground, account: str, from_nonce: int) -> Sequence[Made]:
    """Transactions that an account paid for, from a number on, oldest first. One that carries no
    number has that of the one before it."""

    def work(line: Line) -> list[Made]:
        read: list[Transaction] = []
        for part in _backwards(line, account):
            there = transactions(line, [one.name for one in part])
            of_part = [there[one.name] for one in part if one.name in there]
            numbers = [n for t in of_part if (n := number_of(ground, t, account)) >= 0]
            read += of_part
            older = part[-1].slot + _ABOUT < read[0].slot if read else False
            if numbers and max(numbers) < from_nonce and older:
                break
        mine = [one for one in reversed(read) if one.keys[0] == account]
        told = list(_numbered(ground, mine, account, from_nonce))
        in_blocks = blocks_at(line, {one.slot for _, one in told})
        outcomes = became(ground, [one for _, one in told], in_blocks)
        found = [Made(t.name, n, outcomes[t.name]) for n, t in told if t.name in outcomes]
        return sorted(found, key=lambda one: one.nonce)

    return ground.nodes.one(work)


def _numbered(
    ground: Ground, oldest_first: Sequence[Transaction], account: str, from_nonce: int
) -> Iterator[tuple[int, Transaction]]:
    last: int | None = None
    for one in oldest_first:
        number = number_of(ground, one, account)
        if number >= from_nonce:
            last = number
            yield number, one
        elif number < 0 and last is not None:
            yield last, one


def _backwards(line: Line, account: str) -> Iterator[Sequence[Entry]]:
    """The transactions of an account, newest first, some at a time."""
    before, read = "", 0
    while read < _MOST_READ:
        page = entries(line.ask(ask_signatures(account, before=before))[0])
        for start in range(0, len(page), _AT_ONCE):
            yield page[start : start + _AT_ONCE]
        if not page:
            return
        before, read = page[-1].name, read + len(page)
