"""Every screen of the dashboard: its place in the navigation, its name, and what it answers."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Screen:
    """One script of `pages/`. Without a `section` it is reached by links alone; `simulated` ones
    exist on the simulated network only."""

    name: str
    title: str
    icon: str = ""
    help: str = ""
    section: str = ""
    simulated: bool = False


SCREENS: Final = (
    Screen(
        "overview", "Overview", "monitoring",
        "Is everything all right? What needs a person?", "Today",
    ),
    Screen(
        "alarms", "Alarms", "notifications",
        "What stands, who looks after it, and what was.", "Today",
    ),
    Screen(
        "intents", "Payments", "list_alt",
        "Every payment, live: filter, search, export, open one.", "Payments",
    ),
    Screen(
        "new_intent", "New payment", "add_circle",
        "A guided form that ends in an address and a QR code.", "Payments",
    ),
    Screen(
        "quotes", "Quotes", "price_check",
        "What it costs to pay from each chain, side by side.", "Payments",
    ),
    Screen(
        "payment_links", "Payment links", "add_link",
        "Links that many payers pay by, each with a payment of their own.", "Payments",
    ),
    Screen("payment_link", "Payment link"),
    Screen("intent", "Payment"),
    Screen("search", "Search"),
    Screen(
        "ramp_quotes", "Ramp quotes", "currency_exchange",
        "Local money into crypto and back: the providers side by side.", "Ramps",
    ),
    Screen(
        "ramp_orders", "Ramp orders", "receipt_long",
        "Every order with a provider, live: filter, search, export, open one.", "Ramps",
    ),
    Screen(
        "ramp_order_new", "New ramp order", "add_card",
        "A guided form that ends in how the user pays.", "Ramps",
    ),
    Screen("ramp_order", "Ramp order"),
    Screen("widget", "Simulated provider's page", simulated=True),
    Screen(
        "kyc", "Identity checks", "badge",
        "Where a person stands with a provider, and what is missing.", "Ramps",
    ),
    Screen(
        "routes", "Routes", "hub",
        "Which bridge goes where; switch routes and chains off and on.", "Network",
    ),
    Screen(
        "chains", "Chains", "link",
        "Heads, delays and the relayer's gas on every chain.", "Network",
    ),
    Screen(
        "treasury", "Treasury", "account_balance",
        "What the relayer has, what is reserved and expected back, and what is short.", "Money",
    ),
    Screen(
        "books", "Books", "menu_book",
        "Double entry by account, chain and token; export for accountants.", "Money",
    ),
    Screen(
        "reconcile", "Reconcile", "rule",
        "Are the books what the chains hold? Every difference, and a way on.", "Money",
    ),
    Screen(
        "developers", "Quick start", "integration_instructions",
        "Code samples with your own values, and the API reference.", "Developers",
    ),
    Screen(
        "keys", "API keys", "key",
        "Clients and their keys: make, limit, replace and end them.", "Developers",
    ),
    Screen("key", "API key"),
    Screen("client", "Client"),
    Screen(
        "webhooks", "Webhooks", "webhook",
        "Where clients are told of what, and how well it arrives.", "Developers",
    ),
    Screen("webhook", "Webhook"),
    Screen("delivery", "Delivery"),
    Screen(
        "requests", "Requests", "swap_horiz",
        "What clients asked the API, and what they were answered.", "Developers",
    ),
    Screen("request", "Request"),
    Screen(
        "people", "People", "group",
        "Who may sign in here, as what, and who was here when.", "Admin",
    ),
    Screen(
        "audit", "Audit log", "history",
        "Who changed what, how it was before, and whether the log is whole.", "Admin",
    ),
    Screen(
        "story", "Guided story", "auto_stories",
        "One payment from its quote to its refund, told step by step.", "Admin", simulated=True,
    ),
    Screen(
        "simulator", "Simulator", "science",
        "The clock, the faults and the deposits of the simulated network.", "Admin",
        simulated=True,
    ),
)  # fmt: skip


def sections(simulated: bool) -> dict[str, list[Screen]]:
    """The screens of a network by their section, in order; those reached by links come along."""
    found: dict[str, list[Screen]] = {}
    for screen in SCREENS:
        if simulated or not screen.simulated:
            section = screen.section or next(reversed(found))
            found.setdefault(section, []).append(screen)
    return found
