"""Transactions that an operator runs on an EVM chain: deployment, approval and withdrawal."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final

from crossway.adapters.chains.evm.abi import APPROVE
from crossway.adapters.chains.evm.balances import (
    allowances,
    code_request,
    native_balance_request,
)
from crossway.adapters.chains.evm.block_room import (
    describe_lack,
    least_deployment_gas,
    read_room,
)
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.chain_context import receipt_request
from crossway.adapters.chains.evm.contracts import (
    DEPLOYER,
    OPTIONAL_CONTRACTS,
    SALT,
    Deployment,
    artifact_of,
    init_code,
    load_artifact,
)
from crossway.adapters.chains.evm.coordinator import read_withdrawable, withdrawal_call
from crossway.adapters.chains.evm.parked import unpark_call
from crossway.adapters.chains.evm.permit2 import PERMIT2
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
from crossway.domain.intent import Intent
from crossway.domain.money import Token, format_units
from crossway.ports.signing import Signer

_TIMEOUT_SECONDS = 600.0
_SPARE_GAS = 40_000
PAY_IN: Final = "PermitPayIn"
_NO_LEAST: Final[Mapping[bytes, int]] = MappingProxyType({})


def working_contracts(at: Deployment) -> dict[str, str]:
    """The address of each contract without which the engine cannot work a chain; those of bridges
    are needed by bridges."""
    first = {"Escrow": at.escrow, "Filler": at.filler}
    second = {"Escrow2": at.escrow2, "Filler2": at.filler2}
    return {"IntentFactory": at.factory, **(second if at.escrow2 else first)}


def contract_addresses(at: Deployment) -> dict[str, str]:
    """The address of each contract that must be deployed."""
    return {**working_contracts(at), "DepositAddress": at.implementation, **at.optional}


def _optional_contracts(at: Deployment, bridges: Collection[str]) -> set[str]:
    """Those that need not be there: of earlier versions, and of what is not named."""
    named = {contract for bridge in bridges for contract in OPTIONAL_CONTRACTS.get(bridge, ())}
    return {*earlier_contracts(at), *(at.optional.keys() - named)}


def earlier_contracts(at: Deployment) -> dict[str, str]:
    """The address of each contract that payments of earlier versions need."""
    return {"Escrow": at.escrow, "Filler": at.filler} if at.escrow2 else {}


def check_code(
    session: RpcSession, at: Deployment, bridges: Collection[str] = ()
) -> dict[str, str]:
    """The problem of each contract, empty where the deployed code is that of the artifact. Those of
    earlier payments, and those of other bridges than `bridges`, are among them only where they are
    deployed."""
    addresses = contract_addresses(at) | earlier_contracts(at)
    optional = _optional_contracts(at, bridges)
    results = session.call(*(code_request(address) for address in addresses.values()))
    problems = {}
    for (name, address), result in zip(addresses.items(), results, strict=True):
        code = parse_data(result, "code")
        if name in optional and not code:
            continue
        right = load_artifact(artifact_of(name), at.family).matches_code(code)
        problem = "not deployed" if not code else f"other code at {address}"
        problems[name] = "" if right else problem
    return problems


def plan_deployment(chain: EvmChain, signer: Signer, bridges: Collection[str]) -> TxPlan:
    """Deploy what is missing. Raises `Unreachable`, or `ValueError` where that is impossible."""
    at = chain.context.deployment
    least = {
        SALT + init_code(name): least_deployment_gas(name)
        for name in contract_addresses(at)
        if name != "DepositAddress"
    }

    def missing(session: RpcSession) -> list[tuple[str, Call]]:
        problems = check_code(session, at, bridges)
        if not parse_data(session.call(code_request(DEPLOYER))[0], "code"):
            raise ValueError(
                f"{chain.id} lacks the deterministic deployer {DEPLOYER}: deploy it first "
                "(docs/going-live.md says how)"
            )
        # It is deployed where it can be used, and is never missed.
        permit2 = parse_data(session.call(code_request(PERMIT2))[0], "code")
        absent = {PAY_IN} - problems.keys() if permit2 else set()
        if other := [f"{name}: {p}" for name, p in problems.items() if p.startswith("other")]:
            raise ValueError(f"{chain.id}: {'; '.join(other)}")
        return [
            (f"{name} at {address}", Call(DEPLOYER, SALT + init_code(name)))
            for name, address in contract_addresses(at).items()
            if (problems.get(name) and name != "DepositAddress") or name in absent
        ]

    return _plan(chain, signer, missing, least)


def plan_approval(chain: EvmChain, tokens: Sequence[Token], units: int) -> TxPlan:
    """Allow the filler to take up to `units` of each token from the relayer."""
    context = chain.context
    owner, filler = context.accounts.relayer, context.deployment.filler2
    addresses = [token.address for token in tokens]

    def changes(session: RpcSession) -> list[tuple[str, Call]]:
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
    """Withdraw from each escrow what it retains of our own payments, and from bridges' contracts
    what they owe, `units` at most."""
    context = chain.context

    def changes(session: RpcSession) -> list[tuple[str, Call]]:
        at, owner, left, calls = context.deployment, context.accounts.relayer, units, []
        for contract, amount in read_withdrawable(session, "evm", at, owner, token.address).items():
            if taken := min(amount, left):
                call = withdrawal_call("evm", contract, token.address, to, taken)
                calls.append((describe_withdrawal(token, to, taken, contract), call))
                left -= taken
        return calls

    return _plan(chain, context.signer, changes)


def plan_unpark(chain: EvmChain, intent: Intent) -> TxPlan:
    """Have what is parked for a payment's recipient credited to our coordinator."""
    what = f"what is parked for payment {intent.id}"
    return plan_calls(chain, [(what, unpark_call(chain.context, intent))])


