"""Transactions that an operator runs on an EVM chain: deployment, approval and withdrawal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from crossway.adapters.chains.evm.abi import APPROVE
from crossway.adapters.chains.evm.balances import (
    allowances,
    code_request,
    native_balance_request,
)
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import block_request, receipt_request
from crossway.adapters.chains.evm.contracts import (
    DEPLOYER,
    SALT,
    Deployment,
    init_code,
    load_artifact,
)
from crossway.adapters.chains.evm.coordinator import withdrawal_call
from crossway.adapters.chains.evm.rpc_schemas import (
    parse_data,
    parse_hash,
    parse_quantity,
    parse_receipt,
)
from crossway.adapters.chains.evm.transactions import gas_price, sign_transaction
from crossway.adapters.chains.evm.tx_sender import nonce_request, submit_request
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.operator_txs import (
    UNLIMITED,
    OnSent,
    OperatorTx,
    OperatorTxResult,
    TxPlan,
    describe_withdrawal,
    wait_until_included,
)
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import as_object
from crossway.domain.money import Token, format_units
from crossway.ports.signing import Signer

CONTRACTS = ("IntentFactory", "Escrow", "Filler")
_TIMEOUT_SECONDS = 600.0
_SPARE_GAS = 40_000


def contract_addresses(at: Deployment) -> dict[str, str]:
    """The address of each contract that must be deployed."""
    addresses = dict(zip(CONTRACTS, (at.factory, at.escrow, at.filler), strict=True))
    return {**addresses, "DepositAddress": at.implementation}


def check_code(session: RpcSession, at: Deployment) -> dict[str, str]:
    """The problem of each contract, empty where the deployed code is that of the artifact."""
    addresses = contract_addresses(at)
    results = session.call(*(code_request(address) for address in addresses.values()))
    problems = {}
    for (name, address), result in zip(addresses.items(), results, strict=True):
        code = parse_data(result, "code")
        right = load_artifact(name, at.family).matches_code(code)
        problem = "not deployed" if not code else f"other code at {address}"
        problems[name] = "" if right else problem
    return problems


def plan_deployment(chain: EvmChain, signer: Signer) -> TxPlan:
    """Deploy what is missing. Raises `Unreachable`, or `ValueError` where that is impossible."""
    at = chain.context.deployment

    def missing(session: RpcSession) -> list[tuple[str, Call]]:
        problems = check_code(session, at)
        if not parse_data(session.call(code_request(DEPLOYER))[0], "code"):
            raise ValueError(
                f"{chain.id} lacks the deterministic deployer {DEPLOYER}: deploy it first "
                "(docs/going-live.md says how)"
            )
        if other := [f"{name}: {p}" for name, p in problems.items() if p.startswith("other")]:
            raise ValueError(f"{chain.id}: {'; '.join(other)}")
        return [
            (f"{name} at {contract_addresses(at)[name]}", Call(DEPLOYER, SALT + init_code(name)))
            for name in CONTRACTS
            if problems[name]
        ]

    return _plan(chain, signer, missing)


def plan_approval(chain: EvmChain, tokens: Sequence[Token], units: int) -> TxPlan:
    """Allow the filler to take up to `units` of each token from the relayer."""
    context = chain.context
    owner, filler = context.accounts.relayer, context.deployment.filler

    def changes(session: RpcSession) -> list[tuple[str, Call]]:
        addresses = [token.address for token in tokens]
        current = allowances(session, owner, filler, addresses)
        return approval_calls(zip(tokens, addresses, strict=True), current, filler, units)

    return _plan(chain, context.signer, changes)


def approval_calls(
    tokens: Iterable[tuple[Token, str]], current: Mapping[str, int], filler: str, units: int
) -> list[tuple[str, Call]]:
    """Description and call of each allowance that changes; `tokens` with their addresses in EVM
    form. An existing allowance is revoked first, because some tokens require that."""
    calls = []
    for token, address in tokens:
        if current[address] == units:
            continue
        if current[address] and units:
            calls.append((f"no {token.symbol} allowed for now", _approve(address, filler, 0)))
        amount = "any amount of" if units == UNLIMITED else format_units(units, token.decimals)
        calls.append((f"{amount} {token.symbol} allowed", _approve(address, filler, units)))
    return calls


def _approve(token: str, filler: str, units: int) -> Call:
    return Call(token, APPROVE.encode(filler, units))


def plan_withdrawal(chain: EvmChain, token: Token, to: str, units: int) -> TxPlan:
    """Withdraw from the escrow what it retains of our own payments."""
    call = withdrawal_call("evm", chain.context.deployment, token.address, to, units)
    change = describe_withdrawal(token, to, units), call
    return _plan(chain, chain.context.signer, lambda session: [change])


def _plan(
    chain: EvmChain, signer: Signer, changes: Callable[[RpcSession], Sequence[tuple[str, Call]]]
) -> TxPlan:
    price = chain.fee_units() // chain.context.params.gas_limit + 1

    def build(session: RpcSession) -> TxPlan:
        calls = changes(session)
        newest, *results = session.batch(
            [
                block_request("latest"),
                *(_estimate_request(signer.address, call) for _, call in calls),
            ]
        )
        block_gas = parse_quantity(as_object(newest, "a block").get("gasLimit"), "a gas limit")
        transactions = []
        for (description, call), result in zip(calls, results, strict=True):
            if isinstance(result, RpcError):
                raise ValueError(
                    f"{chain.id}: {description}: the node returned an error: {result.message}"
                )
            gas = _gas_limit(result, block_gas)
            send = partial(_send, chain, signer, call, gas, price)
            transactions.append(OperatorTx(description, gas, gas * price, send))
        balance = session.call(native_balance_request(signer.address))[0]
        return TxPlan(
            tuple(transactions), signer.address, parse_quantity(balance, "a balance"), "gas"
        )

    return chain.context.pool.first(build)


def _gas_limit(estimate: object, block_gas: int) -> int:
    """The estimate with a margin, as far as a block has room: an earlier transaction of the plan
    may make this one more expensive, because writing to an empty slot costs more than changing
    it."""
    return min(parse_quantity(estimate, "gas") * 5 // 4 + _SPARE_GAS, block_gas)


def _estimate_request(account: str, call: Call) -> RpcRequest:
    fields = {"from": account, "to": call.to, "data": call.hex, "value": hex(call.value)}
    return RpcRequest("eth_estimateGas", (fields,))


def _send(
    chain: EvmChain, signer: Signer, call: Call, gas: int, price: int, on_sent: OnSent
) -> OperatorTxResult:
    context = chain.context
    count = nonce_request(signer.address, "pending")
    nonce = context.pool.first(lambda session: parse_quantity(session.call(count)[0], "a nonce"))
    params, chain_id = replace(context.params, gas_limit=gas), int(context.chain.chain_id)
    offered = gas_price(price * gas, params, chain.tx_sender.market_tip())
    transaction = sign_transaction(signer, chain_id, params, call, nonce, price * gas, offered)
    on_sent(transaction.tx_id)
    request = submit_request(transaction)
    result = context.pool.first(lambda session: session.batch([request])[0])
    if isinstance(result, RpcError):
        raise ValueError(f"{chain.id}: the node rejects the transaction: {result.message}")
    parse_hash(result, "a transaction's hash")
    read = partial(_read_result, chain, transaction.tx_id)
    return wait_until_included(transaction.tx_id, _TIMEOUT_SECONDS, read)


def _read_result(chain: EvmChain, tx_id: str) -> OperatorTxResult | None:
    request = receipt_request(tx_id)
    result = chain.context.pool.first(lambda session: session.call(request)[0])
    receipt = parse_receipt(result, tx_id)
    if receipt is None:
        return None
    return OperatorTxResult(tx_id, receipt.succeeded, parse_quantity(result["gasUsed"], "gas"))
