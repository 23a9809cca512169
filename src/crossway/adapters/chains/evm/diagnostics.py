"""Checks of `crossway doctor` on an EVM chain: nodes, contracts, fees, inventory and approvals."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from crossway.adapters.chains.evm.balances import allowances, lens_requests, token_balances
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import block_request
from crossway.adapters.chains.evm.chain_params import ChainParams, load_chain_params
from crossway.adapters.chains.evm.factory import connect_pool
from crossway.adapters.chains.evm.logs import initial_limits, split_query, transfers_request
from crossway.adapters.chains.evm.operator_txs import check_code
from crossway.adapters.chains.evm.rpc_schemas import parse_block
from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.diagnostics import (
    Finding,
    contract_finding,
    fees_finding,
    inventory_findings,
)
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead, NodeProbe, probe_nodes
from crossway.adapters.chains.rpc.operator import deploy_command
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable


def diagnose_nodes(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """Findings about each node, and about how the nodes agree."""
    params = load_chain_params(chain.id)
    probe = NodeProbe(
        lambda single, variables: connect_pool(chain, single, variables, params),
        read_head,
        lambda subject, pool, head: check_query_limits(subject, pool, params, head),
    )
    return probe_nodes(chain, profile, environment, now, probe)


def read_head(session: RpcSession) -> NodeHead:
    """A node's newest block."""
    block = parse_block(session.call(block_request("latest"))[0])
    return NodeHead(block.height, block.time)


def check_query_limits(
    subject: str, pool: RpcPool, params: ChainParams, head: NodeHead
) -> Iterator[Finding]:
    """Whether the node accepts log queries of the chain's usual size, and knows `finalized`."""
    limits = initial_limits(params)
    first = max(head.height - limits.blocks + 1, 0)
    query = split_query(limits, first, head.height, _unused_addresses(limits.recipients))[0]
    requests = [transfers_request([ZERO], query), block_request("finalized")]
    try:
        logs, final = pool.first(lambda session: session.batch(requests))
    except Unreachable as error:
        yield Finding(subject, str(error), "Deposits may be seen late: try another node.")
        return
    size = f"{head.height - first + 1:,} blocks and {limits.recipients} recipients per query"
    if isinstance(logs, RpcError):
        remedy = "Use a node that allows more: smaller queries are slow."
        yield Finding(f"{subject}: logs", f"rejects {size}: {logs.message}", remedy)
    else:
        yield Finding(f"{subject}: logs", size)
    if params.finalized_tag and (isinstance(final, RpcError) or final is None):
        message, remedy = "does not know the block `finalized`", "Use a node that does."
        yield Finding(f"{subject}: finality", message, remedy)


def diagnose_chain(chain: EvmChain) -> Iterator[Finding]:
    """Findings about contracts, fees, inventory and approvals. Raises `Unreachable`."""
    at = chain.context.deployment
    problems = chain.context.pool.first(lambda session: check_code(session, at))
    wrong = [f"{name} {problem}" for name, problem in problems.items() if problem]
    expected = f"the expected code, factory at {at.factory}"
    yield contract_finding(deploy_command(chain.id), wrong, expected)
    yield _check_lens(chain)
    relayer = chain.accounts.relayer
    balance, fee = chain.native_balance(relayer), chain.fee_units()
    yield fees_finding(chain.context.chain, relayer, balance, fee)
    yield from _check_inventory(chain)


def _check_lens(chain: EvmChain) -> Finding:
    context, size = chain.context, chain.context.params.lens_size
    requests = lens_requests(context, _unused_addresses(size), ZERO, "latest")
    result = context.pool.first(lambda session: session.batch(requests))[0]
    if isinstance(result, RpcError):
        message = f"the node rejects {size} at once: {result.message}"
        return Finding("balances", message, "Use another node: reading one by one is slow.")
    return Finding("balances", f"{size} at once")


def _unused_addresses(count: int) -> list[str]:
    """Addresses that nobody uses, to query for."""
    return [f"0x{1000 + number:040x}" for number in range(count)]


def _check_inventory(chain: EvmChain) -> Iterator[Finding]:
    context, owner = chain.context, chain.accounts.relayer
    tokens = [t for t in context.catalogue.by_chain[chain.id] if t.enabled and not t.native]
    addresses, filler = [token.address for token in tokens], context.deployment.filler
    held = context.pool.first(lambda session: token_balances(session, owner, addresses))
    allowed = context.pool.first(lambda session: allowances(session, owner, filler, addresses))
    balances = [(token, held[token.address], allowed[token.address]) for token in tokens]
    return inventory_findings(chain.id, owner, balances)
