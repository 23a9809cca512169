"""Transactions that an operator runs on Tron: deployment, approval and withdrawal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from crossway.adapters.chains.evm.abi import FACTORY_OF, decode
from crossway.adapters.chains.evm.balances import allowances, native_balance_request
from crossway.adapters.chains.evm.calldata import ZERO, Call, call_request
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.contracts import build_deployment, init_code, load_artifact
from crossway.adapters.chains.evm.coordinator import withdrawal_call
from crossway.adapters.chains.evm.operator_txs import (
    approval_calls,
    check_code,
)
from crossway.adapters.chains.evm.rpc_schemas import parse_address, parse_data, parse_quantity
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
from crossway.adapters.chains.rpc.rpc_schemas import as_count
from crossway.adapters.chains.tron.address_format import to_base58, to_evm_address
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.chain_params import load_chain_params
from crossway.adapters.chains.tron.contracts import CONTRACT_FIELDS, FAMILY, contract_addresses
from crossway.adapters.chains.tron.transactions import (
    RefBlock,
    created_address,
    encode_call_tx,
    encode_creation_tx,
    sign_transaction,
)
from crossway.adapters.chains.tron.tx_results import read_info
from crossway.domain.money import Token
from crossway.ports.signing import Signer

GAS_UNIT = "energy"
_TIMEOUT_SECONDS = 300.0
_SPARE_ENERGY = 40_000


@dataclass(frozen=True, slots=True)
class _PlannedTx:
    """One transaction: its fields for the energy estimate, and its unsigned bytes for a reference
    block and a fee limit in sun. `created` names the contract that it creates, if any."""

    description: str
    estimate_fields: dict[str, str]
    encode: Callable[[RefBlock, int], bytes]
    created: str = ""


def check_contract_code(session: RpcSession, context: ChainContext) -> dict[str, str]:
    """The problem of each contract: its code, and the factory that the escrow belongs to."""
    at, addresses = context.deployment, contract_addresses(context.deployment)
    if not any(addresses.values()):
        return dict.fromkeys(addresses, "not deployed")
    problems = check_code(session, at)
    problems |= {name: "not deployed" for name, address in addresses.items() if not address}
    if not problems["Escrow"]:
        result = session.call(call_request(Call(at.escrow, FACTORY_OF.encode())))[0]
        (factory,) = decode(["address"], parse_data(result), "an address")
        if parse_address(factory) != at.factory:
            problems["Escrow"] = "other code than this factory's escrow"
    return problems


def check_contracts(chain: TronChain, in_profile: dict[str, str]) -> list[ContractCheck]:
    """Each contract; one that the profile does not name yet is a problem, too."""
    context = chain.context
    problems = context.pool.first(lambda session: check_contract_code(session, context))
    addresses = contract_addresses(context.deployment)
    fields = {contract: field for field, contract in CONTRACT_FIELDS.items()}
    checks = []
    for name, problem in problems.items():
        address = to_base58(addresses[name]) if addresses[name] else "an unknown address"
        field = fields.get(name, "")
        if not problem and field and in_profile.get(field) != address:
            problem = f'deployed; the profile must name it: contracts.{field} = "{address}"'
        checks.append(ContractCheck(name, address, problem))
    return checks


def plan_deployment(chain: TronChain, signer: Signer) -> TxPlan:
    """Deploy what is missing. Each contract gets the address that follows from the transaction that
    creates it. Raises `Unreachable`, or `ValueError` where that is impossible."""
    context, owner = chain.context, to_evm_address(signer.address)
    problems = context.pool.first(lambda session: check_contract_code(session, context))
    if other := [f"{name}: {p}" for name, p in problems.items() if p.startswith("other")]:
        raise ValueError(f"{chain.id}: {'; '.join(other)}")
    missing = [name for name in CONTRACT_FIELDS.values() if problems[name]]
    if "IntentFactory" in missing and len(missing) < len(CONTRACT_FIELDS):
        raise ValueError(
            f"{chain.id}: an escrow knows one factory: take all of contracts out of the profile, "
            "or name the factory"
        )
    planned = []
    for name in missing:
        code = init_code(name, context.deployment.prefix, context.deployment.factory, FAMILY)
        fields = {"from": owner, "data": "0x" + code.hex()}
        planned.append(
            _PlannedTx(name, fields, partial(_encode_creation, chain, owner, name), name)
        )
    return _plan(chain, signer, planned)


def _encode_creation(
    chain: TronChain, owner: str, name: str, ref_block: RefBlock, fee_limit: int
) -> bytes:
    """The factory's address is read when this is sent, because the plan may have deployed it."""
    at = chain.context.deployment
    code = init_code(name, at.prefix, at.factory, FAMILY)
    return encode_creation_tx(owner, name, code, ref_block, fee_limit)


