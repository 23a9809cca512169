"""Checks of `crossway doctor` on Tron: nodes, contracts, fees, inventory and approvals."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from crossway.adapters.chains.evm.balances import allowances, token_balances
from crossway.adapters.chains.evm.diagnostics import check_query_limits, read_head
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.diagnostics import (
    MIN_FEE_TRANSACTIONS,
    Finding,
    contract_finding,
    inventory_findings,
)
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead, NodeProbe, probe_nodes
from crossway.adapters.chains.rpc.operator import deploy_command
from crossway.adapters.chains.rpc.pool import RpcPool
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.tron.address_format import to_base58
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.chain_params import load_chain_params
from crossway.adapters.chains.tron.node import connect_pool
from crossway.adapters.chains.tron.operator_txs import check_contract_code
from crossway.adapters.chains.tron.readiness import chain_id_problems, payable_tokens
from crossway.adapters.chains.tron.resources import read_resources
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable
from crossway.domain.money import format_units

_NEED_HTTP_API = "Use a node with the whole HTTP API."


def diagnose_nodes(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """Findings about each node, and about how the nodes agree."""
    params = load_chain_params()
    probe = NodeProbe(
        lambda single, variables: connect_pool(chain, single, variables, params.batch_size),
        read_head,
        _check_capabilities,
    )
    return probe_nodes(chain, profile, environment, now, probe)


def _check_capabilities(subject: str, pool: RpcPool, head: NodeHead) -> Iterator[Finding]:
    yield from check_query_limits(subject, pool, load_chain_params().evm_params, head)
    bodies = {
        "/walletsolidity/getnowblock": {},
        "/wallet/getchainparameters": {},
        "/wallet/getblockbylimitnext": {"startNum": head.height, "endNum": head.height + 1},
        "/wallet/gettransactioninfobyblocknum": {"num": head.height},
    }
    requests = [RpcRequest(path, (body,)) for path, body in bodies.items()]
    try:
        results = pool.first(lambda session: session.batch(requests))
    except Unreachable as error:
        yield Finding(f"{subject}: HTTP", str(error), _NEED_HTTP_API)
        return
    rejected = [p for p, r in zip(bodies, results, strict=True) if isinstance(r, RpcError)]
    if rejected:
        yield Finding(f"{subject}: HTTP", f"rejects {', '.join(rejected)}", _NEED_HTTP_API)
    else:
        yield Finding(f"{subject}: HTTP", "blocks, transaction infos and finality")


def diagnose_chain(chain: TronChain) -> Iterator[Finding]:
    """Findings about contracts, fees, inventory and approvals. Raises `Unreachable`."""
    context = chain.context
    problems = context.pool.first(lambda session: check_contract_code(session, context))
    wrong = [f"{name} {problem}" for name, problem in problems.items() if problem]
    command = f"{deploy_command(chain.id)}, and write what it prints into the profile"
    expected = f"the expected code, factory at {to_base58(context.deployment.factory)}"
    yield contract_finding(command, wrong, expected)
    for problem in chain_id_problems(chain):
        yield Finding("chain id", problem, "Do not use this network.")
    yield _check_fees(chain)
    yield from _check_inventory(chain)


def _check_fees(chain: TronChain) -> Finding:
    context, relayer, facts = chain.context, chain.accounts.relayer, chain.context.chain
    fee, balance = chain.fee_units(), chain.native_balance(relayer)
    available = context.pool.first(lambda s: read_resources(s, context.accounts.relayer))
    # Where staked energy covers everything, a transaction burns nothing.
    affordable = balance // fee if fee else None
    shown = f"{format_units(balance, facts.native_decimals)} {facts.native_symbol}"
    number = "any number of" if affordable is None else f"{affordable:,}"
    message = f"holds {shown} and {available.energy:,} energy, enough for {number} transactions"
    if affordable is None or affordable >= MIN_FEE_TRANSACTIONS:
        return Finding("relayer", message)
    remedy = f"Send {facts.native_symbol} for fees to {relayer}, or stake for it."
    return Finding("relayer", message, remedy)


def _check_inventory(chain: TronChain) -> Iterator[Finding]:
    context, tokens = chain.context, payable_tokens(chain.context)
    owner, filler, addresses = context.accounts.relayer, context.deployment.filler, list(tokens)
    held = context.pool.first(lambda s: token_balances(s, owner, addresses))
    allowed = context.pool.first(lambda s: allowances(s, owner, filler, addresses))
    balances = [(token, held[address], allowed[address]) for address, token in tokens.items()]
    return inventory_findings(chain.id, chain.accounts.relayer, balances, "USDT")
