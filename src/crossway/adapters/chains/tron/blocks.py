"""Blocks as they are read whole, each once: payments of TRX in them, and our own transactions."""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from threading import Lock
from typing import Any

from crossway.adapters.chains.evm.wire import Malformed, hash_of, rows, table
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.tron.forms import long
from crossway.adapters.chains.tron.resources import whole
from crossway.adapters.chains.tron.transactions import Read, read

_ADDRESS = re.compile(r"41([0-9a-f]{40})\Z", re.ASCII | re.IGNORECASE)
_KEPT_PAGES = 400
_PLAIN = 1 << 29
"""The place of a payment that a transaction makes by itself, above that of any log; those that
contracts make within it follow."""


@dataclass(frozen=True, slots=True)
class Paid:
    """TRX that moved: `index` is its place in its transaction, addresses are 40 hex digits."""

    tx_id: str
    index: int
    sender: str
    to: str
    units: int


@dataclass(frozen=True, slots=True)
class Page:
    """A block: how many transactions it has, what they paid by themselves, and those of our
    account."""

    height: int
    hash: str
    parent: str
    at: datetime
    size: int
    paid: tuple[Paid, ...]
    ours: tuple[Read, ...]


class Blocks:
    """Reads blocks by the HTTP interface and remembers the newest. What it remembers only spares
    questions: a block is known by its hash."""

    def __init__(self, account: str, at_once: int) -> None:
        """`account` is our plain address; so many blocks are asked for `at_once`."""
        self._owner, self._at_once = long(account).hex(), at_once
        self._lock = Lock()
        self._pages: OrderedDict[str, Page] = OrderedDict()
        self._inner: OrderedDict[str, tuple[Paid, ...]] = OrderedDict()

    def read(self, line: Line, low: int, height: int, block_hash: str) -> list[Page]:
        """The blocks above `low` up to the one of this height and hash, oldest first; blocks that
        do not follow one another are no answer."""
        known = self._known(low, height, block_hash)
        top = known[0].height - 1 if known else height
        found: list[Page] = []
        for start in range(low + 1, top + 1, self._at_once):
            found += self._fetched(line, start, min(start + self._at_once, top + 1))
        pages = [*found, *known]
        for before, after in pairwise(pages):
            if after.parent != before.hash:
                raise Malformed("the node answered blocks that do not follow one another")
        if pages and pages[-1].hash != block_hash:
            raise Malformed(f"the node answered another block {height}")
        self._keep(self._pages, {one.hash: one for one in found})
        return pages

    def _known(self, low: int, height: int, block_hash: str) -> list[Page]:
        found: list[Page] = []
        with self._lock:
            while height > low and (page := self._pages.get(block_hash)) is not None:
                found.append(page)
                height, block_hash = page.height - 1, page.parent
        return found[::-1]

    def _fetched(self, line: Line, start: int, end: int) -> list[Page]:
        body = {"startNum": start, "endNum": end}
        told = table(line.ask(Question("/wallet/getblockbylimitnext", (body,)))[0], "blocks")
        pages = [self._page(one) for one in rows(told.get("block", []), "blocks")]
        pages.sort(key=lambda page: page.height)
        if [page.height for page in pages] != list(range(start, end)):
            raise Malformed("the node answered other blocks than were asked for")
        return pages

    def _page(self, value: Any) -> Page:
        told = table(value, "a block")
        header = table(told.get("block_header"), "a block's header")
        raw = table(header.get("raw_data"), "a block's header")
        transactions = [table(t, "a transaction") for t in rows(told.get("transactions", []), "t")]
        return Page(
            whole(raw.get("number", 0), "a block's height"),
            name_of(told.get("blockID"), "a block's hash"),
            name_of(raw.get("parentHash"), "a block's parent"),
            datetime.fromtimestamp(whole(raw.get("timestamp", 0), "a block's time") / 1000, UTC),
            len(transactions),
            tuple(paid for one in transactions for paid in _paid(one)),
            tuple(mine for one in transactions for mine in self._ours(one)),
        )

    def _ours(self, told: Mapping[str, Any]) -> Iterator[Read]:
        if _contract(told)[1].get("owner_address") != self._owner:
            return
        yield raw_of(told)

    def inner(self, line: Line, page: Page) -> tuple[Paid, ...]:
        """What contracts paid within the transactions of a block, as far as its node keeps it."""
        with self._lock:
            known = self._inner.get(page.hash)
        if known is not None:
            return known
        asked = Question("/wallet/gettransactioninfobyblocknum", ({"num": page.height},))
        infos = [table(one, "an outcome") for one in rows(line.ask(asked)[0] or [], "outcomes")]
        if any(whole(one.get("blockNumber"), "a height") != page.height for one in infos):
            raise Malformed("the node answered outcomes of another block")
        if len(infos) < page.size:
            # One of many machines behind an address, which does not have the block yet.
            raise Malformed(f"the node does not tell all that came of block {page.height}")
        found = tuple(paid for one in infos for paid in within(one))
        self._keep(self._inner, {page.hash: found})
        return found

    def _keep(self, where: "OrderedDict[str, Any]", what: Mapping[str, Any]) -> None:
        with self._lock:
            where.update(what)
            while len(where) > _KEPT_PAGES:
                where.popitem(last=False)


