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
from crossway.adapters.chains.solana.chain_context import CONFIRMED
from crossway.adapters.chains.solana.pdas import SYSTEM
from crossway.adapters.chains.solana.rpc_schemas import (
    Malformed,
    parse_address,
    parse_base64,
    parse_int,
    parse_list,
    parse_object,
    parse_str,
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

    why: int
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

    name: str
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
    for session in logs:
        if (match := _RUNS.match(session)) is not None:
            running.append(match[1])
        elif session.startswith(_DATA):
            if running and running[-1] == program:
                yield parse_base64(session.removeprefix(_DATA).split(" ")[0])
        elif _ENDED.match(session) and running:
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


def fetch_transactions(session: RpcSession, names: Sequence[str]) -> dict[str, ParsedTransaction]:
    """Transactions by id, without those that the node does not have or whose version is not
    supported."""
    requests = {"encoding": "json", "commitment": CONFIRMED, "maxSupportedTransactionVersion": 0}
    answers = session.batch([RpcRequest("getTransaction", (name, requests)) for name in names])
    transactions = {}
    for name, answer in zip(names, answers, strict=True):
        if isinstance(answer, RpcError):
            if answer.code != _TOO_NEW:
                raise NodeUnavailable(f"the node does not return a transaction: {answer.message}")
        elif answer is not None:
            transactions[name] = parse_transaction(answer, name)
    return transactions


def parse_transaction(value: Any, name: str) -> ParsedTransaction:
    """Parse one transaction and check that it is the requested one."""
    transaction = parse_object(value, "a transaction")
    inner, meta = (
        parse_object(transaction.get("transaction"), "it"),
        parse_object(transaction.get("meta"), "its outcome"),
    )
    message = parse_object(inner.get("message"), "a message")
    if name not in parse_list(inner.get("signatures"), "signatures")[:1]:
        raise Malformed("the node answered another transaction than was asked for")
    keys = _keys(message, meta)
    before = _lamports(meta.get("preBalances"), keys)
    return ParsedTransaction(
        name=name,
        slot=parse_int(transaction.get("slot"), "a slot"),
        at=parse_time(transaction.get("blockTime")),
        error=meta.get("err"),
        keys=keys,
        lamports_before=before,
        lamports_after=_lamports(meta.get("postBalances"), keys),
        before=_holdings(meta.get("preTokenBalances"), keys),
        after=_holdings(meta.get("postTokenBalances"), keys),
        calls=tuple(_calls(message, keys)),
        logs=tuple(
            entry for entry in parse_list(meta.get("logMessages") or [], "logs") if _is_text(entry)
        ),
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _keys(message: Mapping[str, Any], meta: Mapping[str, Any]) -> tuple[str, ...]:
    listed = parse_list(message.get("accountKeys"), "accounts")
    loaded = meta.get("loadedAddresses") or {}
    for part in ("writable", "readonly"):
        listed = listed + parse_list(parse_object(loaded, "accounts").get(part) or [], "accounts")
    return tuple(parse_address(key) for key in listed)


def _lamports(value: Any, keys: Sequence[str]) -> tuple[int, ...]:
    values = tuple(parse_int(entry, "a balance") for entry in parse_list(value, "balances"))
    if len(values) != len(keys):
        raise Malformed("the node answered balances of other accounts")
    return values


def _holdings(value: Any, keys: Sequence[str]) -> dict[int, TokenBalance]:
    balances = {}
    for entry in parse_list(value or [], "balances"):
        told = parse_object(entry, "a balance")
        index = parse_int(told.get("accountIndex"), "a place")
        amount = parse_object(told.get("uiTokenAmount"), "an amount").get("amount")
        if index >= len(keys) or not isinstance(amount, str) or not amount.isdecimal():
            raise Malformed("the node did not return a balance")
        owner = told.get("owner") or SYSTEM
        balances[index] = TokenBalance(
            parse_address(owner), parse_address(told.get("mint")), int(amount)
        )
    return balances


def _calls(message: Mapping[str, Any], keys: Sequence[str]) -> Iterator[Call]:
    for entry in parse_list(message.get("instructions"), "instructions"):
        instruction = parse_object(entry, "an instruction")
        index, data = (
            parse_int(instruction.get("programIdIndex"), "a place"),
            instruction.get("data"),
        )
        if index >= len(keys) or not isinstance(data, str):
            raise Malformed("the node answered something else than an instruction")
        try:
            yield Call(keys[index], base58.b58decode(data))
        except ValueError:
            raise Malformed("the node answered something else than an instruction") from None


@dataclass(frozen=True, slots=True)
class SignatureEntry:
    """An entry of an account's transaction list."""

    name: str
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
    for entry in parse_list(value, "transactions"):
        error = parse_object(entry, "a transaction")
        name, slot = (
            parse_str(error.get("signature"), "a name"),
            parse_int(error.get("slot"), "a slot"),
        )
        entries.append(SignatureEntry(name, slot, error.get("err") is None))
    return entries


def fetch_signatures(
    session: RpcSession, addresses: Sequence[str], until: Mapping[str, str]
) -> dict[str, list[SignatureEntry]]:
    """The transactions of each account after a known one, newest first."""
    answers = session.call(
        *(signatures_request(entry, until.get(entry, "")) for entry in addresses)
    )
    signatures = {}
    for address, answer in zip(addresses, answers, strict=True):
        listed = page = parse_signatures(answer)
        pages = 1
        while len(page) == PAGE and pages < _MAX_PAGES:
            after = until.get(address, "")
            page = parse_signatures(
                session.call(signatures_request(address, after, page[-1].name))[0]
            )
            listed, pages = listed + page, pages + 1
        signatures[address] = listed
    return signatures
