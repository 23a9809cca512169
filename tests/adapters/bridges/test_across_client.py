"""Following transfers through Across: deposits, final blocks, and an API that knows less."""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from eth_abi.abi import encode

from crossway.adapters.bridges.across.api import AcrossApi, AcrossApis
from crossway.adapters.bridges.across.client import ASKED_FROM_POLL, MAX_ASKED, AcrossClient
from crossway.adapters.bridges.across.deposits import (
    format_deposit_id,
    parse_deposit,
    payment_deposit_id,
)
from crossway.adapters.bridges.service_limits import load_limits
from crossway.adapters.chains.evm.abi import FUNDS_DEPOSITED
from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent
from crossway.domain.quotes import BridgeName
from crossway.ports.bridge import (
    BridgeStatus,
    ContractState,
    Expired,
    FinalStates,
    MessageSeen,
    Pending,
    Unknown,
)
from tests.bridges.across_service import AcrossService, running_across
from tests.bridges.payments import ARBITRUM, BASE, CATALOGUE, NOW, sent_intent, transfer

TX = "0x" + "ab" * 32
DEADLINE = datetime.fromtimestamp(int(NOW.timestamp()) + 7_200, UTC)
HEIGHT = 77


def across_intent(number: int) -> Intent:
    intent = sent_intent(number)
    terms = replace(intent.terms, bridge="ACROSS")
    return replace(intent, terms=terms, bridger=default_deployment().bridges["ACROSS"])


def record_of(deposit_id: int, deadline: datetime = DEADLINE) -> bytes:
    """What a pool records of a deposit, as its event has it."""
    word = number_word(1)
    seconds = int(deadline.timestamp())
    data = encode(FUNDS_DEPOSITED.types, [word, word, 5, 4, 1, seconds, 0, word, word, b"terms"])
    topics = number_word(42161) + number_word(deposit_id) + address_word("evm", "0x" + "ee" * 20)
    return topics + data


@dataclass
class Nodes:
    """Both ends as nodes report them: records by transaction, and a final block's time."""

    records: dict[str, list[bytes]] = field(default_factory=dict)
    block_time: datetime = NOW
    arrived: set[str] = field(default_factory=set)
    unreachable: str = ""
    asked: list[tuple[str, int]] = field(default_factory=list)

    def sent_messages(self, tx_id: str, emitter: str) -> Sequence[bytes]:
        assert emitter == CATALOGUE.chains[BASE].across_pool
        self._check()
        return self.records.get(tx_id, [])

    def final_states(
        self, bridger: str, intent_hashes: Collection[str], height: int
    ) -> FinalStates:
        assert height == HEIGHT
        self._check()
        self.asked.append((bridger, len(intent_hashes)))
        states = {one: ContractState(arrived=one in self.arrived) for one in intent_hashes}
        return FinalStates(self.block_time, states)

    def heads(self) -> SimpleNamespace:
        return SimpleNamespace(finalized=HEIGHT)

    def _check(self) -> None:
        if self.unreachable:
            raise Unreachable(self.unreachable)


@dataclass
class World:
    service: AcrossService
    source: Nodes
    target: Nodes
    client: AcrossClient

    def track(self, **changes: Any) -> BridgeStatus:
        intent = across_intent(1)
        (status,) = self.client.track([(transfer(intent, source_tx=TX, **changes), intent)])
        return status

    def follow(self, **changes: Any) -> BridgeStatus:
        """Track a transfer whose deposit was read."""
        record = record_of(payment_deposit_id(across_intent(1)))
        return self.track(**({"sent_message": record} | changes))


@pytest.fixture
def world() -> Iterator[World]:
    source, target = Nodes(), Nodes()
    ends: Any = {BASE: source, ARBITRUM: target}
    with running_across() as service:
        api = AcrossApi(service.url, load_limits(BridgeName.ACROSS))
        pool = ThreadPoolExecutor(4)
        client = AcrossClient(CATALOGUE, ends, ends, AcrossApis(api, api), pool)
        yield World(service, source, target, client)
        client.close()


def test_the_pools_record_of_the_payments_own_deposit_is_read(world: World) -> None:
    own = payment_deposit_id(across_intent(1))
    record = record_of(own)
    world.source.records[TX] = [record_of(own + 1), record]
    assert world.track() == MessageSeen(record, format_deposit_id(own))
    assert parse_deposit(record).fill_deadline == DEADLINE
    assert parse_deposit(record).output_amount == 4


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([], "has no deposit in 0xab"),
        ([record_of(5)], "has no deposit in 0xab"),
        ([b"short"], "cut off"),
        ([bytes(100)], "did not return an event"),
    ],
)
def test_without_the_deposit_nothing_is_concluded(
    records: list[bytes], words: str, world: World
) -> None:
    world.source.records[TX] = records
    status = world.track()
    assert isinstance(status, Unknown)
    assert words in status.reason


