"""Deposits found in single transactions, and their verification."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.solana.chain_context import ChainContext, read_blocks
from crossway.adapters.chains.solana.pdas import SYSTEM, is_native
from crossway.adapters.chains.solana.transaction_parser import (
    ParsedTransaction,
    TokenMovement,
    fetch_transactions,
)
from crossway.domain.deposits import IncomingTransfer


def deposits_in(
    context: ChainContext,
    session: RpcSession,
    transactions: Iterable[ParsedTransaction],
    owners: Collection[str],
) -> list[IncomingTransfer]:
    """The incoming transfers of transactions with their blocks, in order."""
    succeeded = [transaction for transaction in transactions if transaction.error is None]
    watched = set(owners)
    deposits = [d for t in succeeded for d in _find_deposits(context, t, watched)]
    blocks = read_blocks(session, {transaction.slot for transaction, _ in deposits})
    incoming = []
    for transaction, deposit in deposits:
        block = blocks.get(transaction.slot)
        if block is None:
            raise MalformedResponse(
                f"the node reports block {transaction.slot} and does not have it"
            )
        incoming.append(
            IncomingTransfer(
                chain=context.chain.id,
                tx_hash=transaction.tx_id,
                index=deposit.index,
                block_height=transaction.slot,
                block_hash=block.hash,
                token=deposit.token,
                sender=deposit.sender,
                to=deposit.to,
                amount=deposit.units,
                at=block.time,
            )
        )
    return sorted(incoming, key=sort_key)


def sort_key(transfer: IncomingTransfer) -> tuple[int, str, int]:
    """Oldest first; nodes do not report the order within a block."""
    return transfer.block_height, transfer.tx_hash, transfer.index


@dataclass(frozen=True, slots=True)
class _Deposit:
    index: int
    token: str
    sender: str
    to: str
    units: int


def _find_deposits(
    context: ChainContext, transaction: ParsedTransaction, owners: set[str]
) -> list[tuple[ParsedTransaction, _Deposit]]:
    """The deposits of a transaction to these addresses, including amounts that the program moved
    out again in the same transaction."""
    movements = transaction.movements(context.program.id)
    deposits = []
    for index, (owner, token) in _touched_accounts(context, transaction, owners).items():
        native = is_native(token)
        mint = SYSTEM if native else token
        moved_out = sum(t.units for t in movements if (t.source, t.token) == (owner, mint))
        units = transaction.lamports_gained(index, native) + moved_out
        units -= _moved_out(context, transaction, movements) if native else 0
        if units > 0:
            sender = _sender(transaction, index, None if native else token)
            deposits.append((transaction, _Deposit(index, token, sender, owner, units)))
    return deposits


def _moved_out(
    context: ChainContext, transaction: ParsedTransaction, movements: Sequence[TokenMovement]
) -> int:
    """Lamports that a refund took from the state account and reported for the deposit address."""
    states = {context.program.state(movement.key) for movement in movements}
    changes = (
        transaction.lamports_gained(index, True)
        for index, key in enumerate(transaction.keys)
        if key in states
    )
    return sum(-change for change in changes if change < 0)


def _touched_accounts(
    context: ChainContext, transaction: ParsedTransaction, owners: set[str]
) -> dict[int, tuple[str, str]]:
    """The indexes of deposit accounts, with their owners and mints."""
    touched = {}
    if context.native:
        for index, key in enumerate(transaction.keys):
            if key in owners:
                touched[index] = (key, context.native)
    for index, holding in {**transaction.before, **transaction.after}.items():
        owner, mint = holding.owner, holding.mint
        if owner not in owners or mint not in context.tokens:
            continue
        if context.mints.account_of(owner, mint) == transaction.keys[index]:
            touched[index] = (owner, mint)
    # An account created and closed in the same transaction has no balance before and after.
    for movement in transaction.movements(context.program.id):
        if movement.source in owners and movement.token in context.tokens:
            account = context.mints.account_of(movement.source, movement.token)
            if account in transaction.keys:
                touched[transaction.keys.index(account)] = (movement.source, movement.token)
    return touched


def _sender(transaction: ParsedTransaction, receiver: int, mint: str | None) -> str:
    """The sender: the account with the largest decrease."""
    if mint is None:
        changes = {
            n: transaction.lamports_gained(n, True)
            for n in range(len(transaction.keys))
            if n != receiver
        }
        return (
            transaction.keys[min(changes, key=lambda n: changes[n])]
            if changes
            else transaction.keys[0]
        )
    of_mint = {
        n: h for n, h in {**transaction.after, **transaction.before}.items() if h.mint == mint
    }
    changes = {n: transaction.lamports_gained(n, False) for n in of_mint if n != receiver}
    index = min(changes, key=lambda n: changes[n]) if changes else None
    if index is None or changes[index] >= 0:
        return transaction.keys[0]
    return of_mint[index].owner


def verify_deposits(
    context: ChainContext, session: RpcSession, incoming: Sequence[IncomingTransfer]
) -> list[bool]:
    """Whether each transfer is in its block, according to one node."""
    transactions = fetch_transactions(session, sorted({transfer.tx_hash for transfer in incoming}))
    blocks = read_blocks(session, {transfer.block_height for transfer in incoming})

    def is_included(transfer: IncomingTransfer) -> bool:
        transaction, block = transactions.get(transfer.tx_hash), blocks.get(transfer.block_height)
        if transaction is None or block is None or transaction.error is not None:
            return False
        if transaction.slot != transfer.block_height or block.hash != transfer.block_hash:
            return False
        expected = (transfer.index, transfer.token, transfer.to, transfer.amount)
        return any(
            (deposit.index, deposit.token, deposit.to, deposit.units) == expected
            for _, deposit in _find_deposits(context, transaction, {transfer.to})
        )

    return [is_included(transfer) for transfer in incoming]
