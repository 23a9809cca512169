"""Identity checks: tiers, limits, what a transaction requires, and whether it can proceed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

RequirementType = Literal["text", "date", "email", "phone", "document", "enum"]


class KycType(StrEnum):
    """How far somebody is identified, least first."""

    NONE = "none"
    BASIC = "basic"
    ADVANCED = "advanced"


class KycStatus(StrEnum):
    """Where the check of the current type stands."""

    NOT_STARTED = "not_started"
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"


ORDERED = (KycType.NONE, KycType.BASIC, KycType.ADVANCED)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing a provider wants to know for a tier; `sensitive` is never shown whole again."""

    key: str
    label: str
    type: RequirementType
    required: bool = True
    pattern: str = ""
    options: tuple[str, ...] = ()
    sensitive: bool = True


@dataclass(frozen=True, slots=True)
class Tier:
    """What one type of check allows, in micro-USD for an order or a calendar month (UTC)."""

    kyc_type: KycType
    max_micro_usd: int
    period: Literal["order", "month"]
    requirements: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """What a provider says of a person: the type under check or reached, and its status."""

    kyc_type: KycType = KycType.NONE
    status: KycStatus = KycStatus.NOT_STARTED
    verification_url: str = ""
    submitted: frozenset[str] = field(default_factory=frozenset)
    reason: str = ""

    @property
    def passed(self) -> KycType:
        """The type that is approved. While a higher one is under check the lower one holds."""
        if self.status is KycStatus.APPROVED:
            return self.kyc_type
        if self.status in (KycStatus.PENDING, KycStatus.REJECTED):
            return ORDERED[max(ORDERED.index(self.kyc_type) - 1, 0)]
        return KycType.NONE


@dataclass(frozen=True, slots=True)
class Subject:
    """Whose identity is judged, for what: `email` is masked, `worth_micro_usd` what an order would
    be worth (None: no order in mind), `used_micro_usd` what this month's orders are already.

    `elsewhere` says that the provider checks identities on its own page.
    """

    provider: str
    email: str
    person_id: str | None
    country: str
    currency: str
    used_micro_usd: int
    worth_micro_usd: int | None = None
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class KycState:
    """Where somebody stands with a provider, and what that allows (wire.md §5).

    The limit is what the check that was passed allows, for each order or `monthly`. `required` is
    the least check that lets the order go, `can_proceed` whether it is passed; both None without
    an order in mind, and `required` None as well when no check allows so much. `blocked`: nothing
    that the person could still hand in helps. `missing` leads to the required check, or the next.
    """

    subject: Subject
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
    """When the calendar month of an instant began (UTC)."""
    return now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def room(tier: Tier | None, used_micro_usd: int) -> int:
    """What one more order may be worth under a tier, in micro-USD."""
    if tier is None:
        return 0
    used = used_micro_usd if tier.period == "month" else 0
    return max(tier.max_micro_usd - used, 0)


def tier_of(tiers: Sequence[Tier], passed: KycType) -> Tier | None:
    """The tier that holds for who passed this check: the highest that asks for no more."""
    held = [tier for tier in tiers if _rank(tier.kyc_type) <= _rank(passed)]
    return max(held, key=lambda tier: _rank(tier.kyc_type), default=None)


def required_tier(tiers: Sequence[Tier], used_micro_usd: int, worth_micro_usd: int) -> Tier | None:
    """The least tier that lets an order of this worth go; None when none does."""
    enough = [tier for tier in tiers if room(tier, used_micro_usd) >= worth_micro_usd]
    return min(enough, key=lambda tier: _rank(tier.kyc_type), default=None)


def asked_for(
    tiers: Sequence[Tier], passed: KycType, target: KycType | None
) -> tuple[Requirement, ...]:
    """What the checks above the one that is passed ask for, up to a target, each thing once."""
    found: dict[str, Requirement] = {}
    for tier in sorted(tiers, key=lambda tier: _rank(tier.kyc_type)):
        if target is not None and _rank(passed) < _rank(tier.kyc_type) <= _rank(target):
            for requirement in tier.requirements:
                found.setdefault(requirement.key, requirement)
    return tuple(found.values())


def missing_of(asked: Sequence[Requirement], handed_in: Collection[str]) -> tuple[Requirement, ...]:
    """Those of what is asked for that must be handed in and are not."""
    return tuple(one for one in asked if one.required and one.key not in handed_in)


def complete_type(
    tiers: Sequence[Tier], passed: KycType, handed_in: Collection[str]
) -> KycType | None:
    """The highest check for which everything is handed in; None when the next one lacks some."""
    found = None
    for kyc_type in ORDERED[_rank(passed) + 1 :]:
        asked = asked_for(tiers, passed, kyc_type)
        if not asked or missing_of(asked, handed_in):
            break
        if any(tier.kyc_type is kyc_type for tier in tiers):
            found = kyc_type
    return found


def next_type(tiers: Sequence[Tier], passed: KycType) -> KycType | None:
    """The next check above the one that is passed."""
    above = [tier.kyc_type for tier in tiers if _rank(tier.kyc_type) > _rank(passed)]
    return min(above, key=_rank, default=None)


def judge(
    subject: Subject, tiers: Sequence[Tier], standing: Standing, handed_in: Collection[str]
) -> KycState:
    """The state of a person: `handed_in` are the keys of what the provider was given."""
    held, used = tier_of(tiers, standing.passed), subject.used_micro_usd
    worth = subject.worth_micro_usd
    rejected = standing.status is KycStatus.REJECTED
    required = None if worth is None else required_tier(tiers, used, worth)
    target = required.kyc_type if required else next_type(tiers, standing.passed)
    if subject.elsewhere:
        allows = required is not None and not rejected
    else:
        allows = worth is not None and room(held, used) >= worth
    remaining = room(held, used)
    stuck = target is None or (rejected and _rank(standing.kyc_type) <= _rank(target))
    if worth is None:
        blocked = remaining == 0 and stuck
    else:
        blocked = not allows and (required is None or stuck)
    known = {*handed_in, *standing.submitted}
    if rejected and standing.submitted:
        known = set(standing.submitted)  # What it did not take is to be handed in again.
    missing = missing_of(asked_for(tiers, standing.passed, target), known)
    return KycState(
        subject=subject,
        kyc_type=standing.kyc_type,
        status=standing.status,
        limit_micro_usd=held.max_micro_usd if held else 0,
        remaining_micro_usd=remaining,
        monthly=held is not None and held.period == "month",
        required=required.kyc_type if required else None,
        can_proceed=None if worth is None else allows,
        blocked=blocked,
        missing=() if subject.elsewhere else missing,
        verification_url=standing.verification_url,
        reason=standing.reason,
    )


def _rank(kyc_type: KycType) -> int:
    return ORDERED.index(kyc_type)
