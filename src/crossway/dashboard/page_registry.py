"""All pages of the dashboard, with their place in the navigation, title and description."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Page:
    """One script of `pages/`. A page without a `section` is reached by links only; `simulated`
    pages exist in the simulated environment only. Pages of `both_modes` show the whole
    installation, the others what belongs to the current mode."""

    name: str
    title: str
    icon: str = ""
    help: str = ""
    section: str = ""
    simulated: bool = False
    both_modes: bool = False


PAGES: Final = (
    Page(
        "overview", "Overview", "monitoring",
        "KPIs of a period, active alerts and recent activity.", "Today",
    ),
    Page(
        "alerts", "Alerts", "notifications",
        "Active alerts with owner and next step, and resolved alerts.", "Today",
        both_modes=True,
    ),
    Page(
        "intents", "Payments", "list_alt",
        "All payments, kept up to date, with filters, search and export.", "Payments",
    ),
    Page(
        "new_intent", "New payment", "add_circle",
        "Create a payment and get its deposit address and QR code.", "Payments",
    ),
    Page(
        "quotes", "Quotes", "price_check",
        "Compare the cost of paying from each chain.", "Payments",
    ),
    Page(
        "payment_links", "Payment links", "add_link",
        "Reusable links; each payer gets a separate payment.", "Payments",
    ),
    Page("payment_link", "Payment link"),
    Page(
        "standing_addresses", "Standing addresses", "all_inbox",
        "Addresses that do not expire; each deposit becomes a payment.", "Payments",
    ),
    Page("standing_address", "Standing address"),
    Page(
        "invoices", "Invoices", "receipt",
        "Invoices with lines and tax, and subscriptions that repeat them.", "Payments",
    ),
    Page("invoice", "Invoice"),
    Page("subscription", "Subscription"),
    Page(
        "merchants", "Merchants", "storefront",
        "All merchants with volume, success and webhook health.", "Payments",
    ),
    Page("client", "Merchant"),
    Page("intent", "Payment"),
    Page("search", "Search"),
    Page(
        "ramp_quotes", "Ramp quotes", "currency_exchange",
        "Compare providers for fiat to crypto and back.", "Ramps",
    ),
    Page(
        "ramp_orders", "Ramp orders", "receipt_long",
        "All ramp orders, kept up to date, with filters, search and export.", "Ramps",
    ),
    Page(
        "ramp_order_new", "New ramp order", "add_card",
        "Create a ramp order and get its payment instructions.", "Ramps",
    ),
    Page("ramp_order", "Ramp order"),
    Page("widget", "Simulated provider page", simulated=True),
    Page(
        "kyc", "Identity checks", "badge",
        "All customers' checks by merchant, provider and status, with what is missing.", "Ramps",
    ),
    Page(
        "network_map", "Network map", "public",
        "Chains, bridges and payments under way, as they are now.", "Network",
    ),
    Page("pair", "Bridges of a pair"),
    Page(
        "routes", "Routes", "hub",
        "Volume, cost and bridge health per route; disable and enable routes.", "Network",
    ),
    Page(
        "chains", "Chains", "link",
        "Heads, lag and the relayer's gas on every chain.", "Network",
        both_modes=True,
    ),
    Page(
        "analytics", "Analytics", "query_stats",
        "Any period by merchant, route, bridge, token or status, with exports.", "Money",
    ),
    Page(
        "treasury", "Treasury", "account_balance",
        "The relayer's inventory, shortages, open repayments and gas.", "Money",
        both_modes=True,
    ),
    Page("rebalancing", "Rebalancing transfer", both_modes=True),
    Page(
        "books", "Books", "menu_book",
        "Double-entry ledger by account, chain and token, with exports.", "Money",
        both_modes=True,
    ),
    Page(
        "profit", "Profit and loss", "trending_up",
        "Revenue, costs and result by day, chain, route and merchant; statements.", "Money",
        both_modes=True,
    ),
    Page(
        "reconcile", "Reconcile", "rule",
        "Compare the books with on-chain balances and resolve differences.", "Money",
        both_modes=True,
    ),
    Page(
        "developers", "Quick start", "integration_instructions",
        "Code samples with your values, and the API reference.", "Developers",
    ),
    Page(
        "keys", "API keys", "key",
        "The API keys of merchants: create, restrict, rotate and revoke.", "Developers",
        both_modes=True,
    ),
    Page("key", "API key", both_modes=True),
    Page(
        "webhooks", "Webhooks", "webhook",
        "Endpoints, subscribed events and delivery health.", "Developers",
    ),
    Page("webhook", "Webhook"),
    Page("delivery", "Delivery"),
    Page(
        "requests", "Requests", "swap_horiz",
        "The API request log with requests and responses.", "Developers",
    ),
    Page("request", "Request"),
    Page(
        "staff", "Staff", "group",
        "Who can sign in, their roles and last activity.", "Admin",
        both_modes=True,
    ),
    Page("account", "Your sign-in", both_modes=True),
    Page(
        "audit", "Audit log", "history",
        "Who changed what, with before and after values and verification.", "Admin",
        both_modes=True,
    ),
    Page(
        "guided_tour", "Guided tour", "auto_stories",
        "One payment from quote to refund, by itself or step by step.", "Admin",
        simulated=True, both_modes=True,
    ),
    Page(
        "present", "Presentation", "slideshow",
        "The story beside the network map, full screen, by keys.",
        simulated=True, both_modes=True,
    ),
    Page(
        "simulator", "Simulator", "science",
        "Demo data, clock, faults and deposits of the simulated environment.", "Admin",
        simulated=True, both_modes=True,
    ),
    Page("transaction", "Transaction", simulated=True, both_modes=True),
    Page("address", "Address", simulated=True, both_modes=True),
)  # fmt: skip

# Sections that fold first where not all pages fit into the sidebar.
FOLDED_FIRST: Final = ("Developers", "Ramps", "Admin", "Network", "Money", "Payments")


def shows_both_modes(name: str) -> bool:
    """Whether a page shows the whole installation rather than one mode."""
    return any(page.both_modes for page in PAGES if page.name == name)


def pages_by_section(simulated: bool) -> dict[str, list[Page]]:
    """The pages of an environment by section; link-only pages join the section before them."""
    sections: dict[str, list[Page]] = {}
    for page in PAGES:
        if simulated or not page.simulated:
            section = page.section or next(reversed(sections))
            sections.setdefault(section, []).append(page)
    return sections


def section_of(name: str) -> str:
    """The section in which a page is found, also one that is reached by links only."""
    section = ""
    for page in PAGES:
        section = page.section or section
        if page.name == name:
            return section
    return ""
