"""What is missing or wrong on Tron: nodes, contracts, fees, inventory and approvals."""

from collections.abc import Iterator

from crossway.adapters.chains.evm.balances import allowances, token_balances
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.node_checks import check_finality, check_logs
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.diagnostics import (
    MIN_FEE_TRANSACTIONS,
    Finding,
    contract_finding,
    inventory_findings,
)
from crossway.adapters.chains.rpc.node_diagnostics import NodeHead
from crossway.adapters.chains.rpc.operator import deploy_command, missing_approval, missing_fees
from crossway.adapters.chains.rpc.pool import RpcPool, RpcSession
from crossway.adapters.chains.tron.address_format import to_base58, to_evm_address
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.chain_params import load_chain_params
from crossway.adapters.chains.tron.contracts import contract_addresses
from crossway.adapters.chains.tron.operator_txs import check_contract_code
from crossway.adapters.chains.tron.resources import CHAIN_ID_VOTE, read_resources
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units

_NEED_HTTP_API = "Use a node with the whole HTTP API."


def check_capabilities(
    subject: str, pool: RpcPool, chain: Chain, head: NodeHead
) -> Iterator[Finding]:
    """Whether the node accepts log queries of the usual size, and has the whole HTTP API."""
    params = load_chain_params().evm_params
    try:
        yield from check_logs(subject, pool, chain, params, head)
        yield from check_finality(subject, pool, params)
    except Unreachable as error:
        yield Finding(subject, str(error), "Deposits may be seen late: try another node.")
        return
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
    for problem in _chain_id_problems(chain):
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
    context, tokens = chain.context, _payable_tokens(chain.context)
    owner, filler, addresses = context.accounts.relayer, context.deployment.filler, list(tokens)
    held = context.pool.first(lambda s: token_balances(s, owner, addresses))
    allowed = context.pool.first(lambda s: allowances(s, owner, filler, addresses))
    balances = [(token, held[address], allowed[address]) for address, token in tokens.items()]
    return inventory_findings(chain.id, chain.accounts.relayer, balances, "USDT")


def unmet_requirements(chain: TronChain) -> list[str]:
    """What is missing, one sentence each. Raises `Unreachable`."""
    context = chain.context
    missing = context.pool.first(lambda session: list(_missing_contracts(context, session)))
    missing += [f"{chain.id}: {problem}" for problem in _chain_id_problems(chain)]
    missing += list(_fees(chain))
    if not missing:
        missing = context.pool.first(lambda session: list(_missing_approvals(context, session)))
    return missing


def _chain_id_problems(chain: TronChain) -> Iterator[str]:
    """Whether contracts on this network see another chain id than ours expect."""
    if chain.tx_sender.prices().short_chain_id is False:
        yield (
            f"{CHAIN_ID_VOTE} is not voted for on this network: contracts read another chain id "
            "there, and no payment could be started"
        )


def _missing_contracts(context: ChainContext, session: RpcSession) -> Iterator[str]:
    name, addresses = context.chain.id, contract_addresses(context.deployment)
    for contract, problem in check_contract_code(session, context).items():
        if not problem:
            continue
        if not addresses[contract]:
            if contract != "DepositAddress":
                yield (
                    f"{name}: the profile does not name the {contract}: run "
                    f"{deploy_command(name)}, and write what it prints into the profile"
                )
        elif problem == "not deployed":
            yield f"{name}: the {contract} is not deployed at {to_base58(addresses[contract])}"
        else:
            address = to_base58(addresses[contract])
            yield f"{name}: at {address} is another contract than the {contract}"


def _fees(chain: TronChain) -> Iterator[str]:
    """Checks an unused account only: a used one that runs short raises an alert."""
    relayer, symbol = chain.accounts.relayer, chain.context.chain.native_symbol
    if chain.native_balance(relayer) < chain.fee_units() and chain.next_nonce(relayer) == 0:
        yield missing_fees(chain.id, relayer, symbol)


def _payable_tokens(context: ChainContext) -> dict[str, Token]:
    """The tokens that recipients can be paid in, by address in EVM form."""
    tokens = context.catalogue.by_chain[context.chain.id]
    return {to_evm_address(t.address): t for t in tokens if t.enabled and not t.native}


def _missing_approvals(context: ChainContext, session: RpcSession) -> Iterator[str]:
    owner, tokens = context.accounts.relayer, _payable_tokens(context)
    held = token_balances(session, owner, list(tokens))
    allowed = allowances(session, owner, context.deployment.filler, list(tokens))
    for address, token in tokens.items():
        if held[address] and not allowed[address]:
            yield missing_approval(context.chain.id, token.symbol)
