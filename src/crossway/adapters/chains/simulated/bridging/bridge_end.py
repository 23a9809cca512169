"""What a simulated chain says of bridges' contracts: `ports.bridge.BridgeEnd`."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from crossway.adapters.chains.simulated.blocks.bridge_events import (
    StoredEvent,
    load_arrivals,
    load_by_payment,
    load_by_tx,
)
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.reading import open_reading
from crossway.adapters.chains.simulated.blocks.state_store import (
    load_execution_state,
    load_refusing,
)
from crossway.adapters.chains.simulated.blocks.transactions import Transaction, parse, sign_call
from crossway.adapters.chains.simulated.bridging.intent_calls import build_contract_call
from crossway.adapters.chains.simulated.bridging.relayers import time_at
from crossway.adapters.chains.simulated.contracts.events import EventKind
from crossway.adapters.chains.simulated.contracts.reach import TRANSMITTER
from crossway.domain.bridge_transfer import ArrivalOutcome
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.bridge import ContractState, FinalStates, LoggedArrival, LoggedSend

# Beyond every nonce that an account has used, so that a simulation does not depend on it.
_NONCE: Final = 2**63


class SimulatedBridgeEnd:
    """`ports.bridge.BridgeEnd` over the simulated network."""

    def __init__(self, network: SimulatedNetwork, chain: str) -> None:
        self._network, self._chain = network, chain

    def sent_messages(self, tx_id: str, emitter: str) -> Sequence[bytes]:
        if emitter != TRANSMITTER:
            return []
        with open_reading(self._network, self._chain) as (session, _):
            events = load_by_tx(session, [tx_id])
        return [event.message for event in events.get(tx_id, ()) if event.message]

    def contract_states(
        self, bridger: str, intent_hashes: Collection[str]
    ) -> Mapping[str, ContractState]:
        stored = self._load(bridger, intent_hashes)
        return {name: _state(stored.get(name, [])) for name in intent_hashes}

    def final_states(
        self, bridger: str, intent_hashes: Collection[str], height: int
    ) -> FinalStates:
        with open_reading(self._network, self._chain) as (session, _):
            block_time = time_at(session, height)
        states = self.contract_states(bridger, intent_hashes)
        return FinalStates(datetime.fromtimestamp(block_time, UTC), states)

    def find_sends(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedSend]:
        return [
            LoggedSend(each.event.intent_hash, each.tx_id, each.height)
            for each in self._find(bridger, intent_hashes, since, EventKind.SENT)
        ]

    def find_give_backs(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedSend]:
        return [
            LoggedSend(each.event.intent_hash, each.tx_id, each.height)
            for each in self._find(bridger, intent_hashes, since, EventKind.GIVEN_BACK)
        ]

    def find_arrivals(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedArrival]:
        return [
            LoggedArrival(each.event.as_arrival(), each.tx_id, each.height)
            for each in self._find(bridger, intent_hashes, since, EventKind.ARRIVED)
        ]

    def owed(self, bridger: str, coordinators: Collection[str], token: str) -> int:
        # Here all payments have one coordinator, who does not withdraw.
        with open_reading(self._network, self._chain) as (session, height):
            arrivals = load_arrivals(session, bridger, height)
        return sum(event.credited for event in arrivals if event.token == token)

    def parked(self, bridger: str, intent_hashes: Collection[str]) -> int:
        newest = {
            name: [each.event for each in events if each.event.kind is EventKind.ARRIVED][-1:]
            for name, events in self._load(bridger, intent_hashes).items()
        }
        return sum(
            event.got
            for events in newest.values()
            for event in events
            if event.outcome == ArrivalOutcome.PARKED
        )

    def simulate(self, calls: Sequence[OutboundCall]) -> Sequence[str]:
        with open_reading(self._network, self._chain) as (session, height):
            return [self._why_it_reverts(session, height, call) for call in calls]

    def find_missing(self, contracts: Collection[str]) -> set[str]:
        return set()

    def find_refusing(self, token: str, recipients: Collection[str]) -> set[str]:
        with open_reading(self._network, self._chain) as (session, _):
            return set(recipients) & load_refusing(session)

    def _why_it_reverts(self, session: ChainSession, height: int, call: OutboundCall) -> str:
        tx = self._build_tx(call)
        world = load_execution_state(session, [tx])
        world.contracts.height = height + 1
        at = max(session.now, session.state.time_of(height))
        result = world.execute(tx, revert=False, at=at)
        return result.sentence or result.reason

    def _build_tx(self, call: OutboundCall) -> Transaction:
        family, contract = "evm", build_contract_call(self._network.facts, call)
        return parse(family, sign_call(family, self._chain, call, _NONCE, 0, contract).raw)

    def _find(
        self, bridger: str, intent_hashes: Collection[str], since: datetime, kind: EventKind
    ) -> list[StoredEvent]:
        stored = self._load(bridger, intent_hashes)
        found = [
            each
            for name in intent_hashes
            for each in stored.get(name, ())
            if each.event.kind is kind and each.event.at >= since.timestamp()
        ]
        return sorted(found, key=lambda each: each.height)

    def _load(
        self, bridger: str, intent_hashes: Collection[str]
    ) -> Mapping[str, Sequence[StoredEvent]]:
        with open_reading(self._network, self._chain) as (session, height):
            stored = load_by_payment(session, intent_hashes, height)
        return {
            name: [each for each in events if each.event.contract == bridger]
            for name, events in stored.items()
        }


def _state(stored: Sequence[StoredEvent]) -> ContractState:
    kinds = {each.event.kind for each in stored}
    return ContractState(
        EventKind.SENT in kinds, EventKind.GIVEN_BACK in kinds, EventKind.ARRIVED in kinds
    )
