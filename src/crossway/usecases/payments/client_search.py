"""Search for a client: what an identifier finds of its own, as resources of the API."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import InvalidInput, MissingInput
from crossway.domain.intent import READ_VOCABULARY, Intent
from crossway.domain.money import format_units
from crossway.domain.public_ids import RecordKind
from crossway.domain.ramps import RampOrder
from crossway.domain.search_query import MAX_CHARACTERS
from crossway.ports.search_repository import SearchHit
from crossway.ports.services import Services
from crossway.usecases.payments import search
from crossway.usecases.public_numbers import ids_of

# By the kind of a hit: the type of the resource, its path below /v1, and the kind of its number.
_RESOURCES: Final = MappingProxyType(
    {
        "payment": ("intent", "intents", RecordKind.INTENT),
        "order": ("ramp_order", "ramp/orders", RecordKind.ORDER),
        "link": ("payment_link", "payment-links", None),
        "standing": ("standing_address", "standing-addresses", None),
        "standing_deposit": (
            "standing_deposit",
            "standing-deposits",
            RecordKind.STANDING_DEPOSIT,
        ),
        "webhook": ("webhook", "webhooks", RecordKind.WEBHOOK),
        "delivery": ("delivery", "webhooks/deliveries", RecordKind.DELIVERY),
    }
)
TYPES: Final = tuple(name for name, _, _ in _RESOURCES.values())


@dataclass(frozen=True, slots=True)
class FoundResource:
    """A resource that matches: its public id, what it is, which field matched, and its path below
    `/v1`. `is_unique`: the field identifies it, as a deposit address does."""

    type: str
    id: int | str
    title: str
    matched_field: str
    is_unique: bool
    path: str


def search_resources(
    services: Services, caller: Principal, text: object, *, takes_email: bool
) -> tuple[list[FoundResource], bool]:
    """The caller's resources that an identifier finds, the surest first, and whether there may be
    more. E-mail addresses are refused where they would be part of a URL."""
    caller.require_scope(Scope.READ)
    if text is None:
        raise MissingInput("q is required")
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_CHARACTERS:
        raise InvalidInput(f"q must be an identifier of 1 to {MAX_CHARACTERS:,} characters")
    if not takes_email and search.parse_email_query(text):
        raise InvalidInput(
            "q must not be an e-mail address, which does not belong in a URL: use POST /search "
            "with q in its body"
        )
    result = search.search(services, caller, text)
    hits = [hit for hit in result.hits if hit.kind in _RESOURCES]
    found = [_show(services, result, hit) for hit in hits[: search.MAX_HITS]]
    return found, result.truncated or len(hits) > search.MAX_HITS


def _show(services: Services, result: search.SearchResult, hit: SearchHit) -> FoundResource:
    kind, path, number_kind = _RESOURCES[hit.kind]
    public_id: int | str = hit.id
    if number_kind is not None:
        public_id = ids_of(services).encode(number_kind, int(hit.id))
    if hit.kind == "payment":
        title = _describe_payment(services, result.intents[int(hit.id)])
    elif hit.kind == "order":
        title = _describe_order(result.orders[int(hit.id)])
    else:
        title = f"{kind.replace('_', ' ').capitalize()} {public_id}"
    return FoundResource(
        kind, public_id, title, hit.matched_field, hit.unique, f"{path}/{public_id}"
    )


def _describe_payment(services: Services, intent: Intent) -> str:
    terms, chains = intent.terms, services.catalogue.chains
    amount = f"{format_units(terms.deposit_amount, intent.asset_decimals)} {intent.asset_symbol}"
    source, destination = chains[terms.source_chain].name, chains[terms.destination_chain].name
    route = f"from {source} to {destination}" if source != destination else f"on {source}"
    return f"Payment of {amount} {route}, {READ_VOCABULARY[intent.state]}"


def _describe_order(order: RampOrder) -> str:
    fiat = f"{format_units(order.fiat_minor, order.digits)} {order.currency}"
    return f"{order.direction.value.capitalize()} order over {fiat}, {order.state.value}"
