"""Transactions that our account made, whoever signed them, and what contracts have done already."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.starknet.calldata import used_call
from crossway.adapters.chains.starknet.felts import number
from crossway.adapters.chains.starknet.ground import Ground, ask_call, ask_nonce, block_id
from crossway.adapters.chains.starknet.outcomes import mined
from crossway.adapters.chains.starknet.wire import (
    IN_A_BLOCK,
    Malformed,
    felt,
    felts,
    hash_of,
    rows,
    table,
)
from crossway.ports.chain import Heads, Made

# About three days: older transactions are settled one way or another.
MOST_BLOCKS = 60_000
_KEYS_AT_ONCE = 200


def used(ground: Ground, markers: Collection[str]) -> set[str]:
    """Those of the markers that a contract has used, as every node says that must agree."""
    return agreement.used(ground.nodes, markers, partial(_used, ground))


def _used(ground: Ground, line: Line, markers: Sequence[str]) -> set[str]:
    where = {"start": ground.at.factory, "fill": ground.at.filler, "settle": ground.at.escrow}
    groups: list[tuple[str, list[str]]] = []
    for kind, contract in where.items():
        mine = [one for one in markers if one.startswith(kind + ":")]
        for at in range(0, len(mine), _KEYS_AT_ONCE):
            groups.append((contract, mine[at : at + _KEYS_AT_ONCE]))
    calls = [used_call(to, [one.partition(":")[2] for one in part]) for to, part in groups]
    answers = line.ask(*(ask_call(call) for call in calls))
    found: set[str] = set()
    for (_, part), answer in zip(groups, answers, strict=True):
        count, *flags = felts(answer, "what was done")
        if count != len(part) or len(flags) != len(part):
            raise Malformed("the contracts do not lie where they should")
        found |= {one for one, flag in zip(part, flags, strict=True) if flag}
    return found


def made_by(ground: Ground, head: Heads, account: str, from_nonce: int) -> Sequence[Made]:
    """Transactions of an account from a nonce on, oldest first: read out of the blocks in which
    the account's nonce rose, which older and older nonces lead to."""

    def work(line: Line) -> list[Made]:
        now = felt(line.ask(ask_nonce(account, head.height))[0], "a nonce")
        if now <= from_nonce:
            return []
        low = max(head.height - MOST_BLOCKS, 0)
        nonces: dict[str, int] = {}
        for height in _risen(line, account, from_nonce, low, head.height, now):
            nonces |= _of_account(line, height, account, from_nonce)
        became = mined(ground, line, list(nonces))
        made = [Made(name, nonces[name], one) for name, one in became.items() if one is not None]
        return sorted(made, key=lambda one: one.nonce)

    return ground.nodes.one(work)


def _risen(line: Line, account: str, from_nonce: int, low: int, high: int, now: int) -> list[int]:
    """The blocks up to `high` in which nonces from this one on were used, each found by halves.
    `now` is the nonce after `high`."""
    spans = [(low, from_nonce, high, now)]
    found: list[int] = []
    while spans:
        near = [span for span in spans if span[2] - span[0] <= 1]
        found += [span[2] for span in near]
        far = [span for span in spans if span[2] - span[0] > 1]
        middles = [(span[0] + span[2]) // 2 for span in far]
        answers = line.ask(*(ask_nonce(account, height) for height in middles))
        spans = []
        for (bottom, before, top, after), middle, answer in zip(far, middles, answers, strict=True):
            there = max(felt(answer, "a nonce"), from_nonce)
            spans += [(bottom, before, middle, there)] if there > before else []
            spans += [(middle, there, top, after)] if after > there else []
    return sorted(found)


def _of_account(line: Line, height: int, account: str, from_nonce: int) -> dict[str, int]:
    """Nonces by transaction, of one account in one block."""
    answer = line.ask(Question("starknet_getBlockWithTxs", (block_id(height),)))[0]
    told = table(answer, "a block")
    if told.get("status") not in IN_A_BLOCK:
        raise Malformed("the node answered a block that is not accepted")
    found: dict[str, int] = {}
    for one in rows(told.get("transactions"), "transactions"):
        nonce = _nonce_of(table(one, "a transaction"), account)
        if nonce is not None and nonce >= from_nonce:
            found[hash_of(one.get("transaction_hash"), "a transaction's name")] = nonce
    return found


def _nonce_of(told: Any, account: str) -> int | None:
    sender = told.get("sender_address")
    if sender is None or felt(sender, "a sender") != number(account):
        return None
    return felt(told.get("nonce"), "a nonce")