def name_of(value: Any, what: str) -> str:
    """32 bytes as the HTTP interface writes them, in the form of JSON-RPC."""
    return hash_of("0x" + value if isinstance(value, str) else value, what)


def raw_of(told: Mapping[str, Any]) -> Read:
    """A transaction that the HTTP interface tells, read from its own bytes."""
    try:
        found = read(bytes.fromhex(str(told.get("raw_data_hex"))))
    except ValueError:
        raise Malformed("the node answered something else than a transaction") from None
    if found.tx_id != told.get("txID"):
        raise Malformed("the node answered a transaction of another name")
    return found


def _contract(told: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What kind of transaction this is, and its fields."""
    raw = table(told.get("raw_data"), "a transaction")
    contracts = rows(raw.get("contract", []), "a transaction")
    if not contracts:
        return "", {}
    first = table(contracts[0], "a transaction")
    value = table(first.get("parameter"), "a transaction").get("value", {})
    return str(first.get("type")), table(value, "a transaction")


def _paid(told: Mapping[str, Any]) -> Iterator[Paid]:
    kind, value = _contract(told)
    if kind == "TransferContract":
        to, units = value.get("to_address"), value.get("amount", 0)
    elif kind == "TriggerSmartContract":
        to, units = value.get("contract_address"), value.get("call_value", 0)
    else:
        return
    results = rows(told.get("ret", []), "a transaction's result")
    if any(table(one, "a result").get("contractRet", "SUCCESS") != "SUCCESS" for one in results):
        return
    if whole(units, "an amount"):
        name = name_of(told.get("txID"), "a transaction's name")[2:]
        yield Paid(name, _PLAIN, _digits(value.get("owner_address")), _digits(to), units)


def within(info: Mapping[str, Any]) -> Iterator[Paid]:
    """What contracts paid within a transaction, by what the node tells of its outcome."""
    name = name_of(info.get("id"), "a transaction's name")[2:]
    told = rows(info.get("internal_transactions", []), "payments")
    for place, one in enumerate(told, start=1):
        row = table(one, "a payment")
        if row.get("rejected") or not row.get("transferTo_address"):
            continue
        values = [table(v, "an amount") for v in rows(row.get("callValueInfo", []), "amounts")]
        # Those with a token's name are of another kind.
        units = sum(whole(v.get("callValue", 0), "an amount") for v in values if "tokenId" not in v)
        sender, to = _digits(row.get("caller_address")), _digits(row["transferTo_address"])
        if units and sender != to:
            yield Paid(name, _PLAIN + place, sender, to, units)


def is_within(index: int) -> bool:
    """Whether a payment at this place was made by a contract within its transaction."""
    return index > _PLAIN


def _digits(value: Any) -> str:
    match = _ADDRESS.match(value) if isinstance(value, str) else None
    if match is None:
        raise Malformed("the node answered something else than an address")
    return match.group(1).lower()
