"""Costs and revenue of payments over bridges and out of inventory, as the books have them."""

from pathlib import Path

from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.storage.figure_counting import count_payments
from tests.bridges.world import BridgeWorld
from tests.harness import Harness
from tests.invariants import check_invariants


def booked(world: Harness, intent: Intent, account: Account) -> int:
    """The net amount of an account over both chains, whose tokens have the same decimals."""
    with world.store.read() as unit:
        postings = [posting for _, posting in unit.ledger.list_by_intent(intent.id)]
    return sum(
        posting.amount * ((posting.debit is account) - (posting.credit is account))
        for posting in postings
    )


def test_revenue_over_a_bridge_is_what_the_bridge_left(tmp_path: Path) -> None:
    world = BridgeWorld(tmp_path, "CCTP")
    intent = world.pay()
    world.wait_for_state(intent, State.COMPLETED)
    world.wait_for(intent, "CLOSED")
    taken, surplus = (
        booked(world, intent, Account.BRIDGE_FEES),
        booked(world, intent, Account.BRIDGE_SURPLUS),
    )
    service = booked(world, intent, Account.SERVICE_FEES)
    charged = intent.terms.deposit_amount - intent.terms.payout_amount
    assert taken + surplus + service == charged
    assert min(taken, surplus, service) > 0
    with world.store.reader.connect() as db:
        [figures] = count_payments(db, [intent.id])
    assert figures.bridge_fee_micro_usd == taken
    assert figures.service_fee_micro_usd == service + surplus
    check_invariants(world)


def test_a_spread_is_revenue_and_no_bridge_took_a_fee(tmp_path: Path) -> None:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(40)
    spread = booked(world, intent, Account.SPREAD)
    assert spread == intent.costs.bridge_micro_usd > 0
    assert booked(world, intent, Account.BRIDGE_FEES) == 0
    with world.store.reader.connect() as db:
        [figures] = count_payments(db, [intent.id])
    assert figures.bridge_fee_micro_usd == 0
    assert figures.service_fee_micro_usd == booked(world, intent, Account.SERVICE_FEES) + spread
    check_invariants(world)
