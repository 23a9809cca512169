"""KYC: assessing customers against order amounts, and their submissions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import uuid4

from crossway.domain.clients import Owner, Principal, Scope
from crossway.domain.errors import FieldError, InvalidStatus, KycRequired, Unreachable
from crossway.domain.kyc import (
    KycAssessment,
    KycContext,
    Tier,
    VerificationStatus,
    assess_kyc,
    month_start,
)
from crossway.domain.kyc_fields import mask_email, parse_document, parse_email, parse_values
from crossway.domain.ramps import ProviderName
from crossway.domain.roles import Permission
from crossway.ports.ramp_repository import (
    KycSubmission,
    KycSubmissionSync,
    KycUsage,
)
from crossway.ports.ramps import Document, KycUser, ProviderRejected
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.kyc.checks import record_assessment
from crossway.usecases.kyc.corridors import (
    KycCorridor,
    parse_kyc_query,
    parse_provider,
    parse_submission_target,
    resolve_corridor,
)
from crossway.usecases.kyc.customers import get_or_create_customer
from crossway.usecases.kyc.submission_sync import (
    LEASE,
    fetch_kyc_status,
    list_requirements,
    read_kyc_status,
    record_rejection,
    submit_to_provider,
    with_pending_submission,
)

DOCUMENT_HINT = "send the file itself, one request a document"


@dataclass(frozen=True, slots=True)
class KycRequirements:
    """What a provider requires in a country, by tier. `verifies` is `widget` when the provider
    collects it on its own page."""

    provider: ProviderName
    country: str
    currency: str
    tiers: tuple[Tier, ...]
    verifies: Literal["here", "widget"]


def assess_customer(
    services: Services,
    caller: Principal,
    provider: object,
    email: object,
    country: object,
    currency: object,
    amount: object = None,
    amount_field: str = "cryptoAmount",
) -> KycAssessment:
    """A customer's KYC assessment with a provider; with an `amount` in USDC also whether an order
    of that amount can proceed. What it tells is recorded for the list of checks, unless the caller
    may only look."""
    corridor, parsed_email, amount_micro_usd = parse_kyc_query(
        services, provider, email, country, currency, amount, amount_field
    )
    user = KycUser(parsed_email, caller.owner)
    status = fetch_kyc_status(services, corridor.provider, user, corridor.country)
    assessment = _assess(services, corridor, user, amount_micro_usd, status)
    may_work = caller.can(Permission.OPERATE) if caller.is_staff else Scope.WRITE in caller.scopes
    if may_work:
        record_assessment(services, assessment)
    return assessment


def assess_order(
    services: Services,
    caller: Principal,
    provider: ProviderName,
    email: str | None,
    country: str,
    currency: str,
    order_micro_usd: int,
) -> KycAssessment:
    """The assessment for an order about to be created, with validated arguments. Without an e-mail
    address it is that of an unknown customer. The provider call has no timeout here: callers
    outside the executor must bound it."""
    corridor = KycCorridor(parse_provider(services, provider), country, currency)
    if email is None:
        unknown = _context(corridor, "", None, KycUsage(), order_micro_usd)
        return assess_kyc(unknown, corridor.tiers, VerificationStatus(), ())
    user = KycUser(parse_email(email), caller.owner)
    status = read_kyc_status(services, corridor.provider, user, country)
    return _assess(services, corridor, user, order_micro_usd, status)


def recheck_limit(
    services: Services, unit: UnitOfWork, assessment: KycAssessment, customer_id: str
) -> None:
    """Check the monthly limit again in the transaction that stores an order, as other orders may
    have used it meanwhile, those of other clients too. Locks the customer; raises `KycRequired`
    when too little is left."""
    context = assessment.subject
    if not assessment.monthly or context.order_micro_usd is None or context.provider_hosted:
        return
    customer = unit.kyc_customers.lock(customer_id)
    if customer is None or customer.email_index is None:
        raise InvalidStatus("The user's data was just erased; try again")
    owner, month = Owner(customer.client_id, customer.mode), month_start(services.clock.now())
    usage = unit.kyc_customers.get_usage(owner, customer.email_index, context.provider, month)
    if usage.person_micro_usd + context.order_micro_usd > assessment.limit_micro_usd:
        remaining = max(assessment.limit_micro_usd - usage.own_micro_usd, 0)
        raise KycRequired(
            "Another order of this user has used up the limit of their identity check",
            replace(assessment, can_proceed=False, remaining_micro_usd=remaining),
        )


def get_requirements(
    services: Services, caller: Principal, provider: object, country: object, currency: object
) -> KycRequirements:
    """A provider's KYC requirements by tier."""
    corridor = resolve_corridor(services, provider, country, currency)
    capabilities = corridor.provider.capabilities
    return KycRequirements(
        capabilities.name,
        corridor.country,
        corridor.currency,
        corridor.tiers,
        capabilities.kyc_mode,
    )


