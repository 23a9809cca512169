"""Following transfers through CCTP against an attestation service that delays, lies and expires."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime

import pytest

from crossway.adapters.bridges.cctp import client as client_module
from crossway.adapters.bridges.cctp.client import ASKED_AGAIN, NOT_OBSERVED, CctpClient
from crossway.adapters.bridges.cctp.iris import Iris
from crossway.adapters.bridges.cctp.message import parse_message
from crossway.adapters.bridges.cctp.networks import AttestationServices
from crossway.adapters.bridges.service_limits import load_limits
from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.quotes import BridgeName
from crossway.ports.bridge import (
    BridgeStatus,
    Claimable,
    ContractState,
    Contradicted,
    LoggedArrival,
    LoggedSend,
    MessageSeen,
    Pending,
    Unknown,
)
from tests.bridges.attestation_service import AttestationService, running_service
from tests.bridges.payments import BASE, CATALOGUE, FAST_BRIDGE, burn_message, sent_intent, transfer

S = BridgeTransferState
DOMAIN = CATALOGUE.chains[BASE].cctp_domain or 0
TX = "0x" + "ab" * 32


@dataclass
class Nodes:
    """Both ends of the bridge as nodes report them: messages by transaction, and why a delivery
    would revert."""

    messages: dict[str, list[bytes]] = field(default_factory=dict)
    reason: str = ""
    unreachable: str = ""
    simulated: list[OutboundCall] = field(default_factory=list)

    def sent_messages(self, tx_id: str, emitter: str) -> Sequence[bytes]:
        assert emitter == "0x81D40F21F12A8F0E3252Bccb954D722d4c464B64"
        if self.unreachable:
            raise Unreachable(self.unreachable)
        return self.messages.get(tx_id, [])

    def simulate(self, calls: Sequence[OutboundCall]) -> Sequence[str]:
        if self.unreachable:
            raise Unreachable(self.unreachable)
        self.simulated += calls
        return [self.reason] * len(calls)

    def contract_states(
        self, bridger: str, intent_hashes: Collection[str]
    ) -> Mapping[str, ContractState]:
        raise AssertionError("not asked of here")

    def find_sends(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedSend]:
        raise AssertionError("not asked of here")

    def find_arrivals(
        self, bridger: str, intent_hashes: Collection[str], since: datetime
    ) -> Sequence[LoggedArrival]:
        raise AssertionError("not asked of here")

    def owed(self, bridger: str, coordinators: Collection[str], token: str) -> int:
        raise AssertionError("not asked of here")

    def parked(self, bridger: str, intent_hashes: Collection[str]) -> int:
        raise AssertionError("not asked of here")

    def find_refusing(self, token: str, recipients: Collection[str]) -> set[str]:
        raise AssertionError("not asked of here")


@dataclass
class World:
    """A client with its service and nodes; time passes where a test says so."""

    service: AttestationService
    nodes: Nodes
    client: CctpClient
    seconds: list[float]

    def sent(self, intent: Intent, tx_id: str = TX) -> tuple[BridgeTransfer, Intent]:
        """A payment whose message our nodes report and Circle has observed."""
        message = burn_message(intent)
        self.nodes.messages.setdefault(tx_id, []).append(message)
        self.service.add(DOMAIN, tx_id, *self.nodes.messages[tx_id])
        return transfer(intent, source_tx=tx_id, sent_message=message), intent

    def track(self, *followed: tuple[BridgeTransfer, Intent]) -> BridgeStatus:
        """What the client says of the first."""
        return self.client.track(followed)[0]


@pytest.fixture
def world() -> Iterator[World]:
    seconds = [0.0]
    limits = replace(load_limits(BridgeName.CCTP), requests_per_second=1_000)
    with running_service() as service, ThreadPoolExecutor(4) as pool:
        iris = Iris(service.url, limits, lambda: seconds[0])
        nodes = Nodes()
        ends = dict.fromkeys(CATALOGUE.chains, nodes)
        services = AttestationServices(iris, iris)
        client = CctpClient(
            CATALOGUE, services, ends, {FAST_BRIDGE}, pool, timer=lambda: seconds[0]
        )
        yield World(service, nodes, client, seconds)
        iris.close()


def test_the_message_is_read_from_our_own_nodes_first(world: World) -> None:
    intent, other = sent_intent(1), sent_intent(2)
    message = burn_message(intent)
    world.nodes.messages[TX] = [burn_message(other), b"\x01short", message]
    assert world.track((transfer(intent, source_tx=TX), intent)) == MessageSeen(message)
    assert world.service.requests == []


@pytest.mark.parametrize(
    "forged",
    [{"sender": 7}, {"recipient": 7}, {"message_sender": 7}],
    ids=["by anyone", "to anyone", "of another contract"],
)
def test_a_message_with_the_same_terms_by_somebody_else_is_not_the_payments(
    forged: dict[str, int], world: World
) -> None:
    intent = sent_intent(1)
    world.nodes.messages[TX] = [burn_message(intent, **forged)]
    status = world.track((transfer(intent, source_tx=TX), intent))
    assert status == Unknown(f"The payment has no message in {TX}.")
    world.nodes.messages[TX].append(burn_message(intent))
    assert isinstance(world.track((transfer(intent, source_tx=TX), intent)), MessageSeen)


def test_a_send_that_no_block_has_and_silent_nodes_are_unknown(world: World) -> None:
    intent = sent_intent(1)
    followed = transfer(intent, source_tx=TX), intent
    assert isinstance(world.track(followed), Unknown)
    world.nodes.unreachable = "the nodes disagree on what was sent"
    assert world.track(followed) == Unknown("the nodes disagree on what was sent.")


def test_an_attested_message_is_claimable(world: World) -> None:
    followed = world.sent(sent_intent(1))
    status = world.track(followed)
    assert isinstance(status, Claimable)
    message = parse_message(status.message)
    assert status.message_id == "0x" + message.nonce.hex()
    assert (message.finality_executed, message.fee_executed) == (1000, 3_261)
    (call,) = world.nodes.simulated
    assert (call.kind, call.message, call.attestation) == (
        "DELIVER",
        status.message,
        status.attestation,
    )


def test_one_question_answers_for_all_burns_of_a_transaction(world: World) -> None:
    followed = [world.sent(sent_intent(number)) for number in range(10)]
    other = world.sent(sent_intent(11), "0x" + "cd" * 32)
    statuses = world.client.track([*followed, other])
    assert all(isinstance(status, Claimable) for status in statuses)
    found = [status.message[376:] for status in statuses if isinstance(status, Claimable)]
    assert found == [one.sent_message[376:] for one, _ in [*followed, other]]
    assert len(world.service.requests) == 2


def test_what_circle_has_not_observed_yet_is_pending(world: World) -> None:
    intent = sent_intent(1)
    message = burn_message(intent)
    followed = transfer(intent, source_tx=TX, sent_message=message), intent
    assert world.track(followed) == Pending(NOT_OBSERVED)


def test_the_usual_wait_has_no_reason(world: World) -> None:
    followed = world.sent(sent_intent(1))
    world.service.fast_seconds = 60
    assert world.track(followed) == Pending()


@pytest.mark.parametrize(
    ("switch", "words"),
    [
        ({"fast_bps": "100"}, "The fee offered is below what Circle takes"),
        ({"fast_maximum": "1"}, "The amount is above what Circle transfers fast"),
        ({"allowance": "0"}, "Circle's allowance for fast transfers is used up"),
    ],
)
def test_each_reason_of_a_delay_is_a_sentence_and_the_message_arrives_once_final(
    switch: dict[str, str], words: str, world: World
) -> None:
    followed = world.sent(sent_intent(1))
    others = world.sent(sent_intent(2, total=500_000)), world.sent(sent_intent(3))
    vars(world.service).update(switch, standard_seconds=600)
    status = world.track(followed, *others)
    assert isinstance(status, Pending)
    assert status.reason.endswith(": Circle attests once the send is final, without a fee.")
    assert status.reason.startswith(words)
    world.service.standard_seconds = 0
    claimable = world.track(followed)
    assert isinstance(claimable, Claimable)
    message = parse_message(claimable.message)
    assert (message.finality_executed, message.fee_executed) == (2000, 0)
    assert message.expiration_block == 0


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        ("recipient", "another recipient of the minted USDC"),
        ("amount", "another amount"),
        ("chain", "another destination chain"),
        ("fee", "a fee of 10003261 units, where at most 50160 were offered"),
    ],
)
def test_a_lie_of_the_service_is_contradicted(lie: str, words: str, world: World) -> None:
    world.service.lie = lie
    followed = [world.sent(sent_intent(number)) for number in (1, 2)]
    for status in world.client.track(followed):
        assert isinstance(status, Contradicted)
        assert words in status.reason
    assert world.nodes.simulated == []


def test_a_lie_about_another_burn_of_the_transaction_holds_up_that_one_alone(world: World) -> None:
    honest = world.sent(sent_intent(1))
    victim = world.sent(sent_intent(2))
    assert isinstance(world.track(victim), Claimable)
    entry = world.service.observed[DOMAIN, TX][1]
    entry.message = entry.message[:230] + b"\x77" + entry.message[231:]
    statuses = world.client.track([honest, victim])
    assert [type(status) for status in statuses] == [Claimable, Contradicted]


def test_a_burn_that_is_attested_to_later_than_others_of_its_transaction_waits(
    world: World,
) -> None:
    small = world.sent(sent_intent(1, total=1_000_000, fee=50_000))
    large = world.sent(sent_intent(2, total=90_000_000))
    vars(world.service).update(allowance="50", standard_seconds=600)
    first, second = world.client.track([small, large])
    assert isinstance(first, Claimable)
    assert isinstance(second, Pending)
    assert second.reason.startswith("Circle's allowance for fast transfers is used up")


def test_what_a_stranger_emits_in_the_transaction_holds_nothing_up(world: World) -> None:
    honest, victim = world.sent(sent_intent(1)), world.sent(sent_intent(2))
    path = f"/v2/messages/{DOMAIN}?transactionHash={TX}"
    _, answer = world.service.answer("GET", path)
    strangers = [{"status": "complete", "message": "0x" + "00" * 20_000}] * 3
    world.nodes.messages[TX][:0] = [b"somebody else's"] * 3
    world.service.body = json.dumps({"messages": strangers + answer["messages"]}).encode()
    statuses = world.client.track([honest, victim])
    assert all(isinstance(status, Claimable) for status in statuses)
    # Each message is still compared with that at its own place.
    lie = answer["messages"][1]
    lie["message"] = lie["message"][:462] + "77" + lie["message"][464:]
    world.service.body = json.dumps({"messages": strangers + answer["messages"]}).encode()
    statuses = world.client.track([honest, victim])
    assert [type(status) for status in statuses] == [Claimable, Contradicted]


def test_messages_in_another_order_say_nothing_of_the_one_that_is_missing(world: World) -> None:
    first, second = world.sent(sent_intent(1)), world.sent(sent_intent(2))
    world.track(first)
    found = world.service.observed[DOMAIN, TX]
    found[0] = found[1]
    assert isinstance(world.track(first), Unknown)
    assert isinstance(world.track(second), Claimable)


@pytest.mark.parametrize(
    "switch",
    [{"silent": True}, {"too_many": True}, {"body": b"<html>"}, {"status": 503}],
    ids=lambda switch: next(iter(switch)),
)
def test_no_answer_and_no_usable_one_are_unknown(switch: dict[str, object], world: World) -> None:
    followed = world.sent(sent_intent(1))
    vars(world.service).update(switch)
    status = world.track(followed)
    assert isinstance(status, Unknown)
    assert status.reason.startswith("Circle's attestation service")
    assert status.reason.endswith(".")


def test_a_service_that_fails_is_not_asked_for_every_transaction(world: World) -> None:
    followed = [world.sent(sent_intent(n), f"0x{n:064x}") for n in range(1, 101)]
    world.service.silent = True
    statuses = world.client.track(followed)
    assert all(isinstance(status, Unknown) for status in statuses)
    # As many as are asked at a time may be under way when the last failure is noticed.
    assert len(world.service.requests) <= client_module.MAX_FAILURES + 4
    world.service.silent = False
    assert all(isinstance(status, Claimable) for status in world.client.track(followed))


def test_signatures_that_the_transmitter_refuses_are_not_claimable(world: World) -> None:
    followed = world.sent(sent_intent(1))
    world.service.order = True
    assert isinstance(world.track(followed), Unknown)
    world.service.order = False
    for reason in ("Invalid signature: not attester", "Invalid attestation length"):
        world.nodes.reason = reason
        status = world.track(followed)
        assert isinstance(status, Unknown)
        assert reason in status.reason
    # The engine looks at everything else that a delivery can revert with.
    for reason in ("Nonce already used", "Message expired and must be re-signed", ""):
        world.nodes.reason = reason
        assert isinstance(world.track(followed), Claimable)


@pytest.mark.parametrize(
    "reason", ["the transaction reverted", "another transaction has done it", "header not found"]
)
def test_what_a_node_refused_for_another_reason_is_not_verified(reason: str, world: World) -> None:
    followed = world.sent(sent_intent(1))
    world.nodes.reason = reason
    status = world.track(followed)
    assert status == Unknown(f"Circle's attestation cannot be verified: {reason}.")
    # Whether the bridge delivers now is the engine's concern.
    for other in (
        "Pausable: paused",
        "Blacklistable: account is blacklisted",
        "the receiver or the token refuses this transfer",
    ):
        world.nodes.reason = other
        assert isinstance(world.track(followed), Claimable)


def test_an_attestation_that_no_node_verified_is_not_claimable(world: World) -> None:
    followed = world.sent(sent_intent(1))
    world.nodes.unreachable = "no node answers"
    status = world.track(followed)
    assert status == Unknown("Circle's attestation cannot be verified: no node answers.")


def test_an_expired_message_is_attested_to_again_once(world: World) -> None:
    followed, intent = world.sent(sent_intent(1))
    vars(world.service).update(expired=True, reattest_seconds=3_600)
    expired = world.track((followed, intent))
    assert isinstance(expired, Claimable)
    delayed = replace(
        followed,
        state=S.DELAYED,
        message_id=expired.message_id,
        message=expired.message,
        attestation=expired.attestation,
    )
    for _ in range(5):
        assert world.track((delayed, intent)) == Pending(ASKED_AGAIN)
    posts = [request for request in world.service.requests if request.startswith("POST")]
    assert posts == [f"POST /v2/reattest/{expired.message_id}"]
    world.seconds[0] += client_module.REATTEST_SECONDS
    world.track((delayed, intent))
    assert sum(request.startswith("POST") for request in world.service.requests) == 2
    world.service.reattest_seconds = 0
    again = world.track((delayed, intent))
    assert isinstance(again, Claimable)
    assert again.message_id == expired.message_id
    assert again.message != expired.message
    assert parse_message(again.message).expiration_block == 0


def test_a_service_that_attests_to_nothing_again_is_unknown(world: World) -> None:
    followed, intent = world.sent(sent_intent(1))
    world.service.expired = True
    expired = world.track((followed, intent))
    assert isinstance(expired, Claimable)
    world.service.observed[DOMAIN, TX][0].nonce = bytes(32)
    delayed = replace(followed, state=S.DELAYED, message=expired.message)
    status = world.track((delayed, intent))
    assert status == Unknown(
        "Circle's attestation service does not know the message to attest to again."
    )


def test_the_usual_time_is_that_of_the_contract_and_of_the_source(world: World) -> None:
    intent = sent_intent(1)
    assert world.client.usual_seconds(intent) == 8
    assert world.client.usual_seconds(replace(intent, bridger="0x" + "00" * 20)) == 1140
