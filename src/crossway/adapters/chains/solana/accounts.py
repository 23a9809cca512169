"""Batched account reads: token balances of wallets, and markers of the program."""

from collections.abc import Collection, Sequence
from functools import partial

from crossway.adapters.chains.rpc import quorum_reads
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.solana.chain_context import CONFIRMED, ChainContext
from crossway.adapters.chains.solana.pdas import TOKEN, TOKEN_2022, is_native
from crossway.adapters.chains.solana.rpc_schemas import (
    Account,
    Malformed,
    parse_account,
    parse_context_value,
    parse_list,
)

# Offset and size of the amount in a token account.
AMOUNT_AT, AMOUNT_SIZE = 64, 8


def accounts_request(addresses: Sequence[str], offset: int = 0, length: int = 0) -> RpcRequest:
    """A request for a slice of the data of up to 100 accounts."""
    options = {
        "encoding": "base64",
        "commitment": CONFIRMED,
        "dataSlice": {"offset": offset, "length": length},
    }
    return RpcRequest("getMultipleAccounts", (list(addresses), options))


def fetch_accounts(
    context: ChainContext,
    session: RpcSession,
    addresses: Sequence[str],
    offset: int = 0,
    length: int = 0,
) -> list[Account | None]:
    """The accounts, in the order of the addresses."""
    return fetch_account_slices(context, session, addresses, offset, length)[1]


def fetch_account_slices(
    context: ChainContext, session: RpcSession, addresses: Sequence[str], offset: int, length: int
) -> tuple[int, list[Account | None]]:
    """The accounts and the oldest slot of the responses; 0 without addresses."""
    size = context.params.accounts
    parts = [addresses[at : at + size] for at in range(0, len(addresses), size)]
    accounts: list[Account | None] = []
    slots: list[int] = []
    responses = session.call(*(accounts_request(part, offset, length) for part in parts))
    for part, response in zip(parts, responses, strict=True):
        slot, value = parse_context_value(response, "accounts")
        listed = parse_list(value, "accounts")
        if len(listed) != len(part):
            raise Malformed("the node answered other accounts than were asked for")
        slots.append(slot)
        accounts += [parse_account(entry) for entry in listed]
    return min(slots, default=0), accounts


def token_amount(account: Account | None, native: bool) -> int:
    """The balance: lamports of an account, or units of a token account."""
    if account is None:
        return 0
    if native:
        return account.lamports
    if account.owner not in (TOKEN, TOKEN_2022) or len(account.data) != AMOUNT_SIZE:
        return 0
    return int.from_bytes(account.data, "little")


def balances(
    context: ChainContext, session: RpcSession, wallets: Sequence[str], token: str
) -> dict[str, int]:
    """Balances of a token by wallet, from their associated token accounts."""
    native = is_native(token)
    accounts = [context.mints.account_of(wallet, token) for wallet in wallets]
    responses = fetch_accounts(context, session, accounts, AMOUNT_AT, AMOUNT_SIZE)
    return {w: token_amount(a, native) for w, a in zip(wallets, responses, strict=True)}


def executed_markers(context: ChainContext, markers: Collection[str]) -> set[str]:
    """The given markers that the program has set, according to the quorum."""
    return quorum_reads.executed_markers(context.pool, markers, partial(_fetch_executed, context))


def _fetch_executed(context: ChainContext, session: RpcSession, markers: Sequence[str]) -> set[str]:
    addresses = [_marker_address(context, marker) for marker in markers]
    accounts = fetch_accounts(context, session, addresses, 0, 2)
    return {
        m for m, a in zip(markers, accounts, strict=True) if _is_marker_of(m, a, context.program.id)
    }


def _marker_address(context: ChainContext, marker: str) -> str:
    kind, _, key = marker.partition(":")
    at = bytes.fromhex(key.removeprefix("0x"))
    return context.program.marker(at) if kind == "fill" else context.program.state(at)


def _is_marker_of(marker: str, account: Account | None, program: str) -> bool:
    if account is None or account.owner != program or len(account.data) != 2:
        return False
    if marker.startswith("fill:"):
        return account.data[:1] == b"F"
    return account.data[:1] == b"S" and (marker.startswith("start:") or account.data[1] == 1)
