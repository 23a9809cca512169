"""What waits at a payment's address on a real chain: a stranger sends it by the payer's page."""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from crossway.adapters.clock import SystemClock
from crossway.api.rate_limits import IpRateLimiter
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxState
from crossway.engine.loop import Engine
from crossway.payer.app import create_pages
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.payments.checkout_urls import create_token
from tests.chains.anvil import Anvil
from tests.chains.front import HONEST, Front, asked_for
from tests.chains.live import ARBITRUM, BASE, LiveWorld, given_back, write_profile

CENT = 10_000
BALANCE_OF = "0x70a08231"
AGREE = ["The books and the chains agree."]


class MovedClock(SystemClock):
    """This machine's clock, moved ahead by a test."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead

    def machine(self) -> datetime:
        return super().machine() + self.ahead


class ClaimWorld:
    """A service whose time a test moves on, and its payer pages."""

    def __init__(
        self,
        folder: Path,
        chains: dict[str, Anvil],
        allowance_usd: int = 50,
        profile: Path | None = None,
    ) -> None:
        self.live, self.clock = LiveWorld(folder, chains, profile), MovedClock()
        services = self.live.services
        policy = replace(services.policy, return_allowance_micro_usd=allowance_usd * 10**6)
        self.live.services = replace(services, clock=self.clock, policy=policy)
        self.live.engine = Engine(self.live.services, "test", sole=True)
        pages = create_pages(IpRateLimiter(), self.live.services)
        self.http = TestClient(Starlette(routes=[Mount("/pay", pages)]))
        self.base = chains[BASE]

    def pass_minutes(self, minutes: int) -> None:
        """Some blocks on each chain in each of these minutes."""
        for _ in range(minutes):
            self.clock.ahead += timedelta(minutes=1)
            for chain in self.live.anvils.values():
                chain.rpc("evm_increaseTime", 60)
            self.live.step(3)

    def expire_with(self, units: int) -> Intent:
        intent = self.live.pay()
        self.live.step()
        self.live.record_openings()
        self.live.deposit(intent, units)
        self.live.step(3)
        self.clock.ahead += timedelta(seconds=4_000)
        self.base.rpc("evm_increaseTime", 4_000)
        return self.live.ends(intent, State.EXPIRED)

    def read_page(self, intent: Intent) -> tuple[str, str]:
        """The contract and the data of the call on the payer's page, whatever it says beside."""
        answer = self.http.get(f"/pay/{create_token(self.live.services, intent.id)}")
        assert answer.status_code == 200
        found = re.findall(
            r'data-copy="(0x[^"]+)" aria-label="Copy the (?:contract|data of the call)"',
            answer.text,
        )
        contract, data = (html.unescape(text) for text in found)
        return contract, data

    def sent_by_us(self) -> int:
        return int(self.base.rpc("eth_getTransactionCount", self.base.relayer, "latest"), 16)


@pytest.fixture
def worlds(tmp_path: Path, chains: dict[str, Anvil]) -> Iterator[Callable[[int], ClaimWorld]]:
    made: list[ClaimWorld] = []

    def build(allowance_usd: int) -> ClaimWorld:
        made.append(ClaimWorld(tmp_path, chains, allowance_usd))
        return made[-1]

    yield build
    for world in made:
        world.live.close()


@pytest.mark.parametrize(("units", "allowance"), [(CENT // 2, 50), (7_000_000, 0)])
def test_a_stranger_returns_by_the_page_what_we_do_not_and_the_books_follow(
    worlds: Callable[[int], ClaimWorld], units: int, allowance: int
) -> None:
    world = worlds(allowance)
    intent = world.expire_with(units)
    world.pass_minutes(12)
    assert world.live.now(intent).state is State.EXPIRED
    assert world.live.held(intent).deposit == units
    before = world.sent_by_us()
    contract, data = world.read_page(intent)
    world.base.carry_out(contract, data)
    assert world.live.held(intent).payer == units
    world.pass_minutes(11)
    assert world.live.now(intent).state is State.REFUNDED
    assert world.live.held(intent) == given_back(units)
    assert world.sent_by_us() == before
    assert reconcile(world.live.services, world.live.operator).sentences() == AGREE
    with world.live.services.store.read() as unit:
        txs = unit.outbound_txs.list_by_intents([intent.id])
    assert {tx.state for tx in txs} <= {OutboundTxState.CANCELLED}


class EmptyHanded(Front):
    """Tells that nobody holds anything of a token."""

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["method"] == "eth_call" and asked["params"][0]["data"][:10] == BALANCE_OF:
            return asked_for(asked, "0x" + "0" * 64)
        return super()._one(asked)


def test_one_node_that_denies_what_is_there_returns_nothing_in_the_books(
    tmp_path: Path, chains: dict[str, Anvil]
) -> None:
    liar = EmptyHanded(chains[BASE])
    urls = {BASE: [chains[BASE].url, liar.url], ARBITRUM: [chains[ARBITRUM].url] * 2}
    world = ClaimWorld(tmp_path, chains, profile=write_profile(tmp_path, urls, quorum=2))
    intent = world.expire_with(CENT // 2)
    liar.mood = "denying"
    world.pass_minutes(12)
    assert world.live.now(intent).state is State.EXPIRED
    world.base.carry_out(*world.read_page(intent))
    liar.mood = HONEST
    world.pass_minutes(11)
    assert world.live.now(intent).state is State.REFUNDED
    world.live.close()
    liar.close()


def earned(world: ClaimWorld) -> int:
    with world.live.services.store.read() as unit:
        budget = unit.treasury.lock_return_budget(BASE)
    return budget.earned_micro_usd if budget else 0


def test_a_payment_whose_start_reverts_brings_its_share_for_returns_once(
    worlds: Callable[[int], ClaimWorld],
) -> None:
    world = worlds(0)
    intent, reverting = world.live.pay(), world.live.pay("another")
    world.live.step()
    world.live.deposit(intent)
    world.live.ends(intent, State.COMPLETED)
    share = earned(world)
    world.base.refuse(reverting.bridger)
    world.live.deposit(reverting)
    world.pass_minutes(3)
    with world.live.services.store.read() as unit:
        (start,) = unit.outbound_txs.list_by_intents([reverting.id])
    assert start.attempt_count >= 2
    # Fees differ a little from block to block.
    assert 1.8 * share < earned(world) < 2.2 * share
