"""What an EVM node and its chain allow, found out before anything is deployed."""

import re
from collections.abc import Iterator

from crossway.adapters.chains.evm.balances import code_request, native_balance_request
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain_context import ChainParams, block_request
from crossway.adapters.chains.evm.contracts import default_deployment, init_code
from crossway.adapters.chains.evm.logs import fetch_transfers, split_query, transfers_request
from crossway.adapters.chains.evm.operator_txs import working_contracts
from crossway.adapters.chains.evm.rpc_schemas import parse_data, parse_quantity
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead
from crossway.adapters.chains.rpc.pool import RpcPool
from crossway.adapters.chains.rpc.rpc_schemas import as_object
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable

_NO_METHOD = re.compile(
    r"method\b.*\b(not|n't)\b|not (supported|available|allowed|enabled|whitelisted)|unsupported",
    re.IGNORECASE,
)
_NO_METHOD_CODES = (-32601, -32004)
# A pause of the service after which the native deposits in it are still found by old balances.
_PAUSE_SECONDS = 3_600.0
# Yellow paper, EIP-2028, EIP-3860: a transaction, a creation, a byte of data and of code, a word.
_TX_GAS, _CREATE_GAS, _DATA_GAS, _CODE_GAS, _WORD_GAS = 21_000, 32_000, 16, 200, 2
_EXECUTION_GAS = 60_000


def check_node(
    subject: str, pool: RpcPool, chain: Chain, params: ChainParams, head: NodeHead
) -> Iterator[Finding]:
    """Findings about logs, finality, blocks, old balances and batches."""
    try:
        yield from check_logs(subject, pool, chain, params, head)
        yield from check_finality(subject, pool, params)
        yield from _check_blocks(subject, pool, params)
        yield from _check_old_balances(subject, pool, chain, params, head)
        yield _check_batches(subject, pool, params)
    except Unreachable as error:
        yield Finding(subject, str(error), "Deposits may be seen late: try another node.")


def deployment_gas(name: str) -> int:
    """At most so much gas does deploying a contract take."""
    code = init_code(name)
    per_byte = _DATA_GAS + _CODE_GAS
    words = -(-len(code) // 32)
    return _TX_GAS + _CREATE_GAS + _EXECUTION_GAS + per_byte * len(code) + _WORD_GAS * words


def unused_addresses(count: int) -> list[str]:
    """Addresses that nobody uses."""
    return [f"0x{number:040x}" for number in range(1, count + 1)]


def check_logs(
    subject: str, pool: RpcPool, chain: Chain, params: ChainParams, head: NodeHead
) -> Iterator[Finding]:
    """Whether the node offers logs, and for how many blocks at once. Raises `Unreachable`."""
    limits = params.query_limits()
    first = max(head.height - limits.blocks + 1, 0)
    addresses = unused_addresses(limits.recipients)
    query = split_query(limits, first, head.height, addresses)[0]
    result = pool.first(lambda session: session.batch([transfers_request([ZERO], query)]))[0]
    usual = f"{head.height - first + 1:,} blocks and {limits.recipients} recipients per query"
    if not isinstance(result, RpcError):
        yield Finding(f"{subject}: logs", usual)
        return
    if result.code in _NO_METHOD_CODES or _NO_METHOD.search(result.message):
        message = f"does not offer eth_getLogs: {result.message}"
        remedy = "Remove this node from `rpc`: without logs no deposit of a token is found."
        yield Finding(f"{subject}: logs", message, remedy)
        return
    try:
        pool.first(lambda session: fetch_transfers(session, limits, [ZERO], query))
    except Unreachable as error:
        yield Finding(f"{subject}: logs", str(error), "Remove this node from `rpc`.")
        return
    hour = -(-int(3_600 / chain.block_time_seconds) // limits.blocks)
    message = (
        f"takes {limits.blocks:,} blocks and {limits.recipients} recipients per query, not "
        f"{usual}: an hour takes {hour:,} queries ({result.message})"
    )
    yield Finding(f"{subject}: logs", message, "Use a node that allows more: catching up is slow.")


def check_finality(subject: str, pool: RpcPool, params: ChainParams) -> Iterator[Finding]:
    """Whether the node knows the block `finalized`. Raises `Unreachable`."""
    if not params.finalized_tag:
        return
    final = pool.first(lambda session: session.batch([block_request("finalized")]))[0]
    if isinstance(final, RpcError) or final is None:
        message, remedy = "does not know the block `finalized`", "Use a node that does."
        yield Finding(f"{subject}: finality", message, remedy)


def _check_blocks(subject: str, pool: RpcPool, params: ChainParams) -> Iterator[Finding]:
    """Whether blocks have room for our transactions, and for what must be deployed yet."""
    contracts = working_contracts(default_deployment())
    requests = [code_request(address) for address in contracts.values()]
    newest, *codes = pool.first(lambda session: session.call(block_request("latest"), *requests))
    limit = parse_quantity(as_object(newest, "a block").get("gasLimit"), "a gas limit")
    missing = [n for n, code in zip(contracts, codes, strict=True) if not parse_data(code, "code")]
    needed = max((deployment_gas(name) for name in missing), default=0)
    message = f"take {limit:,} gas"
    if limit < params.gas_limit:
        remedy = "Transactions of this chain's gas limit would never be included: do not use it."
        yield Finding(
            f"{subject}: blocks", f"{message}, a transaction {params.gas_limit:,}", remedy
        )
    elif limit < needed:
        remedy = (
            "Deploy in larger blocks, where the chain has them: on HyperEVM send the action "
            '{"type": "evmUserModify", "usingBigBlocks": true} for the account before, and false '
            "afterwards."
        )
        message += f", a deployment may take {needed:,}"
        yield Finding(f"{subject}: blocks", message, remedy)
    else:
        yield Finding(f"{subject}: blocks", message)


def _check_old_balances(
    subject: str, pool: RpcPool, chain: Chain, params: ChainParams, head: NodeHead
) -> Iterator[Finding]:
    """Whether deposits of the native coin that arrive during a pause are found by balance."""
    if not params.archive:
        message = "none on this chain: after a pause, coins are looked for block by block"
        yield Finding(f"{subject}: old balances", message)
        return
    height = max(head.height - int(_PAUSE_SECONDS / chain.block_time_seconds), 0)
    request = native_balance_request(unused_addresses(1)[0], hex(height))
    result = pool.first(lambda session: session.batch([request]))[0]
    kept = "kept for an hour and more"
    if isinstance(result, RpcError):
        kept = (
            "not kept for an hour: after a pause, coins are looked for block by block, and those "
            "from within contracts by reconciliation; tokens need none"
        )
    yield Finding(f"{subject}: old balances", kept)


def _check_batches(subject: str, pool: RpcPool, params: ChainParams) -> Finding:
    requests = [RpcRequest("eth_chainId")] * params.batch_size
    pool.first(lambda session: session.call(*requests))
    size = min(pool.batch_sizes())
    if size > 1:
        return Finding(
            f"{subject}: batches", f"{min(size, params.batch_size)} calls in one request"
        )
    return Finding(f"{subject}: batches", "refused: each call is a request of its own")
