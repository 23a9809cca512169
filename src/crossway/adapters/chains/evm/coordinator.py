"""What contracts of EVM chains, and of Tron, say of a coordinator, and what it signs itself."""

from collections.abc import Collection

from crossway.adapters.chains.evm.abi import IS_AUTHORIZED, RETAINED, SET_AGENT, WITHDRAW, decode
from crossway.adapters.chains.evm.calldata import Call, call_request
from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.evm.rpc_schemas import parse_data
from crossway.adapters.chains.rpc.operator_txs import UnsignedCall
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.words import address_bytes
from crossway.domain.catalogue import Chain, ChainKind
from crossway.domain.money import Token

SET_AGENT_SIGNATURE = "setAgent(address,bool)"
WITHDRAW_SIGNATURE = "withdraw(address,address,uint256)"


def read_authorized(
    session: RpcSession, kind: ChainKind, at: Deployment, relayer: str, others: Collection[str]
) -> set[str]:
    """Those of the coordinators that have named the relayer their agent. Raises `Unreachable`."""
    agent = address_bytes(kind, relayer)
    calls = [
        Call(at.factory, IS_AUTHORIZED.encode(address_bytes(kind, one), agent)) for one in others
    ]
    results = session.call(*map(call_request, calls))
    what = "whether an account is an agent"
    answers = [decode(["bool"], parse_data(result, what), what)[0] for result in results]
    return {one for one, allowed in zip(others, answers, strict=True) if allowed}


def read_retained(
    session: RpcSession, kind: ChainKind, at: Deployment, coordinator: str, token: str
) -> int:
    """Base units of a token that the escrow retains of this coordinator's settled payments."""
    data = RETAINED.encode(address_bytes(kind, coordinator), address_bytes(kind, token))
    result = session.call(call_request(Call(at.escrow, data)))[0]
    what = "a retained amount"
    amount: int = decode(["uint256"], parse_data(result, what), what)[0]
    return amount


def agent_call(kind: ChainKind, at: Deployment, agent: str, allowed: bool) -> Call:
    """The call by which a coordinator names an agent, or revokes it."""
    return Call(at.factory, SET_AGENT.encode(address_bytes(kind, agent), allowed))


def withdrawal_call(kind: ChainKind, at: Deployment, token: str, to: str, units: int) -> Call:
    """The call by which a coordinator withdraws what the escrow retains."""
    receiver = address_bytes(kind, to)
    return Call(at.escrow, WITHDRAW.encode(address_bytes(kind, token), receiver, units))


def unsigned_agent_call(
    chain: Chain, at: Deployment, contract: str, agent: str, allowed: bool
) -> UnsignedCall:
    """As `agent_call`, to be signed elsewhere; `contract` is the factory as wallets have it."""
    data = agent_call(chain.kind, at, agent, allowed).hex
    arguments = (agent, str(allowed).lower())
    return UnsignedCall(chain.chain_id, contract, SET_AGENT_SIGNATURE, arguments, data)


def unsigned_withdrawal(
    chain: Chain, at: Deployment, contract: str, token: Token, to: str, units: int
) -> UnsignedCall:
    """As `withdrawal_call`, to be signed elsewhere; `contract` is the escrow as wallets have it."""
    data = withdrawal_call(chain.kind, at, token.address, to, units).hex
    arguments = (token.address, to, str(units))
    return UnsignedCall(chain.chain_id, contract, WITHDRAW_SIGNATURE, arguments, data)
