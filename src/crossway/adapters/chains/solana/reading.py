"""Transactions as nodes show them: balances before and after, and what the program told."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import base58
from solders.pubkey import Pubkey

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question, Silent
from crossway.adapters.chains.solana.ground import CONFIRMED
from crossway.adapters.chains.solana.places import SYSTEM
from crossway.adapters.chains.solana.wire import (
    Malformed,
    address_of,
    decoded,
    number,
    rows,
    table,
    text,
    time_of,
)

MOVED_SIZE = 170
# Why coins moved that a start could neither send on nor leave: they lie with the state, and to the
# books still at the deposit address, as a later refund pays them out from there.
ASIDE = 7
_RUNS = re.compile(r"Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke ", re.ASCII)
_ENDED = re.compile(r"Program [1-9A-HJ-NP-Za-km-z]{32,44} (success|failed)", re.ASCII)
_DATA = "Program data: "
PAGE, _MOST_PAGES = 1_000, 20
# A transaction of a later form than is understood here.
_TOO_NEW = -32015


@dataclass(frozen=True, slots=True)
class Told:
    """One movement that the program told; `token` is the system program's address for SOL."""

    why: int
    key: bytes
    caller: str
    token: str
    source: str
    to: str
    units: int


@dataclass(frozen=True, slots=True)
class Holding:
    """What a token account held: whose it is, of which mint, and units."""

    owner: str
    mint: str
    units: int


@dataclass(frozen=True, slots=True)
class Call:
    """One instruction of a transaction."""

    program: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction in a block. `error` is None where it worked; balances are by the place of the
    account in `keys`, whose first one paid the fee."""

    name: str
    slot: int
    at: datetime
    error: Any
    keys: tuple[str, ...]
    lamports_before: tuple[int, ...]
    lamports_after: tuple[int, ...]
    before: Mapping[int, Holding]
    after: Mapping[int, Holding]
    calls: tuple[Call, ...]
    logs: tuple[str, ...]

    def gained(self, place: int, native: bool) -> int:
        """By how much an account's lamports or units rose; below zero where they fell."""
        if native:
            return self.lamports_after[place] - self.lamports_before[place]
        nothing = Holding("", "", 0)
        return self.after.get(place, nothing).units - self.before.get(place, nothing).units

    def told(self, program: str) -> list[Told]:
        """The movements that this program told, and no other in its name."""
        return [moved(one) for one in _said(self.logs, program) if _is_movement(one)]


def _said(logs: Iterable[str], program: str) -> Iterator[bytes]:
    """What a program wrote as data, by who was running when it was written."""
    running: list[str] = []
    for line in logs:
        if (match := _RUNS.match(line)) is not None:
            running.append(match[1])
        elif line.startswith(_DATA):
            if running and running[-1] == program:
                yield decoded(line.removeprefix(_DATA).split(" ")[0])
        elif _ENDED.match(line) and running:
            running.pop()


def _is_movement(data: bytes) -> bool:
    return len(data) == MOVED_SIZE and data[:1] == b"M"


def moved(data: bytes) -> Told:
    """A movement out of its 170 bytes."""
    caller, token, source, to = (
        str(Pubkey.from_bytes(data[at : at + 32])) for at in (34, 66, 98, 130)
    )
    return Told(
        data[1], data[2:34], caller, token, source, to, int.from_bytes(data[162:], "little")
    )


def transactions(line: Line, names: Sequence[str]) -> dict[str, Transaction]:
    """Transactions by their names; those that the node does not have, or that are of a form too
    new to be understood, are left out."""
    asked = {"encoding": "json", "commitment": CONFIRMED, "maxSupportedTransactionVersion": 0}
    answers = line.tell([Question("getTransaction", (name, asked)) for name in names])
    found = {}
    for name, answer in zip(names, answers, strict=True):
        if isinstance(answer, Objection):
            if answer.code != _TOO_NEW:
                raise Silent(f"the node does not show a transaction: {answer.message}")
        elif answer is not None:
            found[name] = transaction(answer, name)
    return found


