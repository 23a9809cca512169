"""Full blocks from the HTTP API, each read once: TRX transfers and our own transactions in them."""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from threading import Lock
from typing import Any

from crossway.adapters.chains.evm.rpc_schemas import parse_hash
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import (
    MalformedResponse,
    as_count,
    as_list,
    as_object,
)
from crossway.adapters.chains.tron.address_format import to_bytes
from crossway.adapters.chains.tron.transactions import ParsedTx, parse_raw_transaction

_ADDRESS = re.compile(r"41([0-9a-f]{40})\Z", re.ASCII | re.IGNORECASE)
_MAX_CACHED_BLOCKS = 400
_TRANSACTION_INDEX = 1 << 29
"""The index of the transfer that a transaction makes itself, above that of any log; its internal
transfers follow."""


@dataclass(frozen=True, slots=True)
class TrxTransfer:
    """A transfer of TRX: `amount` in sun, `index` within its transaction, addresses as 40 hex
    digits."""

    tx_id: str
    index: int
    sender: str
    to: str
    amount: int


@dataclass(frozen=True, slots=True)
class BlockPage:
    """A block: the transfers that its transactions make themselves, and those of our account."""

    height: int
    hash: str
    parent: str
    time: datetime
    transaction_count: int
    transfers: tuple[TrxTransfer, ...]
    own_transactions: tuple[ParsedTx, ...]


class BlockReader:
    """Reads blocks and caches the newest by hash. The cache only saves requests."""

    def __init__(self, account: str, blocks_per_request: int) -> None:
        """`account` is our address in EVM form."""
        self._owner, self._batch = to_bytes(account).hex(), blocks_per_request
        self._lock = Lock()
        self._pages: OrderedDict[str, BlockPage] = OrderedDict()
        self._internal: OrderedDict[str, tuple[TrxTransfer, ...]] = OrderedDict()

    def read(self, session: RpcSession, low: int, height: int, block_hash: str) -> list[BlockPage]:
        """The blocks above `low` up to the one of this height and hash, oldest first. Raises
        `MalformedResponse` where they do not form a chain."""
        cached = self._cached(low, height, block_hash)
        top = cached[0].height - 1 if cached else height
        fetched: list[BlockPage] = []
        for start in range(low + 1, top + 1, self._batch):
            fetched += self._fetch(session, start, min(start + self._batch, top + 1))
        pages = [*fetched, *cached]
        for before, after in pairwise(pages):
            if after.parent != before.hash:
                raise MalformedResponse("the node returned blocks that do not form a chain")
        if pages and pages[-1].hash != block_hash:
            raise MalformedResponse(f"the node returned another block {height}")
        self._store(self._pages, {page.hash: page for page in fetched})
        return pages

    def _cached(self, low: int, height: int, block_hash: str) -> list[BlockPage]:
        pages: list[BlockPage] = []
        with self._lock:
            while height > low and (page := self._pages.get(block_hash)) is not None:
                pages.append(page)
                height, block_hash = page.height - 1, page.parent
        return pages[::-1]

    def _fetch(self, session: RpcSession, start: int, end: int) -> list[BlockPage]:
        body = {"startNum": start, "endNum": end}
        result = session.call(RpcRequest("/wallet/getblockbylimitnext", (body,)))[0]
        blocks = as_list(as_object(result, "blocks").get("block", []), "blocks")
        pages = sorted((self._parse(block) for block in blocks), key=lambda page: page.height)
        if [page.height for page in pages] != list(range(start, end)):
            raise MalformedResponse("the node returned other blocks than requested")
        return pages

    def _parse(self, value: Any) -> BlockPage:
        block = as_object(value, "a block")
        header = block_header(block)
        listed = as_list(block.get("transactions", []), "transactions")
        transactions = [as_object(transaction, "a transaction") for transaction in listed]
        seconds = as_count(header.get("timestamp", 0), "a block's time") / 1000
        return BlockPage(
            as_count(header.get("number", 0), "a block's height"),
            parse_bare_hash(block.get("blockID"), "a block's hash"),
            parse_bare_hash(header.get("parentHash"), "a block's parent"),
            datetime.fromtimestamp(seconds, UTC),
            len(transactions),
            tuple(transfer for t in transactions for transfer in _direct_transfers(t)),
            tuple(parse_transaction(t) for t in transactions if self._is_own(t)),
        )

    def _is_own(self, transaction: Mapping[str, Any]) -> bool:
        return _contract(transaction)[1].get("owner_address") == self._owner

    def internal_transfers(self, session: RpcSession, page: BlockPage) -> tuple[TrxTransfer, ...]:
        """The internal transfers of a block's transactions, as far as its node keeps them."""
        with self._lock:
            cached = self._internal.get(page.hash)
        if cached is not None:
            return cached
        request = RpcRequest("/wallet/gettransactioninfobyblocknum", ({"num": page.height},))
        listed = as_list(session.call(request)[0] or [], "transaction infos")
        infos = [as_object(info, "a transaction info") for info in listed]
        if any(as_count(info.get("blockNumber"), "a height") != page.height for info in infos):
            raise MalformedResponse("the node returned transaction infos of another block")
        if len(infos) < page.transaction_count:
            # One of several machines behind the address does not have the block yet.
            raise MalformedResponse(f"the node lacks transaction infos of block {page.height}")
        transfers = tuple(t for info in infos for t in parse_internal_transfers(info))
        self._store(self._internal, {page.hash: transfers})
        return transfers

    def _store(self, cache: "OrderedDict[str, Any]", values: Mapping[str, Any]) -> None:
        with self._lock:
            cache.update(values)
            while len(cache) > _MAX_CACHED_BLOCKS:
                cache.popitem(last=False)


