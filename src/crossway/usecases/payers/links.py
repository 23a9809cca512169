"""Payment links: making, changing and reading them, and what payers made by them."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.intent import Intent
from crossway.domain.links import LinkUse, PaymentLink
from crossway.domain.money import Token
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.complaints import Complaints
from crossway.usecases.developers.clients import differences
from crossway.usecases.fields import chain_of, token_of
from crossway.usecases.network.switches import switched_off
from crossway.usecases.payers.link_fields import LinkChange, Reading
from crossway.usecases.payments.terms import payable

MOST_LINKS = 10_000
MOST_PAGE = 100
LONGEST_TITLE, LONGEST_DESCRIPTION, LONGEST_REFERENCE = 100, 1_000, 100


def _nothing_more(unit: Unit, made: PaymentLink) -> None:
    """What else is done in the same transaction: nothing."""


def create(
    services: Services,
    caller: Caller,
    asked: LinkChange,
    along: Callable[[Unit, PaymentLink], None] = _nothing_more,
    client_id: str | None = None,
) -> PaymentLink:
    """A new payment link of the caller's client; an operator may name another client."""
    caller.needs(Scope.WRITE)
    owner = client_id if client_id is not None and caller.operator else caller.client.id
    complaints = Complaints()
    bare = _bare(services, caller, asked, owner, complaints)
    link = _changed(services, caller, bare, asked, complaints)

    def work(unit: Unit) -> PaymentLink:
        if unit.access.client(owner) is None:
            raise NotFound("Client not found")
        unit.network.lock(f"payment links:{owner}")
        if unit.links.count_of(owner) >= MOST_LINKS:
            raise WrongState(f"A client has at most {MOST_LINKS} payment links")
        unit.links.add(link)
        _note(unit, caller, "payment link created", link, link.created_at, None, _told(link))
        along(unit, link)
        return link

    return services.store.write(work)


def change(services: Services, caller: Caller, link_id: str, asked: LinkChange) -> PaymentLink:
    """Change a payment link; what payers made by it before stays as it was."""
    caller.needs(Scope.WRITE)
    now = services.clock.now()

    def work(unit: Unit) -> PaymentLink:
        before = own(caller, unit.links.lock(link_id))
        complaints = Complaints()
        for name in ("destination_chain", "token_out", "recipient"):
            if getattr(asked, name) is not None:
                complaints.add(f"{name} cannot be changed: make a new payment link")
        after = _changed(services, caller, before, asked, complaints)
        after = replace(after, updated_at=now)
        old, new = differences(_told(before), _told(after))
        if new:
            unit.links.change(after)
            _note(unit, caller, "payment link changed", after, now, old, new)
        return after

    return services.store.write(work)


def get(services: Services, caller: Caller, link_id: str) -> PaymentLink:
    """One of the caller's payment links; an operator sees those of every client."""
    caller.needs(Scope.READ)
    with services.store.read() as unit:
        return own(caller, unit.links.get(link_id))


def page(
    services: Services, caller: Caller, limit: int, after: str | None = None
) -> list[PaymentLink]:
    """The caller's payment links, newest first, behind the one named `after`."""
    caller.needs(Scope.READ)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    with services.store.read() as unit:
        before = None if after is None else unit.links.get(after)
        if after is not None and before is None:
            raise InvalidInput("cursor must be the nextCursor of another page")
        return unit.links.page(None if caller.operator else caller.client.id, limit, before)


def uses(
    services: Services, caller: Caller, link_id: str, limit: int, before_id: int | None = None
) -> list[tuple[LinkUse, Intent]]:
    """What payers made by a link, newest first."""
    caller.needs(Scope.READ)
    if not 1 <= limit <= MOST_PAGE:
        raise InvalidInput(f"limit must be from 1 to {MOST_PAGE}")
    with services.store.read() as unit:
        own(caller, unit.links.get(link_id))
        found = unit.links.uses(link_id, limit, before_id)
        intents = unit.intents.of([use.intent_id for use in found])
    return [(use, intents[use.intent_id]) for use in found if use.intent_id in intents]


