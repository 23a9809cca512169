"""Deposits found in single transactions, and their verification."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana.chain_context import ChainContext, fetch_blocks
from crossway.adapters.chains.solana.pdas import SYSTEM, is_native
from crossway.adapters.chains.solana.rpc_schemas import Malformed
from crossway.adapters.chains.solana.transaction_parser import (
    ParsedTransaction,
    TokenMovement,
    fetch_transactions,
)
from crossway.domain.deposits import IncomingTransfer


def deposits_in(
    context: ChainContext,
    session: RpcSession,
    read: Iterable[ParsedTransaction],
    owners: Collection[str],
) -> list[IncomingTransfer]:
    """The incoming transfers of transactions with their blocks, in order."""
    succeeded = [transaction for transaction in read if transaction.error is None]
    arrivals = [
        each
        for transaction in succeeded
        for each in _find_arrivals(context, transaction, set(owners))
    ]
    in_blocks = fetch_blocks(session, {transaction.slot for transaction, _ in arrivals})
    incoming = []
    for transaction, arrival in arrivals:
        block = in_blocks.get(transaction.slot)
        if block is None:
            raise Malformed(f"the node reports block {transaction.slot} and does not have it")
        incoming.append(
            IncomingTransfer(
                chain=context.chain.id,
                tx_hash=transaction.name,
                index=arrival.index,
                block_height=transaction.slot,
                block_hash=block.hash,
                token=arrival.token,
                sender=arrival.sender,
                to=arrival.to,
                amount=arrival.units,
                at=block.at,
            )
        )
    return sorted(incoming, key=sort_key)


def sort_key(transfer: IncomingTransfer) -> tuple[int, str, int]:
    """Oldest first; nodes do not report the order within a block."""
    return transfer.block_height, transfer.tx_hash, transfer.index


@dataclass(frozen=True, slots=True)
class _Arrival:
    index: int
    token: str
    sender: str
    to: str
    units: int


def _find_arrivals(
    context: ChainContext, transaction: ParsedTransaction, owners: set[str]
) -> list[tuple[ParsedTransaction, _Arrival]]:
    """The deposits of a transaction to these addresses, including amounts that the program moved
    out again in the same transaction."""
    movements = transaction.movements(context.program.id)
    arrivals = []
    for index, (owner, token) in _touched_accounts(context, transaction, owners).items():
        native = is_native(token)
        mint = SYSTEM if native else token
        moved_out = sum(t.units for t in movements if (t.source, t.token) == (owner, mint))
        units = (
            transaction.lamports_gained(index, native)
            + moved_out
            - (_moved_out(context, transaction, movements) if native else 0)
        )
        if units > 0:
            sender = _sender(transaction, index, None if native else token)
            arrivals.append((transaction, _Arrival(index, token, sender, owner, units)))
    return arrivals


def _moved_out(
    context: ChainContext, transaction: ParsedTransaction, movements: Sequence[TokenMovement]
) -> int:
    """Lamports that a refund took from the state account and reported for the deposit address."""
    states = {context.program.state(each.key) for each in movements}
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
        is_watched = holding.owner in owners and holding.mint in context.tokens
        if (
            is_watched
            and context.mints.account_of(holding.owner, holding.mint) == transaction.keys[index]
        ):
            touched[index] = (holding.owner, holding.mint)
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


def verify_inclusion(context: ChainContext, incoming: Sequence[IncomingTransfer]) -> Sequence[bool]:
    """Whether each transfer is in its block, according to the quorum."""
    look = partial(_verify_on_node, context, incoming=incoming)
    return quorum_reads.verify_inclusion(context.pool, incoming, look)


def _verify_on_node(
    context: ChainContext, session: RpcSession, incoming: Sequence[IncomingTransfer]
) -> list[bool]:
    transactions = fetch_transactions(session, sorted({one.tx_hash for one in incoming}))
    in_blocks = fetch_blocks(session, {one.block_height for one in incoming})

    def stands(transfer: IncomingTransfer) -> bool:
        transaction, block = (
            transactions.get(transfer.tx_hash),
            in_blocks.get(transfer.block_height),
        )
        if transaction is None or block is None or transaction.error is not None:
            return False
        if transaction.slot != transfer.block_height or block.hash != transfer.block_hash:
            return False
        return any(
            (arrival.index, arrival.token, arrival.to, arrival.units)
            == (transfer.index, transfer.token, transfer.to, transfer.amount)
            for _, arrival in _find_arrivals(context, transaction, {transfer.to})
        )

    return [stands(one) for one in incoming]
