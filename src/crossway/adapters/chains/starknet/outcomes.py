"""What became of transactions in blocks: what they moved, or why they moved nothing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.starknet.felts import name_of, number, selector, text_of, whole
from crossway.adapters.chains.starknet.ground import Ground, ask_receipts, blocks_at
from crossway.adapters.chains.starknet.wire import (
    Block,
    Event,
    Malformed,
    Receipt,
    felts,
    receipt,
    table,
)
from crossway.ports.chain import ALREADY_DONE, NOTHING_LEFT, Mined, Moved

MOVED = selector("Moved")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,64}")
_SPELLED = re.compile(r"[A-Z][A-Z_]{3,30}")


@dataclass(frozen=True, slots=True)
class Why:
    """A contract's refusal in words; `permanent` when the same call can never work."""

    words: str
    permanent: bool


_REFUSALS: Mapping[str, Why] = {
    "ALREADY_STARTED": Why(ALREADY_DONE, True),
    "ALREADY_FILLED": Why(ALREADY_DONE, True),
    "ALREADY_SETTLED": Why(ALREADY_DONE, True),
    "NOTHING_LEFT": Why(NOTHING_LEFT, False),
    "EXPIRED": Why("the time in which it could be started is over", True),
    "TOO_EARLY": Why("it is too early for this", False),
    "SHORT": Why("the deposit address holds less than the total", False),
    "NOT_STARTED": Why("the deposit was not collected", False),
    "REFUSED": Why("the receiver or the token refuses this transfer", True),
    "RECEIVED_LESS": Why("the token keeps a part of what is sent", True),
    "BAD_TERMS": Why("the contract does not accept the terms", True),
    "NOT_ALLOWED": Why("this account may not do this", True),
    "WRONG_CHAIN": Why("the terms name another chain", True),
    "TOO_MUCH": Why("more was to be paid out than was collected", True),
    "BALANCE_UNKNOWN": Why("the token does not say what is held", False),
}
# A token may answer so for what the relayer lacks as well as for its receiver.
_NOT_PAID = Why("the token refuses this payment, or the relayer's stock was short", False)
# In the words of nodes and tokens, the narrower ones first.
_WORDS: Mapping[str, Why] = {
    "insufficient max": Why(
        "it needed more gas than a transaction may use: raise l2_gas and data_gas in traits.toml",
        False,
    ),
    "insufficient fee": Why("the relayer holds too little STRK for fees", False),
    "insufficient": Why("the relayer's stock was short", False),
}
_UNKNOWN = Why("the transaction reverted", False)


def receipts_of(line: Line, tx_ids: Sequence[str]) -> dict[str, Receipt]:
    """The receipts of those that are in an accepted block."""
    answers = line.tell(ask_receipts(tx_ids))
    found = {one: receipt(a, one) for one, a in zip(tx_ids, answers, strict=True)}
    return {one: its for one, its in found.items() if its is not None}


def mined(ground: Ground, line: Line, tx_ids: Sequence[str]) -> dict[str, Mined | None]:
    """What became of each that is in a block; None where its block does not stand any more."""
    receipts = receipts_of(line, tx_ids)
    if not receipts:
        return {}
    in_blocks = blocks_at(line, {its.height for its in receipts.values()})
    why = {one: why_of(its.reason) for one, its in receipts.items() if not its.worked}
    refused = [one for one, said in why.items() if said == _REFUSALS["REFUSED"]]
    why |= dict.fromkeys(_fills(line, refused), _NOT_PAID)
    return {
        one: _mined(ground, its, in_blocks[its.height], why.get(one))
        for one, its in receipts.items()
    }


def _fills(line: Line, tx_ids: Sequence[str]) -> list[str]:
    """Those that were to pay a recipient."""
    asked = [Question("starknet_getTransactionByHash", (hex(number(i)),)) for i in tx_ids]
    answers = line.ask(*asked)
    fill = selector("fill")
    return [
        one
        for one, answer in zip(tx_ids, answers, strict=True)
        if fill in felts(table(answer, "a transaction").get("calldata"), "calldata")
    ]


def _mined(ground: Ground, its: Receipt, at: Block, why: Why | None) -> Mined | None:
    if at.hash != its.block_hash:
        return None
    if why is not None:
        return Mined(its.height, at.hash, at.at, (), its.fee_units, why.words, why.permanent)
    return Mined(its.height, at.hash, at.at, _moves(ground, its), its.fee_units)


def _moves(ground: Ground, its: Receipt) -> tuple[Moved, ...]:
    """What our contracts say that they moved; no other contract is believed."""
    ours = (ground.at.factory, ground.at.escrow, ground.at.filler)
    return tuple(
        moved_of(one)
        for one in its.events
        if one.address in ours and one.keys and one.keys[0] == MOVED
    )


def moved_of(one: Event) -> Moved:
    """A movement that our contracts tell of."""
    if len(one.data) != 5:
        raise Malformed("the node answered a movement of another form")
    token, source, to, low, high = one.data
    try:
        return Moved(name_of(source), name_of(to), name_of(token), whole(low, high))
    except ValueError:
        raise Malformed("the node answered a movement of another form") from None


def why_of(reason: str) -> Why:
    """Why a transaction reverted. Nodes put what contracts said among words of their own, as
    numbers and often as text, too."""
    said = [text_of(int(one, 16)) for one in _HEX.findall(reason)]
    said += _SPELLED.findall(reason)
    known = [_REFUSALS[one] for one in said if one in _REFUSALS]
    if known:
        return known[0]
    words = " ".join((reason, *said)).lower()
    for part, why in _WORDS.items():
        if part in words:
            return why
    return _UNKNOWN
