"""Create, update and list payment links, and list the payments made by them."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Owner, OwnerFilter, Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.intent import Intent
from crossway.domain.money import Token
from crossway.domain.payment_links import LinkUse, PaymentLink
from crossway.ports.payment_link_repository import EVER, Period
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.chains.request_fields import parse_chain, parse_token
from crossway.usecases.developers.clients import diff_fields
from crossway.usecases.payers.link_fields import LinkFieldParser, LinkRequest
from crossway.usecases.validation_errors import ValidationErrors

MAX_LINKS = 10_000
MAX_PAGE_SIZE = 100
MAX_TITLE_LENGTH, MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH = 100, 1_000, 100


def _do_nothing(unit: UnitOfWork, link: PaymentLink) -> None:
    """The default of `in_transaction`."""


def create(
    services: Services,
    caller: Principal,
    request: LinkRequest,
    in_transaction: Callable[[UnitOfWork, PaymentLink], None] = _do_nothing,
    client_id: str | None = None,
) -> PaymentLink:
    """Create a payment link for the caller's client; operators may name another client.

    `in_transaction` runs in the same database transaction. Raises `InvalidInput`.
    """
    caller.require_scope(Scope.WRITE)
    owner = caller.owner
    if client_id is not None and caller.is_staff:
        owner = replace(owner, client_id=client_id)
    errors = ValidationErrors(request.field_errors)
    link = build_link(services, caller, request, owner, errors)

    def work(unit: UnitOfWork) -> PaymentLink:
        if unit.api_keys.get_client(owner.client_id) is None:
            raise NotFound("Client not found")
        unit.leases.lock(f"payment links:{owner.client_id}")
        if unit.payment_links.count(OwnerFilter(owner.client_id, owner.mode)) >= MAX_LINKS:
            raise InvalidStatus(
                f"A client has at most {MAX_LINKS} payment links in each mode",
                ErrorCode.LIMIT_REACHED,
            )
        unit.payment_links.add(link)
        _audit(
            unit, caller, "payment link created", link, link.created_at, None, _audit_fields(link)
        )
        in_transaction(unit, link)
        return link

    return services.store.write(work)


def build_link(
    services: Services,
    caller: Principal,
    request: LinkRequest,
    owner: Owner,
    errors: ValidationErrors,
) -> PaymentLink:
    """A new payment link of an owner, not stored so far. Raises `InvalidInput` with these errors
    and its own."""
    new_link = _new_link(services, caller, request, owner, errors)
    return _apply_request(services, caller, new_link, request, errors)


def update(
    services: Services, caller: Principal, link_id: str, request: LinkRequest
) -> PaymentLink:
    """Update a payment link; existing payments are not affected. Raises `InvalidInput`."""
    caller.require_scope(Scope.WRITE)
    now = services.clock.now()

    def work(unit: UnitOfWork) -> PaymentLink:
        before = require_owned(caller, unit.payment_links.lock(link_id))
        errors = ValidationErrors(request.field_errors)
        for name in ("destination_chain", "token_out", "recipient"):
            if getattr(request, name) is not None:
                errors.add(f"{name} cannot be changed: create a new payment link")
        after = _apply_request(services, caller.in_mode_of(before), before, request, errors)
        after = replace(after, updated_at=now)
        old_values, new_values = diff_fields(_audit_fields(before), _audit_fields(after))
        if new_values:
            unit.payment_links.update(after)
            _audit(unit, caller, "payment link changed", after, now, old_values, new_values)
        return after

    return services.store.write(work)


def get(services: Services, caller: Principal, link_id: str) -> PaymentLink:
    """One of the caller's payment links; operators read every link."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return require_owned(caller, unit.payment_links.get(link_id))