def _use_created(chain: TronChain, signer: Signer, name: str, tx_id: str) -> None:
    """Use a contract that was just created."""
    at = chain.context.deployment
    new = to_evm_address(created_address(tx_id, to_evm_address(signer.address)))
    chain.context.deployment = build_deployment(
        new if name == "IntentFactory" else at.factory,
        new if name == "Escrow" else at.escrow,
        new if name == "Filler" else at.filler,
        at.prefix,
        FAMILY,
    )


def plan_approval(chain: TronChain, tokens: Sequence[Token], units: int) -> TxPlan:
    """Allow the filler to take up to `units` of each token from the relayer."""
    context = chain.context
    owner, filler = context.accounts.relayer, context.deployment.filler
    if filler == ZERO:
        raise ValueError(f"{chain.id}: the profile does not name the filler yet")
    addresses = [to_evm_address(token.address) for token in tokens]
    current = context.pool.first(lambda s: allowances(s, owner, filler, addresses))
    pairs = zip(tokens, addresses, strict=True)
    return _plan_calls(chain, approval_calls(pairs, current, filler, units))


def plan_withdrawal(chain: TronChain, token: Token, to: str, units: int) -> TxPlan:
    """Withdraw from the escrow what it retains of our own payments."""
    call = withdrawal_call("tron", chain.context.deployment.escrow, token.address, to, units)
    return _plan_calls(chain, [(describe_withdrawal(token, to, units), call)])


def _plan_calls(chain: TronChain, calls: Sequence[tuple[str, Call]]) -> TxPlan:
    owner, planned = chain.context.accounts.relayer, []
    for description, call in calls:
        fields = {"from": owner, "to": call.to, "data": call.hex}
        planned.append(_PlannedTx(description, fields, partial(encode_call_tx, owner, call)))
    return _plan(chain, chain.context.signer, planned)


def _plan(chain: TronChain, signer: Signer, planned: Sequence[_PlannedTx]) -> TxPlan:
    prices = chain.tx_sender.prices()
    requests = [native_balance_request(to_evm_address(signer.address))]
    requests += [RpcRequest("eth_estimateGas", (step.estimate_fields,)) for step in planned]
    balance, *results = chain.context.pool.first(lambda session: session.batch(requests))
    transactions = []
    for step, result in zip(planned, results, strict=True):
        if isinstance(result, RpcError):
            raise ValueError(
                f"{chain.id}: {step.description}: the node returned an error: {result.message}"
            )
        energy = parse_quantity(result, "energy") * 5 // 4 + _SPARE_ENERGY
        code = len(load_artifact(step.created, FAMILY).bytecode) if step.created else 0
        size = load_chain_params().tx_bytes + code
        cost = energy * prices.energy_sun + size * prices.byte_sun
        send = partial(_send, chain, signer, step, energy)
        transactions.append(OperatorTx(step.description, energy, cost, send))
    native = parse_quantity(balance, "a balance")
    return TxPlan(tuple(transactions), signer.address, native, GAS_UNIT)


def _send(
    chain: TronChain, signer: Signer, planned: _PlannedTx, energy: int, on_sent: OnSent
) -> OperatorTxResult:
    chain.heads()
    fee_limit = energy * chain.tx_sender.prices().energy_sun
    raw = planned.encode(chain.tx_sender.ref_block(), fee_limit)
    transaction = sign_transaction(signer, raw, 0, 0)
    on_sent(transaction.tx_id)
    if error := chain.broadcast([transaction])[0]:
        raise ValueError(f"{chain.id}: the node rejects the transaction: {error}")
    read = partial(_read_result, chain, transaction.tx_id)
    result = wait_until_included(transaction.tx_id, _TIMEOUT_SECONDS, read)
    if planned.created and result.succeeded:
        _use_created(chain, signer, planned.created, transaction.tx_id)
    return result


def _read_result(chain: TronChain, tx_id: str) -> OperatorTxResult | None:
    info = chain.context.pool.first(lambda session: read_info(session, tx_id))
    if not info:
        return None
    energy = info.get("receipt", {}).get("energy_usage_total", 0)
    return OperatorTxResult(tx_id, info.get("result") != "FAILED", as_count(energy, GAS_UNIT))
