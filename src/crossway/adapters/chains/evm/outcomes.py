"""What became of transactions in blocks: what they moved, or why they moved nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.binding import WORD, address_word
from crossway.adapters.chains.evm.calldata import (
    ALLOWANCE,
    BALANCE_OF,
    FILL,
    ZERO,
    selector,
)
from crossway.adapters.chains.evm.ground import Ground, blocks_at
from crossway.adapters.chains.evm.native import MOVED, moved_of
from crossway.adapters.chains.evm.wire import (
    Block,
    Receipt,
    address_of,
    data_of,
    integer,
    receipt,
    table,
)
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.ports.chain import ALREADY_DONE, NOTHING_LEFT, Mined, Moved


@dataclass(frozen=True, slots=True)
class Why:
    """A contract's error in words; `permanent` when the same call can never work."""

    words: str
    permanent: bool


_ERRORS: Mapping[bytes, Why] = {
    selector("AlreadyStarted()"): Why(ALREADY_DONE, True),
    selector("AlreadyFilled()"): Why(ALREADY_DONE, True),
    selector("AlreadySettled()"): Why(ALREADY_DONE, True),
    selector("NothingLeft()"): Why(NOTHING_LEFT, False),
    selector("Expired()"): Why("the time in which it could be started is over", True),
    selector("TooEarly()"): Why("it is too early for this", False),
    selector("Short(uint256,uint256)"): Why("the deposit address holds less than the total", False),
    selector("NotStarted()"): Why("the deposit was not collected", False),
    selector("Refused(address)"): Why("the receiver or the token refuses this transfer", True),
    selector("ReceivedLess(address)"): Why("the token keeps a part of what is sent", True),
    selector("BadTerms()"): Why("the contract does not accept the terms", True),
    selector("NotAllowed()"): Why("this account may not do this", True),
    selector("WrongChain()"): Why("the terms name another chain", True),
    selector("WrongValue()"): Why("another value was sent along", True),
    selector("TooMuch()"): Why("more was to be paid out than was collected", True),
    selector("BalanceUnknown(address)"): Why("the token does not say what is held", False),
}
UNKNOWN = Why("the transaction reverted", False)
STOCK_SHORT = Why("the relayer's stock or allowance was short", False)
REFUSED = _ERRORS[selector("Refused(address)")]


def receipts_of(line: Line, tx_ids: list[str]) -> dict[str, Receipt]:
    """The receipts of those that are in a block."""
    answers = line.ask(*(Question("eth_getTransactionReceipt", (one,)) for one in tx_ids))
    found = {one: receipt(a, one) for one, a in zip(tx_ids, answers, strict=True)}
    return {one: its for one, its in found.items() if its is not None}


def mined(ground: Ground, line: Line, tx_ids: list[str]) -> dict[str, Mined | None]:
    """What became of each that is in a block; None where its block does not stand any more."""
    receipts = receipts_of(line, tx_ids)
    if not receipts:
        return {}
    in_blocks = blocks_at(line, {its.height for its in receipts.values()})
    why = _reasons(ground, line, {i: r for i, r in receipts.items() if not r.worked})
    return {
        one: _mined(ground, its, in_blocks[its.height], why.get(one))
        for one, its in receipts.items()
    }


def _mined(ground: Ground, its: Receipt, at: Block, why: Why | None) -> Mined | None:
    if at.hash != its.block_hash:
        return None
    if why is not None:
        return Mined(its.height, at.hash, at.at, (), its.fee_units, why.words, why.permanent)
    return Mined(its.height, at.hash, at.at, moves_of(ground, its), its.fee_units)


def moves_of(ground: Ground, its: Receipt) -> tuple[Moved, ...]:
    """What our contracts say that they moved; no other contract is believed."""
    ours = (ground.at.factory, ground.at.escrow, ground.at.filler)
    found = []
    for one in its.logs:
        if one.address in ours and one.topics and one.topics[0] == MOVED:
            token, source, to, units = moved_of(one)
            name = ground.catalogue.native_token(ground.chain.id) if token == ZERO else token
            found.append(Moved(source, to, name, units))
    return tuple(found)


def _reasons(ground: Ground, line: Line, failed: Mapping[str, Receipt]) -> dict[str, Why]:
    """Why each reverted, as the same call answers after its block, or else now."""
    names = list(failed)
    answers = line.ask(*(Question("eth_getTransactionByHash", (one,)) for one in names))
    calls = {n: _call_again(a) for n, a in zip(names, answers, strict=True) if a is not None}
    after = [
        Question("eth_call", (call, hex(failed[n].height) if ground.traits.history else "latest"))
        for n, call in calls.items()
    ]
    found = {n: _why(answer) for n, answer in zip(calls, line.tell(after), strict=True)}
    for name, call in calls.items():
        filling = bytes.fromhex(call["data"][2:10]) == FILL
        if filling and found[name] == REFUSED and stock_short(ground, line, call):
            found[name] = STOCK_SHORT
    return {name: found.get(name, UNKNOWN) for name in names}


def _call_again(answer: Any) -> dict[str, str]:
    told = table(answer, "a transaction")
    return {
        "from": address_of(told.get("from")),
        "to": address_of(told.get("to")),
        "data": "0x" + data_of(told.get("input"), "a call").hex(),
        "value": hex(integer(told.get("value"), "a value")),
        "gas": hex(integer(told.get("gas"), "gas")),
    }


def _why(answer: Any) -> Why:
    if not isinstance(answer, Objection) or not answer.data.startswith("0x"):
        return UNKNOWN
    try:
        return why_of(bytes.fromhex(answer.data[2:10]))
    except ValueError:
        return UNKNOWN


def why_of(told: bytes) -> Why:
    """What a contract said as it refused."""
    return _ERRORS.get(told[:4], UNKNOWN)


def stock_short(ground: Ground, line: Line, call: Mapping[str, str]) -> bool:
    """Whether a refused fill was refused for what the relayer lacks, and not for its receiver."""
    words = bytes.fromhex(call["data"][2:])[4:]
    token = address_of("0x" + words[WORD + 12 : 2 * WORD].hex())
    if token == ZERO:
        return False
    units = int.from_bytes(words[3 * WORD : 4 * WORD], "big")
    owner = address_word("evm", call["from"])
    asked = (BALANCE_OF + owner, ALLOWANCE + owner + address_word("evm", ground.at.filler))
    answers = line.ask(
        *(Question("eth_call", ({"to": token, "data": "0x" + a.hex()}, "latest")) for a in asked)
    )
    return any(int.from_bytes(data_of(a, "a balance")[:WORD], "big") < units for a in answers)
