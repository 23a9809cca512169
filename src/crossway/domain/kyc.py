"""Identity checks: tiers, limits, what a transaction requires, and whether it can proceed."""

from dataclasses import dataclass, field
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
