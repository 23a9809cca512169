"""What must be in place before a Starknet chain can be worked: contracts, account and fees."""

from collections.abc import Iterator

from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.operator import deploy_command, missing_fees
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.starknet import balances, operator_txs
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.chain_context import ChainContext, nonce_request
from crossway.adapters.chains.starknet.rpc_schemas import parse_felt
from crossway.adapters.chains.starknet.signer_check import signer_problem

# The nonce after an account has deployed itself.
_UNUSED_NONCE = 1


def unmet_requirements(chain: StarknetChain) -> list[str]:
    """What is missing, one sentence each. Raises `Unreachable`."""
    context, fee = chain.context, chain.fee_units()
    return context.pool.first(
        lambda session: [*_contracts(context, session), *_account(context, session, fee)]
    )


def _contracts(context: ChainContext, session: RpcSession) -> Iterator[str]:
    name = context.chain.id
    for check in operator_txs.check_contracts(session):
        message = f"{name}: {check.name} at {check.address}: {check.problem}"
        if check.problem.startswith("another"):
            yield message
        elif check.problem:
            yield f"{message}: run {deploy_command(name)}"


def _account(context: ChainContext, session: RpcSession, fee_units: int) -> Iterator[str]:
    """Checks fees of an unused account only: a used one that runs short raises an alert."""
    name, relayer = context.chain.id, context.accounts.relayer
    if problem := signer_problem(context, session):
        yield f"{name}: {problem}"
        return
    result = session.batch([nonce_request(relayer)])[0]
    if not isinstance(result, RpcError) and parse_felt(result, "a nonce") > _UNUSED_NONCE:
        return
    held = balances.read_balances(context, session, [relayer], context.fee_token)
    if held[relayer] < fee_units:
        yield missing_fees(name, relayer, context.chain.native_symbol)
