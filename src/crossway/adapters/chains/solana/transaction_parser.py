"""Parsed transactions: balances before and after, and movements that the program logged."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import base58
from solders.pubkey import Pubkey

from crossway.adapters.chains.rpc.client import NodeUnavailable, RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.adapters.chains.solana.chain_context import CONFIRMED
from crossway.adapters.chains.solana.pdas import SYSTEM
from crossway.adapters.chains.solana.rpc_schemas import (
    as_text,
    as_u64,
    parse_address,
    parse_base64,
    parse_time,
)

MOVEMENT_BYTES = 170
# The reason of lamports that a start could neither forward nor leave: they are in the state
# account, and in the ledger still at the deposit address, because a later refund pays them out.
RETAINED = 7
_RUNS = re.compile(r"Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke ", re.ASCII)
_ENDED = re.compile(r"Program [1-9A-HJ-NP-Za-km-z]{32,44} (success|failed)", re.ASCII)
_DATA = "Program data: "
PAGE, _MAX_PAGES = 1_000, 20
# The error code of a transaction version that is not supported here.
_TOO_NEW = -32015


@dataclass(frozen=True, slots=True)
class TokenMovement:
    """One movement that the program logged; `token` is the system program's address for SOL."""

    reason: int
    key: bytes
    caller: str
    token: str
    source: str
    to: str
    units: int


@dataclass(frozen=True, slots=True)
class TokenBalance:
    """A token account's owner, mint and balance."""

    owner: str
    mint: str
    units: int


@dataclass(frozen=True, slots=True)
class Call:
    """One instruction of a transaction."""

    program: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ParsedTransaction:
    """A transaction in a block. `error` is None if it succeeded; balances are by the index of the
    account in `keys`, the first of which paid the fee."""

    tx_id: str
    slot: int
    at: datetime
    error: Any
    keys: tuple[str, ...]
    lamports_before: tuple[int, ...]
    lamports_after: tuple[int, ...]
    before: Mapping[int, TokenBalance]
    after: Mapping[int, TokenBalance]
    calls: tuple[Call, ...]
    logs: tuple[str, ...]

    def lamports_gained(self, index: int, native: bool) -> int:
        """The change of an account's lamports or units; negative if they fell."""
        if native:
            return self.lamports_after[index] - self.lamports_before[index]
        nothing = TokenBalance("", "", 0)
        return self.after.get(index, nothing).units - self.before.get(index, nothing).units

    def movements(self, program: str) -> list[TokenMovement]:
        """The movements that this program logged itself."""
        return [
            parse_movement(log) for log in _program_logs(self.logs, program) if _is_movement(log)
        ]


def _program_logs(logs: Iterable[str], program: str) -> Iterator[bytes]:
    """The data that a program logged while it was the one running."""
    running: list[str] = []
    for log in logs:
        if (match := _RUNS.match(log)) is not None:
            running.append(match[1])
        elif log.startswith(_DATA):
            if running and running[-1] == program:
                yield parse_base64(log.removeprefix(_DATA).split(" ")[0])
        elif _ENDED.match(log) and running:
            running.pop()


def _is_movement(data: bytes) -> bool:
    return len(data) == MOVEMENT_BYTES and data[:1] == b"M"


def parse_movement(data: bytes) -> TokenMovement:
    """Parse the 170 bytes of a movement."""
    caller, token, source, to = (
        str(Pubkey.from_bytes(data[at : at + 32])) for at in (34, 66, 98, 130)
    )
    return TokenMovement(
        data[1], data[2:34], caller, token, source, to, int.from_bytes(data[162:], "little")
    )


def fetch_transactions(session: RpcSession, tx_ids: Sequence[str]) -> dict[str, ParsedTransaction]:
    """Transactions by id, without those that the node does not have or whose version is not
    supported."""
    options = {"encoding": "json", "commitment": CONFIRMED, "maxSupportedTransactionVersion": 0}
    results = session.batch([RpcRequest("getTransaction", (tx_id, options)) for tx_id in tx_ids])
    transactions = {}
    for tx_id, result in zip(tx_ids, results, strict=True):
        if isinstance(result, RpcError):
            if result.code != _TOO_NEW:
                raise NodeUnavailable(f"the node does not return a transaction: {result.message}")
        elif result is not None:
            transactions[tx_id] = parse_transaction(result, tx_id)
    return transactions


