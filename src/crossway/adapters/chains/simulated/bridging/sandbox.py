"""The controls of the simulated bridges: their faults, and what strangers do."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from crossway.adapters.chains.simulated.blocks.attestation import attest_payments, load_attested
from crossway.adapters.chains.simulated.blocks.bridge_events import load_by_payment
from crossway.adapters.chains.simulated.blocks.bridge_faults import load_faults, store_faults
from crossway.adapters.chains.simulated.blocks.derivation import derive_address
from crossway.adapters.chains.simulated.blocks.mining import catch_up, mine_now
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.transactions import (
    DEPOSIT,
    STRANGER,
    Transaction,
    simulator_tx,
)
from crossway.adapters.chains.simulated.bridging.intent_calls import build_call, with_message
from crossway.adapters.chains.simulated.bridging.inventory_orders import UNIFIED_OPENING
from crossway.adapters.chains.simulated.contracts.cctp_messages import sign_message
from crossway.adapters.chains.simulated.contracts.contract_call import ContractCall, Method
from crossway.domain.bridge_amounts import bridge_output
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.quotes import BridgeName
from crossway.ports.sandbox import BridgeFaults, StrangerAction

_AT_SOURCE: Final = (StrangerAction.START, StrangerAction.SEND, StrangerAction.GIVE_BACK)


class SimulatedBridgeSandbox:
    """`ports.sandbox.BridgeSandbox` over the simulated network."""

    def __init__(self, network: SimulatedNetwork) -> None:
        self._network = network

    def inject_faults(self, bridge: str, faults: BridgeFaults) -> None:
        # Any chain's session writes: the row is a bridge's, and the last writer's holds.
        with self._network.locked(next(iter(self._network.facts))) as session:
            active = load_faults(session.db, bridge)
            store_faults(session.db, bridge, active.with_changes(faults))

    def faults(self, bridge: str) -> Mapping[str, object]:
        with self._network.read_all() as db:
            active = load_faults(db, bridge)
        return {name: value for name, value in asdict(active).items() if value}

    def opening_balances(self, bridge: str) -> Mapping[str, int]:
        return UNIFIED_OPENING if bridge == BridgeName.GATEWAY else {}

    def act_as_stranger(self, intent: Intent, action: StrangerAction) -> str:
        terms = intent.terms
        chain = terms.source_chain if action in _AT_SOURCE else terms.destination_chain
        call = self._build_call(intent, action)
        with self._network.locked(chain) as session:
            catch_up(session)
            made = [_build_tx(session, STRANGER, call=call)]
            if action in (StrangerAction.FILL, StrangerAction.RELEASE):
                # The stranger's own money comes from outside, as that of payers does.
                output = ("", call.payer, terms.token_out, terms.payout_amount, True)
                made.insert(0, _build_tx(session, DEPOSIT, output=output))
            mine_now(session, made)
        return made[-1].tx_id

    def _build_call(self, intent: Intent, action: StrangerAction) -> ContractCall:
        is_coordinator = action is StrangerAction.UNPARK
        payer = intent.coordinator if is_coordinator else derive_address("evm", "stranger")
        call = build_call(
            self._network.facts,
            Method(action.value),
            intent.terms,
            intent.bridger,
            intent.coordinator,
            bridge_output(intent),
            payer,
            intent.swap,
        )
        return self._with_attested(call, intent) if action is StrangerAction.DELIVER else call

    def _with_attested(self, call: ContractCall, intent: Intent) -> ContractCall:
        """The delivery of the oldest message that was not delivered yet, or again of the newest."""
        name, terms = intent.intent_hash, intent.terms
        with self._network.reading(terms.destination_chain) as session:
            stored = load_by_payment(session, [name]).get(name, [])
        delivered = {each.event.message_id for each in stored}
        with self._network.locked(terms.source_chain) as session:
            attest_payments(session, [name])
            ready = [a for a in load_attested(session, name) if a.ready_at <= session.now]
        if not ready:
            raise InvalidInput("there is nothing to deliver yet")
        messages = [attested.message for attested in ready]
        fresh = [message for message in messages if message.message_id not in delivered]
        raw = (fresh or messages[-1:])[0].encode()
        return with_message(call, raw, sign_message(raw))


def _build_tx(
    session: ChainSession,
    kind: str,
    output: tuple[str, str, str, int | None, bool] | None = None,
    call: ContractCall | None = None,
) -> Transaction:
    session.state.simulator_tx_count += 1
    return simulator_tx(
        session.facts.family,
        session.facts.id,
        kind,
        [] if output is None else [output],
        session.state.simulator_tx_count,
        call,
    )
