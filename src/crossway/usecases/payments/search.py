"""Search by exact identifiers: payments, orders, customers and other records."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from crossway.domain.clients import OwnedRecord, OwnerFilter, Principal
from crossway.domain.errors import DomainError, InvalidInput, NotFound
from crossway.domain.intent import Intent
from crossway.domain.kyc_fields import parse_email
from crossway.domain.public_ids import MAX_PUBLIC_ID, RecordKind
from crossway.domain.ramps import RampOrder
from crossway.domain.search_query import MAX_SPELLINGS, SearchQuery, parse
from crossway.ports.ramp_repository import OrderFilter
from crossway.ports.search_repository import SearchHit
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.checkout_urls import parse_token

MAX_HITS = 50  # of each kind
CHECKOUT_PATH = "/pay/"
MATCHED_BY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "number": "ID",
        "address": "deposit address",
        "destination_address": "address on the destination chain",
        "token_account": "deposit token account",
        "key": "intent hash",
        "nonce": "nonce",
        "payout": "payout transaction",
        "deposit": "deposit transaction",
        "transfer": "outbound transaction",
        "attempt": "signed transaction",
        "event": "webhook event",
        "recipient": "recipient address",
        "sender": "sender address",
        "depositor": "sender of a deposit",
        "refund_address": "refund address",
        "metadata": "metadata value",
        "link": "payment link",
        "payers_page": "checkout page",
        "archive": "archived payment",
        "reference": "reference",
        "provider_reference": "provider reference",
        "provider_tx": "provider transaction",
        "intent_address": "deposit address of the payment",
        "request_id": "request ID",
        "id": "ID",
        "standing_address": "standing address",
        "name": "name",
        "email": "e-mail address",
        "customer": "customer's e-mail address",
    }
)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a query found. `best_match` is the one record the query identifies, None where it found
    none or several; `truncated` says that there may be more hits than listed, `in_other_mode` that
    they are not of the caller's mode, which has none. `standing` has the standing addresses, by the
    deposits at them."""

    hits: tuple[SearchHit, ...]
    best_match: SearchHit | None
    intents: dict[int, Intent]
    orders: dict[int, RampOrder]
    truncated: bool = False
    in_other_mode: bool = False
    standing: Mapping[int, str] = field(default_factory=dict)


EMPTY_RESULT = SearchResult((), None, {}, {})


def search(
    services: Services, caller: Principal, text: str, restores_archived: bool = True
) -> SearchResult:
    """Find the caller's records by an exact identifier: a record number, address, transaction hash,
    reference, event id or e-mail address. Every lookup uses an index.

    Operators search the records of all clients in their mode, and in the other where theirs has
    none: who pastes an identifier wants its record. Unless `restores_archived` is false, as while
    somebody still types, archived payments that they find are brought back."""
    if not text.strip():
        return EMPTY_RESULT
    result = _search(services, caller, text, restores_archived)
    if not result.hits and caller.is_staff and caller.mode is not None:
        result = _search(services, replace(caller, mode=None), text, restores_archived)
        return replace(result, in_other_mode=bool(result.hits))
    return result


def _search(
    services: Services, caller: Principal, text: str, restores_archived: bool
) -> SearchResult:
    if email := parse_email_query(text):
        return _search_by_email(services, caller, email, text)
    query = _with_canonical_spellings(services, parse(text))
    checkout_hits = _find_by_checkout_url(services, text)
    hits = checkout_hits or _find(services, caller, query)
    hits = hits or _find_by_public_number(services, query)
    if restores_archived and (checkout_hits or not hits) and caller.is_staff:
        restored = _restore_archived(services, query, checkout_hits)
        hits = [SearchHit("payment", intent_id, "archive", True) for intent_id in restored] or hits
    with services.store.read() as unit:
        if query.kind:
            named = [hit for hit in hits if hit.kind == query.kind]
            # A number with a kind, such as "order 12", matches that kind only.
            hits = named if named or query.number is not None else hits
        return _visible_result(unit, caller, hits, kind_given=bool(query.kind))


