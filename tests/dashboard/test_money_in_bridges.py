"""The money in bridges on the Treasury page."""

from pathlib import Path

from crossway.dashboard.views import money_in_bridges as view
from crossway.domain.bridge_transfer import ASKED_STATES, BridgeTransferState
from crossway.domain.inventory_transfer import UNDER_WAY_STATES
from crossway.usecases.money.money_in_bridges import list_money_in_bridges
from tests.dashboard.conftest import DashboardApp
from tests.engine.funding_world import ARBITRUM, BASE, FundingWorld
from tests.harness import CATALOGUE

CHAINS = (BASE, ARBITRUM)


def test_a_late_payment_is_marked_overdue_with_its_age_and_its_link(tmp_path: Path) -> None:
    world = FundingWorld(tmp_path, "CCTP", chains=CHAINS)
    world.set_faults("CCTP", silent=True)
    intent = world.pay()
    world.wait_for(intent, "DELAYED", within=300)
    money = list_money_in_bridges(world.services, world.operator)
    now, price = world.clock.now(), 10**12
    [row] = view.build_rows(CATALOGUE, money, {money[0].source: price}, now)
    assert row.marked
    assert row.href == f"intent?id={intent.id}"
    texts = [cell.text for cell in row.cells]
    assert texts[:3] == [f"#{intent.id}", "Base", "Arbitrum One"]
    assert texts[3] == f"{intent.terms.deposit_amount / 10**6:.6f}".rstrip("0") + " USDC"
    left, due = row.cells[5], row.cells[6]
    assert left.at is not None
    assert due.at is not None
    assert left.at < due.at < now.timestamp() * 1000
    assert [badge.text for badge in row.cells[7].badges] == ["Overdue", "Late"]
    sentence = view.describe(CATALOGUE, money, now)
    assert sentence.startswith(f"{texts[3]} left their chains and have not arrived; the oldest ")
    assert sentence.endswith("1 is overdue.")


def test_every_state_of_what_is_in_a_bridge_has_words() -> None:
    states = {*ASKED_STATES, BridgeTransferState.CLAIMABLE}
    assert states == view._STATES.keys()
    assert view.inventory_transfers.STATES.keys() >= UNDER_WAY_STATES


def test_the_treasury_says_that_nothing_is_in_bridges(screen: DashboardApp) -> None:
    assert "No money is in bridges." in screen.open("treasury").text
