"""The page behind an alert: the state that raised it, what waits, and the button that ends it."""

from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
import streamlit as st

from crossway.dashboard.views import incidents as view
from crossway.domain.filters import parse_filters
from crossway.domain.intent import State
from crossway.ports.records import Alert
from crossway.ports.sandbox import Faults
from crossway.usecases.operating.incidents import AlertContext, list_alert_groups
from crossway.usecases.operating.overview import ChainProblem, list_chain_statuses
from tests.dashboard.conftest import DashboardApp
from tests.usecases.ramp_world import ARBITRUM, BASE, RampWorld


def kinds(world: RampWorld) -> list[str]:
    return [group.kind for group in list_alert_groups(world.services, world.operator)]


def step_of(world: RampWorld, kind: str) -> view.NextStep:
    """The next step of the only alert of a kind."""
    groups = list_alert_groups(world.services, world.operator)
    [context] = next(group.contexts for group in groups if group.kind == kind)
    return view.next_step(context)


def follow(screen: DashboardApp, href: str) -> DashboardApp:
    """Open a link of the dashboard."""
    st.cache_resource.clear()
    name, _, query = href.partition("?")
    return screen.open(name, **dict(part.split("=", 1) for part in query.split("&") if part))


FAULTS = {
    "chain": (Faults(outage_seconds=3_600), ChainProblem.SILENT, "Not responding"),
    "wrong_chain": (Faults(lie="chain_id"), ChainProblem.WRONG_CHAIN, "Wrong chain"),
    "doubted": (Faults(lie="time_ahead"), ChainProblem.CONTRADICTED, "Contradicted"),
    "forged": (Faults(lie="forged"), ChainProblem.FORGED, "Forged deposits"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_each_fault_of_a_node_has_a_name_a_cause_and_a_next_step_of_its_own(
    screen: DashboardApp, kind: str
) -> None:
    world, (fault, cause, badge) = screen.world, FAULTS[kind]
    # A deposit is forged for an address that somebody watches.
    world.create_intent(ARBITRUM, BASE)
    world.sandbox.inject_faults(ARBITRUM, fault)
    world.pass_time(10, 5)
    assert kinds(world) == [kind]
    [status] = [s for s in list_chain_statuses(world.services) if s.chain == ARBITRUM]
    assert status.cause is cause
    step = step_of(world, kind)
    assert step.href == f"chains?chain={ARBITRUM}"
    follow(screen, step.href)
    [state] = screen.widget("chain_state")["rows"]
    assert [one["text"] for one in state["cells"][1]["badges"]] == [badge]
    assert len(screen.widget("chain_alerts")["rows"]) == 1
    assert screen.widget("chains")["rows"][0]["key"] == ARBITRUM
    # The switch further down is set to the chain that the alert is about.
    assert screen.at.selectbox(key=f"off_chain_{ARBITRUM}").value == ARBITRUM
    screen.click("Reset Arbitrum")
    assert not world.sandbox.faults(ARBITRUM).get("lie")
    # What a scan has found stays for ten minutes after it was last reported.
    world.pass_time(700 if kind == "forged" else 600, 10)
    assert kinds(world) == []
    [status] = [s for s in list_chain_statuses(world.services) if s.chain == ARBITRUM]
    assert status.cause is ChainProblem.NONE


def test_the_next_steps_of_the_faults_differ() -> None:
    labels = {view.NEXT_STEPS[kind].label for kind in FAULTS}
    assert len(labels) == len(FAULTS)


def test_a_chain_that_is_disabled_by_its_button_says_so(screen: DashboardApp) -> None:
    follow(screen, f"chains?chain={BASE}")
    assert "No payment is under way here" in screen.text
    assert [b.label for b in screen.at.button if b.label.startswith("Disable")] == [
        "Disable Base…",
        "Disable chain",
    ]


def test_a_payment_that_is_under_way_is_listed_at_its_chain(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    world.sandbox.inject_faults(ARBITRUM, Faults(balances={"relayer": {"USDC": 0}}))
    world.deposit(intent)
    world.pass_time(30, 5)
    assert world.reload(intent).state is State.FUNDED
    step = step_of(world, "stock")
    follow(screen, f"chains?chain={ARBITRUM}")
    assert [row["key"] for row in screen.widget("chain_payments")["rows"]] == [str(intent.id)]
    [button] = screen.widget("chain_payments_all")["links"]
    assert button["href"].startswith("intents?all=state%3AFUNDED%2CINITIATED&any=from%3A")
    # Why the payout waits, what for, and the button that funds it.
    assert step.href == f"treasury?lack={ARBITRUM}%3AUSDC"
    follow(screen, f"treasury?lack={ARBITRUM}:USDC")
    assert "short of USDC on Arbitrum" in screen.text
    assert [row["key"] for row in screen.widget("lack_payments")["rows"]] == [str(intent.id)]
    screen.click("Send ")
    world.pass_time(60, 5)
    assert world.reload(intent).state is State.COMPLETED
    follow(screen, f"treasury?lack={ARBITRUM}:USDC")
    assert "No payout waits for it now" in screen.text


@pytest.mark.parametrize("link", ["treasury?lack=", "treasury?lack=X:Y", "chains?chain=X"])
def test_a_link_to_something_unknown_shows_the_whole_page(screen: DashboardApp, link: str) -> None:
    follow(screen, link)
    assert not screen.has_widget("chain_state")
    assert not screen.has_widget("lack_facts")


def context(kind: str, subject: str, chain: str = "", intent_id: int | None = None) -> AlertContext:
    at = datetime(2026, 11, 27, tzinfo=UTC)
    alert = Alert(f"{kind}:{subject}", kind, subject, "", at, at, None)
    return AlertContext(alert, kind, chain=chain, intent_id=intent_id)


@pytest.mark.parametrize(
    ("kind", "subject", "all_of", "any_of"),
    [
        ("bridge", f"CCTP:{BASE}", "exception:stuck;bridge:CCTP", ""),
        ("returns", BASE, "exception:stuck", f"from:{BASE};to:{BASE}"),
        ("agent", BASE, "exception:stuck", f"from:{BASE};to:{BASE}"),
        ("signer", BASE, "state:FUNDED,INITIATED", f"from:{BASE};to:{BASE}"),
    ],
)
def test_what_waits_is_filtered_as_the_alert_has_it(
    kind: str, subject: str, all_of: str, any_of: str
) -> None:
    href = view.next_step(context(kind, subject, chain=BASE)).href
    query = parse_qs(urlsplit(href).query)
    assert query["all"] == [all_of]
    assert query.get("any", [""]) == [any_of]
    assert parse_filters(all_of, "all")


def test_a_refused_refund_opens_the_dialog_that_sends_it_elsewhere() -> None:
    step = view.next_step(context("refund", "7", intent_id=7))
    assert step.href == "intent?id=7&act=redirect"
