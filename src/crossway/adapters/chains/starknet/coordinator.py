"""What the contracts on Starknet say of a coordinator, and what it signs itself."""

from collections.abc import Collection

from crossway.adapters.chains.rpc.operator_txs import UnsignedCall
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.starknet.abi import IS_AUTHORIZED, RETAINED, SET_AGENT, WITHDRAW
from crossway.adapters.chains.starknet.calldata import Call, build_call, call_request
from crossway.adapters.chains.starknet.contracts import Deployment
from crossway.adapters.chains.starknet.felts import to_felt
from crossway.adapters.chains.starknet.rpc_schemas import parse_felts, parse_u256
from crossway.domain.catalogue import Chain
from crossway.domain.money import Token


def read_authorized(
    session: RpcSession, at: Deployment, relayer: str, others: Collection[str]
) -> set[str]:
    """Those of the coordinators that have named the relayer their agent. Raises `Unreachable`."""
    agent = to_felt(relayer)
    calls = [build_call(IS_AUTHORIZED, at.factory, to_felt(one), agent) for one in others]
    results = session.call(*map(call_request, calls))
    answers = [parse_felts(result, "whether an account is an agent") for result in results]
    return {one for one, answer in zip(others, answers, strict=True) if answer == (1,)}


def read_retained(session: RpcSession, at: Deployment, coordinator: str, token: str) -> int:
    """Base units of a token that the escrow retains of this coordinator's settled payments."""
    call = build_call(RETAINED, at.escrow, to_felt(coordinator), to_felt(token))
    return parse_u256(session.call(call_request(call))[0], "a retained amount")


def withdrawal_call(at: Deployment, token: str, to: str, units: int) -> Call:
    """The call by which a coordinator withdraws what the escrow retains."""
    return build_call(WITHDRAW, at.escrow, to_felt(token), to_felt(to), units)


def unsigned_agent_call(chain: Chain, at: Deployment, agent: str, allowed: bool) -> UnsignedCall:
    """The call by which a coordinator names an agent, or revokes it, to be signed elsewhere."""
    call = build_call(SET_AGENT, at.factory, to_felt(agent), allowed)
    return _unsigned(chain, call, agent, str(allowed).lower())


def unsigned_withdrawal(
    chain: Chain, at: Deployment, token: Token, to: str, units: int
) -> UnsignedCall:
    """As `withdrawal_call`, to be signed elsewhere."""
    call = withdrawal_call(at, token.address, to, units)
    return _unsigned(chain, call, token.address, to, str(units))


def _unsigned(chain: Chain, call: Call, *arguments: str) -> UnsignedCall:
    data = " ".join([call.entry, *map(hex, call.data)])
    return UnsignedCall(chain.chain_id, call.to, call.entry, arguments, data)
