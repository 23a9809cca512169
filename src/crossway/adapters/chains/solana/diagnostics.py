"""What is missing or wrong on a Solana cluster: nodes, program, fees, tokens and inventory."""

from collections.abc import Iterator, Sequence

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.diagnostics import Finding, fees_finding, inventory_findings
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead
from crossway.adapters.chains.rpc.operator import deploy_command, missing_fees
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.adapters.chains.solana import on_chain_program
from crossway.adapters.chains.solana.accounts import (
    AMOUNT_AT,
    AMOUNT_SIZE,
    accounts_request,
    fetch_accounts,
    token_amount,
)
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.chain_context import (
    CONFIRMED,
    ChainContext,
    ChainParams,
    block_request,
)
from crossway.adapters.chains.solana.deployment import VAULT_LAMPORTS
from crossway.adapters.chains.solana.pdas import TOKEN_2022
from crossway.adapters.chains.solana.rpc_schemas import Account, parse_block, parse_context_value
from crossway.adapters.chains.solana.transaction_parser import signatures_request
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token

# Token-2022 mints: the offset of extensions, and the extensions that the program refuses.
_EXTENSIONS_AT, _MAX_MINT_BYTES = 166, 4_096
_REFUSED = {
    1: "it may take a fee of each transfer",
    9: "it cannot be transferred",
    12: "its issuer can take it back",
    14: "it may call another program at each transfer",
}


def read_head(session: RpcSession) -> NodeHead:
    """A node's newest block."""
    response = session.call(RpcRequest("getLatestBlockhash", ({"commitment": CONFIRMED},)))[0]
    slot = parse_context_value(response, "the newest block")[0]
    return NodeHead(slot, parse_block(session.call(block_request(slot))[0], slot).time)


def check_limits(
    subject: str, pool: RpcPool, params: ChainParams, account: str
) -> Iterator[Finding]:
    """Whether the node supports what finding deposits needs: many accounts in one request, batches,
    and the transactions of an account (`account` is one with few)."""
    many = [account] * params.accounts
    requests = [accounts_request(many)] * (params.batch_size - 2) + [signatures_request(account)]
    try:
        *accounts, listed = pool.first(lambda session: session.batch(requests))
    except Unreachable as error:
        remedy = "Deposits may be seen late: take a node that answers several questions at once."
        yield Finding(f"{subject}: accounts", str(error), remedy)
        return
    rejected = [result.message for result in accounts if isinstance(result, RpcError)]
    if rejected:
        message, remedy = f"refuses {params.accounts} at once: {rejected[0]}", "Take another node."
        yield Finding(f"{subject}: accounts", message, remedy)
    else:
        yield Finding(f"{subject}: accounts", f"{params.accounts * len(accounts):,} at once")
    if isinstance(listed, RpcError):
        message = f"does not list the transactions of an account: {listed.message}"
        yield Finding(f"{subject}: transactions", message, "Take another node: deposits need it.")


def diagnose_chain(chain: SolanaChain) -> Iterator[Finding]:
    """Findings about program, fees, tokens and inventory. Raises `Unreachable`."""
    if (keys := chain.context.deposits) is not None:
        message = f"derived; keep a copy of their key, whose mark is {keys.address[:8]}"
        yield Finding("deposit addresses", message)
    yield from _check_program(chain)
    relayer = chain.accounts.relayer
    balance, fee = chain.native_balance(relayer), chain.fee_units()
    qualifier, purpose = " with the rent that they may pay", "fees and rent"
    yield fees_finding(chain.context.chain, relayer, balance, fee, qualifier, purpose)
    yield from _check_tokens(chain)
    yield from _check_inventory(chain)