def block_header(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """The raw header of a block of the HTTP API."""
    header = as_object(block.get("block_header"), "a block's header")
    return as_object(header.get("raw_data"), "a block's header")


def parse_bare_hash(value: Any, what: str) -> str:
    """A hash that the HTTP API writes without 0x, in the form of JSON-RPC."""
    return parse_hash("0x" + value if isinstance(value, str) else value, what)


def parse_transaction(value: Mapping[str, Any]) -> ParsedTx:
    """A transaction of the HTTP API, parsed from its own bytes."""
    try:
        transaction = parse_raw_transaction(bytes.fromhex(str(value.get("raw_data_hex"))))
    except ValueError:
        raise MalformedResponse("the node did not return a transaction") from None
    if transaction.tx_id != value.get("txID"):
        raise MalformedResponse("the node returned a transaction with another id")
    return transaction


def _contract(transaction: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The type of a transaction, and its fields."""
    raw = as_object(transaction.get("raw_data"), "a transaction")
    contracts = as_list(raw.get("contract", []), "a transaction")
    if not contracts:
        return "", {}
    first = as_object(contracts[0], "a transaction")
    value = as_object(first.get("parameter"), "a transaction").get("value", {})
    return str(first.get("type")), as_object(value, "a transaction")


def _direct_transfers(transaction: Mapping[str, Any]) -> Iterator[TrxTransfer]:
    kind, value = _contract(transaction)
    if kind == "TransferContract":
        to, amount = value.get("to_address"), value.get("amount", 0)
    elif kind == "TriggerSmartContract":
        to, amount = value.get("contract_address"), value.get("call_value", 0)
    else:
        return
    results = as_list(transaction.get("ret", []), "a transaction's result")
    outcomes = [as_object(r, "a result").get("contractRet", "SUCCESS") for r in results]
    if any(outcome != "SUCCESS" for outcome in outcomes):
        return
    if as_count(amount, "an amount"):
        tx_id = parse_bare_hash(transaction.get("txID"), "a transaction's id")[2:]
        sender, recipient = _parse_address(value.get("owner_address")), _parse_address(to)
        yield TrxTransfer(tx_id, _TRANSACTION_INDEX, sender, recipient, amount)


def parse_internal_transfers(info: Mapping[str, Any]) -> Iterator[TrxTransfer]:
    """The transfers that contracts made within a transaction, from its transaction info."""
    tx_id = parse_bare_hash(info.get("id"), "a transaction's id")[2:]
    listed = as_list(info.get("internal_transactions", []), "internal transactions")
    for position, value in enumerate(listed, start=1):
        internal = as_object(value, "an internal transaction")
        if internal.get("rejected") or not internal.get("transferTo_address"):
            continue
        values = as_list(internal.get("callValueInfo", []), "amounts")
        amounts = [as_object(item, "an amount") for item in values]
        # An amount with a token id is not TRX.
        trx = [item.get("callValue", 0) for item in amounts if "tokenId" not in item]
        amount = sum(as_count(item, "an amount") for item in trx)
        sender = _parse_address(internal.get("caller_address"))
        to = _parse_address(internal["transferTo_address"])
        if amount and sender != to:
            yield TrxTransfer(tx_id, _TRANSACTION_INDEX + position, sender, to, amount)


def is_internal(index: int) -> bool:
    """Whether a transfer with this index was made by a contract within its transaction."""
    return index > _TRANSACTION_INDEX


def _parse_address(value: Any) -> str:
    match = _ADDRESS.match(value) if isinstance(value, str) else None
    if match is None:
        raise MalformedResponse("the node did not return an address")
    return match.group(1).lower()
