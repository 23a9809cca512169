"""Checks of `crossway doctor` on a Starknet chain: nodes, account, contracts, fees, inventory."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
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
from crossway.adapters.chains.starknet import operator_txs
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.chain_context import block_request, nonce_request
from crossway.adapters.chains.starknet.chain_params import ChainParams, load_chain_params
from crossway.adapters.chains.starknet.events import (
    events_request,
    initial_limits,
    queries_by_receiver,
)
from crossway.adapters.chains.starknet.factory import connect_pool
from crossway.adapters.chains.starknet.felts import to_hex
from crossway.adapters.chains.starknet.rpc_schemas import CONTRACT_NOT_FOUND, parse_block
from crossway.adapters.chains.starknet.signer_check import signer_problem
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable

# Nodes must answer an account's nonce this far back.
_HISTORY_BLOCKS = 20_000


def diagnose_nodes(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """Findings about each node, and about how the nodes agree."""
    params, account = load_chain_params(chain.id), profile.account or to_hex(1)
    probe = NodeProbe(
        lambda single, variables: connect_pool(chain, single, variables, params),
        _read_head,
        lambda subject, pool, head: _check_capabilities(subject, pool, params, head, account),
    )
    return probe_nodes(chain, profile, environment, now, probe)


def _read_head(session: RpcSession) -> NodeHead:
    block = parse_block(session.call(block_request("latest"))[0])
    return NodeHead(block.height, block.time)


def _check_capabilities(
    subject: str, pool: RpcPool, params: ChainParams, head: NodeHead, account: str
) -> Iterator[Finding]:
    """Whether the node has a supported version, accepts event queries of the chain's usual size,
    and keeps old state."""
    limits = initial_limits(params)
    first = max(head.height - limits.blocks + 1, 0)
    unused = [to_hex(1000 + number) for number in range(limits.recipients)]
    query = queries_by_receiver(limits, first, head.height, unused)[0]
    requests = [
        RpcRequest("starknet_specVersion"),
        events_request(limits, query),
        nonce_request(account, max(head.height - _HISTORY_BLOCKS, 0)),
    ]
    try:
        version, events, nonce = pool.first(lambda session: session.batch(requests))
    except Unreachable as error:
        yield Finding(subject, str(error), "Deposits may be seen late: try another node.")
        return
    if isinstance(version, str) and not version.startswith(("0.8", "0.9", "0.10", "1.")):
        remedy = "Use a URL of version 0.8 or newer, which often ends in /rpc/v0_8 or higher."
        yield Finding(f"{subject}: version", f"has version {version[:20]}", remedy)
    size = f"{head.height - first + 1:,} blocks and {limits.recipients} recipients per query"
    if isinstance(events, RpcError):
        remedy = "Use a node that allows more: smaller queries are slow."
        yield Finding(f"{subject}: events", f"rejects {size}: {events.message}", remedy)
    else:
        yield Finding(f"{subject}: events", size)
    if isinstance(nonce, RpcError) and nonce.code != CONTRACT_NOT_FOUND:
        message = f"does not know the state {_HISTORY_BLOCKS:,} blocks ago: {nonce.message}"
        yield Finding(f"{subject}: history", message, "Use a node that keeps old state.")


def diagnose_chain(chain: StarknetChain) -> Iterator[Finding]:
    """Findings about account, contracts, fees and inventory. Raises `Unreachable`."""
    context, relayer = chain.context, chain.accounts.relayer
    problem = context.pool.first(lambda session: signer_problem(context, session))
    if problem:
        remedy = f"Check chains.{chain.id}.account and its key."
        yield Finding("account", problem, remedy)
    else:
        yield Finding("account", f"{relayer} takes the key's signature")
    yield _check_contracts(chain)
    balance, fee = chain.native_balance(relayer), chain.fee_units()
    yield fees_finding(context.chain, relayer, balance, fee, " at their highest price")
    tokens = [t for t in context.catalogue.by_chain[chain.id] if t.enabled]
    held = operator_txs.relayer_balances(chain, [token.address for token in tokens])
    others = [(t, held[t.address], None) for t in tokens if t.address != context.fee_token]
    yield from inventory_findings(chain.id, relayer, others)


def _check_contracts(chain: StarknetChain) -> Finding:
    checks = chain.context.pool.first(operator_txs.check_contracts)
    problems = [f"{check.name}: {check.problem}" for check in checks if check.problem]
    undeclared = operator_txs.undeclared(checks)
    expected = f"the expected classes, factory at {chain.context.deployment.factory}"
    finding = contract_finding(deploy_command(chain.id), problems, expected)
    if undeclared and not any("another" in check.problem for check in checks):
        remedy = operator_txs.declare_instructions(undeclared)
        return Finding(finding.subject, finding.message, remedy)
    return finding
