"""The service of the simulated Across: `ports.bridge.BridgeClient`."""

from collections.abc import Sequence
from typing import Final

from crossway.adapters.chains.simulated.blocks.bridge_events import load_by_payment
from crossway.adapters.chains.simulated.blocks.bridge_faults import load_faults
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.reading import open_reading
from crossway.adapters.chains.simulated.bridging.relayers import final_time, find_deposit
from crossway.adapters.chains.simulated.contracts.events import EventKind
from crossway.adapters.chains.simulated.contracts.timing import ACROSS_FILL_SECONDS
from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent
from crossway.domain.quotes import BridgeName
from crossway.ports.bridge import BridgeStatus, Expired, MessageSeen, Pending, Unknown

SILENT: Final = "Across does not answer."


class SimulatedAcross:
    """`ports.bridge.BridgeClient` over the simulated network."""

    name = BridgeName.ACROSS

    def __init__(self, network: SimulatedNetwork) -> None:
        self._network = network

    def track(self, transfers: Sequence[tuple[BridgeTransfer, Intent]]) -> Sequence[BridgeStatus]:
        return [self._track_one(transfer, intent) for transfer, intent in transfers]

    def usual_seconds(self, intent: Intent) -> float:
        return ACROSS_FILL_SECONDS

    def _track_one(self, transfer: BridgeTransfer, intent: Intent) -> BridgeStatus:
        terms = intent.terms
        try:
            with open_reading(self._network, terms.source_chain) as (session, _):
                if load_faults(session.db, self.name).silent:
                    return Unknown(SILENT)
                deposit = find_deposit(session, intent.intent_hash)
            if deposit is None:
                return Pending()
            if not transfer.sent_message:
                return MessageSeen(deposit.record, str(deposit.number))
            with open_reading(self._network, terms.destination_chain) as (session, height):
                is_past = final_time(session, height) > deposit.fill_deadline
                stored = load_by_payment(session, [intent.intent_hash])
        except Unreachable as error:
            return Unknown(str(error))
        arrived = any(
            each.event.kind is EventKind.ARRIVED for each in stored.get(intent.intent_hash, ())
        )
        return Expired() if is_past and not arrived else Pending()
