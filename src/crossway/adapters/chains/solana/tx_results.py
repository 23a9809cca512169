"""Results of included Solana transactions: the transfers they made, or why they failed."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.tx_results import RevertReason
from crossway.adapters.chains.solana.chain_context import ChainContext, read_blocks
from crossway.adapters.chains.solana.pdas import SYSTEM
from crossway.adapters.chains.solana.rpc_schemas import Block
from crossway.adapters.chains.solana.transaction_parser import (
    RETAINED,
    ParsedTransaction,
    TokenMovement,
    fetch_transactions,
)
from crossway.ports.chain import ALREADY_DONE, NOTHING_TO_MOVE, IncludedTx, TokenTransfer

_PROGRAM_ERRORS: Mapping[int, RevertReason] = {
    7001: RevertReason("the program does not understand the call", True),
    7002: RevertReason("an account is not the one that the program asks for", True),
    7003: RevertReason("the terms name another chain", True),
    7004: RevertReason("the program does not accept the terms", True),
    7005: RevertReason("the time in which it could be started is over", True),
    7006: RevertReason(ALREADY_DONE, True),
    7007: RevertReason("the deposit address holds less than the total", False),
    7008: RevertReason("it is too early for this", False),
    7009: RevertReason(NOTHING_TO_MOVE, False),
    7010: RevertReason("this account may not do this", True),
    7011: RevertReason(ALREADY_DONE, True),
    7012: RevertReason("the deposit was not collected", False),
    7013: RevertReason("more was to be paid out than was collected", True),
    7014: RevertReason(ALREADY_DONE, True),
    7015: RevertReason(
        "the receiver's account does not take this: it is a program's, missing, frozen or wants "
        "a memo",
        False,
    ),
    7016: RevertReason("the token keeps a part of what is sent", True),
    7017: RevertReason(
        "the token takes a fee, calls a hook or can be taken back by its issuer", True
    ),
    7018: RevertReason("an account would hold less SOL than Solana lets stand", False),
    7019: RevertReason("the time in which it could be filled is over", True),
}
_TOKEN_ERRORS: Mapping[int, RevertReason] = {
    1: RevertReason("the relayer's stock was short", False),
    17: RevertReason("the account for the token is frozen", False),
}
_BY_NAME: Mapping[str, RevertReason] = {
    "InsufficientFundsForFee": RevertReason("the relayer has too little SOL for the fee", False),
    "InsufficientFundsForRent": RevertReason(
        "an account would hold less SOL than Solana lets stand", False
    ),
    "BlockhashNotFound": RevertReason("its time is over", False),
    "ComputationalBudgetExceeded": RevertReason("it needed more work than it was given", False),
    "ProgramFailedToComplete": RevertReason("it needed more work than it was given", False),
}
_UNKNOWN = RevertReason("the transaction failed", False)


def failure_of(error: Any) -> RevertReason:
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
    context: ChainContext, session: RpcSession, tx_ids: Sequence[str]
) -> dict[str, IncludedTx]:
    """The results of the transactions that are in a block."""
    transactions = fetch_transactions(session, tx_ids).values()
    blocks = read_blocks(session, {transaction.slot for transaction in transactions})
    return included_of(context, transactions, blocks)


def included_of(
    context: ChainContext, transactions: Collection[ParsedTransaction], blocks: Mapping[int, Block]
) -> dict[str, IncludedTx]:
    """The results of transactions, with their blocks."""
    return {
        transaction.tx_id: _included_tx(context, transaction, blocks[transaction.slot])
        for transaction in transactions
        if transaction.slot in blocks
    }


def _included_tx(context: ChainContext, transaction: ParsedTransaction, block: Block) -> IncludedTx:
    slot, block_hash, at = transaction.slot, block.hash, block.time
    if transaction.error is not None:
        reason = failure_of(transaction.error)
        paid = max(transaction.lamports_before[0] - transaction.lamports_after[0], 0)
        return IncludedTx(slot, block_hash, at, (), paid, reason.message, reason.permanent)
    movements = transaction.movements(context.program.id)
    transfers = tuple(_token_transfer(context, m) for m in movements if m.reason != RETAINED)
    return IncludedTx(slot, block_hash, at, transfers, _fee_paid(context, transaction, movements))


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
    account = context.accounts.relayer
    native = [movement for movement in movements if movement.token == SYSTEM]
    paid = sum(movement.units for movement in native if movement.source == account)
    received = sum(movement.units for movement in native if movement.to == account)
    balances = zip(
        transaction.keys, transaction.lamports_before, transaction.lamports_after, strict=True
    )
    decrease = sum(before - after for key, before, after in balances if key == account)
    return max(decrease - paid + received, 0)
