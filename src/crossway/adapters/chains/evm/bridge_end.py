"""What nodes of an EVM chain say of bridges: `ports.bridge.BridgeEnd`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

from crossway.adapters.chains.evm.abi import (
    ARRIVED,
    FUNDS_DEPOSITED,
    MESSAGE_SENT,
    OWED,
    PARKED,
    SENT,
    STATES_OF,
    TOKENS_MOVED,
    TRANSFER,
    decode,
)
from crossway.adapters.chains.evm.bridge_calls import GIVE_BACK_KIND, parse_arrival
from crossway.adapters.chains.evm.calldata import Call, call_request, encode_call
from crossway.adapters.chains.evm.chain_context import ChainContext, block_request
from crossway.adapters.chains.evm.logs import fetch_events, height_since
from crossway.adapters.chains.evm.rpc_schemas import Log, parse_block, parse_data
from crossway.adapters.chains.evm.tx_results import decode_revert, read_receipts
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.quorum_reads import agreed
from crossway.domain.errors import Unreachable
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.bridge import ContractState, FinalStates, LoggedArrival, LoggedSend

T = TypeVar("T")
# What a message of a bridge is, by the topic of the event that reports it.
_MESSAGES: Final[Mapping[str, Callable[[Log], bytes]]] = {
    MESSAGE_SENT.topic: lambda log: bytes(MESSAGE_SENT.decode(log.data)[0]),
    FUNDS_DEPOSITED.topic: lambda log: (
        bytes.fromhex("".join(t[2:] for t in log.topics[1:])) + log.data
    ),
}
_SENT_STATE, _GIVEN_BACK_STATE = 1, 2


class EvmBridgeEnd:
    """Reads receipts, logs and states of bridges' contracts, from as many nodes as must agree."""

    def __init__(self, context: ChainContext) -> None:
        self._context = context
        self._deployed: set[str] = set()

    def sent_messages(self, tx_id: str, emitter: str) -> Sequence[bytes]:
        def read(session: RpcSession) -> list[bytes]:
            receipt = read_receipts(session, [tx_id]).get(tx_id.lower())
            logs = receipt.logs if receipt is not None else ()
            return [
                _MESSAGES[log.topics[0]](log)
                for log in logs
                if log.address == emitter and log.topics and log.topics[0] in _MESSAGES
            ]

        return self._agreed(read, "on what was sent")

    def contract_states(
        self, bridger: str, intent_hashes: Collection[str]
    ) -> Mapping[str, ContractState]:
        return self._agreed(
            lambda session: _read_states(session, bridger, intent_hashes, "latest"),
            "on what a bridge's contract has",
        )

    def final_states(
        self, bridger: str, intent_hashes: Collection[str], height: int
    ) -> FinalStates:
        def read(session: RpcSession) -> tuple[str, FinalStates]:
            results = session.call(block_request(height), block_request("latest"))
            if results[0] is None:
                raise Unreachable(f"the node has no block {height} yet")
            final, newest = parse_block(results[0], height), parse_block(results[1])
            # By its height: a backend of the node that is behind refuses it.
            states = _read_states(session, bridger, intent_hashes, hex(newest.height))
            return final.hash, FinalStates(final.time, states)

        return self._agreed(read, "on what a bridge's contract has")[1]

    def find_sends(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedSend]:
        logs = self._find_events(bridger, [SENT.topic, sorted(intent_hashes)], since)
        return [LoggedSend(log.topics[1], log.tx_hash, log.height) for log in logs]

    def find_give_backs(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedSend]:
        topics = [TOKENS_MOVED.topic, sorted(intent_hashes), None, GIVE_BACK_KIND]
        logs = self._find_events(bridger, topics, since)
        return [LoggedSend(log.topics[1], log.tx_hash, log.height) for log in logs]

    def find_arrivals(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedArrival]:
        logs = self._find_events(bridger, [ARRIVED.topic, sorted(intent_hashes)], since)
        return [LoggedArrival(parse_arrival(log), log.tx_hash, log.height) for log in logs]

    def owed(self, bridger: str, coordinators: Collection[str], token: str) -> int:
        calls = [Call(bridger, OWED.encode(name, token)) for name in sorted(coordinators)]
        return self._sum(calls, ("uint256",), "on what a bridge's contract owes")

    def parked(self, bridger: str, intent_hashes: Collection[str]) -> int:
        keys = [bytes.fromhex(intent_hash[2:]) for intent_hash in sorted(intent_hashes)]
        calls = [Call(bridger, PARKED.encode(key)) for key in keys]
        # Its second value is when that was.
        types = ("uint256", "uint256")
        return self._sum(calls, types, "on what a bridge's contract has parked")

    def _sum(self, calls: Sequence[Call], types: Sequence[str], what: str) -> int:
        """The sum of the first values that these calls return."""
        requests = [call_request(call) for call in calls]

        def read(session: RpcSession) -> int:
            results = session.batch(requests) if requests else []
            return sum(decode(types, parse_data(r, "an amount"), "an amount")[0] for r in results)

        return self._agreed(read, what)

    def simulate(self, calls: Sequence[OutboundCall]) -> Sequence[str]:
        context = self._context
        encoded = [
            (call.account, encode_call(context.catalogue, context.deployment, call))
            for call in calls
        ]
        requests = [_simulation(account, call) for account, call in encoded]
        results = context.pool.first(lambda session: session.batch(requests))
        return [_reason(result) for result in results]

    def find_missing(self, contracts: Collection[str]) -> set[str]:
        # Once deployed, a contract of ours stays.
        unknown = sorted(set(contracts) - self._deployed)
        requests = [RpcRequest("eth_getCode", (address, "latest")) for address in unknown]

        def read(session: RpcSession) -> list[bool]:
            return [bool(parse_data(r, "a contract")) for r in session.call(*requests)]

        found = self._agreed(read, "on which contracts there are") if unknown else []
        self._deployed |= {name for name, is_there in zip(unknown, found, strict=True) if is_there}
        return set(contracts) - self._deployed

    def find_refusing(self, token: str, recipients: Collection[str]) -> set[str]:
        # A transfer of nothing is refused by deny lists, too, and needs no balance.
        ordered = sorted(recipients)
        sender = self._context.deployment.factory
        calls = [Call(token, TRANSFER.encode(to, 0)) for to in ordered]
        requests = [_simulation(sender, call) for call in calls]

        def read(session: RpcSession) -> list[bool]:
            return [isinstance(result, RpcError) for result in session.batch(requests)]

        refused = self._agreed(read, "on who may be paid")
        return {to for to, is_refused in zip(ordered, refused, strict=True) if is_refused}

    def _find_events(
        self, bridger: str, topics: Sequence[str | list[str] | None], since: datetime
    ) -> list[Log]:
        log_filter = {"address": bridger, "topics": topics}

        def read(session: RpcSession) -> list[Log]:
            newest = parse_block(session.call(block_request("latest"))[0])
            first = height_since(self._context.chain, newest.height, since)
            limits = self._context.limits
            return fetch_events(session, limits, log_filter, first, newest.height)

        return self._agreed(read, "on what bridges' contracts report")

    def _agreed(self, read: Callable[[RpcSession], T], what: str) -> T:
        return agreed(self._context.pool, read, what)


