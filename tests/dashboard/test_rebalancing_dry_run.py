"""The dry run on screen: says that it is a model, what would have moved, and who had waited."""

from datetime import UTC, datetime, timedelta

from crossway.dashboard.views import rebalancing_dry_run as view
from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.rebalancing import PlannedTransfer
from crossway.domain.rebalancing_replay import ReplayedTransfer
from crossway.usecases.money import rebalancing_policies
from crossway.usecases.money.rebalancing_dry_run import MODEL, DryRun, WaitingPayment
from tests.dashboard.conftest import DashboardApp
from tests.harness import CATALOGUE

ENDED = datetime(2026, 11, 27, 12, tzinfo=UTC)
USDC = 10**6
BASE, ARBITRUM = (
    (chain, CATALOGUE.tokens[chain, "USDC"].address)
    for chain in ("BASE_MAINNET", "ARBITRUM_MAINNET")
)


def found() -> DryRun:
    """Two transfers of 1,000 USDC for 1 USD each, and two payments that waited."""
    amounts = (1_000 * USDC, 1_002 * USDC, 1_000 * USDC, 1 * USDC, 60)
    kind = InventoryTransferKind.TRANSFER
    planned = PlannedTransfer("RHINOFI", kind, BASE, ARBITRUM, *amounts, True, "Payouts wait.")
    moved = [ReplayedTransfer(ENDED - timedelta(days=day), planned) for day in (3, 2)]
    short, long = timedelta(seconds=30), timedelta(hours=3)
    waiting = [
        WaitingPayment(7, ARBITRUM, 25 * USDC, timedelta(minutes=10), True, short, True),
        WaitingPayment(8, ARBITRUM, 50 * USDC, long, False, long, False),
    ]
    began = ENDED - timedelta(days=30)
    return DryRun(began, ENDED, moved, 40, waiting, [9], ["Base does not answer: it is left out."])


def test_the_result_is_told_in_figures_and_sentences() -> None:
    kpis = {kpi.label: kpi.value for kpi in view.build_kpis(found())}
    assert kpis == {
        "Transfers": "2",
        "Moved": "2,000.00 USD",
        "Cost": "2.00 USD",
        "Cost, bps": "10.0",
        "Waited then": "2",
        "Would not wait": "1",
    }
    assert view.describe(found()) == [
        "From 28 Oct 2026, 12:00 UTC to 27 Nov 2026, 12:00 UTC.",
        "1 payment would have waited that did not, as inventory had left, or had come by a "
        "transfer that is left out here.",
        "Base does not answer: it is left out.",
    ]


def test_transfers_and_payments_are_listed() -> None:
    first, _ = view.build_transfer_rows(CATALOGUE, found())
    texts = [cell.text for cell in first.cells]
    assert texts[1:] == [
        "Base", "Arbitrum One", "1,000.00 USDC", "rhino.fi", "1.00 USD", "Payouts wait.",
    ]  # fmt: skip
    longest, other = view.build_payment_rows(CATALOGUE, found())
    assert (longest.href, longest.cells[3].text) == ("intent?id=8", "3 h")
    assert longest.cells[3].sub == "and was never paid"
    assert longest.cells[4].sub == "and would not have been paid"
    assert [cell.text for cell in other.cells[3:]] == ["10 min", "30 s"]


def test_a_dry_run_is_made_on_the_treasury_page(screen: DashboardApp) -> None:
    services, operator = screen.world.services, screen.world.operator
    for location in (BASE, ARBITRUM):
        rebalancing_policies.set_policy(services, operator, location, 0, 5 * USDC, None)
    screen.open("treasury")
    assert all(sentence in screen.text for sentence in MODEL)
    screen.click("Run")
    figures = {metric.label: metric.value for metric in screen.at.metric}
    assert (figures["Transfers"], figures["Would not wait"]) == ("0", "0")
    assert "From 22 Oct 2026, 12:00 UTC to 21 Nov 2026, 12:00 UTC." in screen.text