def parse_transaction(value: Any, tx_id: str) -> ParsedTransaction:
    """Parse one transaction and check that it is the requested one."""
    transaction = as_object(value, "a transaction")
    inner = as_object(transaction.get("transaction"), "it")
    meta = as_object(transaction.get("meta"), "its outcome")
    message = as_object(inner.get("message"), "a message")
    if tx_id not in as_list(inner.get("signatures"), "signatures")[:1]:
        raise MalformedResponse("the node answered another transaction than was asked for")
    keys = _keys(message, meta)
    logs = as_list(meta.get("logMessages") or [], "logs")
    return ParsedTransaction(
        tx_id=tx_id,
        slot=as_u64(transaction.get("slot"), "a slot"),
        at=parse_time(transaction.get("blockTime")),
        error=meta.get("err"),
        keys=keys,
        lamports_before=_lamports(meta.get("preBalances"), keys),
        lamports_after=_lamports(meta.get("postBalances"), keys),
        before=_holdings(meta.get("preTokenBalances"), keys),
        after=_holdings(meta.get("postTokenBalances"), keys),
        calls=tuple(_calls(message, keys)),
        logs=tuple(log for log in logs if isinstance(log, str)),
    )


def _keys(message: Mapping[str, Any], meta: Mapping[str, Any]) -> tuple[str, ...]:
    listed = as_list(message.get("accountKeys"), "accounts")
    loaded = meta.get("loadedAddresses") or {}
    for part in ("writable", "readonly"):
        listed = listed + as_list(as_object(loaded, "accounts").get(part) or [], "accounts")
    return tuple(parse_address(key) for key in listed)


def _lamports(value: Any, keys: Sequence[str]) -> tuple[int, ...]:
    values = tuple(as_u64(entry, "a balance") for entry in as_list(value, "balances"))
    if len(values) != len(keys):
        raise MalformedResponse("the node answered balances of other accounts")
    return values


def _holdings(value: Any, keys: Sequence[str]) -> dict[int, TokenBalance]:
    balances = {}
    for entry in as_list(value or [], "balances"):
        fields = as_object(entry, "a balance")
        index = as_u64(fields.get("accountIndex"), "a place")
        amount = as_object(fields.get("uiTokenAmount"), "an amount").get("amount")
        if index >= len(keys) or not isinstance(amount, str) or not amount.isdecimal():
            raise MalformedResponse("the node did not return a balance")
        owner = fields.get("owner") or SYSTEM
        balances[index] = TokenBalance(
            parse_address(owner), parse_address(fields.get("mint")), int(amount)
        )
    return balances


def _calls(message: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Call]:
    for entry in as_list(message.get("instructions"), "instructions"):
        instruction = as_object(entry, "an instruction")
        index, data = as_u64(instruction.get("programIdIndex"), "a place"), instruction.get("data")
        malformed = MalformedResponse("the node answered something else than an instruction")
        if index >= len(keys) or not isinstance(data, str):
            raise malformed
        try:
            yield Call(keys[index], base58.b58decode(data))
        except ValueError:
            raise malformed from None


@dataclass(frozen=True, slots=True)
class SignatureEntry:
    """An entry of an account's transaction list."""

    tx_id: str
    slot: int
    succeeded: bool


def signatures_request(address: str, until: str = "", before: str = "") -> RpcRequest:
    """A request for the newest transactions of an account."""
    options: dict[str, Any] = {"limit": PAGE, "commitment": CONFIRMED}
    if until:
        options["until"] = until
    if before:
        options["before"] = before
    return RpcRequest("getSignaturesForAddress", (address, options))


def parse_signatures(value: Any) -> list[SignatureEntry]:
    """Parse the transactions of an account, newest first."""
    entries = []
    for entry in as_list(value, "transactions"):
        fields = as_object(entry, "a transaction")
        tx_id, slot = (
            as_text(fields.get("signature"), "a name"),
            as_u64(fields.get("slot"), "a slot"),
        )
        entries.append(SignatureEntry(tx_id, slot, fields.get("err") is None))
    return entries


def fetch_signatures(
    session: RpcSession, addresses: Sequence[str], until: Mapping[str, str]
) -> dict[str, list[SignatureEntry]]:
    """The transactions of each account after a known one, newest first."""
    results = session.call(
        *(signatures_request(address, until.get(address, "")) for address in addresses)
    )
    signatures = {}
    for address, result in zip(addresses, results, strict=True):
        entries = page = parse_signatures(result)
        pages = 1
        while len(page) == PAGE and pages < _MAX_PAGES:
            after = until.get(address, "")
            page = parse_signatures(
                session.call(signatures_request(address, after, page[-1].tx_id))[0]
            )
            entries, pages = entries + page, pages + 1
        signatures[address] = entries
    return signatures
