"""Rebalancing transfers are started once, above a limit by two people, and lapse."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.simulated_bridges.factory import inventory_bridges
from crossway.domain.clients import Principal
from crossway.domain.errors import Forbidden, InvalidInput, InvalidStatus, NotFound
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferKind
from crossway.domain.ledger import UNIFIED_TOKEN, unified_location
from crossway.domain.rebalancing import (
    PlannedTransfer,
    RebalancingMode,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
)
from crossway.ports.records import Alert
from crossway.ports.sandbox import Faults
from crossway.usecases.chains import kill_switches
from crossway.usecases.money import rebalancing_transfers
from crossway.usecases.money.rebalancing_policies import get_settings, set_limits
from tests.harness import CATALOGUE
from tests.staff_world import StaffWorld

S, Kind = RebalancingState, InventoryTransferKind
UNIFIED = (unified_location(testnet=False), UNIFIED_TOKEN)
CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET")
BASE, ARBITRUM = [(chain, CATALOGUE.tokens[chain, "USDC"].address) for chain in CHAINS]
SMALL, LARGE = 10_000_000_000, 10_000_000_001
"""In millionths of USD: at the limit of the default settings, and above it."""


def planned(micro_usd: int = SMALL, kind: Kind = Kind.TRANSFER) -> PlannedTransfer:
    source = UNIFIED if kind is Kind.MINT else BASE
    destination = UNIFIED if kind is Kind.DEPOSIT else ARBITRUM
    amounts = (9_000, 9_010, micro_usd, 10, 60)
    return PlannedTransfer("RHINOFI", kind, source, destination, *amounts, False, "Because.")


class World(StaffWorld):
    """Ada and Bob are treasurers who have just proved who they are."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        chains = {chain: SimulatedChain(self.network, chain) for chain in CHAINS}
        at_bridges = inventory_bridges(self.network, CATALOGUE)
        self.services = replace(self.services, chains=chains, inventory_bridges=at_bridges)
        self.add("Bob", "treasurer")
        self.ada, self.bob = self.person("Ada"), self.person("Bob")

    def person(self, name: str) -> Principal:
        return self.principal(self.enter(name))

    def carry_out(self, micro_usd: int = LARGE) -> RebalancingTransfer:
        return rebalancing_transfers.carry_out(self.services, self.ada, planned(micro_usd))

    def approve(self, caller: Principal, id: int = 1) -> RebalancingTransfer:
        return rebalancing_transfers.approve(self.services, caller, id)

    def carried(self, id: int = 1) -> list[InventoryTransfer]:
        with self.store.read() as unit:
            return unit.inventory_transfers.list_by_intents([-id])

    def stored(self, id: int = 1) -> RebalancingTransfer:
        with self.store.read() as unit:
            return unit.rebalancing.get_many([id])[id]

    def waiting(self) -> list[Alert]:
        """The alerts that something waits for a person."""
        with self.store.read() as unit:
            return [alert for alert in unit.alerts.list_active() if alert.kind == "approval"]

    def set_inventory(self, units: int) -> None:
        """Set what the relayer has of USDC on Base."""
        faults = Faults(balances={"relayer": {"USDC": units}})
        self.sandbox.inject_faults("BASE_MAINNET", faults)

    def pause(self) -> None:
        paused = RebalancingSettings(mode=RebalancingMode.PAUSED)
        self.store.write(lambda unit: unit.rebalancing.save_settings(paused))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_small_transfer_starts_at_once(world: World) -> None:
    started = world.carry_out(SMALL)
    assert (started.state, started.proposed_by, started.decided_by) == (S.STARTED, "Ada", "")
    (carried,) = world.carried()
    assert (carried.state, carried.amount, carried.bridge) == ("PLANNED", 9_000, "RHINOFI")
    assert (carried.source_chain, carried.source_token) == BASE
    assert (carried.destination_chain, carried.destination_token) == ARBITRUM
    actions = [entry.action for entry in world.audited() if entry.subject == "rebalancing:1"]
    assert actions == ["rebalancing transfer proposed", "rebalancing transfer started"]


