"""Request and response models of `/v1/ramp/kyc` and `/v1/kyc`."""

from typing import Any, Self

from pydantic import Field, SkipValidation

from crossway.api.schemas.fields import (
    EMAIL_TEXT,
    ExactNumber,
    Model,
    RequestModel,
    country_field,
    currency_field,
    field,
)
from crossway.api.schemas.ramps import PROVIDERS
from crossway.api.schemas.responses import json_decimal
from crossway.domain.kyc import USED_ELSEWHERE, KycAssessment, KycStatus, KycType, Requirement
from crossway.domain.money import MICRO_USD_DECIMALS
from crossway.usecases.kyc.verification import KycRequirements

TYPES = [kind.value for kind in KycType]
STATUSES = [status.value for status in KycStatus]
EMAIL = "ada@example.com"


class RequirementOut(Model):
    """One requirement of a provider."""

    key: str = field("Its name under `fields`, or of a document.", "bvn")
    label: str = field("Its display name.", "Bank verification number")
    type: str = field(
        "Its type.",
        "text",
        extra={"enum": ["text", "date", "email", "phone", "document", "enum"]},
    )
    required: bool = field("Whether the tier requires it.", True)
    pattern: str = field(
        "A regular expression that the whole value matches; empty for none.", "[0-9]{11}"
    )
    options: list[str] = field("The choices of an `enum`; else empty.", [])
    sensitive: bool = field("Whether the value is masked whenever it is returned.", True)

    @classmethod
    def from_requirement(cls, requirement: Requirement) -> Self:
        """One requirement."""
        return cls(
            key=requirement.key,
            label=requirement.label,
            type=requirement.type,
            required=requirement.required,
            pattern=requirement.pattern,
            options=list(requirement.options),
            sensitive=requirement.sensitive,
        )


class TierOut(Model):
    """A verification tier: its limit and its requirements."""

    kycType: str = field("The type.", "basic", extra={"enum": TYPES})
    maxAmountUsd: ExactNumber = field("Maximum amount in US dollars.", 500)
    perPeriod: str = field(
        "Whether the maximum is per order or per calendar month (UTC).",
        "month",
        extra={"enum": ["order", "month"]},
    )
    requirements: list[RequirementOut] = Field(description="What it requires.")


class RequirementsOut(Model):
    """What a provider requires in a country."""

    provider: str = field("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    countryCode: str = country_field()
    fiatCurrency: str = currency_field()
    tiers: list[TierOut] = Field(description="Its tiers, lowest first.")

    @classmethod
    def from_requirements(cls, requirements: KycRequirements) -> Self:
        """What a provider requires in a country."""
        return cls(
            provider=requirements.provider.value,
            countryCode=requirements.country,
            fiatCurrency=requirements.currency,
            tiers=[
                TierOut(
                    kycType=tier.kyc_type.value,
                    maxAmountUsd=json_decimal(tier.limit_micro_usd, MICRO_USD_DECIMALS),
                    perPeriod=tier.period,
                    requirements=[RequirementOut.from_requirement(r) for r in tier.requirements],
                )
                for tier in requirements.tiers
            ],
        )


class KycStateOut(Model):
    """The KYC state of a customer with a provider."""

    provider: str = field("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    userEmail: str = field("The customer's e-mail address, masked.", "a…@e….com")
    countryCode: str = country_field("Country of the transaction.")
    fiatCurrency: str = currency_field()
    currentKycType: str = field(
        "The verified tier, or the one under review.", "basic", extra={"enum": TYPES}
    )
    currentKycStatus: str = field("Status of that check.", "approved", extra={"enum": STATUSES})
    limitUsd: ExactNumber = field("The customer's limit in US dollars.", 500)
    usedUsd: ExactNumber = field("What your orders used of the limit.", 125.5)
    remainingUsd: ExactNumber = field("What your orders leave of the limit.", 374.5)
    requiredKycType: str | None = field(
        "Only with an amount: the tier that it requires; null if it exceeds every limit.",
        "basic",
        default=None,
    )
    canProceed: bool | None = field(
        "Only with an amount: whether the order can proceed now.", True, default=None
    )
    reason: str | None = field(
        "Only where an order within `remainingUsd` cannot proceed: other orders use the limit.",
        USED_ELSEWHERE,
        default=None,
    )
    blocked: bool = field("Whether the customer is blocked.", False)
    missingRequirements: list[str] = field("Requirements not submitted yet.", ["bvn"])
    verificationUrl: str | None = field(
        "The provider's own verification page; null without one.", None
    )

    @classmethod
    def from_assessment(cls, assessment: KycAssessment) -> Self:
        """A person's state; what an order needs is left out unless an amount was given."""
        subject = assessment.subject
        order: dict[str, Any] = {}
        if subject.order_micro_usd is not None:
            required = assessment.required.value if assessment.required else None
            order = {"requiredKycType": required, "canProceed": assessment.can_proceed}
            if assessment.reason == USED_ELSEWHERE:
                order["reason"] = USED_ELSEWHERE
        return cls(
            provider=subject.provider,
            userEmail=subject.email,
            countryCode=subject.country,
            fiatCurrency=subject.currency,
            currentKycType=assessment.kyc_type.value,
            currentKycStatus=assessment.status.value,
            limitUsd=json_decimal(assessment.limit_micro_usd, MICRO_USD_DECIMALS),
            usedUsd=json_decimal(subject.used_micro_usd, MICRO_USD_DECIMALS),
            remainingUsd=json_decimal(assessment.remaining_micro_usd, MICRO_USD_DECIMALS),
            **order,
            blocked=assessment.blocked,
            missingRequirements=[requirement.key for requirement in assessment.missing],
            verificationUrl=assessment.verification_url or None,
        )


class SubmitKyc(RequestModel):
    """The body of POST /ramp/kyc."""

    provider: SkipValidation[str] = field("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    userEmail: SkipValidation[str] = field(
        "The customer's e-mail address.", EMAIL, extra=EMAIL_TEXT
    )
    countryCode: SkipValidation[str | None] = country_field("The customer's country.", default=None)
    fiatCurrency: SkipValidation[str | None] = currency_field(
        "The currency, required if the country has several.", default=None
    )
    fields: SkipValidation[dict[str, Any]] = field(
        "The values of requirements by their keys; documents have an endpoint of their own.",
        {"bvn": "22123456789"},
    )


class Erased(Model):
    """The answer of an erasure."""

    success: bool = field("Always true.", True)
    ordersCleared: int = field("Number of orders whose customer data was removed.", 2)


class KycNeeded(Model):
    """The error of an order that needs a KYC check first."""

    statusCode: int = field("The HTTP status code.", 400)
    message: str = field("Why.", "basic KYC with YELLOW_CARD is needed for this amount")
    code: str = field("Always `KYC_REQUIRED`.", "KYC_REQUIRED")
    kyc: KycStateOut = Field(description="The customer's KYC state.")
