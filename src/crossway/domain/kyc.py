"""KYC: tiers, limits, and whether a user may place an order."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

RequirementType = Literal["text", "date", "email", "phone", "document", "enum"]


class KycType(StrEnum):
    """The level of identification, lowest first."""

    NONE = "none"
    BASIC = "basic"
    ADVANCED = "advanced"


class KycStatus(StrEnum):
    """The status of the current level's check."""

    NOT_STARTED = "not_started"
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


KYC_TYPES = (KycType.NONE, KycType.BASIC, KycType.ADVANCED)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One field or document a tier requires; a `sensitive` value is never shown in full again."""

    key: str
    label: str
    type: RequirementType
    required: bool = True
    pattern: str = ""
    options: tuple[str, ...] = ()
    sensitive: bool = True


@dataclass(frozen=True, slots=True)
class Tier:
    """The limit of one KYC level, in micro-USD per order or calendar month (UTC)."""

    kyc_type: KycType
    limit_micro_usd: int
    period: Literal["order", "month"]
    requirements: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class VerificationStatus:
    """A provider's verification status of a user: the level and its status."""

    kyc_type: KycType = KycType.NONE
    status: KycStatus = KycStatus.NOT_STARTED
    verification_url: str = ""
    submitted: frozenset[str] = field(default_factory=frozenset)
    reason: str = ""

    @property
    def passed(self) -> KycType:
        """The approved level; while a higher level is checked, the one below it holds."""
        if self.status is KycStatus.APPROVED:
            return self.kyc_type
        if self.status in (KycStatus.PENDING, KycStatus.REJECTED):
            return KYC_TYPES[max(KYC_TYPES.index(self.kyc_type) - 1, 0)]
        return KycType.NONE


@dataclass(frozen=True, slots=True)
class KycContext:
    """What an assessment is about.

    `email` is masked. `order_micro_usd` is the value of the order (None without one),
    `used_micro_usd` that of this month's orders so far with the client that asks, and
    `used_elsewhere_micro_usd` with all others: it counts, and is never shown to a client.
    `provider_hosted`: the provider verifies identities on its own page.
    """

    provider: str
    email: str
    customer_id: str | None
    country: str
    currency: str
    used_micro_usd: int
    order_micro_usd: int | None = None
    provider_hosted: bool = False
    used_elsewhere_micro_usd: int = 0


USED_ELSEWHERE = "The rest of this user's limit with the provider is used by other orders"


@dataclass(frozen=True, slots=True)
class KycAssessment:
    """The result of a KYC assessment.

    The limit is that of the approved level, per order or `monthly`; `remaining_micro_usd` is what
    the orders of the client that asks leave of it. `required` is the lowest level
    that permits the order (None without an order or when no level does), `can_proceed` whether it
    is approved. `blocked`: no further submission can help. `missing` leads to the required level,
    or to the next one.
    """

    subject: KycContext
    kyc_type: KycType
    status: KycStatus
    limit_micro_usd: int
    remaining_micro_usd: int
    monthly: bool
    required: KycType | None
    can_proceed: bool | None
    blocked: bool
    missing: tuple[Requirement, ...]
    verification_url: str
    reason: str


def month_start(now: datetime) -> datetime:
    """The start of the calendar month of an instant (UTC)."""
    return now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def remaining_limit(tier: Tier | None, used_micro_usd: int) -> int:
    """The maximum value of one more order under a tier, in micro-USD."""
    if tier is None:
        return 0
    used = used_micro_usd if tier.period == "month" else 0
    return max(tier.limit_micro_usd - used, 0)


def highest_passed_tier(tiers: Sequence[Tier], passed: KycType) -> Tier | None:
    """The highest tier whose level does not exceed the approved one."""
    passed_tiers = [tier for tier in tiers if _rank(tier.kyc_type) <= _rank(passed)]
    return max(passed_tiers, key=lambda tier: _rank(tier.kyc_type), default=None)


def required_tier(tiers: Sequence[Tier], used_micro_usd: int, order_micro_usd: int) -> Tier | None:
    """The lowest tier that permits an order of this value, or None."""
    sufficient = [
        tier for tier in tiers if remaining_limit(tier, used_micro_usd) >= order_micro_usd
    ]
    return min(sufficient, key=lambda tier: _rank(tier.kyc_type), default=None)