@pytest.mark.parametrize("kind", [Kind.MINT, Kind.DEPOSIT])
def test_the_unified_balance_is_no_chain(world: World, kind: Kind) -> None:
    rebalancing_transfers.carry_out(world.services, world.ada, planned(SMALL, kind))
    (carried,) = world.carried()
    source = (carried.source_chain, carried.source_token)
    destination = (carried.destination_chain, carried.destination_token)
    assert source == (("", "") if kind is Kind.MINT else BASE)
    assert destination == (("", "") if kind is Kind.DEPOSIT else ARBITRUM)


def test_a_large_transfer_starts_when_another_person_agrees(world: World) -> None:
    assert world.carry_out().state is S.PROPOSED
    assert world.carried() == []
    (alert,) = world.waiting()
    assert (alert.subject, alert.message) == (
        "rebalancing:1",
        "Rebalancing transfer 1 waits for a person. Because.",
    )
    with pytest.raises(Forbidden, match="another person"):
        world.approve(world.ada)
    # The same person in another session, under another name.
    again = world.person("Ada")
    renamed = replace(again, client=replace(again.client, name="Eve"))
    with pytest.raises(Forbidden, match="another person"):
        world.approve(renamed)
    assert world.carried() == []
    started = world.approve(world.bob)
    assert (started.state, started.decided_by) == (S.STARTED, "Bob")
    assert world.waiting() == []
    assert len(world.carried()) == 1
    with pytest.raises(InvalidStatus, match="it is started"):
        world.approve(world.bob)
    assert len(world.carried()) == 1


def test_an_account_made_after_the_proposal_does_not_approve_it(world: World) -> None:
    world.carry_out()
    world.machine.seconds += 1
    world.add("Second Ada", "treasurer")
    with pytest.raises(Forbidden, match="younger"):
        world.approve(world.person("Second Ada"))


def test_what_the_engine_proposes_one_person_approves(world: World) -> None:
    world.store.write(
        lambda unit: rebalancing_transfers.place(unit, world.services, planned(LARGE))
    )
    assert world.stored().state is S.PROPOSED
    assert world.approve(world.ada).decided_by == "Ada"


def test_two_people_who_approve_at_once_start_one_transfer(world: World) -> None:
    world.add("Cy", "treasurer")
    world.store.write(
        lambda unit: rebalancing_transfers.place(unit, world.services, planned(LARGE))
    )

    def approve(caller: Principal) -> str:
        try:
            return world.approve(caller).state
        except InvalidStatus:
            return "too late"

    people = (world.bob, world.person("Cy"))
    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(approve, people)) == ["STARTED", "too late"]
    assert len(world.carried()) == 1


@pytest.mark.parametrize("micro_usd", [SMALL, LARGE])
def test_a_second_click_moves_nothing_twice(world: World, micro_usd: int) -> None:
    world.carry_out(micro_usd)
    with pytest.raises(InvalidStatus, match="Rebalancing transfer 1 between the same"):
        world.carry_out(micro_usd)
    reverse = replace(planned(SMALL), source=ARBITRUM, destination=BASE)
    with pytest.raises(InvalidStatus, match="Rebalancing transfer 1 between the same"):
        rebalancing_transfers.carry_out(world.services, world.bob, reverse)
    with world.store.read() as unit:
        assert len(unit.rebalancing.list_page(10)) == 1


def test_while_paused_nothing_starts(world: World) -> None:
    world.carry_out()
    world.pause()
    with pytest.raises(InvalidStatus, match="paused"):
        world.approve(world.bob)
    assert world.stored().state is S.PROPOSED
    mint = planned(SMALL, Kind.MINT)
    with pytest.raises(InvalidStatus, match="paused"):
        rebalancing_transfers.carry_out(world.services, world.bob, mint)
    with world.store.read() as unit:
        assert len(unit.rebalancing.list_page(10)) == 1


def test_a_transfer_is_declined_with_a_reason(world: World) -> None:
    world.carry_out()
    decline = rebalancing_transfers.decline
    with pytest.raises(InvalidInput, match="reason"):
        decline(world.services, world.bob, 1, "  ")
    declined = decline(world.services, world.bob, 1, "Base pays out tomorrow.")
    assert (declined.state, declined.note) == (S.DECLINED, "Base pays out tomorrow.")
    assert world.stored() == declined
    assert world.waiting() == []
    with pytest.raises(InvalidStatus, match="declined"):
        world.approve(world.bob)
    assert world.carried() == []
    assert world.carry_out().id == 2


