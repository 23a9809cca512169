"""What contracts of EVM chains, and of Tron, say of a coordinator, and what it signs itself."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from crossway.adapters.chains.evm.abi import (
    IS_AUTHORIZED,
    OWED,
    PAYEES,
    RETAINED,
    SET_AGENT,
    SET_PAYEE,
    WITHDRAW,
    decode,
)
from crossway.adapters.chains.evm.calldata import Call, call_request
from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.evm.rpc_schemas import parse_data
from crossway.adapters.chains.rpc.operator_txs import UnsignedCall
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.words import WORD, address_bytes
from crossway.domain.catalogue import Chain, ChainKind
from crossway.domain.money import Token
from crossway.ports.chain_addresses import ChainAddresses

SET_AGENT_SIGNATURE = "setAgent(address,bool)"
SET_PAYEE_SIGNATURE = "setPayee(address,bool)"
WITHDRAW_SIGNATURE = "withdraw(address,address,uint256)"


def read_authorized(
    session: RpcSession,
    kind: ChainKind,
    at: Deployment,
    accounts: ChainAddresses,
    others: Collection[str],
) -> set[str]:
    """Those of the coordinators for whom the relayer can do all that it has to. Raises
    `Unreachable`."""
    missing = read_missing_permissions(session, kind, at, accounts, others)
    return {one for one, sentences in missing.items() if not sentences}


def read_missing_permissions(
    session: RpcSession,
    kind: ChainKind,
    at: Deployment,
    accounts: ChainAddresses,
    coordinators: Collection[str],
) -> dict[str, list[str]]:
    """What each coordinator has still to permit. Its agents pay relayer and treasury from the
    second escrow only where it has registered them as payees. Raises `Unreachable`."""
    relayer, treasury = accounts.relayer, accounts.treasury
    payees = {relayer: f"registered the relayer {relayer} as a payee"} if at.escrow2 else {}
    if at.escrow2 and treasury != relayer:
        payees[treasury] = f"registered the treasury {treasury} as a payee"
    wanted = [
        (one, sentence, call)
        for one in coordinators
        for sentence, call in (
            (f"named the relayer {relayer} its agent", _is_agent_call(kind, at, one, relayer)),
            *((what, _is_payee_call(kind, at, one, who)) for who, what in payees.items()),
        )
    ]
    results = session.call(*(call_request(call) for _, _, call in wanted))
    missing: dict[str, list[str]] = {one: [] for one in coordinators}
    for (one, sentence, _), result in zip(wanted, results, strict=True):
        if not _is_true(result):
            missing[one].append(sentence)
    return missing


def _is_agent_call(kind: ChainKind, at: Deployment, coordinator: str, account: str) -> Call:
    accounts = address_bytes(kind, coordinator), address_bytes(kind, account)
    return Call(at.factory, IS_AUTHORIZED.encode(*accounts))


def _is_payee_call(kind: ChainKind, at: Deployment, coordinator: str, account: str) -> Call:
    accounts = address_bytes(kind, coordinator), address_bytes(kind, account)
    return Call(at.escrow2, PAYEES.encode(*accounts))


def _is_true(result: Any) -> bool:
    what = "whether an account may act for a coordinator"
    data = parse_data(result, what)
    # Where the contract is not deployed yet, nobody may.
    return bool(data) and bool(decode(["bool"], data, what)[0])


def read_retained(
    session: RpcSession, kind: ChainKind, at: Deployment, coordinator: str, token: str
) -> dict[str, int]:
    """Base units of a token that each escrow retains of this coordinator's settled payments."""
    data = RETAINED.encode(address_bytes(kind, coordinator), address_bytes(kind, token))
    escrows = [at.escrow2, at.escrow] if at.escrow2 else [at.escrow]
    results = session.call(*(call_request(Call(escrow, data)) for escrow in escrows))
    what = "a retained amount"
    amounts = {}
    for escrow, result in zip(escrows, results, strict=True):
        word = parse_data(result, what)
        # A new installation does not have the escrow of earlier payments.
        if not word and escrow != escrows[0]:
            word = bytes(WORD)
        amounts[escrow] = int(decode(["uint256"], word, what)[0])
    return amounts


def read_withdrawable(
    session: RpcSession, kind: ChainKind, at: Deployment, coordinator: str, token: str
) -> dict[str, int]:
    """Base units of a token that a coordinator can withdraw, by contract: what each escrow retains,
    and what the bridges' contracts owe to it."""
    data = OWED.encode(address_bytes(kind, coordinator), address_bytes(kind, token))
    bridges = list(at.bridges.values())
    requests = [call_request(Call(bridge, data)) for bridge in bridges]
    results = session.call(*requests) if requests else []
    amounts, what = read_retained(session, kind, at, coordinator, token), "what a contract owes"
    for bridge, result in zip(bridges, results, strict=True):
        # Contracts of bridges that the profile does not name need not be there.
        word = parse_data(result, what) or bytes(WORD)
        amounts[bridge] = int(decode(["uint256"], word, what)[0])
    return amounts


def agent_call(kind: ChainKind, at: Deployment, agent: str, allowed: bool) -> Call:
    """The call by which a coordinator names an agent, or revokes it."""
    return Call(at.factory, SET_AGENT.encode(address_bytes(kind, agent), allowed))


def withdrawal_call(kind: ChainKind, contract: str, token: str, to: str, units: int) -> Call:
    """The call by which a coordinator withdraws what a contract retains for it or owes to it."""
    receiver = address_bytes(kind, to)
    return Call(contract, WITHDRAW.encode(address_bytes(kind, token), receiver, units))


def unsigned_agent_call(
    chain: Chain, at: Deployment, contract: str, agent: str, allowed: bool
) -> UnsignedCall:
    """As `agent_call`, to be signed elsewhere; `contract` is the factory as wallets have it."""
    data = agent_call(chain.kind, at, agent, allowed).hex
    arguments = (agent, str(allowed).lower())
    return UnsignedCall(chain.chain_id, contract, SET_AGENT_SIGNATURE, arguments, data)


def unsigned_payee_calls(
    chain: Chain, escrow: str, payees: Sequence[str], allowed: bool
) -> list[UnsignedCall]:
    """The calls by which a coordinator lets its agents pay accounts, or no longer."""
    calls = []
    for payee in dict.fromkeys(payees):
        data = Call(escrow, SET_PAYEE.encode(address_bytes(chain.kind, payee), allowed)).hex
        arguments = (payee, str(allowed).lower())
        calls.append(UnsignedCall(chain.chain_id, escrow, SET_PAYEE_SIGNATURE, arguments, data))
    return calls


def unsigned_withdrawals(
    chain: Chain, amounts: Mapping[str, int], token: Token, to: str
) -> list[UnsignedCall]:
    """As `withdrawal_call`, to be signed elsewhere, for each contract that retains something;
    `amounts` are by contract as wallets have it."""
    calls = []
    for contract, units in amounts.items():
        if units:
            data = withdrawal_call(chain.kind, contract, token.address, to, units).hex
            arguments = (token.address, to, str(units))
            calls.append(
                UnsignedCall(chain.chain_id, contract, WITHDRAW_SIGNATURE, arguments, data)
            )
    return calls
