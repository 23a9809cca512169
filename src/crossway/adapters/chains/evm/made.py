"""Transactions that our account made, whoever signed them, and what contracts have done already."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from crossway.adapters.chains.binding import WORD
from crossway.adapters.chains.evm.calldata import used_call
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.logs import events, topic
from crossway.adapters.chains.evm.native import MOVED
from crossway.adapters.chains.evm.outcomes import mined
from crossway.adapters.chains.evm.wire import (
    Malformed,
    address_of,
    data_of,
    hash_of,
    integer,
    rows,
    table,
)
from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.ports.chain import Heads, Made

# Blocks read one by one, newest first; older transactions are found by our contracts' events.
MOST_BLOCKS, _AT_ONCE = 600, 20
_EVENT_BLOCKS = 200_000
_KEYS_AT_ONCE = 500


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
    answers = line.ask(
        *(
            Question("eth_call", ({"to": c.to, "data": "0x" + c.data.hex()}, "latest"))
            for c in calls
        )
    )
    found: set[str] = set()
    for (_, part), answer in zip(groups, answers, strict=True):
        words = data_of(answer, "what was done")
        if len(words) != (len(part) + 2) * WORD:
            raise Malformed("the contracts do not lie where they should")
        flags = [words[(n + 3) * WORD - 1] for n in range(len(part))]
        found |= {one for one, flag in zip(part, flags, strict=True) if flag}
    return found


def made_by(ground: Ground, head: Heads, account: str, from_nonce: int) -> Sequence[Made]:
    """Transactions of an account from a nonce on, oldest first: all of the newest blocks, and of
    older ones those that our contracts tell of."""

    def work(line: Line) -> list[Made]:
        count = Question("eth_getTransactionCount", (account, "latest"))
        if integer(line.ask(count)[0], "a nonce") <= from_nonce:
            return []
        nonces = _newest(line, head, account, from_nonce)
        if from_nonce not in nonces.values():
            nonces = _told(ground, line, head, account, from_nonce) | nonces
        became = mined(ground, line, list(nonces))
        made = [Made(name, nonces[name], one) for name, one in became.items() if one is not None]
        return sorted(made, key=lambda one: one.nonce)

    return ground.nodes.one(work)


def _newest(line: Line, head: Heads, account: str, from_nonce: int) -> dict[str, int]:
    """Nonces by transaction, block by block downwards until the first that is asked for."""
    found: dict[str, int] = {}
    lowest = max(head.height - MOST_BLOCKS, 0)
    for top in range(head.height, lowest, -_AT_ONCE):
        heights = range(top, max(top - _AT_ONCE, lowest), -1)
        answers = line.ask(*(Question("eth_getBlockByNumber", (hex(h), True)) for h in heights))
        for answer in answers:
            listed = rows(table(answer, "a block").get("transactions"), "transactions")
            found |= _of_account(listed, account, from_nonce)
        if from_nonce in found.values():
            break
    return found


def _of_account(transactions: Sequence[Any], account: str, from_nonce: int) -> dict[str, int]:
    found = {}
    for one in transactions:
        told = table(one, "a transaction")
        if address_of(told.get("from")) == account:
            nonce = integer(told.get("nonce"), "a nonce")
            if nonce >= from_nonce:
                found[hash_of(told.get("hash"))] = nonce
    return found


def _told(ground: Ground, line: Line, head: Heads, account: str, from_nonce: int) -> dict[str, int]:
    """Nonces of transactions that our contracts tell of, stretch by stretch downwards."""
    wanted = {
        "address": [ground.at.factory, ground.at.escrow, ground.at.filler],
        "topics": [MOVED, None, topic(account)],
    }
    lowest = max(head.height - _EVENT_BLOCKS, 0)
    names = {one.tx_hash for one in events(line, ground.limits, wanted, lowest, head.height)}
    ordered = sorted(names)
    answers = line.ask(*(Question("eth_getTransactionByHash", (one,)) for one in ordered))
    return _of_account([one for one in answers if one is not None], account, from_nonce)