def transaction(value: Any, name: str) -> Transaction:
    """One transaction; another than was asked for is refused."""
    told = table(value, "a transaction")
    inner, meta = table(told.get("transaction"), "it"), table(told.get("meta"), "its outcome")
    message = table(inner.get("message"), "a message")
    if name not in rows(inner.get("signatures"), "signatures")[:1]:
        raise Malformed("the node answered another transaction than was asked for")
    keys = _keys(message, meta)
    before = _lamports(meta.get("preBalances"), keys)
    return Transaction(
        name=name,
        slot=number(told.get("slot"), "a slot"),
        at=time_of(told.get("blockTime")),
        error=meta.get("err"),
        keys=keys,
        lamports_before=before,
        lamports_after=_lamports(meta.get("postBalances"), keys),
        before=_holdings(meta.get("preTokenBalances"), keys),
        after=_holdings(meta.get("postTokenBalances"), keys),
        calls=tuple(_calls(message, keys)),
        logs=tuple(one for one in rows(meta.get("logMessages") or [], "logs") if _is_text(one)),
    )


def _is_text(one: Any) -> bool:
    return isinstance(one, str)


def _keys(message: Mapping[str, Any], meta: Mapping[str, Any]) -> tuple[str, ...]:
    listed = rows(message.get("accountKeys"), "accounts")
    loaded = meta.get("loadedAddresses") or {}
    for part in ("writable", "readonly"):
        listed = listed + rows(table(loaded, "accounts").get(part) or [], "accounts")
    return tuple(address_of(one) for one in listed)


def _lamports(value: Any, keys: Sequence[str]) -> tuple[int, ...]:
    found = tuple(number(one, "a balance") for one in rows(value, "balances"))
    if len(found) != len(keys):
        raise Malformed("the node answered balances of other accounts")
    return found


def _holdings(value: Any, keys: Sequence[str]) -> dict[int, Holding]:
    found = {}
    for one in rows(value or [], "balances"):
        told = table(one, "a balance")
        place = number(told.get("accountIndex"), "a place")
        amount = table(told.get("uiTokenAmount"), "an amount").get("amount")
        if place >= len(keys) or not isinstance(amount, str) or not amount.isdecimal():
            raise Malformed("the node answered something else than a balance")
        owner = told.get("owner") or SYSTEM
        found[place] = Holding(address_of(owner), address_of(told.get("mint")), int(amount))
    return found


def _calls(message: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Call]:
    for one in rows(message.get("instructions"), "instructions"):
        told = table(one, "an instruction")
        place, data = number(told.get("programIdIndex"), "a place"), told.get("data")
        if place >= len(keys) or not isinstance(data, str):
            raise Malformed("the node answered something else than an instruction")
        try:
            yield Call(keys[place], base58.b58decode(data))
        except ValueError:
            raise Malformed("the node answered something else than an instruction") from None


@dataclass(frozen=True, slots=True)
class Entry:
    """A transaction in the list of an account's: its name, slot, and whether it worked."""

    name: str
    slot: int
    worked: bool


def ask_signatures(address: str, until: str = "", before: str = "") -> Question:
    """Ask for the names of the newest transactions that an account was part of."""
    asked: dict[str, Any] = {"limit": PAGE, "commitment": CONFIRMED}
    if until:
        asked["until"] = until
    if before:
        asked["before"] = before
    return Question("getSignaturesForAddress", (address, asked))


def entries(value: Any) -> list[Entry]:
    """Transactions of an account, newest first."""
    found = []
    for one in rows(value, "transactions"):
        told = table(one, "a transaction")
        name, slot = text(told.get("signature"), "a name"), number(told.get("slot"), "a slot")
        found.append(Entry(name, slot, told.get("err") is None))
    return found


def signatures(
    line: Line, addresses: Sequence[str], until: Mapping[str, str]
) -> dict[str, list[Entry]]:
    """The transactions of each account after one that is known, newest first."""
    answers = line.ask(*(ask_signatures(one, until.get(one, "")) for one in addresses))
    found = {}
    for address, answer in zip(addresses, answers, strict=True):
        listed = page = entries(answer)
        pages = 1
        while len(page) == PAGE and pages < _MOST_PAGES:
            after = until.get(address, "")
            page = entries(line.ask(ask_signatures(address, after, page[-1].name))[0])
            listed, pages = listed + page, pages + 1
        found[address] = listed
    return found
