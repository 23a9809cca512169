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
from crossway.usecases.money import inventory_adjustments
from crossway.usecases.money.inventory import COVER_DAYS, InventoryPosition
from crossway.usecases.money.inventory_records import FLOW_DAYS
from crossway.usecases.money.rebalancing_plan import suggest_plan
from crossway.usecases.simulator import chain_controls
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
CHAINS = (BASE, ARBITRUM, "OPTIMISM_MAINNET")


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    return Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=CHAINS)


def by_chain_and_token(world: Harness) -> dict[tuple[str, str], InventoryPosition]:
    inventory = treasury.get_inventory(world.services, world.operator)
    return {
        (position.token.chain, position.token.symbol): position for position in inventory.positions
    }


def test_inventory_matches_chains_and_books_with_payments_in_every_state(
    world: Harness,
) -> None:
    inventory_adjustments.book_opening_balances(world.services, world.operator)
    done = world.create_intent()
    world.deposit(done)
    world.wait_for_state(done, State.COMPLETED)
    world.pass_time(60)
    pending, short = world.create_intent(), world.create_intent()
    world.deposit(short, "short")
    on_its_way = [world.create_intent(), world.create_intent(to="OPTIMISM_MAINNET")]
    for intent in on_its_way:
        world.deposit(intent)
        world.wait_for_state(intent, State.INITIATED, State.COMPLETED)
    claimed = world.create_intent()
    world.deposit(claimed)
    world.wait_for_state(claimed, State.COMPLETED)
    states = {world.reload(i).state for i in (done, pending, short, *on_its_way, claimed)}
    assert states >= {State.COMPLETED, State.PENDING}

    inventory = treasury.get_inventory(world.services, world.operator)
    with world.store.read() as unit:
        booked = unit.ledger.get_balances()
        moves = unit.outbound_txs.list_by_intents([i.id for i in (*on_its_way, claimed)])
    reserved: dict[tuple[str, str], int] = defaultdict(int)
    for intent in map(world.reload, on_its_way):
        if intent.state is State.INITIATED:
            reserved[intent.terms.destination_chain, intent.terms.token_out] += (
                intent.terms.payout_amount
            )
    open_claims = [t for t in moves if t.kind == "REIMBURSE" and t.state in ("DUE", "SIGNED")]
    assert open_claims
    assert sorted(c.intent_id for c in inventory.receivables) == sorted(
        t.intent_id for t in open_claims
    )
    for position in inventory.positions:
        token_key = (position.token.chain, position.token.address)
        chain = world.services.chains[position.token.chain]
        relayer = chain.accounts.relayer
        assert position.balance == chain.balances([relayer], position.token.address)[relayer]
        assert position.reserved == reserved[token_key]
        assert position.expected == sum(
            c.amount for c in inventory.receivables if (c.chain, c.token) == token_key
        )
        coming = (
            inventory_adjustments.find_unbooked_movements(world.services, chain).net_change(
                relayer, position.token.address
            )
            or 0
        )
        assert booked.get((Account.INVENTORY, *token_key), 0) + coming == position.balance
    assert all(gas.runway > 0 for gas in inventory.gas)
    assert inventory.unavailable == ()


def test_a_target_is_set_by_a_treasurer_or_automatic(world: Harness) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    flowing = by_chain_and_token(world)[ARBITRUM, "USDC"]
    exact = intent.terms.payout_amount * COVER_DAYS / FLOW_DAYS
    assert exact <= flowing.target <= exact * 1.01
    assert flowing.target_set_by == ""
    treasurer = replace(world.operator, role=Role.TREASURER)
    treasury.set_target(world.services, treasurer, ARBITRUM, "USDC", 2_000_000 * 10**6)
    lacking = by_chain_and_token(world)[ARBITRUM, "USDC"]
    assert (lacking.target, lacking.target_set_by) == (2_000_000 * 10**6, treasurer.actor_name)
    assert lacking.shortfall > 900_000 * 10**6
    with world.store.read() as unit:
        assert unit.audit_log.list_recent(1)[0][2] == "target set"
    treasury.set_target(world.services, treasurer, ARBITRUM, "USDC", None)
    assert by_chain_and_token(world)[ARBITRUM, "USDC"].target_set_by == ""
    with pytest.raises(InvalidInput, match="target"):
        treasury.set_target(world.services, treasurer, ARBITRUM, "USDC", -1)
    with pytest.raises(Forbidden):
        treasury.set_target(
            world.services, replace(world.operator, role=Role.OPERATOR), ARBITRUM, "USDC", 1
        )


def test_shortfalls_are_suggested_to_be_covered_by_surplus(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    world = Harness(url, chains=CHAINS, over_bridges=("RHINOFI",))
    # A location without a policy is filled to its target once it has less than half of it.
    treasury.set_target(world.services, world.operator, ARBITRUM, "USDC", 2_012_000 * 10**6)
    moves = suggest_plan(world.services, world.operator).transfers
    assert {move.source[0] for move in moves} == {BASE, "OPTIMISM_MAINNET"}
    for move in moves:
        assert move.destination[0] == ARBITRUM
        # The largest transfer that the settings allow, at the most that it may cost.
        assert (move.amount, move.micro_usd) == (50_000 * 10**6, 50_000 * 10**6)
        assert 0 < move.fee_micro_usd <= 100 * 10**6
        assert move.seconds > 0
    for chain in world.services.chains:
        before = by_chain_and_token(world)[chain, "USDC"].balance
        assert before == 1_000_000 * 10**6, "a suggestion moves nothing"


def test_an_unreachable_chain_is_named_and_its_balance_unknown(world: Harness) -> None:
    chain_controls.inject_faults(world.services, world.operator, BASE, {"outageSeconds": 60})
    inventory = treasury.get_inventory(world.services, world.operator)
    assert [left.subject for left in inventory.unavailable] == [BASE]
    assert {
        position.balance for position in inventory.positions if position.token.chain == BASE
    } == {None}
    assert CATALOGUE.chains[BASE].id not in {gas.chain for gas in inventory.gas}


def test_only_staff_see_the_inventory(world: Harness) -> None:
    with pytest.raises(Forbidden):
        treasury.get_inventory(world.services, world.caller)