def submit_kyc(
    services: Services,
    caller: Principal,
    provider: object,
    email: object,
    country: object,
    fields: object,
    documents: Sequence[Document] = (),
    currency: object = None,
    field_errors: Sequence[FieldError] = (),
) -> KycAssessment:
    """Submit any part of the required fields and documents. They are stored encrypted and sent to
    the provider once a tier is complete, with retries when the provider does not answer."""
    corridor, parsed_email = parse_submission_target(
        services, provider, email, country, currency, field_errors
    )
    requirements = list_requirements(corridor.tiers)
    today = services.clock.now().date()
    values: Mapping[str, str] = {}
    if fields or not documents:
        values = parse_values(requirements, fields, today, DOCUMENT_HINT)
    values_to_store = [(key, "", json.dumps(value).encode()) for key, value in values.items()]
    for document in documents:
        key = parse_document(requirements, document.key, document.media_type, document.content)
        values_to_store.append((key, document.media_type, document.content))
    user = KycUser(parsed_email, caller.owner)
    return _store_and_submit(services, caller, corridor, user, values_to_store)


def add_document(
    services: Services,
    caller: Principal,
    provider: object,
    email: object,
    country: object,
    key: object,
    media_type: object,
    content: bytes,
    currency: object = None,
) -> KycAssessment:
    """Submit one document; its media type is checked against its content."""
    corridor, parsed_email = parse_submission_target(services, provider, email, country, currency)
    requirement_key = parse_document(list_requirements(corridor.tiers), key, media_type, content)
    document = (requirement_key, str(media_type), content)
    user = KycUser(parsed_email, caller.owner)
    return _store_and_submit(services, caller, corridor, user, [document])


def _assess(
    services: Services,
    corridor: KycCorridor,
    user: KycUser,
    amount_micro_usd: int | None,
    status: VerificationStatus,
) -> KycAssessment:
    """Combine the provider's status with this service's usage and submission records."""
    name, country = corridor.provider.name, corridor.country
    index, month = services.vault.blind_index(user.email), month_start(services.clock.now())
    with services.store.read() as unit:
        usage = unit.kyc_customers.get_usage(user.owner, index, name, month)
        customer = unit.kyc_customers.find(user.owner, index)
        if customer is None:
            context = _context(corridor, user.email, None, usage, amount_micro_usd)
            return assess_kyc(context, corridor.tiers, status, ())
        sync = unit.kyc_customers.get_sync(customer.id, name, country)
        submitted = unit.kyc_customers.list_submitted_fields(customer.id, name, country)
    context = _context(corridor, user.email, customer.id, usage, amount_micro_usd)
    current_status = with_pending_submission(status, corridor.tiers, sync)
    return assess_kyc(context, corridor.tiers, current_status, submitted)


def _context(
    corridor: KycCorridor,
    email: str,
    customer_id: str | None,
    usage: KycUsage,
    amount_micro_usd: int | None,
) -> KycContext:
    return KycContext(
        provider=corridor.provider.name,
        email=mask_email(email) if email else "",
        customer_id=customer_id,
        country=corridor.country,
        currency=corridor.currency,
        used_micro_usd=usage.own_micro_usd,
        order_micro_usd=amount_micro_usd,
        provider_hosted=corridor.in_widget,
        used_elsewhere_micro_usd=usage.person_micro_usd - usage.own_micro_usd,
    )


def _store_and_submit(
    services: Services,
    caller: Principal,
    corridor: KycCorridor,
    user: KycUser,
    values_to_store: Sequence[tuple[str, str, bytes]],
) -> KycAssessment:
    """Store values (key, media type, content), then submit them to the provider."""
    caller.require_scope(Scope.WRITE)
    customer_id = get_or_create_customer(services, user.owner, user.email).id
    sync = _store_submissions(services, caller, corridor, customer_id, values_to_store)
    try:
        status = submit_to_provider(services, corridor.provider, sync)
    except ProviderRejected:
        record_rejection(services, sync)
        raise
    except Unreachable:
        status = VerificationStatus()  # The submission is stored and retried after its lease.
    assessment = _assess(services, corridor, user, None, status)
    record_assessment(services, assessment)
    return assessment


def _store_submissions(
    services: Services,
    caller: Principal,
    corridor: KycCorridor,
    customer_id: str,
    values_to_store: Sequence[tuple[str, str, bytes]],
) -> KycSubmissionSync:
    """Store encrypted values and schedule their submission. Raises `InvalidStatus` when the
    customer was erased meanwhile."""
    name, country, now = corridor.provider.name, corridor.country, services.clock.now()
    submissions = [
        KycSubmission(
            customer_id,
            name,
            country,
            key,
            media_type,
            services.vault.encrypt(value),
            now,
        )
        for key, media_type, value in values_to_store
    ]
    sync = KycSubmissionSync(customer_id, name, country, uuid4().hex, 0, now + LEASE)

    def work(unit: UnitOfWork) -> None:
        locked = unit.kyc_customers.lock(customer_id)
        if locked is None or locked.erased_at is not None:
            raise InvalidStatus("The user's data was just erased; submit everything again")
        unit.kyc_customers.save_submissions(submissions)
        unit.kyc_customers.schedule_sync(sync)
        keys = [key for key, _, _ in values_to_store]
        detail = {"customer": customer_id, "provider": name, "country": country, "keys": keys}
        subject = f"customer:{customer_id}"
        unit.audit_log.record(caller.client.name, "KYC data submitted", detail, now, subject)

    services.store.write(work)
    return sync
