"""The list of identity checks: as last known, recorded whenever a provider is asked."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import NotFound, StorageUnavailable
from crossway.domain.kyc import (
    KycAssessment,
    KycStatus,
    KycType,
    Requirement,
    VerificationStatus,
    missing_requirements,
    next_type,
    requirements_between,
)
from crossway.domain.kyc_fields import mask_email
from crossway.domain.ramps import ProviderName
from crossway.ports.kyc_check_repository import KycCheck, KycCheckFilter
from crossway.ports.ramp_repository import KycCustomer
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.kyc.customers import decrypt_email
from crossway.usecases.kyc.submission_sync import get_tiers, with_pending_submission
from crossway.usecases.ramp_provider_calls import find_provider


@dataclass(frozen=True, slots=True)
class ListedCheck:
    """One check of the list: the customer's masked e-mail address, the next level, and what is
    still to be submitted for it; `hosted` where the provider asks for it on its own page."""

    check: KycCheck
    email: str
    kyc_type: KycType
    status: KycStatus | None
    missing: tuple[Requirement, ...]
    target: KycType | None
    hosted: bool


def list_checks(
    services: Services, caller: Principal, filters: KycCheckFilter, limit: int
) -> list[ListedCheck]:
    """A page of checks, the last changed first. Only the addresses of this page are decrypted, and
    they are masked; no provider is asked."""
    caller.require_scope(Scope.READ)
    narrowed = caller.narrow(filters)
    with services.store.read() as unit:
        checks = unit.kyc_checks.list_page(narrowed, limit)
        customers = unit.kyc_customers.get_many({check.customer_id for check in checks})
        return [
            _listed(services, unit, check, customers.get(check.customer_id)) for check in checks
        ]


def find_place(services: Services, caller: Principal, check_id: int) -> tuple[datetime, int] | None:
    """Where in the list a check stands now; None once it is gone."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        check = unit.kyc_checks.get(check_id)
    return (check.at, check.id) if check else None


def get_check(services: Services, caller: Principal, check_id: int) -> tuple[KycCheck, str]:
    """A check and the whole e-mail address of its customer, for the provider alone: no screen shows
    it. Raises `NotFound`, also once the customer is erased."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        check = unit.kyc_checks.get(check_id)
        customer = unit.kyc_customers.get(check.customer_id) if check else None
    if check is None or customer is None or not caller.can_access(check):
        raise NotFound("No such identity check")
    return check, decrypt_email(services, customer)


def find_check_of_order(
    services: Services, customer_id: str | None, provider: ProviderName, country: str
) -> int | None:
    """The id of the check that an order of this customer depends on; None without any."""
    if customer_id is None:
        return None
    with services.store.read() as unit:
        check = unit.kyc_checks.find(customer_id, provider, country)
    return check.id if check else None


def save_check(
    services: Services, unit: UnitOfWork, customer: KycCustomer, assessment: KycAssessment
) -> None:
    """Record what an assessment found out about a customer."""
    subject = assessment.subject
    check = KycCheck(
        id=0,
        client_id=customer.client_id,
        mode=customer.mode,
        customer_id=customer.id,
        provider=ProviderName(subject.provider),
        country=subject.country,
        currency=subject.currency,
        kyc_type=assessment.kyc_type,
        status=assessment.status,
        at=services.clock.now(),
    )
    unit.kyc_checks.save(check)


def record_assessment(services: Services, assessment: KycAssessment) -> None:
    """Record an assessment if it tells something new. An assessment only reads, so it does not fail
    where nothing can be written."""
    subject = assessment.subject
    if subject.customer_id is None:
        return
    with services.store.read() as unit:
        known = unit.kyc_checks.find(subject.customer_id, subject.provider, subject.country)
    current = (assessment.kyc_type, assessment.status, subject.currency)
    if known is None or (known.kyc_type, known.status, known.currency) != current:
        with suppress(StorageUnavailable):
            services.store.write(lambda unit: _save_unless_erased(services, unit, assessment))


def _save_unless_erased(services: Services, unit: UnitOfWork, assessment: KycAssessment) -> None:
    """Locked, as an erasure at this time removes the checks that it finds."""
    customer_id = assessment.subject.customer_id
    assert customer_id is not None
    unit.kyc_customers.lock(customer_id)
    customer = unit.kyc_customers.get(customer_id)
    if customer is not None and customer.erased_at is None:
        save_check(services, unit, customer, assessment)


def _listed(
    services: Services, unit: UnitOfWork, check: KycCheck, customer: KycCustomer | None
) -> ListedCheck:
    email = decrypt_email(services, customer) if customer else ""
    provider = find_provider(services, check.provider)
    tiers = get_tiers(provider.capabilities, check.country) if provider else ()
    sync = unit.kyc_customers.get_sync(check.customer_id, check.provider, check.country)
    submitted = unit.kyc_customers.list_submitted_fields(
        check.customer_id, check.provider, check.country
    )
    known = VerificationStatus(check.kyc_type, check.status or KycStatus.NOT_STARTED)
    current = with_pending_submission(known, tiers, sync)
    hosted = provider is not None and provider.capabilities.kyc_mode == "widget"
    target = next_type(tiers, current.passed)
    wanted = requirements_between(tiers, current.passed, target)
    return ListedCheck(
        check=check,
        email=mask_email(email) if email else "",
        kyc_type=current.kyc_type,
        status=check.status if sync is None else current.status,
        missing=() if hosted else missing_requirements(wanted, submitted),
        target=target,
        hosted=hosted,
    )
