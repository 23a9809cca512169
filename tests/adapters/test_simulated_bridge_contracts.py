"""Bridges' contracts on simulated chains: where they are, what they do, and what they refuse."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from crossway.adapters.chains.rpc.tx_results import REVERT_REASONS, UNKNOWN_REVERT
from crossway.adapters.chains.simulated.blocks.derivation import intent_hash
from crossway.adapters.chains.simulated.bridging.bridge_end import SimulatedBridgeEnd
from crossway.adapters.chains.simulated.bridging.sandbox import SimulatedBridgeSandbox
from crossway.adapters.chains.simulated.contracts.cctp_messages import BurnMessage, sign_message
from crossway.adapters.chains.simulated.contracts.reach import CCTP_FAST, COLLECTORS, TRANSMITTER
from crossway.adapters.simulated_bridges.cctp import SimulatedCctp
from crossway.adapters.simulated_bridges.reach import reach_of
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTxKind as K
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.bridge import Claimable, ContractState, MessageSeen, Pending
from crossway.ports.chain import IncludedTx
from crossway.ports.sandbox import BridgeFaults, Faults, StrangerAction
from tests.bridges.payments import sent_intent, transfer
from tests.simulation import BASE, START, Simulation, catalogue, dollars, sign, wallet

ARBITRUM = "ARBITRUM_MAINNET"
SOL = Path(__file__).parents[2] / "contracts/evm/src/CctpChains.sol"
SINCE = datetime.fromtimestamp(START, UTC) - timedelta(hours=1)


class Bridge:
    """One payment from Base to Arbitrum over CCTP fast, carried call by call."""

    def __init__(self, folder: Path) -> None:
        self.simulation = Simulation(f"sqlite:///{folder / 'network.db'}")
        self.sandbox = SimulatedBridgeSandbox(self.simulation.network)
        self.base, self.arbitrum = (self.simulation.chain(name) for name in (BASE, ARBITRUM))
        network = self.simulation.network
        self.ends = {name: SimulatedBridgeEnd(network, name) for name in (BASE, ARBITRUM)}
        self.service = SimulatedCctp(network)
        self.intent = self.build()
        self.simulation.sandbox.deposit(
            BASE, self.intent.address, dollars(), self.intent.terms.deposit_amount + 5
        )

    def build(self) -> Intent:
        intent = sent_intent(1)
        terms = replace(
            intent.terms,
            expires_at=datetime.fromtimestamp(START + 3_600, UTC),
            recipient=wallet(self.arbitrum, "recipient"),
            refund_address=wallet(self.base, "refund"),
        )
        name = intent_hash(terms)
        return replace(
            intent,
            terms=terms,
            intent_hash=name,
            bridger=COLLECTORS[CCTP_FAST],
            address=self.base.deposit_address(name),
            coordinator=self.base.accounts.coordinator,
        )

    def call(self, kind: K, message: bytes = b"", attestation: bytes = b"") -> OutboundCall:
        at_source = kind in (K.START, K.GIVE_BACK)
        chain = self.base if at_source else self.arbitrum
        return OutboundCall(
            kind,
            chain.id,
            chain.accounts.relayer,
            self.intent.intent_hash,
            (),
            terms=self.intent.terms,
            bridger=self.intent.bridger,
            coordinator=self.intent.coordinator,
            custody=Custody.BRIDGE,
            message=message,
            attestation=attestation,
        )

    def simulate(self, call: OutboundCall) -> str:
        return self.ends[call.chain].simulate([call])[0]

    def send(self, call: OutboundCall) -> IncludedTx:
        chain = self.base if call.chain == BASE else self.arbitrum
        [tx] = sign(chain, call)
        assert chain.broadcast([tx]) == [""]
        self.simulation.pass_time(2)
        status = chain.status([tx.tx_id])[tx.tx_id]
        assert isinstance(status, IncludedTx)
        self.sent_tx = tx.tx_id
        return status

    def attested(self, seconds: float = 6) -> Claimable:
        """What the service answers about a burn some time after it."""
        self.simulation.pass_time(seconds)
        [message] = self.ends[BASE].sent_messages(self.burn_tx, TRANSMITTER)
        followed = transfer(self.intent, source_tx=self.burn_tx, sent_message=message)
        [status] = self.service.track([(followed, self.intent)])
        assert isinstance(status, Claimable)
        return status

    def burn(self) -> IncludedTx:
        included = self.send(self.call(K.START))
        self.burn_tx = self.sent_tx
        return included


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[Bridge]:
    made = Bridge(tmp_path)
    yield made
    made.simulation.close()


def test_cctp_is_where_its_contract_lists_it() -> None:
    numbers = {int(found) for found in re.findall(r"chain == (\d+)\)", SOL.read_text())}
    reached = {r.number: r for r in reach_of(catalogue()).values() if r.domain is not None}
    known = {int(c.chain_id) for c in catalogue().chains.values() if c.kind == "evm"}
    assert set(reached) == numbers & known


def test_chains_of_other_families_have_no_bridge(bridge: Bridge) -> None:
    for chain in catalogue().chains.values():
        accounts = bridge.simulation.chain(chain.id).accounts
        assert chain.kind == "evm" or not (accounts.collectors or accounts.pools)
    swapping = {"CCTP_SWAP_FAST", "CCTP_SWAP_STANDARD"}
    expected = {"CCTP_FAST", "CCTP_STANDARD", "ACROSS"} | swapping
    assert set(bridge.base.accounts.collectors) == expected
    assert set(bridge.simulation.chain("BSC_MAINNET").accounts.collectors) == {"ACROSS"}


def test_a_send_collects_and_burns_in_one_transaction(bridge: Bridge) -> None:
    included = bridge.burn()
    terms = bridge.intent.terms
    moved = [(t.source, t.to, t.amount) for t in included.transfers]
    assert moved[:2] == [
        (bridge.intent.address, bridge.intent.bridger, terms.deposit_amount),
        (bridge.intent.address, terms.refund_address, 5),
    ]
    name = bridge.intent.intent_hash
    assert bridge.base.executed({f"start:{name}", f"send:{name}"}) == {
        f"start:{name}",
        f"send:{name}",
    }
    states = bridge.ends[BASE].contract_states(bridge.intent.bridger, [name])
    assert states == {name: ContractState(sent=True)}
    [sent] = bridge.ends[BASE].find_sends(bridge.intent.bridger, [name], SINCE)
    assert sent.tx_id == bridge.burn_tx
    assert bridge.simulate(bridge.call(K.START)) == REVERT_REASONS["ALREADY_SENT"].message


def test_a_delivery_reports_its_arrival(bridge: Bridge) -> None:
    bridge.burn()
    proof = bridge.attested()
    deliver = bridge.call(K.DELIVER, proof.message, proof.attestation)
    included = bridge.send(deliver)
    [arrival] = included.arrivals
    fee = BurnMessage.parse(proof.message).fee_executed
    assert (arrival.got, arrival.paid) == (
        bridge.intent.terms.deposit_amount - fee,
        bridge.intent.terms.payout_amount,
    )
    name = bridge.intent.intent_hash
    [logged] = bridge.ends[ARBITRUM].find_arrivals(bridge.intent.bridger, [name], SINCE)
    assert logged.arrival == arrival
    assert bridge.simulate(deliver) == REVERT_REASONS["ALREADY_DELIVERED"].message


def test_a_message_is_refused_in_the_words_of_the_real_contracts(bridge: Bridge) -> None:
    bridge.burn()
    proof = bridge.attested()
    forged = bridge.call(K.DELIVER, proof.message, proof.attestation[:-1] + b"\0")
    assert bridge.simulate(forged) == "Invalid signature: not attester"
    message = BurnMessage.parse(proof.message)
    late = replace(message, expiration_block=1).encode()
    expired = bridge.call(K.DELIVER, late, sign_message(late))
    assert bridge.simulate(expired) == "Message expired and must be re-signed"
    assert bridge.send(expired).reason == UNKNOWN_REVERT.message
    bridge.sandbox.inject_faults("CCTP", BridgeFaults(paused=True))
    right = bridge.call(K.DELIVER, proof.message, proof.attestation)
    assert bridge.simulate(right) == "Pausable: paused"
    bridge.sandbox.inject_faults("CCTP", BridgeFaults(paused=False))
    assert bridge.simulate(right) == ""


def test_an_expired_fast_message_is_old(bridge: Bridge) -> None:
    bridge.burn()
    proof = bridge.attested()
    bridge.simulation.pass_time(25 * 3_600)
    call = bridge.call(K.DELIVER, proof.message, proof.attestation)
    assert bridge.simulate(call) == "Message expired and must be re-signed"


def test_the_coordinator_can_give_back_before_expiry(bridge: Bridge) -> None:
    give_back = bridge.call(K.GIVE_BACK)
    assert bridge.simulate(give_back) == REVERT_REASONS["NOT_STARTED"].message
    bridge.sandbox.act_as_stranger(bridge.intent, StrangerAction.START)
    refused = bridge.sandbox.act_as_stranger(bridge.intent, StrangerAction.GIVE_BACK)
    status = bridge.base.status([refused])[refused]
    assert isinstance(status, IncludedTx)
    assert status.reason == REVERT_REASONS["TOO_EARLY"].message
    assert not bridge.send(give_back).reason
    terms = bridge.intent.terms
    places = [bridge.intent.address, terms.refund_address]
    balances = bridge.base.balances(places, dollars())
    # With the excess of 5, which the start returned.
    assert [balances[place] for place in places] == [0, terms.deposit_amount + 5]
    assert "given the deposit back" in bridge.simulate(bridge.call(K.START))


def test_a_reorganisation_undoes_what_contracts_did(bridge: Bridge) -> None:
    bridge.burn()
    name = bridge.intent.intent_hash
    faults = Faults(reorg_depth=4, drop_next=9)
    bridge.simulation.sandbox.inject_faults(BASE, faults)
    states = bridge.ends[BASE].contract_states(bridge.intent.bridger, [name])
    assert states == {name: ContractState()}
    assert not bridge.base.executed({f"start:{name}", f"send:{name}"})
    assert bridge.ends[BASE].sent_messages(bridge.burn_tx, TRANSMITTER) == []
    unseen = transfer(bridge.intent, source_tx=bridge.burn_tx)
    assert bridge.service.track([(unseen, bridge.intent)]) == [Pending()]


def test_another_process_has_the_same_bridges(bridge: Bridge) -> None:
    bridge.burn()
    bridge.sandbox.inject_faults("CCTP", BridgeFaults(late_seconds=30))
    other = bridge.simulation.reopen()
    assert SimulatedBridgeSandbox(other.network).faults("CCTP") == {"late_seconds": 30.0}
    followed = transfer(bridge.intent, source_tx=bridge.burn_tx)
    [seen] = SimulatedCctp(other.network).track([(followed, bridge.intent)])
    assert isinstance(seen, MessageSeen)
    assert bridge.attested(40).message_id
    other.close()


def test_a_recipient_on_the_deny_list_is_known_before(bridge: Bridge) -> None:
    recipient = bridge.intent.terms.recipient
    end = bridge.ends[ARBITRUM]
    assert end.find_refusing(dollars(ARBITRUM), [recipient]) == set()
    bridge.simulation.sandbox.inject_faults(ARBITRUM, Faults(refuse=[recipient]))
    assert end.find_refusing(dollars(ARBITRUM), [recipient]) == {recipient}
