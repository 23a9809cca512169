"""Identity checks: where somebody stands, what is asked for, handing it in, and forgetting it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import uuid4

from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import KycRequired, Unreachable, WrongState
from crossway.domain.identity import masked, read_document, read_email, read_values
from crossway.domain.kyc import KycState, Standing, Subject, Tier, judge, month_start
from crossway.domain.ramps import ProviderName
from crossway.domain.roles import Right
from crossway.ports.ramp_records import Handover, Person, Submission
from crossway.ports.ramps import Document, ProviderRefused
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.identity.corridors import (
    Corridor,
    corridor_of,
    handed_in_for,
    provider_named,
    subject_of,
)
from crossway.usecases.identity.handover import (
    LEASE,
    asked,
    everything_asked,
    refused,
    tell,
    with_handover,
)

DOCUMENTS_GO = "send the file itself, one request a document"


@dataclass(frozen=True, slots=True)
class KycRequirements:
    """What a provider asks for in a country, by tier; `widget`: on its own page, not here."""

    provider: ProviderName
    country: str
    currency: str
    tiers: tuple[Tier, ...]
    verifies: Literal["here", "widget"]


def state(
    services: Services,
    caller: Caller,
    provider: object,
    email: object,
    country: object,
    currency: object,
    amount: object = None,
    amount_field: str = "cryptoAmount",
) -> KycState:
    """Where a person stands with a provider; with an `amount` in USDC, whether that can go."""
    corridor, read, worth = subject_of(
        services, provider, email, country, currency, amount, amount_field
    )
    said = asked(services, corridor.provider, read, corridor.country)
    return _state(services, corridor, read, worth, said)


def gate(
    services: Services,
    provider: ProviderName,
    email: str | None,
    country: str,
    currency: str,
    worth_micro_usd: int,
) -> KycState:
    """The state for one order that is about to be opened, all of it read and known to be right;
    without an e-mail address, of somebody whom nothing is known of. The provider may take its time:
    whoever calls this from outside the pool bounds it."""
    corridor = Corridor(provider_named(services, provider), country, currency)
    if email is None:
        nobody = _subject(corridor, "", None, 0, worth_micro_usd)
        return judge(nobody, corridor.tiers, Standing(), ())
    read = read_email(email)
    said = corridor.provider.standing(read, country)
    return _state(services, corridor, read, worth_micro_usd, said)


def recheck(services: Services, unit: Unit, state: KycState, person_id: str) -> None:
    """In the transaction that stores an order: what other orders of this person used of the limit
    meanwhile. Holds the person until the end; raises `KycRequired` when too little is left."""
    subject = state.subject
    if not state.monthly or subject.worth_micro_usd is None or subject.elsewhere:
        return
    unit.people.lock(person_id)
    since = month_start(services.clock.now())
    used = unit.orders.used_micro_usd(person_id, subject.provider, since)
    if used + subject.worth_micro_usd > state.limit_micro_usd:
        raise KycRequired(
            "Another order of this user has used up the limit of their identity check",
            replace(state, can_proceed=False, remaining_micro_usd=state.limit_micro_usd - used),
        )


def requirements(
    services: Services, caller: Caller, provider: object, country: object, currency: object
) -> KycRequirements:
    """What a provider asks for, tier by tier."""
    corridor = corridor_of(services, provider, country, currency)
    capabilities = corridor.provider.capabilities
    return KycRequirements(
        capabilities.name,
        corridor.country,
        corridor.currency,
        corridor.tiers,
        capabilities.verifies,
    )


def submit(
    services: Services,
    caller: Caller,
    provider: object,
    email: object,
    country: object,
    fields: object,
    documents: Sequence[Document] = (),
    currency: object = None,
) -> KycState:
    """Hand in fields and documents about a person, any part of what is asked for. They are kept,
    encrypted, and handed to the provider once a check is complete; a provider that does not answer
    is told later."""
    corridor, read = handed_in_for(services, provider, email, country, currency)
    wanted = everything_asked(corridor.tiers)
    today = services.clock.now().date()
    values: Mapping[str, str] = {}
    if fields or not documents:
        values = read_values(wanted, fields, today, DOCUMENTS_GO)
    plain = [(key, "", json.dumps(value).encode()) for key, value in values.items()]
    for one in documents:
        key = read_document(wanted, one.key, one.media_type, one.content)
        plain.append((key, one.media_type, one.content))
    return _hand_in(services, caller, corridor, read, plain)


def add_document(
    services: Services,
    caller: Caller,
    provider: object,
    email: object,
    country: object,
    key: object,
    media_type: object,
    content: bytes,
    currency: object = None,
) -> KycState:
    """Hand in one document, recognised by its content."""
    found, of = handed_in_for(services, provider, email, country, currency)
    named = read_document(everything_asked(found.tiers), key, media_type, content)
    return _hand_in(services, caller, found, of, [(named, str(media_type), content)])


def erase(services: Services, caller: Caller, email: object) -> int:
    """Forget a person: everything that came through this client, or for an operator all of it.
    Orders stay, without their fields; how many lost theirs. Nobody known: 0."""
    caller.needs(Scope.WRITE, Right.MANAGE)
    index = services.vault.index(read_email(email))
    client_id = None if caller.operator else caller.client.id
    now = services.clock.now()

    def work(unit: Unit) -> int:
        person = unit.people.find(index)
        if person is None:
            return 0
        unit.people.lock(person.id)
        under_way = unit.people.open_order_of(person.id, client_id)
        if under_way is not None:
            raise WrongState(
                f"Order {under_way} of this user is under way; erase the user once it has ended"
            )
        erased = unit.people.erase(person.id, now, client_id)
        detail = {"person": person.id, "orders": erased.orders, "whole": erased.whole}
        unit.network.audit(caller.client.name, "person erased", detail, now, f"person:{person.id}")
        return erased.orders

    return services.store.write(work)


def person_of(services: Services, email: object) -> Person:
    """The person of an e-mail address, made when nobody is known by it."""
    read = read_email(email)
    index = services.vault.index(read)
    with services.store.read() as unit:
        known = unit.people.find(index)
    if known is not None:
        return known
    sealed = services.vault.seal(read.encode())
    new = Person(str(uuid4()), sealed, services.clock.now(), erased_at=None)
    return services.store.write(lambda unit: unit.people.add(new, index))


def reveal_email(services: Services, person: Person) -> str:
    """The whole e-mail address, for a provider; empty once the person is erased."""
    sealed = person.email_sealed
    return "" if sealed is None else services.vault.open(sealed).decode()


def masked_email(services: Services, person: Person) -> str:
    """The e-mail address as people may see it; empty once the person is erased."""
    email = reveal_email(services, person)
    return masked(email) if email else ""


def email_of(services: Services, person_id: str | None) -> str:
    """The masked e-mail address of an order's person; empty where nobody is known."""
    if person_id is None:
        return ""
    with services.store.read() as unit:
        person = unit.people.get(person_id)
    return masked_email(services, person) if person else ""