def test_the_number_of_a_deposit_is_known_before_it_is_sent() -> None:
    first, second = across_intent(1), across_intent(2)
    assert payment_deposit_id(first) == payment_deposit_id(replace(first, tx_hash="0x1"))
    assert len({payment_deposit_id(one) for one in (first, second)}) == 2
    assert format_deposit_id(5) == "0x" + "0" * 63 + "5"


@pytest.mark.parametrize(
    ("after", "status"),
    [(-1, Pending()), (0, Pending()), (1, Expired())],
)
def test_it_has_expired_once_a_final_block_is_past_the_deadline(
    after: int, status: BridgeStatus, world: World
) -> None:
    world.target.block_time = DEADLINE + timedelta(seconds=after)
    assert world.follow() == status
    assert world.follow(state=BridgeTransferState.EXPIRED) == status


def test_what_has_arrived_has_not_expired(world: World) -> None:
    world.target.block_time = DEADLINE + timedelta(days=1)
    world.target.arrived = {across_intent(1).intent_hash}
    assert world.follow() == Pending()


def test_a_silent_node_is_unknown_and_never_an_expiry(world: World) -> None:
    world.target.block_time = DEADLINE + timedelta(days=1)
    world.target.unreachable = "the nodes disagree"
    assert world.follow() == Unknown("the nodes disagree.")
    world.source.unreachable = "no answer"
    assert world.track() == Unknown("no answer.")


def test_a_chain_that_is_not_configured_is_unknown(world: World) -> None:
    elsewhere = {"sent_message": record_of(1), "destination_chain": "OPTIMISM_MAINNET"}
    assert world.track(**elsewhere) == Unknown("OPTIMISM_MAINNET is not configured.")


def test_one_question_to_a_chain_answers_for_all_of_its_payments(world: World) -> None:
    followed: list[tuple[BridgeTransfer, Intent]] = []
    for number in range(50):
        intent = across_intent(number)
        record = record_of(payment_deposit_id(intent))
        followed.append((transfer(intent, source_tx=TX, sent_message=record), intent))
    assert world.client.track(followed) == [Pending()] * 50
    assert world.target.asked == [(default_deployment().bridges["ACROSS"], 50)]
    assert world.service.requests == []


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("pending", ""),
        ("filled", "Across says that it was filled, which our nodes do not report."),
        ("expired", "Across says that nobody filled it in time."),
        ("refunded", "Across says that it returns the deposit."),
        ("slowFillRequested", "No relayer fills it; Across pays it out of its pool."),
        ("something new", ""),
    ],
)
def test_what_across_says_is_a_reason_and_nothing_else(
    status: str, reason: str, world: World
) -> None:
    world.service.statuses[TX] = status
    assert world.follow(poll_count=ASKED_FROM_POLL - 1) == Pending()
    assert world.service.requests == []
    assert world.follow(poll_count=ASKED_FROM_POLL) == Pending(reason)
    assert world.service.requests == [("/deposit/status", {"depositTxnRef": TX})]


def test_an_api_that_fails_or_knows_nothing_changes_nothing(world: World) -> None:
    assert world.follow(poll_count=ASKED_FROM_POLL) == Pending()
    world.service.silent = True
    assert world.follow(poll_count=ASKED_FROM_POLL) == Pending()
    world.target.block_time = DEADLINE + timedelta(seconds=1)
    assert world.follow(poll_count=ASKED_FROM_POLL) == Expired()


def test_only_some_of_many_late_deposits_are_asked_about_at_once(world: World) -> None:
    world.service.statuses[TX] = "expired"
    intent = across_intent(1)
    record = record_of(payment_deposit_id(intent))
    late = transfer(intent, source_tx=TX, sent_message=record, poll_count=9)
    followed = [(replace(late, intent_id=number), intent) for number in range(MAX_ASKED + 5)]
    statuses = world.client.track(followed)
    assert len(world.service.requests) == MAX_ASKED
    assert statuses.count(Pending()) == 5


def test_usual_times_are_those_of_relayers(world: World) -> None:
    assert world.client.usual_seconds(across_intent(1)) == 2
    on_test = replace(across_intent(1).terms, source_chain="BASE_TESTNET")
    assert world.client.usual_seconds(replace(across_intent(1), terms=on_test)) == 60
