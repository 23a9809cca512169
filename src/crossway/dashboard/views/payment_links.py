"""Payment links: what payers are asked for, how often it was used, and the form of a new one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from crossway.dashboard.views.cells import Cell, Chip, Column, Fact, Row
from crossway.dashboard.views.figures import (
    address_cell,
    amount,
    brief_amount,
    chain_name,
    millis,
    time_cell,
)
from crossway.dashboard.views.keys import whole_number
from crossway.dashboard.views.links import intent_href, link, payment_link_href
from crossway.dashboard.views.wording import STATES
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.links import Closed, LinkUse, PaymentLink
from crossway.domain.money import Token, format_units, parse_decimal
from crossway.ports.services import Services
from crossway.usecases.developers import clients
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkChange

COLUMNS = (
    Column("Payment link"),
    Column("State"),
    Column("Amount", "right"),
    Column("Arrives"),
    Column("Uses", "right"),
    Column("Created"),
)
USE_COLUMNS = (
    Column("Payment"),
    Column("Status"),
    Column("Payer sends", "right"),
    Column("From"),
    Column("Made"),
)
PAGE = 50
OPEN = Chip("On", "green", "check_circle")
SHUT = {
    Closed.OFF: Chip("Off", "gray", "power_off"),
    Closed.OVER: Chip("Over", "gray", "schedule", "Its time is over"),
    Closed.USED_UP: Chip("Used up", "orange", "done_all", "Used as often as it may be"),
}
_CLEARED = (
    "amount", "min_amount", "max_amount", "source_chains", "source_tokens", "max_uses", "expires_at"
)  # fmt: skip
FIXED, CHOSEN = "Everybody pays the same", "The payer chooses"


@dataclass(frozen=True, slots=True)
class Draft:
    """The form of a payment link as it stands: amounts as typed, chains by identifier."""

    title: str
    description: str = ""
    fixed: bool = True
    amount: str = ""
    least: str = ""
    most: str = ""
    destination: str = ""
    token: str = ""
    recipient: str = ""
    chains: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    reference: str = ""
    uses: str = ""
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of rows; `behind` is what the next one begins behind, empty on the last."""

    rows: tuple[Row, ...]
    behind: str


def one(services: Services, caller: Caller, text: str) -> PaymentLink:
    """The payment link that an address names; raises `NotFound`."""
    return links.get(services, caller, text)


def listing(services: Services, caller: Caller, after: str) -> Listing:
    """A page of payment links, newest first."""
    found = links.page(services, caller, PAGE + 1, after or None)
    names = {client.id: client.name for client in clients.every(services)}
    now = services.clock.now()
    rows = tuple(_row(services, one, names.get(one.client_id, ""), now) for one in found[:PAGE])
    return Listing(rows, found[PAGE - 1].id if len(found) > PAGE else "")


def state(found: PaymentLink, now: datetime) -> Chip:
    """Whether it takes payments."""
    closed = found.closed(now)
    return SHUT[closed] if closed else OPEN


def token_of(services: Services, found: PaymentLink) -> Token:
    """The token that arrives."""
    return services.catalogue.by_address[found.destination_chain, found.token_out]


def amount_words(services: Services, found: PaymentLink) -> str:
    """What payers are asked for."""
    token = token_of(services, found)

    def shown(units: int) -> str:
        return brief_amount(units, token.decimals, token.symbol)

    if found.amount_units is not None:
        return shown(found.amount_units)
    if found.least_units and found.most_units:
        return f"{shown(found.least_units)} to {shown(found.most_units)}"
    if found.least_units:
        return f"at least {shown(found.least_units)}"
    return f"at most {shown(found.most_units)}" if found.most_units else f"any, in {token.symbol}"


def _row(services: Services, found: PaymentLink, client: str, now: datetime) -> Row:
    stands, of = state(found, now), f" of {found.most_uses:,}" if found.most_uses else ""
    chain = chain_name(services.catalogue, found.destination_chain)
    return Row(
        key=found.id,
        href=payment_link_href(found.id),
        label=f"Payment link {found.title}, {stands.text}",
        cells=(
            Cell(found.title, sub=" · ".join(filter(None, (client, found.reference)))),
            Cell(chips=(stands,)),
            Cell(amount_words(services, found)),
            Cell(chain),
            Cell(f"{found.uses:,}{of}"),
            Cell(at=millis(found.created_at)),
        ),
    )


