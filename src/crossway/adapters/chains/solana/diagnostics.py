"""Diagnostics of one live cluster: nodes, program, accounts, tokens and inventory."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.diagnostics import Finding, fees_finding, inventory_findings
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead, NodeProbe, probe_nodes
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.solana import on_chain_program
from crossway.adapters.chains.solana.accounts import (
    AMOUNT_AT,
    AMOUNT_SIZE,
    accounts_request,
    fetch_accounts,
    token_amount,
)
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.chain_context import CONFIRMED, ChainContext, block_request
from crossway.adapters.chains.solana.chain_params import ChainParams, load_chain_params
from crossway.adapters.chains.solana.deployment import VAULT_LAMPORTS
from crossway.adapters.chains.solana.factory import cluster_nodes
from crossway.adapters.chains.solana.pdas import TOKEN_2022
from crossway.adapters.chains.solana.rpc_schemas import Account, parse_block, parse_context_value
from crossway.adapters.chains.solana.transaction_parser import signatures_request
from crossway.domain.catalogue import Chain
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


def diagnose_nodes(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """Check each node by itself, and whether they agree."""
    customs = load_chain_params(chain.id)
    look = NodeProbe(
        lambda alone, filled: cluster_nodes(chain, alone, filled, customs),
        _fetch_head,
        lambda what, nodes, _: _check_limits(what, nodes, customs, profile.treasury),
    )
    return probe_nodes(chain, profile, environment, now, look)


def _fetch_head(session: RpcSession) -> NodeHead:
    response = session.call(RpcRequest("getLatestBlockhash", ({"commitment": CONFIRMED},)))[0]
    slot = parse_context_value(response, "the newest block")[0]
    return NodeHead(slot, parse_block(session.call(block_request(slot))[0], slot).at)


def _check_limits(
    node_name: str, nodes: RpcPool, customs: ChainParams, account: str
) -> Iterator[Finding]:
    """Check that the node supports what detection needs: many accounts per request, batches, and
    the transactions of an account (`known` is one with few)."""
    many = [account] * customs.accounts
    requests = [accounts_request(many)] * (customs.batch - 2) + [signatures_request(account)]
    try:
        *accounts_response, listed = nodes.first(lambda line: line.batch(requests))
    except Unreachable as error:
        remedy = "Deposits may be seen late: take a node that answers several questions at once."
        yield Finding(f"{node_name}: accounts", str(error), remedy)
        return
    refused = [entry.message for entry in accounts_response if isinstance(entry, RpcError)]
    if refused:
        problem, remedy = f"refuses {customs.accounts} at once: {refused[0]}", "Take another node."
        yield Finding(f"{node_name}: accounts", problem, remedy)
    else:
        yield Finding(
            f"{node_name}: accounts", f"{customs.accounts * len(accounts_response):,} at once"
        )
    if isinstance(listed, RpcError):
        problem = f"does not list the transactions of an account: {listed.message}"
        yield Finding(f"{node_name}: transactions", problem, "Take another node: deposits need it.")


def diagnose_chain(chain: SolanaChain) -> Iterator[Finding]:
    """Check key, program, gas, tokens and inventory on the first healthy node."""
    yield Finding("key", f"opens; the relayer is {chain.accounts.relayer}")
    if (keys := chain.context.deposits) is not None:
        problem = f"derived; keep a copy of their key, whose mark is {keys.address[:8]}"
        yield Finding("deposit addresses", problem)
    try:
        yield from _program(chain)
        yield _fees(chain)
        yield from _tokens(chain)
        yield from _check_inventory(chain)
    except Unreachable as error:
        yield Finding("chain", str(error), "Nothing more can be told before a node answers.")


def _program(chain: SolanaChain) -> Iterator[Finding]:
    context = chain.context
    program = context.pool.first(lambda line: on_chain_program.fetch_program(context, line))
    if program.trouble == "not deployed":
        command = f"crossway contracts deploy --chain {chain.id}"
        yield Finding("program", f"not deployed at {context.program.id}", f"Run {command}")
        return
    if program.trouble:
        yield Finding("program", program.trouble, "Do not use this program or this node.")
        return
    authority = (
        f"{program.authority} may replace it" if program.authority else "nobody may replace it"
    )
    yield Finding("program", f"the expected code at {context.program.id}; {authority}")
    if chain.native_balance(context.accounts.bridger) < VAULT_LAMPORTS:
        command = f"crossway contracts deploy --chain {chain.id}"
        message = (
            f"the vault {context.accounts.bridger} lacks {VAULT_LAMPORTS:,} lamports that must stay"
        )
        yield Finding("vault", message, f"Run {command}")


def _fees(chain: SolanaChain) -> Finding:
    facts, relayer, how = (
        chain.context.chain,
        chain.accounts.relayer,
        " with the rent that they may pay",
    )
    coins, fee = chain.native_balance(relayer), chain.fee_units()
    return fees_finding(facts, relayer, coins, fee, how, "fees and rent")


def _tokens(chain: SolanaChain) -> Iterator[Finding]:
    context = chain.context
    tokens = _check_mints(context)
    mints = [token.address for token in tokens]
    there = context.pool.first(
        lambda line: fetch_accounts(context, line, mints, 0, _MAX_MINT_BYTES)
    )
    problem = [
        (token, mint_problem(context, token, mint))
        for token, mint in zip(tokens, there, strict=True)
    ]
    wrong: dict[str, list[str]] = {}
    for token, why in problem:
        if why:
            wrong.setdefault(why, []).append(token.symbol)
    can = len(tokens) - sum(map(len, wrong.values()))
    yield Finding("tokens", f"{can} of {len(tokens)} can be paid")
    for why, symbols in wrong.items():
        yield Finding("tokens", f"not {', '.join(symbols)}: {why}")


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
    at = _EXTENSIONS_AT
    while at + 4 <= len(mint):
        kind, size = (int.from_bytes(mint[n : n + 2], "little") for n in (at, at + 2))
        if kind == 0:
            return
        yield kind
        at += 4 + size


def _check_mints(context: ChainContext) -> Sequence[Token]:
    tokens = [t for t in context.catalogue.by_chain[context.chain.id] if t.enabled and not t.native]
    return list({token.address: token for token in tokens}.values())


def token_balances(chain: SolanaChain, tokens: Sequence[Token]) -> dict[str, int]:
    """The relayer's balance of each token."""
    context, owner = chain.context, chain.accounts.relayer
    places = [context.mints.account_of(owner, token.address) for token in tokens]
    accounts = context.pool.first(
        lambda line: fetch_accounts(context, line, places, AMOUNT_AT, AMOUNT_SIZE)
    )
    return {t.address: token_amount(a, t.native) for t, a in zip(tokens, accounts, strict=True)}


def _check_inventory(chain: SolanaChain) -> Iterator[Finding]:
    tokens = _check_mints(chain.context)
    balances = token_balances(chain, tokens)
    balance = [(token, balances[token.address], None) for token in tokens]
    return inventory_findings(chain.id, chain.accounts.relayer, balance)
