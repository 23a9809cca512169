"""What somebody means by whatever they typed or pasted: payments, orders, people and the rest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, NotFound, Refusal
from crossway.domain.identifiers import MOST_SPELLINGS, Wanted, wanted
from crossway.domain.identity import read_email
from crossway.domain.intent import Intent
from crossway.domain.ramps import RampOrder
from crossway.ports.finding_records import Hit
from crossway.ports.ramp_records import OrderFilter
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.payers import paying

# Of each kind, so that a page of what it could be stays one.
MOST_FOUND = 50
PAYERS_PAGE = "/pay/"


@dataclass(frozen=True, slots=True)
class Found:
    """What a text may mean. `only` is the one thing that is meant, None where there is none or a
    choice; `more` says that there were too many to tell them all."""

    hits: tuple[Hit, ...]
    only: Hit | None
    intents: dict[int, Intent]
    orders: dict[int, RampOrder]
    more: bool = False


NOTHING = Found((), None, {}, {})


def find(services: Services, caller: Caller, text: str) -> Found:
    """Everything of the caller's that a text names, by indices alone: a number, an address, the
    hash of a transaction on either side, a reference, an event, an e-mail address. A person of the
    installation finds every client's."""
    if not text.strip():
        return NOTHING
    if email := email_in(text):
        return _of_person(services, caller, email, text)
    asked = _spelled(services, wanted(text))
    linked = _paid_at(services, text)
    with services.store.read() as unit:
        hits = linked or unit.finding.hits(asked.spellings, asked.number, MOST_FOUND)
        if asked.kind:
            named = [hit for hit in hits if hit.kind == asked.kind]
            # A number that was called an order is nothing else.
            hits = named if named or asked.number is not None else hits
        return _seen(unit, caller, hits, named=bool(asked.kind))


def payments(services: Services, caller: Caller, text: str) -> list[Intent]:
    """The caller's payments that a text names: the one that is meant alone, where it is one."""
    found = find(services, caller, text)
    if found.only is not None and found.only.kind == "payment":
        return [found.intents[int(found.only.id)]]
    return [found.intents[int(hit.id)] for hit in found.hits if hit.kind == "payment"]


def email_in(text: str) -> str:
    """The e-mail address that a text is, in its one form; empty when it is none."""
    try:
        return read_email(text.strip().removeprefix("mailto:"))
    except InvalidInput:
        return ""


def _spelled(services: Services, asked: Wanted) -> Wanted:
    """With each address in the spelling that its chains have for it, too."""
    spelled = dict.fromkeys(asked.spellings)
    chains = services.catalogue.chains
    forms = {chains[chain_id].kind: chain_id for chain_id in services.chains}
    for text in asked.spellings:
        for chain_id in forms.values():
            try:
                spelled[services.chains[chain_id].canonical_address(text)] = None
            except (ValueError, Refusal):
                continue
    return replace(asked, spellings=tuple(spelled)[: 2 * MOST_SPELLINGS])


def _paid_at(services: Services, text: str) -> list[Hit]:
    """The payment behind the address of its payer's page."""
    _, found, name = text.strip().partition(PAYERS_PAGE)
    name = name.partition("?")[0].strip("/ ")
    if not found or not name or "/" in name:
        return []
    try:
        return [Hit("payment", paying.page_of(services, name).intent.id, "payers_page", True)]
    except NotFound:
        return []


def _seen(unit: Unit, caller: Caller, hits: Sequence[Hit], named: bool = False) -> Found:
    """Those of the hits that the caller may see, and whether one of them is meant."""
    intents = unit.intents.of([int(h.id) for h in hits if h.kind == "payment"])
    asked = [unit.orders.get(int(h.id)) for h in hits if h.kind == "order"]
    orders = {order.id: order for order in asked if order is not None}
    own = None if caller.operator else caller.client.id
    kept = [hit for hit in hits if own is None or own == _owner(unit, hit, intents, orders)]
    kept = [h for h in kept if h.kind != "payment" or int(h.id) in intents]
    # What a text names by itself comes first, then the newest.
    kept.sort(key=lambda hit: (not hit.own, -hit.id if isinstance(hit.id, int) else 0))
    sure = [hit for hit in kept if hit.own or (named and len(kept) == 1)]
    only = sure[0] if len(sure) == 1 else kept[0] if len(kept) == 1 else None
    return Found(tuple(kept), only, intents, orders, len(kept) >= MOST_FOUND)


def _owner(
    unit: Unit, hit: Hit, intents: dict[int, Intent], orders: dict[int, RampOrder]
) -> str | None:
    """The client that a thing belongs to."""
    if hit.kind == "client":
        return str(hit.id)
    if hit.kind == "link":
        link = unit.links.get(str(hit.id))
        return link.client_id if link else None
    number = int(hit.id)
    if hit.kind == "payment":
        return intents[number].client_id if number in intents else None
    if hit.kind == "order":
        return orders[number].client_id if number in orders else None
    if hit.kind == "request":
        asked = unit.requests.get(number)
        return asked.client_id if asked else None
    if hit.kind == "delivery":
        delivery = unit.deliveries.get(number)
        number = delivery.webhook_id if delivery else 0
    webhook = unit.webhooks.get(number)
    return webhook.client_id if webhook else None


def _of_person(services: Services, caller: Caller, email: str, text: str) -> Found:
    """Somebody with their orders and the payments of these; and what a client noted the address
    with."""
    with services.store.read() as unit:
        person = unit.people.find(services.vault.index(email)) if caller.operator else None
        hits: list[Hit] = []
        if person is not None:
            hits.append(Hit("person", person.id, "email", True))
            for order in unit.orders.page(OrderFilter(person_id=person.id), MOST_FOUND):
                hits.append(Hit("order", order.id, "person", False))
                if order.intent_id is not None:
                    hits.append(Hit("payment", order.intent_id, "person", False))
        known = {(hit.kind, hit.id) for hit in hits}
        noted = unit.finding.hits([email, text.strip()], None, MOST_FOUND)
        hits += [hit for hit in noted if (hit.kind, hit.id) not in known]
        return _seen(unit, caller, hits)
