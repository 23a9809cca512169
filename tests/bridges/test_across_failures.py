"""What can go wrong with a payment over Across, on two real chains with its real pools, and how
each ends."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from crossway.adapters.bridges.across.api import AcrossApi, AcrossApis
from crossway.adapters.bridges.across.client import AcrossClient
from crossway.adapters.bridges.service_limits import load_limits
from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.quotes import BridgeName
from crossway.engine.loop import Engine
from crossway.ports.bridge import BridgeEnd, FinalStates
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.across_chains import (
    DEPLOYMENT,
    AcrossWorld,
    Places,
    pause_pool,
    places,
    two_across_chains,
)
from tests.bridges.across_service import running_across
from tests.bridges.cctp_chains import call, start_as_stranger
from tests.chains.anvil import COORDINATOR, COORDINATOR_KEY, RELAYER, TREASURY
from tests.chains.live import ARBITRUM, BASE

AMOUNT = 25_000_000
S = BridgeTransferState


def paid_exactly_once(world: AcrossWorld, intent: Intent) -> None:
    held, total = places(world, intent), intent.terms.deposit_amount
    assert held == Places(0, 0, total, AMOUNT, 0, held.destination_contract)
    assert world.owed(intent) == held.destination_contract


def all_back(world: AcrossWorld, intent: Intent) -> None:
    assert places(world, intent) == Places(intent.terms.deposit_amount, 0, 0, 0, 0, 0)


def books_agree(world: AcrossWorld, intent: Intent) -> None:
    world.settled(intent)
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def refunds(world: AcrossWorld, intent: Intent) -> list[Any]:
    with world.services.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.REFUND)
    return [tx for tx in txs if tx.tx_id]


@dataclass
class LyingEnd:
    """A node that has a chain's final block an hour ahead of what it is."""

    end: BridgeEnd
    ahead: timedelta = timedelta()

    def final_states(
        self, bridger: str, intent_hashes: Collection[str], height: int
    ) -> FinalStates:
        final = self.end.final_states(bridger, intent_hashes, height)
        return replace(final, block_time=final.block_time + self.ahead)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.end, name)


def with_lying_end(world: AcrossWorld) -> LyingEnd:
    """From now on, transfers are followed through a node that can lie about time."""
    liar = LyingEnd(world.services.bridge_ends[ARBITRUM])
    ends: Any = {**world.services.bridge_ends, ARBITRUM: liar}
    api = AcrossApi(world.across.url, load_limits(BridgeName.ACROSS))
    client = AcrossClient(
        world.services.catalogue,
        world.services.chains,
        ends,
        AcrossApis(api, api),
        ThreadPoolExecutor(2),
    )
    world.services = replace(world.services, bridge_clients={"ACROSS": client})
    world.engine = Engine(world.services, "test", sole=True)
    return liar


def test_what_is_filled_after_we_thought_it_expired_is_complete(across_world: AcrossWorld) -> None:
    world = across_world
    liar = with_lying_end(world)
    intent = world.sent()
    liar.ahead = timedelta(hours=3)
    world.ends(intent, State.FAILED)
    assert world.transfer(intent).state is S.EXPIRED
    assert world.fill(intent)
    world.ends(intent, State.COMPLETED)
    world.step(5)
    paid_exactly_once(world, intent)
    assert refunds(world, intent) == []
    assert world.transfer(intent).state in (S.DELIVERED, S.CLOSED)
    books_agree(world, intent)
    world.services.bridge_clients["ACROSS"].close()  # type: ignore[attr-defined]


def test_a_recipient_that_is_refused_cannot_be_filled_and_the_payer_has_all_back(
    across_world: AcrossWorld,
) -> None:
    world = across_world
    intent = world.sent()
    world.anvils[ARBITRUM].refuse(intent.terms.recipient)
    assert not world.fill(intent)
    world.pass_deadline()
    world.ends(intent, State.FAILED)
    world.return_deposit(intent)
    world.ends(intent, State.REFUNDED)
    all_back(world, intent)
    books_agree(world, intent)


