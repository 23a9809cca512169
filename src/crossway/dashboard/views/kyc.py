"""A customer's KYC status with a provider, missing requirements, and requirements by country."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crossway.dashboard.views.cells import Badge, Cell, Color, Column, Detail, Row
from crossway.dashboard.views.formatting import format_usd
from crossway.domain.clients import Principal
from crossway.domain.kyc import (
    KycAssessment,
    KycStatus,
    KycType,
    Requirement,
    Tier,
    VerificationStatus,
    next_type,
)
from crossway.domain.ramps import ProviderName
from crossway.domain.typed_amounts import to_plain_decimal
from crossway.ports.services import Services
from crossway.usecases.kyc import verification
from crossway.usecases.kyc.corridors import parse_provider
from crossway.usecases.kyc.submission_sync import get_tiers

TYPES: Mapping[KycType, str] = {
    KycType.NONE: "No check",
    KycType.BASIC: "Basic",
    KycType.ADVANCED: "Advanced",
}
STATUSES: Mapping[KycStatus, tuple[str, Color, str]] = {
    KycStatus.NOT_STARTED: ("Not started", "gray", "radio_button_unchecked"),
    KycStatus.PENDING: ("In review", "blue", "hourglass_top"),
    KycStatus.APPROVED: ("Approved", "green", "verified"),
    KycStatus.REJECTED: ("Rejected", "red", "cancel"),
}
REQUIREMENT_COLUMNS = (
    Column("Check"),
    Column("Limit", "right"),
    Column("Requirement"),
    Column("Format", wide=True),
)
_FORMATS: Mapping[str, str] = {
    "text": "Text",
    "date": "Date",
    "email": "E-mail address",
    "phone": "Phone number",
    "document": "PNG, JPEG or PDF, up to 5 MiB",
    "enum": "Choice from a fixed list",
}


@dataclass(frozen=True, slots=True)
class Panel:
    """A customer's status with one provider: details, used limit, and missing requirements."""

    details: tuple[Detail, ...]
    share: float
    used: str
    verdict: str
    good: bool | None
    missing: tuple[Requirement, ...]
    verification_url: str
    required: KycType | None
    missing_for: str
    next_step: str
    provider: str


def list_providers(
    services: Services, currency: str, country: str
) -> list[tuple[ProviderName, str]]:
    """The providers that serve a corridor, with display names."""
    return [
        (provider.name, provider.capabilities.title)
        for provider in services.ramps
        if any(
            channel.currency == currency and country in channel.countries
            for channel in provider.capabilities.channels
        )
    ]


def find_currency(services: Services, provider: str, country: str) -> str:
    """A currency in which a provider serves a country; empty if it does not any more."""
    for configured in services.ramps:
        if configured.name == provider:
            for channel in configured.capabilities.channels:
                if country in channel.countries:
                    return channel.currency
    return ""


def load_panel(
    services: Services,
    caller: Principal,
    provider: str,
    email: str,
    country: str,
    currency: str,
    amount: str,
) -> Panel:
    """The KYC status of an e-mail address; raises a `DomainError` for bad input."""
    requested = to_plain_decimal("Amount", amount, "USDC") if amount.strip() else None
    state = verification.assess_customer(
        services, caller, provider, email, country, currency, requested, "Amount"
    )
    configured = parse_provider(services, provider).capabilities
    return Panel(
        details=_build_details(state),
        share=_used_share(state),
        used=_used_caption(state),
        verdict=_describe_verdict(state),
        good=state.can_proceed,
        missing=state.missing,
        verification_url=state.verification_url,
        required=state.required,
        missing_for=_describe_target(state, get_tiers(configured, country)),
        next_step=_describe_next_step(state, configured.title),
        provider=configured.title,
    )


def status_badge(status: KycStatus) -> Badge:
    """The badge of a status."""
    label, color, icon = STATUSES[status]
    return Badge(label, color, icon)


def _build_details(state: KycAssessment) -> tuple[Detail, ...]:
    facts = [
        Detail("Customer", Cell(state.subject.email)),
        Detail("Check", Cell(TYPES[state.kyc_type], badges=(status_badge(state.status),))),
        Detail("Limit", Cell(_format_limit(state))),
        Detail("Remaining", Cell(format_usd(_remaining(state)), tone="strong")),
    ]
    if elsewhere := state.subject.used_elsewhere_micro_usd:
        facts.append(
            Detail(
                "Used with other merchants",
                Cell(format_usd(elsewhere)),
                "The provider counts the person; a merchant is never shown this",
            )
        )
    if state.reason:
        facts.append(Detail("Reason", Cell(state.reason)))
    return tuple(facts)


