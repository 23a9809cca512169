"""Batched account reads, and token balances of wallets."""

from collections.abc import Sequence

from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list
from crossway.adapters.chains.solana.chain_context import CONFIRMED, ChainContext
from crossway.adapters.chains.solana.pdas import TOKEN, TOKEN_2022, is_native
from crossway.adapters.chains.solana.rpc_schemas import Account, parse_account, parse_context_value

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
        listed = as_list(value, "accounts")
        if len(listed) != len(part):
            raise MalformedResponse("the node answered other accounts than were asked for")
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


def read_balances(
    context: ChainContext, session: RpcSession, wallets: Sequence[str], token: str
) -> dict[str, int]:
    """Balances of a token by wallet, from their associated token accounts."""
    native = is_native(token)
    accounts = [context.mints.account_of(wallet, token) for wallet in wallets]
    responses = fetch_accounts(context, session, accounts, AMOUNT_AT, AMOUNT_SIZE)
    return {w: token_amount(a, native) for w, a in zip(wallets, responses, strict=True)}