def _state(
    services: Services, corridor: Corridor, email: str, worth: int | None, standing: Standing
) -> KycState:
    """What a provider says of somebody, together with what is known here."""
    name, country = corridor.provider.name, corridor.country
    since = month_start(services.clock.now())
    with services.store.read() as unit:
        person = unit.people.find(services.vault.index(email))
        if person is None:
            subject = _subject(corridor, email, None, 0, worth)
            return judge(subject, corridor.tiers, standing, ())
        used = unit.orders.used_micro_usd(person.id, name, since)
        handover = unit.people.handover(person.id, name, country)
        handed_in = unit.people.submitted_keys(person.id, name, country)
    subject = _subject(corridor, email, person.id, used, worth)
    now = with_handover(standing, corridor.tiers, handover)
    return judge(subject, corridor.tiers, now, handed_in)


def _subject(
    corridor: Corridor, email: str, person_id: str | None, used: int, worth: int | None
) -> Subject:
    return Subject(
        provider=corridor.provider.name,
        email=masked(email) if email else "",
        person_id=person_id,
        country=corridor.country,
        currency=corridor.currency,
        used_micro_usd=used,
        worth_micro_usd=worth,
        elsewhere=corridor.elsewhere,
    )


def _hand_in(
    services: Services,
    caller: Caller,
    corridor: Corridor,
    email: str,
    plain: Sequence[tuple[str, str, bytes]],
) -> KycState:
    """Keep (key, media type, value), then tell the provider."""
    caller.needs(Scope.WRITE)
    person = person_of(services, email)
    name, country, now = corridor.provider.name, corridor.country, services.clock.now()
    made = [
        Submission(
            person.id, name, country, key, caller.client.id, kind, services.vault.seal(value), now
        )
        for key, kind, value in plain
    ]
    handover = Handover(person.id, name, country, uuid4().hex, 0, now + LEASE)

    def work(unit: Unit) -> None:
        held = unit.people.lock(person.id)
        if held is None or held.erased_at is not None:
            raise WrongState("The user was erased just now; hand in everything again")
        unit.people.submit(made)
        unit.people.hand_over(handover)
        keys = [key for key, _, _ in plain]
        detail = {"person": person.id, "provider": name, "country": country, "keys": keys}
        who, subject = caller.client.name, f"person:{person.id}"
        unit.network.audit(who, "identity handed in", detail, now, subject)

    services.store.write(work)
    try:
        said = tell(services, corridor.provider, handover)
    except ProviderRefused:
        refused(services, handover)
        raise
    except Unreachable:
        said = Standing()  # It is kept, and told once its lease has ended.
    return _state(services, corridor, email, None, said)