def search_payments(services: Services, caller: Principal, text: str) -> list[Intent]:
    """The caller's payments that a query finds; only the best match where that is a payment."""
    result = search(services, caller, text)
    if result.best_match is not None and result.best_match.kind == "payment":
        return [result.intents[int(result.best_match.id)]]
    return [result.intents[int(hit.id)] for hit in result.hits if hit.kind == "payment"]


def _find(services: Services, caller: Principal, query: SearchQuery) -> list[SearchHit]:
    with services.store.read() as unit:
        return _find_values(unit, caller, query.spellings, query.number)


def _find_values(
    unit: UnitOfWork, caller: Principal, values: Collection[str], number: int | None = None
) -> list[SearchHit]:
    """Staff find every record, also by its number in the database; a client its own."""
    if caller.is_staff:
        return unit.search.find(values, number, MAX_HITS)
    return unit.search.find_owned(caller.narrow(OwnerFilter()), values, MAX_HITS)


def _find_by_public_number(services: Services, query: SearchQuery) -> list[SearchHit]:
    """The records that have this number in the API."""
    if query.number is None or not 1 <= query.number <= MAX_PUBLIC_ID:
        return []
    hits = []
    with services.store.read() as unit:
        for kind, name, find in (
            (RecordKind.INTENT, "payment", unit.intents.get),
            (RecordKind.ORDER, "order", unit.orders.get),
            (RecordKind.WEBHOOK, "webhook", unit.webhooks.get),
            (RecordKind.DELIVERY, "delivery", unit.deliveries.get),
            (RecordKind.STANDING_DEPOSIT, "standing_deposit", unit.standing.get_deposit),
        ):
            record_id = unit.public_ids.decode(kind, query.number)
            if find(record_id) is not None:
                hits.append(SearchHit(name, record_id, "number", True))
    return hits


def _restore_archived(
    services: Services, query: SearchQuery, checkout_hits: Sequence[SearchHit]
) -> list[int]:
    """Bring back the archived payments with this address, checkout URL, or number here or in the
    API; returns their numbers. They stay as long as after their expiry, to be looked at."""
    numbers = {int(hit.id) for hit in checkout_hits}
    with services.store.read() as unit:
        if query.number is not None and 1 <= query.number <= MAX_PUBLIC_ID:
            by_public_number = unit.public_ids.decode(RecordKind.INTENT, query.number)
            numbers |= {query.number, by_public_number}
        found = [unit.payment_archive.find_address(number) for number in numbers]
        addresses = unit.payment_archive.find_known(query.spellings)
    addresses |= {address for address in found if address is not None}
    if not addresses:
        return []
    now = services.clock.now()
    return services.store.write(lambda unit: unit.payment_archive.restore(addresses, now))


def parse_email_query(text: str) -> str:
    """The query as a normalised e-mail address; empty when it is not one."""
    try:
        return parse_email(text.strip().removeprefix("mailto:"))
    except InvalidInput:
        return ""


def _with_canonical_spellings(services: Services, query: SearchQuery) -> SearchQuery:
    """The query with the canonical spelling of each address on every chain family added."""
    spellings = dict.fromkeys(query.spellings)
    chains = services.catalogue.chains
    chain_by_family = {chains[chain_id].kind: chain_id for chain_id in services.chains}
    for text in query.spellings:
        for chain_id in chain_by_family.values():
            try:
                spellings[services.chains[chain_id].canonical_address(text)] = None
            except (ValueError, DomainError):
                continue
    return replace(query, spellings=tuple(spellings)[: 2 * MAX_SPELLINGS])


def _find_by_checkout_url(services: Services, text: str) -> list[SearchHit]:
    """The payment whose checkout URL this is."""
    _, separator, token = text.strip().partition(CHECKOUT_PATH)
    token = token.partition("?")[0].strip("/ ")
    if not separator or not token or "/" in token:
        return []
    try:
        return [SearchHit("payment", parse_token(services, token), "payers_page", True)]
    except NotFound:
        return []


