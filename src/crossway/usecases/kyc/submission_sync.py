"""Sending stored KYC submissions to providers, with retries until the provider answers."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from crossway.domain.clients import Owner
from crossway.domain.errors import Unreachable
from crossway.domain.kyc import (
    KycStatus,
    Requirement,
    Tier,
    VerificationStatus,
    highest_complete_type,
    next_type,
    requirements_between,
)
from crossway.ports.ramp_repository import KycSubmission, KycSubmissionSync
from crossway.ports.ramps import Capabilities, Document, KycUser, ProviderRejected, RampProvider
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.ramp_provider_calls import call_with_timeout, find_provider

KYC_QUEUE = "KYC"
LEASE = timedelta(seconds=60)
MAX_RETRY_DELAY = timedelta(hours=1)
REJECTED_REASON = "The provider rejected the submission; correct it and submit it again"


def get_tiers(capabilities: Capabilities, country: str) -> tuple[Tier, ...]:
    """The tiers of a provider in a country."""
    return capabilities.tiers.get(country, capabilities.tiers.get("", ()))


def list_requirements(tiers: Sequence[Tier]) -> tuple[Requirement, ...]:
    """The requirements of all tiers without duplicates."""
    requirements = {item.key: item for tier in tiers for item in tier.requirements}
    return tuple(requirements.values())


def with_pending_submission(
    status: VerificationStatus, tiers: Sequence[Tier], sync: KycSubmissionSync | None
) -> VerificationStatus:
    """The provider's status, adjusted for a submission that is still unsent or was rejected."""
    tier_above = next_type(tiers, status.passed)
    if sync is None or tier_above is None:
        return status
    if sync.next_at is None:
        return replace(
            status, kyc_type=tier_above, status=KycStatus.REJECTED, reason=REJECTED_REASON
        )
    return replace(status, kyc_type=tier_above, status=KycStatus.PENDING)


def fetch_kyc_status(
    services: Services, provider: RampProvider, user: KycUser, country: str
) -> VerificationStatus:
    """The provider's status of a user. Raises `Unreachable` after the timeout."""
    return call_with_timeout(
        services, provider, lambda: read_kyc_status(services, provider, user, country), KYC_QUEUE
    )


def read_kyc_status(
    services: Services, provider: RampProvider, user: KycUser, country: str
) -> VerificationStatus:
    """The provider's status of a user, without a timeout. A provider that knows people by their
    address alone is asked only about those whom the owner handed in: it would answer with what
    another client did."""
    if provider.verifies_by_email_alone and not _has_submitted(services, provider, user, country):
        return VerificationStatus()
    return provider.get_kyc_status(user, country)


def _has_submitted(services: Services, provider: RampProvider, user: KycUser, country: str) -> bool:
    with services.store.read() as unit:
        customer = unit.kyc_customers.find(user.owner, services.vault.blind_index(user.email))
        return customer is not None and bool(
            unit.kyc_customers.list_submitted_fields(customer.id, provider.name, country)
        )


def submit_to_provider(
    services: Services, provider: RampProvider, sync: KycSubmissionSync
) -> VerificationStatus:
    """Send the fields and documents of all complete tiers above the approved one; returns the
    provider's status. Raises `Unreachable`, after which it is retried, or `ProviderRejected`."""
    with services.store.read() as unit:
        customer = unit.kyc_customers.get(sync.customer_id)
        submissions = unit.kyc_customers.list_submissions(
            sync.customer_id, provider.name, sync.country
        )
    status = VerificationStatus()
    if customer is not None and customer.encrypted_email is not None and submissions:
        email = services.vault.decrypt(customer.encrypted_email).decode()
        user = KycUser(email, Owner(customer.client_id, customer.mode))
        status = _send_submissions(services, provider, user, sync.country, submissions)
    services.store.write(lambda unit: unit.kyc_customers.delete_sync(sync.sync_id))
    return status


def _send_submissions(
    services: Services,
    provider: RampProvider,
    user: KycUser,
    country: str,
    submissions: Sequence[KycSubmission],
) -> VerificationStatus:
    status = fetch_kyc_status(services, provider, user, country)
    tiers, passed = get_tiers(provider.capabilities, country), status.passed
    target = highest_complete_type(tiers, passed, {submission.field for submission in submissions})
    requested = {requirement.key for requirement in requirements_between(tiers, passed, target)}
    decrypted = [
        (submission, services.vault.decrypt(submission.encrypted_value))
        for submission in submissions
        if submission.field in requested
    ]
    if not decrypted:
        return status
    fields = {
        submission.field: json.loads(value)
        for submission, value in decrypted
        if not submission.media_type
    }
    documents = [
        Document(submission.field, submission.media_type, value)
        for submission, value in decrypted
        if submission.media_type
    ]
    return call_with_timeout(
        services,
        provider,
        lambda: provider.submit_kyc(user, country, fields, documents),
        KYC_QUEUE,
    )


def record_rejection(services: Services, sync: KycSubmissionSync) -> None:
    """Record that a provider rejected a submission. Its reason is not stored, as it may repeat
    personal data."""
    rejected = replace(sync, next_at=None)
    services.store.write(lambda unit: unit.kyc_customers.update_sync(rejected))


def submit_due(services: Services, limit: int = 10) -> int:
    """Retry due submissions and return how many were leased. Run by the engine; safe to run in
    several processes."""
    now = services.clock.now()

    def lease(unit: UnitOfWork) -> list[KycSubmissionSync]:
        return unit.kyc_customers.lease_due_syncs(now, limit, now + LEASE)

    with services.store.read() as unit:
        if not unit.kyc_customers.has_due_syncs(now):
            return 0
    due_syncs = services.store.write(lease)
    for sync in due_syncs:
        _retry(services, sync)
    return len(due_syncs)


def _retry(services: Services, sync: KycSubmissionSync) -> None:
    provider = find_provider(services, sync.provider)
    if provider is None:
        return  # It becomes due again after its lease, should the provider be configured again.
    try:
        submit_to_provider(services, provider, sync)
    except ProviderRejected:
        record_rejection(services, sync)
    except Unreachable:
        delay = min(LEASE * 2 ** min(sync.attempt_count, 10), MAX_RETRY_DELAY)
        rescheduled = replace(
            sync, attempt_count=sync.attempt_count + 1, next_at=services.clock.now() + delay
        )
        services.store.write(lambda unit: unit.kyc_customers.update_sync(rescheduled))