def facts(services: Services, found: PaymentLink, url: str) -> tuple[Fact, ...]:
    """Everything about a payment link."""
    names = {client.id: client.name for client in clients.every(services)}
    chains, to = services.catalogue.chains, found.destination_chain
    where = ", ".join(chain_name(services.catalogue, one) for one in found.source_chains)
    of = f" of {found.most_uses:,}" if found.most_uses else ""
    until = found.expires_at
    return (
        Fact("Address", Cell(url, copy=url, what="address of the page", href=url, mono=True)),
        Fact("Client", Cell(names.get(found.client_id, found.client_id), f"{found.mode} mode")),
        Fact("Payers read", Cell(found.title, sub=found.description)),
        Fact("Amount", Cell(amount_words(services, found))),
        Fact("Arrives", Cell(f"{token_of(services, found).symbol} on {chains[to].name}")),
        Fact("Recipient", address_cell(chains.get(to), found.recipient, "recipient")),
        Fact("Payers may pay on", Cell(where or "any chain")),
        Fact("With", Cell(", ".join(found.source_tokens) or "any token")),
        Fact("Reference", Cell(found.reference or "–")),
        Fact("Uses", Cell(f"{found.uses:,}{of}")),
        Fact("Takes payments until", time_cell(until, "exact") if until else Cell("no end")),
        Fact("Created", time_cell(found.created_at, "exact")),
        Fact("Identifier", Cell(found.id, copy=found.id, what="identifier", mono=True)),
    )


def uses(
    services: Services, caller: Caller, link_id: str, before: int | None
) -> tuple[tuple[Row, ...], int | None]:
    """What payers made by a link, newest first, and below which number the next page begins."""
    found = links.uses(services, caller, link_id, PAGE + 1, before)
    rows = tuple(_use(services, use, intent) for use, intent in found[:PAGE])
    return rows, found[PAGE - 1][0].id if len(found) > PAGE else None


def _use(services: Services, use: LinkUse, intent: Intent) -> Row:
    status = STATES[intent.state]
    total = amount(intent.terms.total_units, intent.asset_decimals, intent.asset_symbol)
    return Row(
        key=str(use.id),
        href=intent_href(intent.id),
        label=f"Payment {intent.id}, {status.text}",
        cells=(
            Cell(f"#{intent.id}"),
            Cell(chips=(status,)),
            Cell(total),
            Cell(chain_name(services.catalogue, intent.terms.source_chain)),
            Cell(at=millis(use.at)),
        ),
    )


def change_of(services: Services, draft: Draft, known: PaymentLink | None = None) -> LinkChange:
    """The form as a change; an empty field takes away what was set. Raises `InvalidInput`."""
    if known is None:
        token = services.catalogue.token(draft.destination, draft.token)
    else:
        token = token_of(services, known)
    fixed, least, most = draft.fixed, draft.least, draft.most
    asked = LinkChange(
        title=draft.title.strip(),
        description=draft.description,
        reference=draft.reference,
        amount=_units("Amount", draft.amount, token, needed=True) if fixed else None,
        min_amount=None if fixed else _units("At least", least, token),
        max_amount=None if fixed else _units("At most", most, token),
        source_chains=list(draft.chains) or None,
        source_tokens=list(draft.tokens) or None,
        max_uses=whole_number("Uses at most", draft.uses) if draft.uses.strip() else None,
        expires_at=_end(draft.until, known),
    )
    cleared = frozenset(name for name in _CLEARED if getattr(asked, name) is None)
    if known is not None:
        return replace(asked, cleared=cleared)
    goes_to = draft.recipient.strip()
    return replace(asked, destination_chain=token.chain, token_out=token.address, recipient=goes_to)


def _units(field: str, typed: str, token: Token, needed: bool = False) -> str | None:
    text = typed.strip().replace(",", "")
    if not text and not needed:
        return None
    units = parse_decimal(field, text, token.decimals)
    if not units:
        raise InvalidInput(f"{field} must be greater than zero")
    return str(units)


def _end(until: date | None, known: PaymentLink | None) -> datetime | None:
    """The end of a day in UTC; an end that was set and is not changed stays what it was."""
    if until is None:
        return None
    set_ = known.expires_at if known else None
    if set_ is not None and last_day(set_) == until:
        return set_
    return datetime.combine(until, time(), UTC) + timedelta(days=1)


def last_day(ends: datetime) -> date:
    """The last day of a link that ends then."""
    return (ends - timedelta(microseconds=1)).date()


def typed(services: Services, found: PaymentLink, units: int) -> str:
    """An amount as it is typed into the form."""
    return format_units(units, token_of(services, found).decimals)


def older(behind: str) -> str:
    """The address of the next page of the list."""
    return link("payment_links", after=behind)


def symbols(services: Services, chains: Sequence[str]) -> list[str]:
    """The tokens that payers may pay with on these chains, or on any."""
    known = {
        token.symbol
        for token in services.catalogue.tokens.values()
        if token.enabled and (not chains or token.chain in chains)
    }
    return sorted(known, key=lambda symbol: (symbol not in ("USDC", "USDT"), symbol.lower()))
