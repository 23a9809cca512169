"""The relayer's inventory agrees with chains and books, whatever payments are in progress."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.domain.roles import Role
from crossway.usecases.money import inventory as treasury
from crossway.usecases.money import inventory_adjustments, rebalancing
from crossway.usecases.money.inventory import COVER_DAYS, FLOW_DAYS, InventoryPosition
from crossway.usecases.simulator import chain_controls
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
CHAINS = (BASE, ARBITRUM, "OPTIMISM_MAINNET")


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    return Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=CHAINS)


def by_place(world: Harness) -> dict[tuple[str, str], InventoryPosition]:
    found = treasury.get_inventory(world.services, world.operator)
    return {(one.token.chain, one.token.symbol): one for one in found.positions}


def test_inventory_matches_chains_and_books_with_payments_in_every_state(
    world: Harness,
) -> None:
    inventory_adjustments.book_opening_balances(world.services, world.operator)
    done = world.pay()
    world.deposit(done)
    world.until(done, State.COMPLETED)
    world.pass_time(60)
    pending, short = world.pay(), world.pay()
    world.deposit(short, "short")
    on_its_way = [world.pay(), world.pay(to="OPTIMISM_MAINNET")]
    for intent in on_its_way:
        world.deposit(intent)
        world.until(intent, State.INITIATED, State.COMPLETED)
    claimed = world.pay()
    world.deposit(claimed)
    world.until(claimed, State.COMPLETED)
    states = {world.now(i).state for i in (done, pending, short, *on_its_way, claimed)}
    assert states >= {State.COMPLETED, State.PENDING}

    found = treasury.get_inventory(world.services, world.operator)
    with world.store.read() as unit:
        booked = unit.ledger.get_balances()
        moves = unit.outbound_txs.list_by_intents([i.id for i in (*on_its_way, claimed)])
    reserved: dict[tuple[str, str], int] = defaultdict(int)
    for intent in map(world.now, on_its_way):
        if intent.state is State.INITIATED:
            reserved[intent.terms.destination_chain, intent.terms.token_out] += (
                intent.terms.payout_amount
            )
    open_claims = [t for t in moves if t.kind == "REIMBURSE" and t.state in ("DUE", "SIGNED")]
    assert open_claims
    assert sorted(c.intent_id for c in found.receivables) == sorted(
        t.intent_id for t in open_claims
    )
    for one in found.positions:
        place = (one.token.chain, one.token.address)
        chain = world.services.chains[one.token.chain]
        relayer = chain.accounts.relayer
        assert one.balance == chain.balances([relayer], one.token.address)[relayer]
        assert one.reserved == reserved[place]
        assert one.expected == sum(
            c.amount for c in found.receivables if (c.chain, c.token) == place
        )
        coming = (
            inventory_adjustments.find_unbooked_movements(world.services, chain).net_change(
                relayer, one.token.address
            )
            or 0
        )
        assert booked.get((Account.INVENTORY, *place), 0) + coming == one.balance
    assert all(gas.runway > 0 for gas in found.gas)
    assert found.unavailable == ()


def test_a_target_is_set_by_a_treasurer_or_automatic(world: Harness) -> None:
    intent = world.pay()
    world.deposit(intent)
    world.until(intent, State.COMPLETED)
    flowing = by_place(world)[ARBITRUM, "USDC"]
    exact = intent.terms.payout_amount * COVER_DAYS / FLOW_DAYS
    assert exact <= flowing.target <= exact * 1.01
    assert flowing.target_set_by == ""
    treasurer = replace(world.operator, role=Role.TREASURER)
    treasury.set_target(world.services, treasurer, ARBITRUM, "USDC", 2_000_000 * 10**6)
    lacking = by_place(world)[ARBITRUM, "USDC"]
    assert (lacking.target, lacking.target_set_by) == (2_000_000 * 10**6, treasurer.actor_name)
    assert lacking.shortfall > 900_000 * 10**6
    with world.store.read() as unit:
        assert unit.audit_log.list_recent(1)[0][2] == "target set"
    treasury.set_target(world.services, treasurer, ARBITRUM, "USDC", None)
    assert by_place(world)[ARBITRUM, "USDC"].target_set_by == ""
    with pytest.raises(InvalidInput, match="target"):
        treasury.set_target(world.services, treasurer, ARBITRUM, "USDC", -1)
    with pytest.raises(Forbidden):
        treasury.set_target(
            world.services, replace(world.operator, role=Role.OPERATOR), ARBITRUM, "USDC", 1
        )


def test_shortfalls_are_suggested_to_be_covered_by_surplus(world: Harness) -> None:
    treasury.set_target(world.services, world.operator, ARBITRUM, "USDC", 1_012_000 * 10**6)
    inventory = treasury.get_inventory(world.services, world.operator)
    (move,) = rebalancing.suggest_moves(world.services, world.operator, inventory.positions)
    assert (move.to.chain, move.to.symbol, move.micro_usd) == (ARBITRUM, "USDC", 12_000 * 10**6)
    assert move.token.chain in {BASE, "OPTIMISM_MAINNET"}
    assert move.amount == 12_000 * 10**6
    assert move.bridge is not None
    assert 0 < move.fee_micro_usd < move.micro_usd
    assert move.seconds > 0
    for chain in world.services.chains:
        before = by_place(world)[chain, "USDC"].balance
        assert before == 1_000_000 * 10**6, "a suggestion moves nothing"


def test_an_unreachable_chain_is_named_and_its_balance_unknown(world: Harness) -> None:
    chain_controls.inject_faults(world.services, world.operator, BASE, {"outageSeconds": 60})
    found = treasury.get_inventory(world.services, world.operator)
    assert [left.subject for left in found.unavailable] == [BASE]
    assert {one.balance for one in found.positions if one.token.chain == BASE} == {None}
    assert CATALOGUE.chains[BASE].id not in {gas.chain for gas in found.gas}


def test_only_staff_see_the_inventory(world: Harness) -> None:
    with pytest.raises(Forbidden):
        treasury.get_inventory(world.services, world.caller)
