"""What became of transactions in blocks: what they moved, or why they moved nothing."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.solana.ground import Ground, blocks_at
from crossway.adapters.chains.solana.places import SYSTEM
from crossway.adapters.chains.solana.reading import ASIDE, Told, Transaction, transactions
from crossway.adapters.chains.solana.wire import Block
from crossway.ports.chain import ALREADY_DONE, NOTHING_LEFT, Mined, Moved


@dataclass(frozen=True, slots=True)
class Why:
    """An error in words; `permanent` when the same call can never work."""

    words: str
    permanent: bool


_OURS: Mapping[int, Why] = {
    7001: Why("the program does not understand the call", True),
    7002: Why("an account is not the one that the program asks for", True),
    7003: Why("the terms name another chain", True),
    7004: Why("the program does not accept the terms", True),
    7005: Why("the time in which it could be started is over", True),
    7006: Why(ALREADY_DONE, True),
    7007: Why("the deposit address holds less than the total", False),
    7008: Why("it is too early for this", False),
    7009: Why(NOTHING_LEFT, False),
    7010: Why("this account may not do this", True),
    7011: Why(ALREADY_DONE, True),
    7012: Why("the deposit was not collected", False),
    7013: Why("more was to be paid out than was collected", True),
    7014: Why(ALREADY_DONE, True),
    7015: Why("the receiver's account for the token is missing, frozen or wants a memo", False),
    7016: Why("the token keeps a part of what is sent", True),
    7017: Why("the token takes a fee, calls a hook or can be taken back by its issuer", True),
    7018: Why("an account would hold less SOL than Solana lets stand", False),
    7019: Why("the time in which it could be filled is over", True),
}
_OF_TOKENS: Mapping[int, Why] = {
    1: Why("the relayer's stock was short", False),
    17: Why("the account for the token is frozen", False),
}
_BY_NAME: Mapping[str, Why] = {
    "InsufficientFundsForFee": Why("the relayer has too little SOL for the fee", False),
    "InsufficientFundsForRent": Why("an account would hold less SOL than Solana lets stand", False),
    "BlockhashNotFound": Why("its time is over", False),
    "ComputationalBudgetExceeded": Why("it needed more work than it was given", False),
    "ProgramFailedToComplete": Why("it needed more work than it was given", False),
}
_UNKNOWN = Why("the transaction failed", False)


def why_of(error: Any) -> Why:
    """The reason in what a node calls an error of a transaction."""
    if isinstance(error, str):
        return _BY_NAME.get(error, _UNKNOWN)
    if not isinstance(error, dict):
        return _UNKNOWN
    inner = error.get("InstructionError")
    if not isinstance(inner, list) or len(inner) != 2:
        return next((_BY_NAME[name] for name in error if name in _BY_NAME), _UNKNOWN)
    if isinstance(inner[1], dict) and isinstance(code := inner[1].get("Custom"), int):
        return _OURS.get(code) or _OF_TOKENS.get(code, _UNKNOWN)
    return _BY_NAME.get(inner[1], _UNKNOWN) if isinstance(inner[1], str) else _UNKNOWN


def mined(ground: Ground, line: Line, names: Sequence[str]) -> dict[str, Mined]:
    """What became of those that are in a block that stands."""
    read = transactions(line, names)
    in_blocks = blocks_at(line, {one.slot for one in read.values()})
    return became(ground, read.values(), in_blocks)


def became(
    ground: Ground, read: Collection[Transaction], in_blocks: Mapping[int, Block]
) -> dict[str, Mined]:
    """What transactions did, with the blocks that they are in."""
    return {one.name: _mined(ground, one, in_blocks[one.slot]) for one in read
            if one.slot in in_blocks}  # fmt: skip


def _mined(ground: Ground, one: Transaction, at: Block) -> Mined:
    if one.error is not None:
        why = why_of(one.error)
        paid = one.lamports_before[0] - one.lamports_after[0]
        return Mined(one.slot, at.hash, at.at, (), max(paid, 0), why.words, why.permanent)
    told = one.told(ground.program.id)
    moves = tuple(_move(ground, each) for each in told if each.why != ASIDE)
    return Mined(one.slot, at.hash, at.at, moves, _cost(ground, one, told))


def _move(ground: Ground, told: Told) -> Moved:
    native = ground.catalogue.native_token(ground.chain.id)
    return Moved(told.source, told.to, native if told.token == SYSTEM else told.token, told.units)


def _cost(ground: Ground, one: Transaction, told: Sequence[Told]) -> int:
    """What our account has less, besides what it paid or got as SOL: fees, and rent of accounts
    that were made. Rent that came back to it in the same transaction is taken off."""
    account, coins = ground.own.relayer, [t for t in told if t.token == SYSTEM]
    paid = sum(t.units for t in coins if t.source == account)
    got = sum(t.units for t in coins if t.to == account)
    less = sum(
        before - after
        for key, before, after in zip(
            one.keys, one.lamports_before, one.lamports_after, strict=True
        )
        if key == account
    )
    return max(less - paid + got, 0)