def unmet_requirements(chain: SolanaChain) -> Iterator[str]:
    """What is missing, one sentence each. Raises `Unreachable`."""
    name, relayer, context = chain.id, chain.accounts.relayer, chain.context
    program = context.pool.first(lambda s: on_chain_program.fetch_program(context, s))
    if program.problem == "not deployed":
        command, address = deploy_command(name), context.program.id
        yield f"{name}: the program is not deployed at {address}: run {command}"
    elif program.problem:
        yield f"{name}: {program.problem} than Crossway's program"
    # Only for an unused account: a used one that runs short raises an alert.
    if chain.native_balance(relayer) < chain.fee_units() and chain.next_nonce(relayer) == 0:
        yield missing_fees(name, relayer, context.chain.native_symbol)


def _check_program(chain: SolanaChain) -> Iterator[Finding]:
    context = chain.context
    program = context.pool.first(lambda session: on_chain_program.fetch_program(context, session))
    if program.problem == "not deployed":
        remedy = f"Run {deploy_command(chain.id)}"
        yield Finding("program", f"not deployed at {context.program.id}", remedy)
        return
    if program.problem:
        yield Finding("program", program.problem, "Do not use this program or this node.")
        return
    authority = (
        f"{program.authority} may replace it" if program.authority else "nobody may replace it"
    )
    yield Finding("program", f"the expected code at {context.program.id}; {authority}")
    if chain.native_balance(context.accounts.bridger) < VAULT_LAMPORTS:
        vault = context.accounts.bridger
        message = f"the vault {vault} lacks {VAULT_LAMPORTS:,} lamports that must stay"
        yield Finding("vault", message, f"Run {deploy_command(chain.id)}")


def _check_tokens(chain: SolanaChain) -> Iterator[Finding]:
    context = chain.context
    tokens = _payable_tokens(context)
    mints = [token.address for token in tokens]
    accounts = context.pool.first(
        lambda session: fetch_accounts(context, session, mints, 0, _MAX_MINT_BYTES)
    )
    symbols: dict[str, list[str]] = {}
    for token, mint in zip(tokens, accounts, strict=True):
        if problem := mint_problem(context, token, mint):
            symbols.setdefault(problem, []).append(token.symbol)
    payable = len(tokens) - sum(map(len, symbols.values()))
    yield Finding("tokens", f"{payable} of {len(tokens)} can be paid")
    for problem, affected in symbols.items():
        yield Finding("tokens", f"not {', '.join(affected)}: {problem}")


def mint_problem(context: ChainContext, token: Token, mint: Account | None) -> str:
    """Why a token cannot be paid here; empty if it can."""
    if mint is None:
        return "there is no such token"
    expected = context.mints.program_of(token.address)
    if mint.owner != expected:
        return f"it belongs to {mint.owner} and not to {expected}"
    if mint.owner != TOKEN_2022:
        return ""
    return next((_REFUSED[kind] for kind in extensions(mint.data) if kind in _REFUSED), "")


def extensions(mint: bytes) -> Iterator[int]:
    """The extension types of a Token-2022 mint."""
    offset = _EXTENSIONS_AT
    while offset + 4 <= len(mint):
        kind, size = (int.from_bytes(mint[n : n + 2], "little") for n in (offset, offset + 2))
        if kind == 0:
            return
        yield kind
        offset += 4 + size


def _payable_tokens(context: ChainContext) -> Sequence[Token]:
    tokens = [t for t in context.catalogue.by_chain[context.chain.id] if t.enabled and not t.native]
    return list({token.address: token for token in tokens}.values())


def token_balances(chain: SolanaChain, tokens: Sequence[Token]) -> dict[str, int]:
    """The relayer's balance of each token."""
    context, owner = chain.context, chain.accounts.relayer
    addresses = [context.mints.account_of(owner, token.address) for token in tokens]
    accounts = context.pool.first(
        lambda session: fetch_accounts(context, session, addresses, AMOUNT_AT, AMOUNT_SIZE)
    )
    return {t.address: token_amount(a, t.native) for t, a in zip(tokens, accounts, strict=True)}


def _check_inventory(chain: SolanaChain) -> Iterator[Finding]:
    tokens = _payable_tokens(chain.context)
    held = token_balances(chain, tokens)
    balances = [(token, held[token.address], None) for token in tokens]
    return inventory_findings(chain.id, chain.accounts.relayer, balances)
