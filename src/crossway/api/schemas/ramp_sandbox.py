"""The sandbox providers' switches on the wire."""

from typing import Any

from crossway.api.schemas.fields import Model, Text, text
from crossway.api.schemas.kyc import STATUSES, TYPES
from crossway.api.schemas.ramps import PROVIDERS
from crossway.usecases.ramps.sandbox import KYC_MODES, OUTCOMES

_EMAIL = "ada@example.com"


class Reported(Model):
    """What a provider is to report of an order."""

    outcome: Text = text(
        "What it does and says; `delivered` pays into the order's intent.",
        "paid",
        extra={"enum": list(OUTCOMES)},
    )


class Standing(Model):
    """What a provider is to say of a person."""

    provider: Text = text("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    userEmail: Text = text("The person's e-mail address.", _EMAIL)
    kycType: Text = text("The type of check.", "basic", extra={"enum": TYPES})
    status: Text = text("Where it stands.", "approved", extra={"enum": STATUSES})


class StandingSet(Model):
    """What was set."""

    success: bool = text("Always true.", True)


class RampFaults(Model):
    """How a provider is to behave; what is left out stays as it is."""

    downSeconds: float | None = text("It gives no answer for so long.", 30, default=None)
    slowSeconds: float | None = text("It waits before each answer.", 0.2, default=None)
    refuseNext: int | None = text("It refuses so many orders.", 1, default=None)
    shortBps: int | None = text(
        "It delivers that much less than it says, in basis points.", 100, default=None
    )
    overchargeBps: int | None = text(
        "It asks that much more than it quoted, in basis points.", 100, default=None
    )
    repeat: bool | None = text("It says everything twice.", True, default=None)
    shuffle: bool | None = text("It reports in the wrong order.", True, default=None)
    deliverSeconds: int | None = text(
        "Time from payment to delivery; -1 for only when told.", 15, default=None
    )
    rateBps: int | None = text("It moves its rate, in basis points.", 50, default=None)
    kyc: str | None = text(
        "Whether checks pass after some seconds, wait for you, or pass at once.",
        "approve",
        default=None,
        extra={"enum": list(KYC_MODES)},
    )


class RampFaultsNow(Model):
    """How a provider behaves now."""

    success: bool = text("Always true.", True)
    provider: str = text("The provider.", "YELLOW_CARD", extra={"enum": PROVIDERS})
    faults: dict[str, Any] = text("What is unusual about it.", {"slowSeconds": 0.2})