def test_a_proposal_lapses_after_a_day(world: World) -> None:
    world.carry_out()
    world.machine.seconds += 86_399
    assert rebalancing_transfers.lapse_overdue(world.services) == 0
    world.machine.seconds += 1
    # Those who have just proved who they are, again.
    with pytest.raises(InvalidStatus, match="too long ago"):
        world.approve(world.person("Bob"))
    assert rebalancing_transfers.lapse_overdue(world.services) == 1
    assert world.stored().state is S.LAPSED
    assert world.waiting() == []
    assert rebalancing_transfers.lapse_overdue(world.services) == 0


def test_only_treasurers_who_have_proved_who_they_are_move_inventory(world: World) -> None:
    world.add("Vic", "operator")
    with pytest.raises(Forbidden, match="role treasurer"):
        rebalancing_transfers.carry_out(world.services, world.person("Vic"), planned())
    world.machine.seconds += 301
    with pytest.raises(Forbidden, match="Confirm that it is you"):
        world.carry_out()
    with pytest.raises(NotFound):
        world.approve(world.person("Bob"), 7)


def test_what_is_not_possible_any_more_does_not_start(world: World) -> None:
    world.carry_out()
    kill_switches.set_kill_switch(world.services, world.ada, "bridge:RHINOFI", True, "Checking.")
    with pytest.raises(InvalidStatus, match="disabled"):
        world.approve(world.bob)
    kill_switches.set_kill_switch(world.services, world.ada, "bridge:RHINOFI", False, "")
    world.set_inventory(9_009)
    with pytest.raises(
        InvalidStatus, match=r"^Base has 0.009009 USDC to spare, and 0.00901 USDC may"
    ):
        world.approve(world.bob)
    # What is kept for the transfer itself counts as spare.
    world.set_inventory(9_010)
    assert world.approve(world.bob).state is S.STARTED
    with pytest.raises(InvalidStatus, match="0 USDC to spare"):
        rebalancing_transfers.carry_out(world.services, world.bob, planned(kind=Kind.DEPOSIT))


def test_without_an_answer_or_a_price_nothing_starts(world: World) -> None:
    unknown = replace(planned(), micro_usd=0)
    with pytest.raises(InvalidStatus, match="price of this token is unknown"):
        rebalancing_transfers.carry_out(world.services, world.ada, unknown)
    world.sandbox.inject_faults("BASE_MAINNET", Faults(outage_seconds=60))
    with pytest.raises(InvalidStatus, match="cannot be read"):
        world.carry_out(SMALL)


def test_two_transfers_at_once_do_not_count_on_the_same_units(world: World) -> None:
    world.set_inventory(9_010)
    both = (planned(), planned(kind=Kind.DEPOSIT))

    def carry_out(wanted: PlannedTransfer) -> str:
        try:
            return rebalancing_transfers.carry_out(world.services, world.ada, wanted).state
        except InvalidStatus as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(carry_out, both))
    assert results.count("STARTED") == 1
    (refused,) = [result for result in results if result != "STARTED"]
    assert "placed meanwhile" in refused or "to spare" in refused


def test_nobody_raises_the_limit_to_do_without_a_second_person(world: World) -> None:
    """One treasurer raised it, carried out what they wanted, and set it back."""
    settings = replace(RebalancingSettings(), approve_above_micro_usd=10**15)
    world.store.write(lambda unit: unit.rebalancing.save_settings(settings))
    controls = replace(world.services.policy.controls, second_person_micro_usd=SMALL)
    policy = replace(world.services.policy, controls=controls)
    world.services = replace(world.services, policy=policy)
    assert world.carry_out(LARGE).state is S.PROPOSED
    assert world.carried() == []
    assert get_settings(world.services, world.ada).approve_above_micro_usd == SMALL
    with pytest.raises(InvalidInput, match="must be at most 10"):
        set_limits(world.services, world.ada, {"approve_above_micro_usd": LARGE})
    set_limits(world.services, world.ada, {"approve_above_micro_usd": SMALL})
    assert world.approve(world.bob).state is S.STARTED