def _read_states(
    session: RpcSession, bridger: str, intent_hashes: Collection[str], block: str
) -> dict[str, ContractState]:
    hashes = sorted(intent_hashes)
    keys = [bytes.fromhex(intent_hash[2:]) for intent_hash in hashes]
    what = "what a bridge's contract has"
    result = session.call(call_request(Call(bridger, STATES_OF.encode(keys)), block))[0]
    spent, arrived = decode(["uint8[]", "uint8[]"], parse_data(result, what), what)
    if not len(spent) == len(arrived) == len(hashes):
        raise Unreachable(f"the node did not return {what}")
    return {
        intent_hash: ContractState(s == _SENT_STATE, s == _GIVEN_BACK_STATE, a != 0)
        for intent_hash, s, a in zip(hashes, spent, arrived, strict=True)
    }


def _simulation(account: str, call: Call) -> RpcRequest:
    fields = {"from": account, "to": call.to, "data": call.hex, "value": hex(call.value)}
    return RpcRequest("eth_call", (fields, "latest"))


def _reason(result: Any) -> str:
    """Why a simulated call reverted: an error of our contracts in our words, else the sentence that
    the bridge's contract gives."""
    if not isinstance(result, RpcError):
        return ""
    try:
        data = bytes.fromhex(result.data[2:]) if result.data.startswith("0x") else b""
    except ValueError:
        data = b""
    return revert_sentence(data) or decode_revert(data).message


_ERROR_STRING: Final = bytes.fromhex("08c379a0")


def revert_sentence(data: bytes) -> str:
    """The text of `Error(string)`; empty where the revert has none."""
    if data[:4] != _ERROR_STRING:
        return ""
    try:
        return str(decode(["string"], data[4:], "an error")[0])
    except Unreachable:
        return ""
