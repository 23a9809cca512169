"""Rebalancing as stored: one policy for a location, settings once changed, and transfers."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.rebalancing import (
    PlannedTransfer,
    RebalancingMode,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingState,
)
from crossway.ports.store import Store

NOW = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
S = RebalancingState
POLICY = RebalancingPolicy("BASE_MAINNET", "0xa", 1_000, 5_000, 10**30, 2, "ada", NOW)
PLANNED = PlannedTransfer(
    "RHINOFI",
    InventoryTransferKind.TRANSFER,
    ("BASE_MAINNET", "0xa"),
    ("ARBITRUM_MAINNET", "0xb"),
    4_000_000,
    4_010_000,
    4_000_000,
    10_000,
    60,
    True,
    "Payouts wait for it.",
)


def test_a_location_has_one_policy(store: Store) -> None:
    store.write(lambda unit: unit.rebalancing.set_policy(POLICY))
    changed = replace(POLICY, minimum=2_000, by="bob")
    store.write(lambda unit: unit.rebalancing.set_policy(changed))
    with store.read() as unit:
        assert unit.rebalancing.list_policies() == [changed]
    store.write(lambda unit: unit.rebalancing.delete_policy("BASE_MAINNET", "0xa"))
    with store.read() as unit:
        assert unit.rebalancing.list_policies() == []


def test_settings_are_the_defaults_until_somebody_changes_them(store: Store) -> None:
    with store.read() as unit:
        assert unit.rebalancing.get_settings().mode is RebalancingMode.SUGGEST
    changed = RebalancingSettings(
        RebalancingMode.AUTOMATIC, 15, 70_000_000, 1, 2, 3, 4, time(8, 30), time(17), 5
    )
    for settings in (RebalancingSettings(), changed):
        store.write(lambda unit, saved=settings: unit.rebalancing.save_settings(saved))
    with store.read() as unit:
        assert unit.rebalancing.get_settings() == changed


def test_a_transfer_is_open_until_it_ends(store: Store) -> None:
    add = store.write(lambda unit: unit.rebalancing.add(PLANNED, S.PROPOSED, "ada", NOW))
    started = store.write(lambda unit: unit.rebalancing.add(PLANNED, S.STARTED, "", NOW))
    assert (add.source, add.destination) == (PLANNED.source, PLANNED.destination)
    assert (add.amount, add.is_urgent, add.proposed_by) == (4_000_000, True, "ada")
    with store.read() as unit:
        assert unit.rebalancing.list_open() == [add, started]
    later = NOW + timedelta(minutes=1)
    declined = replace(add, state=S.DECLINED, decided_by="bob", note="No.", updated_at=later)
    store.write(lambda unit: unit.rebalancing.update([declined]))
    with store.read() as unit:
        assert unit.rebalancing.list_open() == [started]
        assert unit.rebalancing.list_page(5) == [started, declined]
        assert unit.rebalancing.list_page(5, before_id=started.id) == [declined]
        assert unit.rebalancing.list_since(NOW) == [declined, started]
        assert unit.rebalancing.list_since(later) == []
        assert unit.rebalancing.get_many([add.id]) == {add.id: declined}
    assert store.write(lambda unit: unit.rebalancing.lock([started.id])) == {started.id: started}
