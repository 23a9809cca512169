"""Transactions that an operator runs on a Starknet chain: deployment and withdrawal."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.operator_txs import (
    ContractCheck,
    OnSent,
    OperatorTx,
    OperatorTxResult,
    TxPlan,
    describe_withdrawal,
    wait_until_included,
)
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.adapters.chains.starknet import balances
from crossway.adapters.chains.starknet.abi import DEPLOY
from crossway.adapters.chains.starknet.calldata import (
    Call,
    block_id,
    build_call,
)
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.chain_context import (
    ChainContext,
    class_request,
    nonce_request,
    receipt_requests,
)
from crossway.adapters.chains.starknet.contracts import (
    CLASSES,
    UNIVERSAL_DEPLOYER,
    class_hash,
    constructor_calldata,
    default_deployment,
)
from crossway.adapters.chains.starknet.coordinator import withdrawal_call
from crossway.adapters.chains.starknet.felts import to_felt
from crossway.adapters.chains.starknet.rpc_schemas import (
    CONTRACT_NOT_FOUND,
    parse_felt,
    parse_hash,
    parse_receipt,
)
from crossway.adapters.chains.starknet.transactions import (
    FeeBounds,
    build_invoke,
    fee_bounds,
    sign_transaction,
    to_json,
)
from crossway.adapters.chains.starknet.tx_sender import submission_error, submit_request
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token

GAS_UNIT = "L2 gas"
_CLASS_NOT_FOUND = 28
_TIMEOUT_SECONDS = 600.0
_NOT_DECLARED = "its class is not declared"
_DEPOSIT_CLASS = "deposit class"


def contract_addresses() -> dict[str, str]:
    """The address of each contract that must be deployed."""
    at = default_deployment()
    return {"IntentFactory": at.factory, "Escrow": at.escrow, "Filler": at.filler}


def contract_locations() -> list[ContractCheck]:
    """Where the contracts are or will be, and the class of deposit addresses. Reads no node."""
    locations = [ContractCheck(name, a, "") for name, a in contract_addresses().items()]
    return [*locations, ContractCheck(_DEPOSIT_CLASS, class_hash("DepositAddress"), "")]


def check_contracts(session: RpcSession) -> list[ContractCheck]:
    """The problem of each contract, and of the class of deposit addresses."""
    addresses = contract_addresses()
    problem = _NOT_DECLARED if _is_undeclared(session, "DepositAddress") else ""
    results = session.batch([class_request(address) for address in addresses.values()])
    checks = [
        ContractCheck(name, address, _problem(session, name, result))
        for (name, address), result in zip(addresses.items(), results, strict=True)
    ]
    return [*checks, ContractCheck(_DEPOSIT_CLASS, class_hash("DepositAddress"), problem)]


def _problem(session: RpcSession, name: str, result: object) -> str:
    if not isinstance(result, RpcError):
        right = parse_hash(result, "a class") == class_hash(name)
        return "" if right else "another class is deployed there"
    if result.code != CONTRACT_NOT_FOUND:
        raise Unreachable(f"the node returned an error: {result.message}")
    return _NOT_DECLARED if _is_undeclared(session, name) else "not deployed"


def _is_undeclared(session: RpcSession, name: str) -> bool:
    """Whether the network does not know the class of a contract."""
    params = (block_id("latest"), hex(to_felt(class_hash(name))))
    result = session.batch([RpcRequest("starknet_getClass", params)])[0]
    if not isinstance(result, RpcError):
        return False
    if result.code != _CLASS_NOT_FOUND:
        raise Unreachable(f"the node returned an error: {result.message}")
    return True


def undeclared(checks: Sequence[ContractCheck]) -> list[str]:
    """The names of those whose class is not declared."""
    return [check.name for check in checks if check.problem == _NOT_DECLARED]


def plan_deployment(chain: StarknetChain) -> TxPlan:
    """Deploy what is missing. Raises `Unreachable`, or `ValueError` where that is impossible."""
    checks = chain.context.pool.first(check_contracts)
    if names := undeclared(checks):
        raise ValueError(f"{chain.id}: {declare_instructions(names)}")
    if other := [check for check in checks if check.problem.startswith("another")]:
        raise ValueError(f"{chain.id}: {other[0].name}: {other[0].problem}")
    missing = [check for check in checks if check.problem]
    calls = [(f"{check.name} at {check.address}", _deploy_call(check.name)) for check in missing]
    return _plan(chain, calls)


def declare_instructions(names: Sequence[str]) -> str:
    """How to declare the classes of these contracts."""
    classes = [name if name in CLASSES else "DepositAddress" for name in names]
    return (
        f"the classes of {', '.join(classes)} are not declared: declare each once with `starkli "
        "declare artifacts/NAME.sierra.json` from crossway/adapters/chains/starknet, or with "
        "sncast (docs/going-live.md says how)"
    )


def _deploy_call(name: str) -> Call:
    calldata = constructor_calldata(name)
    return build_call(DEPLOY, UNIVERSAL_DEPLOYER, to_felt(class_hash(name)), 0, 0, list(calldata))


def plan_withdrawal(chain: StarknetChain, token: Token, to: str, units: int) -> TxPlan:
    """Withdraw from the escrow what it retains of our own payments."""
    call = withdrawal_call(chain.context.deployment, token.address, to, units)
    return _plan(chain, [(describe_withdrawal(token, to, units), call)])


def relayer_balances(chain: StarknetChain, tokens: Sequence[str]) -> Mapping[str, int]:
    """The relayer's balance of each token, in base units."""
    context, owner = chain.context, chain.accounts.relayer

    def read(session: RpcSession, token: str) -> int:
        return balances.read_balances(context, session, [owner], token)[owner]

    return context.pool.first(lambda session: {t: read(session, t) for t in dict.fromkeys(tokens)})