def _visible_result(
    unit: UnitOfWork, caller: Principal, hits: Sequence[SearchHit], kind_given: bool = False
) -> SearchResult:
    """The hits that the caller may see, and the best match among them."""
    intents = unit.intents.get_many([int(h.id) for h in hits if h.kind == "payment"])
    order_records = [unit.orders.get(int(h.id)) for h in hits if h.kind == "order"]
    orders = {order.id: order for order in order_records if order is not None}
    found = [(hit, _record_of(unit, caller, hit, intents, orders)) for hit in hits]
    visible = [hit for hit, record in found if record is not None and caller.lists(record)]
    # Unique matches come first, then the newest records.
    visible.sort(key=lambda hit: (not hit.unique, -hit.id if isinstance(hit.id, int) else 0))
    certain = [hit for hit in visible if hit.unique or (kind_given and len(visible) == 1)]
    best_match = certain[0] if len(certain) == 1 else visible[0] if len(visible) == 1 else None
    standing = _addresses_of_deposits(unit, visible)
    truncated = len(visible) >= MAX_HITS
    return SearchResult(tuple(visible), best_match, intents, orders, truncated, standing=standing)


def _addresses_of_deposits(unit: UnitOfWork, hits: Sequence[SearchHit]) -> Mapping[int, str]:
    """The standing addresses of those of the hits that are deposits at them."""
    found = unit.standing.get_deposits({int(h.id) for h in hits if h.kind == "standing_deposit"})
    addresses = unit.standing.get_many({deposit.number for deposit in found.values()})
    return {id: addresses[deposit.number].id for id, deposit in found.items()}


def _record_of(
    unit: UnitOfWork,
    caller: Principal,
    hit: SearchHit,
    intents: dict[int, Intent],
    orders: dict[int, RampOrder],
) -> OwnedRecord | None:
    """The record of a hit; a client is in both modes, and a delivery is its webhook's."""
    if hit.kind == "client":
        return OwnerFilter(str(hit.id), caller.mode)
    if hit.kind == "customer":
        return unit.kyc_customers.get(str(hit.id))
    if hit.kind == "link":
        return unit.payment_links.get(str(hit.id))
    if hit.kind == "standing":
        return unit.standing.find(str(hit.id))
    number = int(hit.id)
    if hit.kind == "payment":
        return intents.get(number)
    if hit.kind == "order":
        return orders.get(number)
    if hit.kind == "standing_deposit":
        return unit.standing.get_deposit(number)
    if hit.kind == "request":
        return unit.request_log.get(number)
    if hit.kind == "delivery":
        delivery = unit.deliveries.get(number)
        number = delivery.webhook_id if delivery else 0
    return unit.webhooks.get(number)


def _search_by_email(services: Services, caller: Principal, email: str, text: str) -> SearchResult:
    """The KYC customer with this e-mail address, their orders and the payments of these, and
    records whose references contain the address."""
    with services.store.read() as unit:
        customers = unit.kyc_customers.list_by_email(
            caller.narrow(OwnerFilter()), services.vault.blind_index(email)
        )
        hits: list[SearchHit] = []
        if customers:
            # One person, however many clients know them.
            hits.append(SearchHit("customer", customers[0].id, "email", True))
            of_person = OrderFilter(customer_ids=tuple(customer.id for customer in customers))
            for order in unit.orders.list_page(of_person, MAX_HITS):
                hits.append(SearchHit("order", order.id, "customer", False))
                if order.intent_id is not None:
                    hits.append(SearchHit("payment", order.intent_id, "customer", False))
        listed_keys = {(hit.kind, hit.id) for hit in hits}
        references = _find_values(unit, caller, [email, text.strip()])
        hits += [hit for hit in references if (hit.kind, hit.id) not in listed_keys]
        return _visible_result(unit, caller, hits)
