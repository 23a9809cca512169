"""Request and response models of the ramp simulator, `/v1/sandbox/ramp` and `/v1/sandbox/kyc`."""

from typing import Any

from pydantic import ConfigDict, SkipValidation

from crossway.api.schemas.fields import (
    EMAIL_TEXT,
    Model,
    RequestModel,
    SettingsModel,
    field,
    within,
)
from crossway.api.schemas.kyc import STATUSES, TYPES
from crossway.api.schemas.ramps import PROVIDERS
from crossway.usecases.simulator.ramp_controls import (
    KYC_MODES,
    MAX_BPS,
    MAX_ORDERS,
    MAX_SECONDS,
    MAX_SLOW_SECONDS,
    REPORTABLE_STATUSES,
)

_EMAIL = "ada@example.com"


class ReportOrder(RequestModel):
    """The outcome that a provider reports of an order."""

    outcome: SkipValidation[str] = field(
        "The outcome to report; `delivered` also pays the order's intent.",
        "paid",
        extra={"enum": list(REPORTABLE_STATUSES)},
    )


class SetKycStatus(RequestModel):
    """The KYC status that a provider reports of a customer."""

    # Only who has not started has no type of check.
    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"kycType": {"const": "none"}}},
            "then": {"properties": {"status": {"const": "not_started"}}},
            "else": {"properties": {"status": {"not": {"const": "not_started"}}}},
        }
    )

    provider: SkipValidation[str] = field("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    userEmail: SkipValidation[str] = field(
        "The customer's e-mail address.", _EMAIL, extra=EMAIL_TEXT
    )
    kycType: SkipValidation[str] = field("The type of check.", "basic", extra={"enum": TYPES})
    status: SkipValidation[str] = field("Its status.", "approved", extra={"enum": STATUSES})


class KycStatusSet(Model):
    """The answer of a set KYC status."""

    success: bool = field("Always true.", True)


class RampFaults(SettingsModel):
    """Faults of a simulated provider; fields that are left out stay unchanged."""

    downSeconds: SkipValidation[float | None] = field(
        "Seconds for which it does not respond.", 30, default=None, extra=within(0, MAX_SECONDS)
    )
    slowSeconds: SkipValidation[float | None] = field(
        "Delay of each response in seconds.", 0.2, default=None, extra=within(0, MAX_SLOW_SECONDS)
    )
    refuseNext: SkipValidation[int | None] = field(
        "Number of orders it refuses.", 1, default=None, extra=within(0, MAX_ORDERS)
    )
    shortBps: SkipValidation[int | None] = field(
        "Basis points by which it delivers less than reported.",
        100,
        default=None,
        extra=within(0, MAX_BPS),
    )
    overchargeBps: SkipValidation[int | None] = field(
        "Basis points by which it charges more than quoted.",
        100,
        default=None,
        extra=within(0, MAX_BPS),
    )
    repeat: SkipValidation[bool | None] = field(
        "Whether it sends every webhook twice.", True, default=None
    )
    shuffle: SkipValidation[bool | None] = field(
        "Whether it sends webhooks out of order.", True, default=None
    )
    deliverSeconds: SkipValidation[int | None] = field(
        "Seconds from payment to delivery; -1 to deliver only on request.",
        15,
        default=None,
        extra=within(-1, MAX_SECONDS),
    )
    rateBps: SkipValidation[int | None] = field(
        "Basis points by which its rate changes.",
        50,
        default=None,
        extra=within(1 - MAX_BPS, MAX_BPS),
    )
    kyc: SkipValidation[str | None] = field(
        "Whether KYC checks pass after some seconds, wait for a call, or pass at once.",
        "approve",
        default=None,
        extra={"enum": list(KYC_MODES)},
    )


class RampFaultsNow(Model):
    """The active faults of a provider."""

    success: bool = field("Always true.", True)
    provider: str = field("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    faults: dict[str, Any] = field("Active faults.", {"slowSeconds": 0.2})