def _plan(chain: StarknetChain, calls: Sequence[tuple[str, Call]]) -> TxPlan:
    context, relayer = chain.context, chain.accounts.relayer
    fee = chain.fee_units()

    def build(session: RpcSession) -> list[OperatorTx]:
        transactions = []
        for description, call in calls:
            result = session.batch([_estimate_request(context, session, call, fee)])[0]
            if isinstance(result, RpcError):
                raise ValueError(
                    f"{chain.id}: {description}: the node returned an error: {result.message}"
                )
            estimate = as_list(result, "an estimate")[0]
            bounds = _bounds_with_margin(fee_bounds(context.params, fee), estimate)
            send = partial(_send, context, call, bounds)
            transactions.append(OperatorTx(description, bounds.l2_gas, bounds.max_fee, send))
        return transactions

    transactions = context.pool.first(build)
    return TxPlan(tuple(transactions), relayer, chain.native_balance(relayer), GAS_UNIT)


def _estimate_request(
    context: ChainContext, session: RpcSession, call: Call, fee: int
) -> RpcRequest:
    """Request the gas that a call of our account would use now."""
    account = context.accounts.relayer
    nonce = parse_felt(session.call(nonce_request(account))[0], "a nonce")
    # Without a tip, as nodes of Pathfinder before 0.22.3 refuse to estimate one.
    bounds = replace(fee_bounds(context.params, fee), tip=0)
    transaction = build_invoke(account, [call], nonce, bounds)
    params = ([to_json(transaction)], ["SKIP_VALIDATE"], block_id("latest"))
    return RpcRequest("starknet_estimateFee", params)


def _bounds_with_margin(bounds: FeeBounds, estimate: object) -> FeeBounds:
    """One and a half times the estimate, plus what verifying the signature uses."""
    used = as_object(estimate, "an estimate")
    l2_gas = parse_felt(used.get("l2_gas_consumed"), "gas") * 3 // 2 + 1_000_000
    data_gas = parse_felt(used.get("l1_data_gas_consumed"), "gas") * 3 // 2 + 500
    return FeeBounds(l2_gas, bounds.l2_price, data_gas, bounds.data_price, bounds.tip)


def _send(
    context: ChainContext, call: Call, bounds: FeeBounds, on_sent: OnSent
) -> OperatorTxResult:
    account, pool, fee = context.accounts.relayer, context.pool, bounds.max_fee
    nonce = pool.first(lambda s: parse_felt(s.call(nonce_request(account))[0], "a nonce"))
    signer, chain_id = context.signer, context.chain_id
    transaction = sign_transaction(signer, chain_id, account, [call], nonce, bounds, fee)
    on_sent(transaction.tx_id)
    result = pool.first(lambda session: session.batch([submit_request(transaction)])[0])
    if error := submission_error(result, transaction):
        raise ValueError(f"{context.chain.id}: the node rejects the transaction: {error}")
    read = partial(_read_result, context, transaction.tx_id)
    return wait_until_included(transaction.tx_id, _TIMEOUT_SECONDS, read)


def _read_result(context: ChainContext, tx_id: str) -> OperatorTxResult | None:
    result = context.pool.first(lambda session: session.batch(receipt_requests([tx_id]))[0])
    receipt = parse_receipt(result, tx_id)
    if receipt is None:
        return None
    resources = as_object(as_object(result, "a receipt").get("execution_resources"), "resources")
    gas = resources.get("l2_gas")
    if not isinstance(gas, int):
        raise MalformedResponse("the node did not return gas")
    return OperatorTxResult(tx_id, receipt.succeeded, gas)
