"""Identity checks on the wire: a person's state, what a provider requires, what is handed in."""

from typing import Any

from pydantic import Field

from crossway.api.answers import decimal
from crossway.api.schemas.fields import Model, Text, text
from crossway.api.schemas.ramps import PROVIDERS
from crossway.domain.kyc import KycState, KycStatus, KycType, Requirement
from crossway.domain.money import MICRO_USD_DECIMALS
from crossway.usecases.identity.kyc import KycRequirements

TYPES = [kind.value for kind in KycType]
STATUSES = [status.value for status in KycStatus]
EMAIL = "ada@example.com"


class RequirementOut(Model):
    """One thing that a provider wants to know."""

    key: str = text("Its name under `fields`, or of a document.", "bvn")
    label: str = text("Its name for people.", "Bank verification number")
    type: str = text(
        "What it is.",
        "text",
        extra={"enum": ["text", "date", "email", "phone", "document", "enum"]},
    )
    required: bool = text("Whether the tier cannot be reached without it.", True)
    pattern: str = text("A regular expression of the whole value; empty without one.", "[0-9]{11}")
    options: list[str] = text("The choices of an `enum`; else empty.", [])
    sensitive: bool = text("Whether it is never shown whole again.", True)


class TierOut(Model):
    """What one type of check allows and requires."""

    kycType: str = text("The type.", "basic", extra={"enum": TYPES})
    maxAmountUsd: float = text("The most that it allows, in US dollars.", 500)
    perPeriod: str = text(
        "Of what that is the most: one order, or a calendar month (UTC).",
        "month",
        extra={"enum": ["order", "month"]},
    )
    requirements: list[RequirementOut] = Field(description="What it requires.")


class RequirementsOut(Model):
    """What a provider requires in a country."""

    provider: str = text("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    countryCode: str = text("ISO 3166-1 alpha-2.", "NG")
    fiatCurrency: str = text("The currency (ISO 4217).", "NGN")
    tiers: list[TierOut] = Field(description="Its tiers, least first.")


class KycStateOut(Model):
    """Where a person stands with a provider."""

    provider: str = text("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    userEmail: str = text("The person's e-mail address, masked.", "a…@e….com")
    countryCode: str = text("Country of the transaction (ISO 3166-1 alpha-2).", "NG")
    fiatCurrency: str = text("The currency (ISO 4217).", "NGN")
    currentKycType: str = text("The type reached or under check.", "basic", extra={"enum": TYPES})
    currentKycStatus: str = text("Where that check stands.", "approved", extra={"enum": STATUSES})
    limitUsd: float = text("What this person may move, in US dollars.", 500)
    usedUsd: float = text("What of it is used.", 125.5)
    remainingUsd: float = text("What is left.", 374.5)
    requiredKycType: str | None = text(
        "Present when an amount was given: the type that it needs; null when it is above every "
        "limit.",
        "basic",
        default=None,
    )
    canProceed: bool | None = text(
        "Present when an amount was given: whether it can go ahead now.", True, default=None
    )
    blocked: bool = text("Whether this person can do nothing more for now.", False)
    missingRequirements: list[str] = text("What is still to be handed in.", ["bvn"])
    verificationUrl: str | None = text(
        "Where the person is verified, when that is the provider's own page.", None
    )


class SubmitKyc(Model):
    """What a person hands in."""

    provider: Text = text("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    userEmail: Text = text("The person's e-mail address.", EMAIL)
    countryCode: Text | None = text(
        "The person's country (ISO 3166-1 alpha-2).", "NG", default=None
    )
    fiatCurrency: Text | None = text(
        "The currency (ISO 4217), where the country alone does not tell it.", "NGN", default=None
    )
    fields: dict[str, Any] = text(
        "The values of requirements by their keys; documents have an endpoint of their own.",
        {"bvn": "22123456789"},
    )


class Erased(Model):
    """A person who was erased."""

    success: bool = text("Always true.", True)
    ordersCleared: int = text("How many orders stay and lost what they knew of the person.", 2)


class KycNeeded(Model):
    """An order that an identity check stands in the way of."""

    statusCode: int = text("The HTTP status again.", 400)
    message: str = text("Why.", "basic KYC with YELLOW_CARD is needed for this amount")
    code: str = text("Always `KYC_REQUIRED`.", "KYC_REQUIRED")
    kyc: KycStateOut = Field(description="Where the person stands.")


def state(found: KycState) -> dict[str, Any]:
    """Where a person stands; what an order needs is there when one was asked for."""
    subject = found.subject
    return {
        "provider": subject.provider,
        "userEmail": subject.email,
        "countryCode": subject.country,
        "fiatCurrency": subject.currency,
        "currentKycType": found.kyc_type.value,
        "currentKycStatus": found.status.value,
        "limitUsd": decimal(found.limit_micro_usd, MICRO_USD_DECIMALS),
        "usedUsd": decimal(subject.used_micro_usd, MICRO_USD_DECIMALS),
        "remainingUsd": decimal(found.remaining_micro_usd, MICRO_USD_DECIMALS),
        **_order(found),
        "blocked": found.blocked,
        "missingRequirements": [one.key for one in found.missing],
        "verificationUrl": found.verification_url or None,
    }


def _order(found: KycState) -> dict[str, Any]:
    if found.subject.worth_micro_usd is None:
        return {}
    required = found.required.value if found.required else None
    return {"requiredKycType": required, "canProceed": found.can_proceed}


def requirements(found: KycRequirements) -> dict[str, Any]:
    """What a provider requires in a country."""
    return {
        "provider": found.provider.value,
        "countryCode": found.country,
        "fiatCurrency": found.currency,
        "tiers": [
            {
                "kycType": tier.kyc_type.value,
                "maxAmountUsd": decimal(tier.max_micro_usd, MICRO_USD_DECIMALS),
                "perPeriod": tier.period,
                "requirements": [_requirement(asked) for asked in tier.requirements],
            }
            for tier in found.tiers
        ],
    }


def _requirement(asked: Requirement) -> dict[str, Any]:
    """One thing that a provider wants to know."""
    return {
        "key": asked.key,
        "label": asked.label,
        "type": asked.type,
        "required": asked.required,
        "pattern": asked.pattern,
        "options": list(asked.options),
        "sensitive": asked.sensitive,
    }
