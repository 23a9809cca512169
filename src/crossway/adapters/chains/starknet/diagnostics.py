"""What is missing or wrong on a Starknet chain: nodes, account, contracts, fees and inventory."""

from collections.abc import Iterator

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.diagnostics import (
    Finding,
    contract_finding,
    fees_finding,
    inventory_findings,
)
from crossway.adapters.chains.rpc.keys import WatchOnlySigner
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead
from crossway.adapters.chains.rpc.operator import deploy_command, missing_fees
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.adapters.chains.starknet import balances, operator_txs
from crossway.adapters.chains.starknet.calldata import Call, call_request
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.chain_context import (
    ChainContext,
    ChainParams,
    block_request,
    class_request,
    nonce_request,
)
from crossway.adapters.chains.starknet.events import (
    events_request,
    queries_by_receiver,
)
from crossway.adapters.chains.starknet.felts import encode_short_string, selector, to_hex
from crossway.adapters.chains.starknet.rpc_schemas import (
    CONTRACT_NOT_FOUND,
    parse_block,
    parse_felt,
    parse_felts,
)
from crossway.domain.errors import Unreachable

# Nodes must answer an account's nonce this far back.
_HISTORY_BLOCKS = 20_000
# The nonce after an account has deployed itself.
_UNUSED_NONCE = 1
# The hash of a sentence: no transaction can have the same.
_DIGEST = selector("Crossway asks whether this key signs for this account")
# Current accounts return the short string, older ones true.
_VALID = ((encode_short_string("VALID"),), (1,))


def read_head(session: RpcSession) -> NodeHead:
    """A node's newest block."""
    block = parse_block(session.call(block_request("latest"))[0])
    return NodeHead(block.height, block.time)


def check_capabilities(
    subject: str, pool: RpcPool, params: ChainParams, head: NodeHead, account: str
) -> Iterator[Finding]:
    """Whether the node has a supported version, accepts event queries of the chain's usual size,
    and keeps old state."""
    limits = params.query_limits()
    first = max(head.height - limits.blocks + 1, 0)
    unused = [to_hex(1000 + number) for number in range(limits.recipients)]
    query = queries_by_receiver(limits, first, head.height, unused)[0]
    requests = [
        RpcRequest("starknet_specVersion"),
        events_request(limits, query),
        nonce_request(account or to_hex(1), max(head.height - _HISTORY_BLOCKS, 0)),
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
    problem = context.pool.first(lambda session: _signer_problem(context, session))
    if isinstance(context.signer, WatchOnlySigner):
        yield Finding("account", f"{relayer} was not asked whether it takes the key's signature")
    elif problem:
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


def _signer_problem(context: ChainContext, session: RpcSession) -> str:
    """What is wrong with account and key, as a sentence; empty where the account accepts our
    signature, or this process does not sign. Raises `Unreachable`."""
    if isinstance(context.signer, WatchOnlySigner):
        return ""
    relayer, signature = context.accounts.relayer, context.signer.sign(_DIGEST)
    check = Call(relayer, "is_valid_signature", (_DIGEST, len(signature), *signature))
    deployed, valid = session.batch([class_request(relayer), call_request(check)])
    if isinstance(deployed, RpcError):
        if deployed.code != CONTRACT_NOT_FOUND:
            raise Unreachable(f"the node returned an error: {deployed.message}")
        return (
            f"the relayer's account {relayer} is not deployed: deploy it with the wallet or tool "
            "that created it, and send it STRK for fees"
        )
    if not isinstance(valid, RpcError) and parse_felts(valid, "a signature's check") in _VALID:
        return ""
    return (
        f"the relayer's account {relayer} does not take the signature of this key (public key "
        f"{context.signer.address}): it has another owner, or does not verify plain signatures"
    )


def unmet_requirements(chain: StarknetChain) -> list[str]:
    """What is missing, one sentence each. Raises `Unreachable`."""
    context, fee = chain.context, chain.fee_units()
    return context.pool.first(
        lambda session: [
            *_missing_contracts(context, session),
            *_missing_account(context, session, fee),
        ]
    )


def _missing_contracts(context: ChainContext, session: RpcSession) -> Iterator[str]:
    name = context.chain.id
    for check in operator_txs.check_contracts(session):
        message = f"{name}: {check.name} at {check.address}: {check.problem}"
        if check.problem.startswith("another"):
            yield message
        elif check.problem:
            yield f"{message}: run {deploy_command(name)}"


def _missing_account(context: ChainContext, session: RpcSession, fee_units: int) -> Iterator[str]:
    """Checks fees of an unused account only: a used one that runs short raises an alert."""
    name, relayer = context.chain.id, context.accounts.relayer
    if problem := _signer_problem(context, session):
        yield f"{name}: {problem}"
        return
    result = session.batch([nonce_request(relayer)])[0]
    if not isinstance(result, RpcError) and parse_felt(result, "a nonce") > _UNUSED_NONCE:
        return
    held = balances.read_balances(context, session, [relayer], context.fee_token)
    if held[relayer] < fee_units:
        yield missing_fees(name, relayer, context.chain.native_symbol)