def plan_calls(chain: EvmChain, calls: Sequence[tuple[str, Call]]) -> TxPlan:
    """Calls of the relayer, each with what it does for people. One whose gas depends on another of
    them belongs in a plan of its own."""
    return _plan(chain, chain.context.signer, lambda session: calls)


def _plan(
    chain: EvmChain,
    signer: Signer,
    changes: Callable[[RpcSession], Sequence[tuple[str, Call]]],
    least_gas: Mapping[bytes, int] = _NO_LEAST,
) -> TxPlan:
    """Transactions that make changes. Those that no block has room for are left out; `least_gas` is
    by a call's data what it takes at least, because nodes give no estimate beyond a block."""
    context, usual_price = chain.context, chain.fee_units() // chain.context.params.gas_limit + 1

    def build(session: RpcSession) -> TxPlan:
        calls = changes(session)
        room = read_room(session, context.params, signer.address)
        price = max(usual_price, 2 * room.base_fee + chain.tx_sender.market_tip() + 1)
        results = session.batch([_estimate_request(signer.address, call) for _, call in calls])
        transactions, left_out = [], []
        for (description, call), result in zip(calls, results, strict=True):
            needed = least_gas.get(call.data, 0)
            if not isinstance(result, RpcError):
                needed = parse_quantity(result, "gas")
            elif needed <= room.gas:
                raise ValueError(
                    f"{chain.id}: {description}: the node returned an error: {result.message}"
                )
            if needed > room.gas:
                what = description.partition(" at ")[0]
                left_out.append(describe_lack(context.chain, context.params, what, needed, room))
                continue
            gas = _gas_limit(needed, room.gas)
            send = partial(_send, chain, signer, call, gas, price)
            transactions.append(OperatorTx(description, gas, gas * price, send))
        request = native_balance_request(signer.address)
        balance = parse_quantity(session.call(request)[0], "a balance")
        return TxPlan(tuple(transactions), signer.address, balance, "gas", tuple(left_out))

    return context.pool.first(build)


def _gas_limit(estimate: int, block_gas: int) -> int:
    """The estimate with a margin, as far as a block has room: an earlier transaction of the plan
    may make this one more expensive, because writing to an empty slot costs more than changing
    it."""
    return min(estimate * 5 // 4 + _SPARE_GAS, block_gas)


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