def test_a_paused_pool_makes_the_start_wait_with_its_reason(across_world: AcrossWorld) -> None:
    world = across_world
    pause_pool(world.anvils[BASE], paused=True)
    intent = world.pay()
    world.deposit(intent)
    world.step(3)
    words = "Across on Base does not accept transfers now: its pool takes no deposits at present."
    assert any(words in told for told in world.words()), world.words()
    assert places(world, intent).deposit == intent.terms.deposit_amount
    pause_pool(world.anvils[BASE], paused=False)
    world.until(lambda: world.is_seen(intent))
    assert world.fill(intent)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)


def test_a_pool_that_stays_paused_means_a_refund_at_expiry(across_world: AcrossWorld) -> None:
    world = across_world
    pause_pool(world.anvils[BASE], paused=True)
    intent = world.pay()
    world.deposit(intent)
    world.step(2)
    start_as_stranger(world, intent)
    world.step(2)
    assert places(world, intent).source_contract == intent.terms.deposit_amount
    world.pass_time(2 * 3_600)
    world.ends(intent, State.REFUNDED)
    all_back(world, intent)
    books_agree(world, intent)


def test_what_a_stranger_started_is_sent_all_the_same(across_world: AcrossWorld) -> None:
    world = across_world
    intent = world.pay()
    world.deposit(intent)
    start_as_stranger(world, intent)
    world.until(lambda: world.is_seen(intent))
    assert world.fill(intent)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)
    books_agree(world, intent)


def test_an_api_that_is_silent_holds_nothing_up(across_world: AcrossWorld) -> None:
    world = across_world
    intent = world.sent()
    world.across.silent = True
    world.step(12)
    assert world.transfer(intent).state in (S.SEEN, S.OVERDUE)
    assert world.fill(intent)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)


def test_a_send_that_a_reorganisation_removed_is_made_again(across_world: AcrossWorld) -> None:
    world = across_world
    intent = world.sent()
    before = world.transfer(intent)
    world.anvils[BASE].reorganise(4)
    world.until(lambda: world.is_seen(intent) and world.transfer(intent) != before)
    world.step(3)
    assert world.transfer(intent).message_id == before.message_id
    assert world.fill(intent)
    world.ends(intent, State.COMPLETED)
    paid_exactly_once(world, intent)
    books_agree(world, intent)


def test_only_the_coordinators_agents_send_and_the_rest_is_the_coordinators(
    tmp_path: Path,
) -> None:
    with two_across_chains() as chains, running_across() as service:
        for one in chains.values():
            one.coordinator = COORDINATOR
            one.rpc("anvil_setBalance", COORDINATOR, hex(10**18))
            set_agent = DEPLOYMENT.factory, "setAgent(address,bool)", RELAYER
            call(one, *set_agent, True, key=COORDINATOR_KEY)
            for payee in (RELAYER, TREASURY):
                set_payee = DEPLOYMENT.escrow2, "setPayee(address,bool)", payee
                call(one, *set_payee, True, key=COORDINATOR_KEY)
        world = AcrossWorld(tmp_path, chains, service)
        world.step()
        call(chains[BASE], *set_agent, False, key=COORDINATOR_KEY)
        intent = world.pay()
        world.deposit(intent)
        world.step(4)
        assert places(world, intent).deposit == intent.terms.deposit_amount
        assert any("may not do this" in told for told in world.words()), world.words()
        call(chains[BASE], *set_agent, True, key=COORDINATOR_KEY)
        world.until(lambda: world.is_seen(intent))
        assert world.fill(intent)
        world.ends(intent, State.COMPLETED)
        paid_exactly_once(world, intent)
        assert intent.coordinator == COORDINATOR
        assert world.owed(intent) > 0
        world.close()
