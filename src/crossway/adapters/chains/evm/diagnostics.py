"""What is missing or wrong on an EVM chain: nodes, contracts, fees, inventory and approvals."""

from collections.abc import Collection, Iterator

from crossway.adapters.chains.evm.balances import (
    allowances,
    code_request,
    lens_requests,
    native_balance_request,
    token_balances,
)
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import ChainContext, block_request
from crossway.adapters.chains.evm.contracts import BRIDGE_CONTRACTS, load_artifact
from crossway.adapters.chains.evm.node_checks import unused_addresses
from crossway.adapters.chains.evm.operator_txs import check_code, working_contracts
from crossway.adapters.chains.evm.rpc_schemas import parse_block, parse_data, parse_quantity
from crossway.adapters.chains.evm.tx_sender import nonce_request
from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.diagnostics import (
    Finding,
    contract_finding,
    fees_finding,
    inventory_findings,
)
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead
from crossway.adapters.chains.rpc.operator import deploy_command, missing_approval, missing_fees
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.domain.money import Token
from crossway.domain.quotes import BridgeName


def read_head(session: RpcSession) -> NodeHead:
    """A node's newest block."""
    block = parse_block(session.call(block_request("latest"))[0])
    return NodeHead(block.height, block.time)


def diagnose_chain(chain: EvmChain, bridges: Collection[str] = ()) -> Iterator[Finding]:
    """Findings about contracts, those of `bridges` among them, fees, inventory and approvals.
    Raises `Unreachable`."""
    at = chain.context.deployment
    problems = chain.context.pool.first(lambda session: check_code(session, at, bridges))
    wrong = [f"{name} {problem}" for name, problem in problems.items() if problem]
    expected = f"the expected code, factory at {at.factory}"
    yield contract_finding(deploy_command(chain.id), wrong, expected)
    yield _check_lens(chain)
    relayer = chain.accounts.relayer
    balance, fee = chain.native_balance(relayer), chain.fee_units()
    yield fees_finding(chain.context.chain, relayer, balance, fee, _limit_note(chain))
    for account in chain.accounts.gas_accounts:
        balance, note = chain.native_balance(account), f" by {account}{_limit_note(chain)}"
        subject = "gas account"
        yield fees_finding(chain.context.chain, account, balance, fee, note, subject=subject)
    yield from _check_inventory(chain, bridges)


def _limit_note(chain: EvmChain) -> str:
    params = chain.context.params
    if not params.charges_limit:
        return ""
    return f" (this chain charges the whole limit of {params.gas_limit:,} gas, used or not)"


def _check_lens(chain: EvmChain) -> Finding:
    context, size = chain.context, chain.context.params.lens_size
    requests = lens_requests(context, unused_addresses(size), ZERO, "latest")
    result = context.pool.first(lambda session: session.batch(requests))[0]
    if isinstance(result, RpcError):
        message = f"the node rejects {size} at once: {result.message}"
        return Finding("balances", message, "Use another node: reading one by one is slow.")
    return Finding("balances", f"{size} at once")


def _check_inventory(chain: EvmChain, bridges: Collection[str]) -> Iterator[Finding]:
    context, owner = chain.context, chain.accounts.relayer
    tokens = _payable_tokens(context)
    addresses, filler = [token.address for token in tokens], context.deployment.filler2
    held = context.pool.first(lambda session: token_balances(session, owner, addresses))
    allowed = context.pool.first(lambda session: allowances(session, owner, filler, addresses))
    balances = [(token, held[token.address], allowed[token.address]) for token in tokens]
    carried = BRIDGE_CONTRACTS.keys() & set(bridges)
    if carried and BridgeName.INVENTORY not in bridges and not any(held.values()):
        message = "none: bridges pay their recipients without; payments within this chain need some"
        return iter([Finding("inventory", message)])
    return inventory_findings(chain.id, owner, balances)


def _payable_tokens(context: ChainContext) -> list[Token]:
    tokens = context.catalogue.by_chain[context.chain.id]
    return [token for token in tokens if token.enabled and not token.native]


def unmet_requirements(chain: EvmChain) -> list[str]:
    """What is missing, one sentence each. Raises `Unreachable`."""
    context, fee = chain.context, chain.fee_units()
    return context.pool.first(
        lambda session: [
            *_missing_contracts(context, session),
            *_missing_fees_and_approvals(context, session, fee),
        ]
    )


def _missing_contracts(context: ChainContext, session: RpcSession) -> Iterator[str]:
    name, expected = context.chain.id, working_contracts(context.deployment)
    results = session.call(*(code_request(address) for address in expected.values()))
    for (contract, address), result in zip(expected.items(), results, strict=True):
        code = parse_data(result, "code")
        if not code:
            command = deploy_command(name)
            yield f"{name}: the {contract} is not deployed at {address}: run {command}"
        elif not load_artifact(contract).matches_code(code):
            yield f"{name}: at {address} is another contract than the {contract}"


def _missing_fees_and_approvals(
    context: ChainContext, session: RpcSession, fee_units: int
) -> Iterator[str]:
    """Checks fees of an unused account only: a used one that runs short raises an alert."""
    name, relayer = context.chain.id, context.accounts.relayer
    nonce, balance = session.call(nonce_request(relayer), native_balance_request(relayer))
    short = parse_quantity(balance, "a balance") < fee_units
    if short and parse_quantity(nonce, "a nonce") == 0:
        yield missing_fees(name, relayer, context.chain.native_symbol)
    tokens = _payable_tokens(context)
    addresses = [token.address for token in tokens]
    held = token_balances(session, relayer, addresses)
    allowed = allowances(session, relayer, context.deployment.filler2, addresses)
    for token in tokens:
        if held[token.address] and not allowed[token.address]:
            yield missing_approval(name, token.symbol)