def requirements_between(
    tiers: Sequence[Tier], passed: KycType, target: KycType | None
) -> tuple[Requirement, ...]:
    """The requirements of the levels above the approved one up to a target, without repeats."""
    by_key: dict[str, Requirement] = {}
    for tier in sorted(tiers, key=lambda tier: _rank(tier.kyc_type)):
        if target is not None and _rank(passed) < _rank(tier.kyc_type) <= _rank(target):
            for requirement in tier.requirements:
                by_key.setdefault(requirement.key, requirement)
    return tuple(by_key.values())


def missing_requirements(
    requirements: Sequence[Requirement], submitted_keys: Collection[str]
) -> tuple[Requirement, ...]:
    """The required fields that were not submitted."""
    return tuple(
        requirement
        for requirement in requirements
        if requirement.required and requirement.key not in submitted_keys
    )


def highest_complete_type(
    tiers: Sequence[Tier], passed: KycType, submitted_keys: Collection[str]
) -> KycType | None:
    """The highest level whose requirements are all submitted; None when the next is not."""
    highest = None
    for kyc_type in KYC_TYPES[_rank(passed) + 1 :]:
        requirements = requirements_between(tiers, passed, kyc_type)
        if not requirements or missing_requirements(requirements, submitted_keys):
            break
        if any(tier.kyc_type is kyc_type for tier in tiers):
            highest = kyc_type
    return highest


def next_type(tiers: Sequence[Tier], passed: KycType) -> KycType | None:
    """The level after the approved one, or None."""
    above = [tier.kyc_type for tier in tiers if _rank(tier.kyc_type) > _rank(passed)]
    return min(above, key=_rank, default=None)


def assess_kyc(
    subject: KycContext,
    tiers: Sequence[Tier],
    verification: VerificationStatus,
    submitted_keys: Collection[str],
) -> KycAssessment:
    """Assess a user; `submitted_keys` are the keys submitted to the provider."""
    tier, order_value = highest_passed_tier(tiers, verification.passed), subject.order_micro_usd
    used = subject.used_micro_usd + subject.used_elsewhere_micro_usd
    rejected = verification.status is KycStatus.REJECTED
    required = None if order_value is None else required_tier(tiers, used, order_value)
    target = required.kyc_type if required else next_type(tiers, verification.passed)
    if subject.provider_hosted:
        allows = required is not None and not rejected
    else:
        allows = order_value is not None and remaining_limit(tier, used) >= order_value
    remaining = remaining_limit(tier, subject.used_micro_usd)
    fits_own = order_value is not None and remaining >= order_value
    cannot_advance = target is None or (rejected and _rank(verification.kyc_type) <= _rank(target))
    if order_value is None:
        blocked = remaining == 0 and cannot_advance
    else:
        blocked = not allows and (required is None or cannot_advance)
    return KycAssessment(
        subject=subject,
        kyc_type=verification.kyc_type,
        status=verification.status,
        limit_micro_usd=tier.limit_micro_usd if tier else 0,
        remaining_micro_usd=remaining,
        monthly=tier is not None and tier.period == "month",
        required=required.kyc_type if required else None,
        can_proceed=None if order_value is None else allows,
        blocked=blocked,
        missing=()
        if subject.provider_hosted
        else _missing(tiers, verification, submitted_keys, target),
        verification_url=verification.verification_url,
        reason=verification.reason or (USED_ELSEWHERE if fits_own and not allows else ""),
    )


def _missing(
    tiers: Sequence[Tier],
    verification: VerificationStatus,
    submitted_keys: Collection[str],
    target: KycType | None,
) -> tuple[Requirement, ...]:
    """What is still to be submitted for a level."""
    keys = {*submitted_keys, *verification.submitted}
    if verification.status is KycStatus.REJECTED and verification.submitted:
        keys = set(verification.submitted)  # Rejected fields must be submitted again.
    return missing_requirements(requirements_between(tiers, verification.passed, target), keys)


def _rank(kyc_type: KycType) -> int:
    return KYC_TYPES.index(kyc_type)
