"""Results of included transactions: token transfers, or the reason of failure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana.chain_context import ChainContext, fetch_blocks
from crossway.adapters.chains.solana.pdas import SYSTEM
from crossway.adapters.chains.solana.rpc_schemas import Block
from crossway.adapters.chains.solana.transaction_parser import (
    RETAINED,
    ParsedTransaction,
    TokenMovement,
    fetch_transactions,
)
from crossway.ports.chain import ALREADY_DONE, NOTHING_TO_MOVE, IncludedTx, TokenTransfer


@dataclass(frozen=True, slots=True)
class FailureReason:
    """An error in words; `permanent` if the same call can never succeed."""

    words: str
    permanent: bool


_PROGRAM_ERRORS: Mapping[int, FailureReason] = {
    7001: FailureReason("the program does not understand the call", True),
    7002: FailureReason("an account is not the one that the program asks for", True),
    7003: FailureReason("the terms name another chain", True),
    7004: FailureReason("the program does not accept the terms", True),
    7005: FailureReason("the time in which it could be started is over", True),
    7006: FailureReason(ALREADY_DONE, True),
    7007: FailureReason("the deposit address holds less than the total", False),
    7008: FailureReason("it is too early for this", False),
    7009: FailureReason(NOTHING_TO_MOVE, False),
    7010: FailureReason("this account may not do this", True),
    7011: FailureReason(ALREADY_DONE, True),
    7012: FailureReason("the deposit was not collected", False),
    7013: FailureReason("more was to be paid out than was collected", True),
    7014: FailureReason(ALREADY_DONE, True),
    7015: FailureReason(
        "the receiver's account for the token is missing, frozen or wants a memo", False
    ),
    7016: FailureReason("the token keeps a part of what is sent", True),
    7017: FailureReason(
        "the token takes a fee, calls a hook or can be taken back by its issuer", True
    ),
    7018: FailureReason("an account would hold less SOL than Solana lets stand", False),
    7019: FailureReason("the time in which it could be filled is over", True),
}
_TOKEN_ERRORS: Mapping[int, FailureReason] = {
    1: FailureReason("the relayer's stock was short", False),
    17: FailureReason("the account for the token is frozen", False),
}
_BY_NAME: Mapping[str, FailureReason] = {
    "InsufficientFundsForFee": FailureReason("the relayer has too little SOL for the fee", False),
    "InsufficientFundsForRent": FailureReason(
        "an account would hold less SOL than Solana lets stand", False
    ),
    "BlockhashNotFound": FailureReason("its time is over", False),
    "ComputationalBudgetExceeded": FailureReason("it needed more work than it was given", False),
    "ProgramFailedToComplete": FailureReason("it needed more work than it was given", False),
}
_UNKNOWN = FailureReason("the transaction failed", False)


def failure_of(error: Any) -> FailureReason:
    """The reason of a transaction's error."""
    if isinstance(error, str):
        return _BY_NAME.get(error, _UNKNOWN)
    if not isinstance(error, dict):
        return _UNKNOWN
    inner = error.get("InstructionError")
    if not isinstance(inner, list) or len(inner) != 2:
        return next((_BY_NAME[name] for name in error if name in _BY_NAME), _UNKNOWN)
    if isinstance(inner[1], dict) and isinstance(code := inner[1].get("Custom"), int):
        return _PROGRAM_ERRORS.get(code) or _TOKEN_ERRORS.get(code, _UNKNOWN)
    return _BY_NAME.get(inner[1], _UNKNOWN) if isinstance(inner[1], str) else _UNKNOWN


def fetch_included(
    context: ChainContext, session: RpcSession, names: Sequence[str]
) -> dict[str, IncludedTx]:
    """The results of the transactions that are in a block."""
    read = fetch_transactions(session, names)
    in_blocks = fetch_blocks(session, {entry.slot for entry in read.values()})
    return included_of(context, read.values(), in_blocks)


def included_of(
    context: ChainContext, read: Collection[ParsedTransaction], in_blocks: Mapping[int, Block]
) -> dict[str, IncludedTx]:
    """The results of transactions, with their blocks."""
    return {
        transaction.name: _included_tx(context, transaction, in_blocks[transaction.slot])
        for transaction in read
        if transaction.slot in in_blocks
    }


def _included_tx(context: ChainContext, transaction: ParsedTransaction, at: Block) -> IncludedTx:
    if transaction.error is not None:
        why = failure_of(transaction.error)
        paid = transaction.lamports_before[0] - transaction.lamports_after[0]
        return IncludedTx(
            transaction.slot, at.hash, at.at, (), max(paid, 0), why.words, why.permanent
        )
    movement = transaction.movements(context.program.id)
    moves = tuple(_token_transfer(context, each) for each in movement if each.why != RETAINED)
    return IncludedTx(
        transaction.slot, at.hash, at.at, moves, _fee_paid(context, transaction, movement)
    )


def _token_transfer(context: ChainContext, movement: TokenMovement) -> TokenTransfer:
    native = context.catalogue.native_token(context.chain.id)
    return TokenTransfer(
        movement.source,
        movement.to,
        native if movement.token == SYSTEM else movement.token,
        movement.units,
    )


def _fee_paid(
    context: ChainContext, transaction: ParsedTransaction, movements: Sequence[TokenMovement]
) -> int:
    """The cost for our account apart from SOL it paid or received: fees, and rent of created
    accounts less rent returned in the same transaction."""
    account, coins = context.accounts.relayer, [t for t in movements if t.token == SYSTEM]
    paid = sum(t.units for t in coins if t.source == account)
    got = sum(t.units for t in coins if t.to == account)
    less = sum(
        before - after
        for key, before, after in zip(
            transaction.keys, transaction.lamports_before, transaction.lamports_after, strict=True
        )
        if key == account
    )
    return max(less - paid + got, 0)
