"""On an empty installation every page says what will appear, and how to get it."""

import pytest

from crossway.dashboard.page_registry import PAGES
from tests.dashboard.conftest import DashboardApp

EMPTY = {
    "overview": ("Nothing needs your attention.",),
    "alerts": ("Anything that needs attention appears here.",),
    "intents": ("No test payments yet", "Create the first one with New payment."),
    "payment_links": ("No test payment links yet", "Create one below."),
    "standing_addresses": (
        "No test standing addresses yet",
        "What is sent to a standing address appears here with its payment.",
    ),
    "invoices": ("No test invoices yet", "Create one below"),
    "ramp_orders": ("No test orders yet", "Compare the providers and create the first order."),
    "kyc": ("A check appears with a customer's first submission or ramp order.",),
    "routes": (
        "No volume in the last 24 hours. The chart shows chains connected by a bridge.",
        "What is disabled appears here with its reason and the button that enables it.",
    ),
    "chains": ("What is disabled appears here with its reason and the button that enables it.",),
    "analytics": ("No payments in this period",),
    "treasury": (
        "Suggested transfers appear here.",
        "What was carried out appears here until it has arrived.",
        "What needs the approval of another person appears here.",
        "Treasurers add the first address below.",
        "Treasurers set the first one below.",
        "What payments and rebalancing send appears here until it has arrived.",
        "A transfer for a payment appears here until it has arrived.",
        "What the escrow owes the relayer for payouts appears here until it is repaid.",
        "Open payments between tokens of different prices appear here.",
        "What returns may still cost appears here by chain.",
    ),
    "books": ("The first deposit creates the first posting.", "The first deposit makes the first."),
    "profit": ("The first completed payment makes the first entry.",),
    "reconcile": ("Each run appears here with its result.",),
    "webhooks": ("No test webhooks yet", "Add one below."),
    "requests": ("The quick start shows how to send the first request.",),
    "staff": ("Once you add the first person, an admin, everyone must sign in.",),
    "audit": ("Every change appears here.",),
}
# Forms, and lists that an installation has from its first start.
NEVER_EMPTY = {
    "new_intent", "quotes", "merchants", "ramp_quotes", "ramp_order_new", "network_map",
    "developers", "keys", "guided_tour", "simulator",
}  # fmt: skip
WAYS = (
    ("intents", "intents_ways", "new_intent"),
    ("ramp_orders", "orders_ways", "ramp_quotes"),
    ("kyc", "first_check", "ramp_order_new"),
    ("analytics", "first_figures", "new_intent"),
    ("profit", "first_entry", "new_intent"),
    ("requests", "first_request", "developers"),
)


def test_every_page_of_the_sidebar_is_looked_at() -> None:
    assert EMPTY.keys() | NEVER_EMPTY == {page.name for page in PAGES if page.section}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_page_says_what_will_appear(screen: DashboardApp, name: str) -> None:
    text = screen.open(name).text
    assert [sentence for sentence in EMPTY[name] if sentence not in text] == []


@pytest.mark.parametrize(("name", "key", "leads_to"), WAYS)
def test_an_empty_page_leads_to_what_fills_it(
    screen: DashboardApp, name: str, key: str, leads_to: str
) -> None:
    links = screen.open(name).widget(key)["links"]
    assert links[0]["href"].partition("?")[0] == leads_to