def list_page(
    services: Services,
    caller: Principal,
    limit: int,
    after: str | None = None,
    client_id: str | None = None,
    period: Period = EVER,
) -> list[PaymentLink]:
    """One page of the caller's payment links created in a period, newest first, after the link with
    id `after`; for staff those of one client, if given."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    with services.store.read() as unit:
        before = None if after is None else unit.payment_links.get(after)
        if after is not None and (before is None or not caller.can_access(before)):
            raise InvalidInput("cursor must be the next cursor of another page")
        owners = caller.narrow(OwnerFilter(client_id))
        return unit.payment_links.list_page(owners, limit, before, period)


def list_uses(
    services: Services, caller: Principal, link_id: str, limit: int, before_id: int | None = None
) -> list[tuple[LinkUse, Intent]]:
    """The uses of a link with their intents, newest first."""
    caller.require_scope(Scope.READ)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    with services.store.read() as unit:
        require_owned(caller, unit.payment_links.get(link_id))
        uses = unit.payment_links.list_uses(link_id, limit, before_id)
        intents = unit.intents.get_many([use.intent_id for use in uses])
    return [(use, intents[use.intent_id]) for use in uses if use.intent_id in intents]


def require_owned(caller: Principal, link: PaymentLink | None) -> PaymentLink:
    """The link, if the caller may access it; else raises `NotFound`."""
    if link is None or not caller.can_access(link):
        raise NotFound("Payment link not found", ErrorCode.PAYMENT_LINK_NOT_FOUND)
    return link


def _new_link(
    services: Services,
    caller: Principal,
    request: LinkRequest,
    owner: Owner,
    errors: ValidationErrors,
) -> PaymentLink:
    """A link with the requested destination, and defaults for all other fields. Where the
    destination is refused it is empty: the link only serves to check the other fields."""
    token, recipient = _parse_destination(services, caller, request, errors)
    now = services.clock.now()
    return PaymentLink(
        id=f"pl_{secrets.token_hex(10)}",
        client_id=owner.client_id,
        mode=owner.mode.value,
        title="",
        description="",
        amount=None,
        min_amount=None,
        max_amount=None,
        destination_chain=token.chain if token else "",
        token_out=token.address if token else "",
        recipient=recipient or "",
        source_chains=(),
        source_tokens=(),
        reference="",
        metadata={},
        max_uses=None,
        uses=0,
        expires_at=None,
        active=True,
        created_at=now,
        updated_at=now,
    )


def _parse_token_out(
    services: Services, caller: Principal, destination: Chain, address: object
) -> Token:
    if address is None:
        return services.catalogue.token(destination.id, "USDC", "token_out")
    return parse_token(services, caller, destination, address, "token_out")


def _parse_destination(
    services: Services, caller: Principal, request: LinkRequest, errors: ValidationErrors
) -> tuple[Token | None, str | None]:
    """The payout token and the recipient; None where they are refused."""
    disabled = active_kill_switches(services)
    destination = errors.collect(
        parse_chain, services, caller, disabled, request.destination_chain, "destination_chain"
    )
    token: Token | None = None
    recipient: str | None = None
    if destination is not None:
        token = errors.collect(_parse_token_out, services, caller, destination, request.token_out)
        recipient = errors.collect(
            parse_payable_address, services, destination, request.recipient, "recipient"
        )
    if request.title is None:
        errors.add("title is required", ErrorCode.PARAMETER_MISSING)
    return token, recipient


def _apply_request(
    services: Services,
    caller: Principal,
    link: PaymentLink,
    request: LinkRequest,
    errors: ValidationErrors,
) -> PaymentLink:
    parser = LinkFieldParser(request, errors)
    token = services.catalogue.by_address.get((link.destination_chain, link.token_out))
    updated = replace(
        link,
        title=parser.text("title", link.title, MAX_TITLE_LENGTH, min_length=1),
        description=parser.text(
            "description", link.description, MAX_DESCRIPTION_LENGTH, multiline=True
        ),
        reference=parser.text("reference", link.reference, MAX_REFERENCE_LENGTH),
        amount=parser.amount("amount", link.amount, token),
        min_amount=parser.amount("min_amount", link.min_amount, token),
        max_amount=parser.amount("max_amount", link.max_amount, token),
        source_chains=parser.name_list(
            "source_chains",
            link.source_chains,
            lambda n: _parse_source_chain(services, caller, n, link).id,
        ),
        source_tokens=parser.name_list(
            "source_tokens",
            link.source_tokens,
            lambda n: services.catalogue.symbol(n, "source_tokens"),
        ),
        metadata=parser.json_object("metadata", link.metadata),
        max_uses=parser.count("max_uses", link.max_uses),
        expires_at=parser.timestamp("expires_at", link.expires_at, services.clock.now()),
        active=parser.boolean("active", link.active),
    )
    _check_amounts(updated, errors)
    errors.raise_if_any()
    return updated


def _check_amounts(link: PaymentLink, errors: ValidationErrors) -> None:
    if link.amount is not None and (link.min_amount or link.max_amount):
        errors.add("min_amount and max_amount are for links without an amount")
    if link.min_amount and link.max_amount and link.min_amount > link.max_amount:
        errors.add("min_amount must not be above max_amount")


def _parse_source_chain(
    services: Services, caller: Principal, name: object, link: PaymentLink
) -> Chain:
    chain = parse_chain(services, caller, (), name, "source_chains")
    destination = services.catalogue.chains.get(link.destination_chain)
    if destination is not None and chain.testnet != destination.testnet:
        raise InvalidInput(
            f"source_chains: {chain.id} and {destination.id} are of different networks"
        )
    return chain


def _audit_fields(link: PaymentLink) -> dict[str, Any]:
    """The fields of a link that the audit log records."""
    fields = asdict(link)
    for name in ("id", "uses", "reserved", "created_at", "updated_at"):
        del fields[name]
    expires_at = link.expires_at
    return {**fields, "expires_at": expires_at.isoformat() if expires_at else None}


def _audit(
    unit: UnitOfWork,
    caller: Principal,
    action: str,
    link: PaymentLink,
    at: datetime,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> None:
    detail, subject = {"title": link.title}, f"payment_link:{link.id}"
    unit.audit_log.record(caller.actor_name, action, detail, at, subject, before, after)
