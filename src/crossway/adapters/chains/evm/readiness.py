"""What must be in place before an EVM chain can be worked: contracts, fees and approvals."""

from collections.abc import Iterator

from crossway.adapters.chains.evm.balances import (
    allowances,
    code_request,
    native_balance_request,
    token_balances,
)
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.contracts import load_artifact
from crossway.adapters.chains.evm.rpc_schemas import parse_data, parse_quantity
from crossway.adapters.chains.evm.tx_sender import nonce_request
from crossway.adapters.chains.rpc.operator import deploy_command, missing_approval, missing_fees
from crossway.adapters.chains.rpc.pool import RpcSession


def unmet_requirements(chain: EvmChain) -> list[str]:
    """What is missing, one sentence each. Raises `Unreachable`."""
    context, fee = chain.context, chain.fee_units()
    return context.pool.first(
        lambda session: [*_contracts(context, session), *_relayer(context, session, fee)]
    )


def _contracts(context: ChainContext, session: RpcSession) -> Iterator[str]:
    name, at = context.chain.id, context.deployment
    expected = {"IntentFactory": at.factory, "Escrow": at.escrow, "Filler": at.filler}
    results = session.call(*(code_request(address) for address in expected.values()))
    for (contract, address), result in zip(expected.items(), results, strict=True):
        code = parse_data(result, "code")
        if not code:
            command = deploy_command(name)
            yield f"{name}: the {contract} is not deployed at {address}: run {command}"
        elif not load_artifact(contract).matches_code(code):
            yield f"{name}: at {address} is another contract than the {contract}"


def _relayer(context: ChainContext, session: RpcSession, fee_units: int) -> Iterator[str]:
    """Checks fees of an unused account only: a used one that runs short raises an alert."""
    name, relayer = context.chain.id, context.accounts.relayer
    nonce, balance = session.call(nonce_request(relayer), native_balance_request(relayer))
    short = parse_quantity(balance, "a balance") < fee_units
    if short and parse_quantity(nonce, "a nonce") == 0:
        yield missing_fees(name, relayer, context.chain.native_symbol)
    tokens = [t for t in context.catalogue.by_chain[name] if t.enabled and not t.native]
    addresses = [token.address for token in tokens]
    held = token_balances(session, relayer, addresses)
    allowed = allowances(session, relayer, context.deployment.filler, addresses)
    for token in tokens:
        if held[token.address] and not allowed[token.address]:
            yield missing_approval(name, token.symbol)