def _remaining(state: KycAssessment) -> int:
    """What is left of the limit after the orders of every merchant."""
    elsewhere = state.subject.used_elsewhere_micro_usd if state.monthly else 0
    return max(state.remaining_micro_usd - elsewhere, 0)


def _used(state: KycAssessment) -> int:
    return state.subject.used_micro_usd + state.subject.used_elsewhere_micro_usd


def _used_share(state: KycAssessment) -> float:
    limit = state.limit_micro_usd
    return 0.0 if not limit else min(_used(state) / limit, 1.0)


def _format_limit(state: KycAssessment) -> str:
    if state.subject.provider_hosted:
        return "decided on the provider's page"
    if not state.limit_micro_usd:
        return "none before a check is passed"
    return f"{format_usd(state.limit_micro_usd)} {'per month' if state.monthly else 'per order'}"


def _used_caption(state: KycAssessment) -> str:
    """The caption of the limit's bar; empty without a monthly limit."""
    if not state.limit_micro_usd or not state.monthly or state.subject.provider_hosted:
        return ""
    used, limit = _used(state), state.limit_micro_usd
    return f"{format_usd(used)} used of {format_usd(limit)} this month"


def _describe_verdict(state: KycAssessment) -> str:
    usd_value = state.subject.order_micro_usd
    if usd_value is None:
        return ""
    if state.can_proceed:
        return f"{format_usd(usd_value)} can go ahead now."
    if state.required is None:
        return f"{format_usd(usd_value)} is more than any check of this provider allows."
    return f"{format_usd(usd_value)} needs the {TYPES[state.required].lower()} check first."


def _describe_target(state: KycAssessment, tiers: Sequence[Tier]) -> str:
    """What the missing fields are for: the level, and the amount that it allows."""
    passed = VerificationStatus(state.kyc_type, state.status).passed
    target = state.required or next_type(tiers, passed)
    tier = next((tier for tier in tiers if tier.kyc_type is target), None)
    if tier is None:
        return ""
    period = "per month" if tier.period == "month" else "per order"
    allowed = f"up to {format_usd(tier.limit_micro_usd)} {period}"
    return f"For the {TYPES[tier.kyc_type].lower()} check, which allows {allowed}."


def _describe_next_step(state: KycAssessment, provider: str) -> str:
    """What to do now, and where."""
    if state.can_proceed:
        return ""
    if state.subject.provider_hosted:
        where = "open it below" if state.verification_url else "it opens with the order"
        return f"{provider} asks for everything on its own page: {where}."
    too_much = state.subject.order_micro_usd is not None and state.required is None
    # What was rejected can be submitted again, as long as the amount is one that a check allows.
    if state.blocked and (too_much or not state.missing):
        return f"No further check of {provider} helps: choose another provider or a lower amount."
    if state.status is KycStatus.PENDING and not state.missing:
        return f"{provider} is reviewing it. Nothing to do: this page updates by itself."
    if state.missing:
        return f"Submit what is missing: it is stored encrypted and sent to {provider}."
    return ""


def load_requirements(
    services: Services, caller: Principal, provider: str, country: str, currency: str
) -> tuple[tuple[Row, ...], bool]:
    """A provider's requirements in a country by tier, and whether it collects them itself."""
    requirement_set = verification.get_requirements(services, caller, provider, country, currency)
    rows = tuple(row for tier in requirement_set.tiers for row in _tier_rows(tier))
    return rows, requirement_set.verifies == "widget"


def _tier_rows(tier: Tier) -> Sequence[Row]:
    period = "per month" if tier.period == "month" else "per order"
    allows = f"{format_usd(tier.limit_micro_usd)} {period}"
    rows = []
    for index, requirement in enumerate(tier.requirements or (None,)):
        first = index == 0
        rows.append(
            Row(
                f"{tier.kyc_type}-{requirement.key if requirement else ''}",
                (
                    Cell(TYPES[tier.kyc_type] if first else "", tone="strong"),
                    Cell(allows if first else ""),
                    Cell(_requirement_label(requirement) if requirement else "None"),
                    Cell(_FORMATS[requirement.type] if requirement else ""),
                ),
            )
        )
    return rows


def _requirement_label(requirement: Requirement) -> str:
    return requirement.label if requirement.required else f"{requirement.label} (optional)"
