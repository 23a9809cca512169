"""The palette: what can be jumped to and done, and the records that match what is typed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views import search, webhooks
from crossway.dashboard.views.cells import Badge, Row
from crossway.dashboard.views.links import client_href, payment_link_href, webhook_href
from crossway.domain.clients import Mode, OwnerFilter, Principal
from crossway.domain.roles import Permission, Role, can
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

MAX_TEXT: Final = 300  # characters
MAX_RESULTS: Final = 8  # of each kind
MAX_NAMED_LINKS: Final = 200  # the newest, which are found by a part of their title
# Words by which people look for a page besides its title and description.
_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "overview": "home start dashboard kpi figures today",
        "alerts": "alarms incidents warnings problems notifications acknowledge",
        "intents": "intents transactions orders list refund refunds deposits payouts search",
        "new_intent": "create intent pay invoice request deposit address qr",
        "quotes": "price cost fee estimate compare",
        "payment_links": "checkout pay link url share",
        "standing_addresses": "permanent deposit address reusable customer forward recovery",
        "invoices": "invoice bill subscription recurring reminder tax",
        "merchants": "clients customers shops businesses accounts",
        "search": "find lookup",
        "ramp_quotes": "fiat onramp offramp on-ramp off-ramp buy sell price",
        "ramp_orders": "fiat onramp offramp on-ramp off-ramp orders bank",
        "ramp_order_new": "create fiat onramp offramp on-ramp off-ramp buy sell",
        "kyc": "kyc identity verification customer person documents compliance",
        "network_map": "bridges chains live flow diagram health",
        "routes": "corridors bridges disable enable switch network",
        "chains": "networks nodes rpc blocks gas lag disable enable switch",
        "analytics": "reports statistics charts volume trends",
        "treasury": "inventory liquidity balances gas rebalance approvals caps funding",
        "books": "ledger accounting journal balances double entry",
        "profit": "p&l revenue costs margin statement earnings",
        "reconcile": "reconciliation differences balance check",
        "developers": "api docs documentation samples code quickstart curl",
        "keys": "merchants clients tokens credentials secret api key",
        "webhooks": "events endpoints notifications deliveries resend",
        "requests": "api log calls http errors",
        "staff": "people users accounts roles team operators",
        "account": "password passkey two-factor 2fa mfa profile sessions",
        "audit": "history changes log who",
        "guided_tour": "demo story walkthrough",
        "present": "demo story slideshow full screen talk",
        "simulator": "demo month data clock faults test deposits",
    }
)
# The pages where an action that only opens one is carried out.
_TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "intents": "Payments",
        "chains": "Chains",
        "routes": "Routes",
        "keys": "API keys",
        "staff": "Staff",
    }
)
# Pages that the sidebar does not show, and their icons.
_ICONS_OF_PAGES: Final[Mapping[str, str]] = MappingProxyType(
    {"account": "passkey", "search": "search"}
)
# The guided tour leads to the presentation.
UNLISTED_PAGES: Final = (*_ICONS_OF_PAGES, "present")


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """A page, an action or a record: `href` opens it, or the server does `act`."""

    kind: str
    title: str
    sub: str = ""
    icon: str = ""
    href: str = ""
    act: str = ""
    words: str = ""
    badges: tuple[Badge, ...] = ()


def page_entry(name: str, title: str, help: str, icon: str, href: str) -> PaletteEntry:
    """A page, which is found by other words for it as well."""
    icon, words = icon or _ICONS_OF_PAGES[name], _WORDS.get(name, "")
    return PaletteEntry("Pages", title, help, icon, href, words=words)


def list_actions(role: Role, mode: Mode, simulated: bool, frozen: bool) -> list[PaletteEntry]:
    """The actions that a person with this role may take, in this mode."""
    entries = list(_actions(role, mode))
    if simulated and can(role, Permission.OPERATE):
        entries += _simulator_actions(frozen)
    return entries


def _actions(role: Role, mode: Mode) -> Iterator[PaletteEntry]:
    other = Mode.LIVE if mode is Mode.TEST else Mode.TEST
    yield _action(
        f"Switch to {other} mode", "swap_horiz", act=f"mode:{other}", words="mode test live"
    )
    if can(role, Permission.OPERATE):
        words = "alarms own notice"
        yield _action("Acknowledge alerts…", "visibility", act="acknowledge", words=words)
        yield _action("Refund a payment…", "undo", "intents", words="return money back failed")
    if can(role, Permission.SWITCH_ROUTES):
        words = "switch off stop node network enable"
        yield _action("Disable a chain…", "power_off", "chains", words=words)
        yield _action(
            "Disable a bridge…", "power_off", "routes", words="switch off stop enable route"
        )
    if can(role, Permission.STOP):
        words = "halt freeze money outgoing panic"
        yield _action("Emergency stop…", "front_hand", act="stop", words=words)
    if can(role, Permission.MANAGE):
        yield _action("Create an API key", "key", "keys", words="merchant credentials new")
        yield _action("Add a staff member", "person_add", "staff", words="invite user people")


def _simulator_actions(frozen: bool) -> Iterator[PaletteEntry]:
    if frozen:
        yield _action("Resume the clock", "play_arrow", act="clock", words="time start run")
    else:
        yield _action("Freeze the clock", "pause", act="clock", words="time stop pause")
    yield _action("Reset all faults", "healing", act="reset", words="normal simulator chains")


def _action(title: str, icon: str, href: str = "", act: str = "", words: str = "") -> PaletteEntry:
    """An action; one that only opens a page, where it is carried out, says which."""
    sub = f"Opens {_TITLES[href]}" if href else ""
    return PaletteEntry("Actions", title, sub, icon, href, act, words)


def find_records(
    services: Services, caller: Principal, text: str, alerts: Sequence[Row]
) -> list[PaletteEntry]:
    """The records that match a text: first those of exact identifiers, as on the page Search, then
    those of the caller's mode whose names contain all its words, and `alerts`, the rows of all
    active ones. Nothing is restored from the archive, as each typed letter would."""
    groups, _, _ = search.group_results(services, caller, text, restores_archived=False)
    found = [_exact(group, row) for group in groups for row in group.rows[:MAX_RESULTS]]
    words = text.lower().split()
    if not words:
        return found
    with services.store.read() as unit:
        named = [*_merchants(unit), *_webhooks(unit, caller), *_payment_links(unit, caller)]
    named += [
        PaletteEntry("Alerts", row.cells[1].text, row.cells[0].text, "notifications", row.href,
                     words=row.cells[0].text, badges=row.cells[0].badges)
        for row in alerts
    ]  # fmt: skip
    known, counts = {entry.href for entry in found}, dict.fromkeys({one.kind for one in named}, 0)
    for entry in named:
        lowered = f"{entry.title} {entry.words}".lower()
        is_match = entry.href not in known and all(word in lowered for word in words)
        if is_match and counts[entry.kind] < MAX_RESULTS:
            counts[entry.kind] += 1
            found.append(entry)
    return found


_ICONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "payment": "list_alt",
        "order": "receipt_long",
        "customer": "badge",
        "link": "add_link",
        "standing": "all_inbox",
        "standing_deposit": "south_west",
        "client": "storefront",
        "delivery": "outbox",
        "webhook": "webhook",
        "request": "swap_horiz",
    }
)


def _exact(group: search.ResultGroup, row: Row) -> PaletteEntry:
    name, reason, status, amount, route, _ = row.cells
    facts = [cell.text for cell in (amount, route) if cell.text not in ("", "–")]
    sub = " · ".join([*facts, reason.text])
    icon = _ICONS[group.kind]
    act = "find" if group.kind == "customer" else ""
    kind = search.KIND_TITLES[group.kind]
    return PaletteEntry(kind, name.text, sub, icon, row.href, act, badges=status.badges)


def _merchants(unit: UnitOfWork) -> Iterator[PaletteEntry]:
    for client in unit.api_keys.list_clients():
        href, kind = client_href(client.id), search.KIND_TITLES["client"]
        yield PaletteEntry(kind, client.name, client.id, _ICONS["client"], href)


def _webhooks(unit: UnitOfWork, caller: Principal) -> Iterator[PaletteEntry]:
    for endpoint in unit.webhooks.list_by_owner(caller.narrow(OwnerFilter())):
        title, href = webhooks.display_url(endpoint), webhook_href(endpoint.id)
        badge, kind = webhooks.status_badge(endpoint), search.KIND_TITLES["webhook"]
        sub = f"Webhook {endpoint.id}"
        yield PaletteEntry(kind, title, sub, _ICONS["webhook"], href, badges=(badge,))


def _payment_links(unit: UnitOfWork, caller: Principal) -> Iterator[PaletteEntry]:
    for link in unit.payment_links.list_page(caller.narrow(OwnerFilter()), MAX_NAMED_LINKS):
        href, kind = payment_link_href(link.id), search.KIND_TITLES["link"]
        yield PaletteEntry(kind, link.title, link.id, _ICONS["link"], href)