def own(caller: Caller, link: PaymentLink | None) -> PaymentLink:
    """The link, if it is the caller's to see; else `NotFound`."""
    if link is None or not (caller.operator or link.client_id == caller.client.id):
        raise NotFound("Payment link not found")
    return link


def _bare(
    services: Services, caller: Caller, asked: LinkChange, owner: str, complaints: Complaints
) -> PaymentLink:
    """A link that goes where it was asked to go, and else says nothing yet."""
    off, now = switched_off(services), services.clock.now()
    to = complaints.read(
        lambda: chain_of(services, caller, off, asked.destination_chain, "destination_chain")
    )
    token: Token | None = None
    recipient: str | None = None
    if to is not None:
        token = complaints.read(lambda: _token_out(services, to, asked.token_out))
        recipient = complaints.read(lambda: payable(services, to, asked.recipient, "recipient"))
    if asked.title is None:
        complaints.add("title is required")
    if token is None or recipient is None:
        complaints.refuse()
    assert token is not None
    assert recipient is not None
    return PaymentLink(
        id=f"pl_{secrets.token_hex(10)}", client_id=owner, mode=caller.mode.value, title="",
        description="", amount_units=None, least_units=None, most_units=None,
        destination_chain=token.chain, token_out=token.address, recipient=recipient,
        source_chains=(), source_tokens=(), reference="", metadata={}, most_uses=None, uses=0,
        expires_at=None, active=True, created_at=now, updated_at=now,
    )  # fmt: skip


def _token_out(services: Services, to: Chain, given: object) -> Token:
    if given is None:
        return services.catalogue.token(to.id, "USDC", "tokenOut")
    return token_of(services, to, given, "tokenOut")


def _changed(
    services: Services,
    caller: Caller,
    link: PaymentLink,
    asked: LinkChange,
    complaints: Complaints,
) -> PaymentLink:
    for name in asked.strange:
        complaints.add(f"{name} is not a known field")
    reading = Reading(asked, complaints)
    token = services.catalogue.by_address[link.destination_chain, link.token_out]
    after = replace(
        link,
        title=reading.words("title", link.title, LONGEST_TITLE, least=1),
        description=reading.words("description", link.description, LONGEST_DESCRIPTION, lines=True),
        reference=reading.words("reference", link.reference, LONGEST_REFERENCE),
        amount_units=reading.units("amount", link.amount_units, token),
        least_units=reading.units("min_amount", link.least_units, token),
        most_units=reading.units("max_amount", link.most_units, token),
        source_chains=reading.names(
            "source_chains", link.source_chains, lambda n: _source(services, caller, n, link).id
        ),
        source_tokens=reading.names(
            "source_tokens",
            link.source_tokens,
            lambda n: services.catalogue.symbol(n, "source_tokens"),
        ),
        metadata=reading.mapping("metadata", link.metadata),
        most_uses=reading.count("max_uses", link.most_uses),
        expires_at=reading.instant("expires_at", link.expires_at, services.clock.now()),
        active=reading.flag("active", link.active),
    )
    if after.amount_units is not None and (after.least_units or after.most_units):
        complaints.add("min_amount and max_amount are for links without an amount")
    if after.least_units and after.most_units and after.least_units > after.most_units:
        complaints.add("min_amount must not be above max_amount")
    complaints.refuse()
    return after


def _source(services: Services, caller: Caller, name: object, link: PaymentLink) -> Chain:
    chain = chain_of(services, caller, (), name, "source_chains")
    to = services.catalogue.chains[link.destination_chain]
    if chain.testnet != to.testnet:
        raise InvalidInput(f"source_chains: {chain.id} and {to.id} are of different networks")
    return chain


def _told(link: PaymentLink) -> dict[str, Any]:
    """What the audit log tells of a link."""
    facts = asdict(link)
    for name in ("id", "uses", "created_at", "updated_at"):
        del facts[name]
    ends = link.expires_at
    return {**facts, "expires_at": ends.isoformat() if ends else None}


def _note(
    unit: Unit,
    caller: Caller,
    what: str,
    link: PaymentLink,
    at: datetime,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> None:
    detail, subject = {"title": link.title}, f"payment_link:{link.id}"
    unit.network.audit(caller.who, what, detail, at, subject, before, after)
