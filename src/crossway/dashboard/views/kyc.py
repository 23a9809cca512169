"""Where somebody stands with a provider, what is missing, and what providers ask for where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crossway.dashboard.views.cells import Cell, Chip, Color, Column, Fact, Row
from crossway.dashboard.views.figures import usd
from crossway.domain.clients import Caller
from crossway.domain.kyc import KycState, KycStatus, KycType, Requirement, Tier
from crossway.domain.ramps import ProviderName
from crossway.ports.services import Services
from crossway.usecases.identity import kyc

TYPES: Mapping[KycType, str] = {
    KycType.NONE: "No check",
    KycType.BASIC: "Basic",
    KycType.ADVANCED: "Advanced",
}
STATUSES: Mapping[KycStatus, tuple[str, Color, str]] = {
    KycStatus.NOT_STARTED: ("Not started", "gray", "radio_button_unchecked"),
    KycStatus.PENDING: ("Being checked", "blue", "hourglass_top"),
    KycStatus.APPROVED: ("Approved", "green", "verified"),
    KycStatus.REJECTED: ("Rejected", "red", "cancel"),
}
REQUIREMENT_COLUMNS = (
    Column("Check"),
    Column("Allows up to", "right"),
    Column("Asks for"),
    Column("As", wide=True),
)
_AS: Mapping[str, str] = {
    "text": "Text",
    "date": "Date, such as 1990-05-31",
    "email": "E-mail address",
    "phone": "Phone number",
    "document": "PNG, JPEG or PDF, up to 5 MiB",
    "enum": "One of a list",
}


@dataclass(frozen=True, slots=True)
class Panel:
    """A person's standing with one provider: facts, the limit as a bar, and what to do next."""

    facts: tuple[Fact, ...]
    share: float
    used: str
    verdict: str
    good: bool | None
    missing: tuple[Requirement, ...]
    verification_url: str
    required: KycType | None


def providers(services: Services, currency: str, country: str) -> list[tuple[ProviderName, str]]:
    """Those that serve a corridor, with their names for people."""
    return [
        (one.name, one.capabilities.title)
        for one in services.ramps
        if any(
            channel.currency == currency and country in channel.countries
            for channel in one.capabilities.channels
        )
    ]


def panel(
    services: Services,
    caller: Caller,
    provider: str,
    email: str,
    country: str,
    currency: str,
    amount: str,
) -> Panel:
    """The standing of an e-mail address; a `Refusal` says what is wrong with the question."""
    asked = amount.strip() or None
    state = kyc.state(services, caller, provider, email, country, currency, asked, "Amount")
    return Panel(
        facts=_facts(state),
        share=_share(state),
        used=_used(state),
        verdict=_verdict(state),
        good=state.can_proceed,
        missing=state.missing,
        verification_url=state.verification_url,
        required=state.required,
    )


def status_chip(status: KycStatus) -> Chip:
    """The status in its one word, colour and icon."""
    words, color, icon = STATUSES[status]
    return Chip(words, color, icon)


def _facts(state: KycState) -> tuple[Fact, ...]:
    facts = [
        Fact("Person", Cell(state.subject.email)),
        Fact("Check", Cell(TYPES[state.kyc_type], chips=(status_chip(state.status),))),
        Fact("Allows", Cell(_limit(state))),
        Fact("Left", Cell(usd(state.remaining_micro_usd), tone="strong")),
    ]
    if state.reason:
        facts.append(Fact("Reason", Cell(state.reason)))
    return tuple(facts)


def _share(state: KycState) -> float:
    limit = state.limit_micro_usd
    return 0.0 if not limit else min(state.subject.used_micro_usd / limit, 1.0)


def _limit(state: KycState) -> str:
    if state.subject.elsewhere:
        return "decided on the provider's own page"
    if not state.limit_micro_usd:
        return "nothing before a check is passed"
    return f"{usd(state.limit_micro_usd)} {'a month' if state.monthly else 'an order'}"


def _used(state: KycState) -> str:
    """What a bar of the limit says; empty where there is no limit to draw."""
    if not state.limit_micro_usd or not state.monthly or state.subject.elsewhere:
        return ""
    return f"{usd(state.subject.used_micro_usd)} used of {usd(state.limit_micro_usd)} this month"


def _verdict(state: KycState) -> str:
    worth = state.subject.worth_micro_usd
    if worth is None:
        return ""
    if state.can_proceed:
        return f"{usd(worth)} can go ahead now."
    if state.required is None:
        return f"{usd(worth)} is more than any check of this provider allows."
    return f"{usd(worth)} needs the {TYPES[state.required].lower()} check first."


def requirements(
    services: Services, caller: Caller, provider: str, country: str, currency: str
) -> tuple[tuple[Row, ...], bool]:
    """What a provider asks for in a country, tier by tier, and whether on its own page."""
    found = kyc.requirements(services, caller, provider, country, currency)
    rows = tuple(row for tier in found.tiers for row in _tier_rows(tier))
    return rows, found.verifies == "widget"


def _tier_rows(tier: Tier) -> Sequence[Row]:
    allows = f"{usd(tier.max_micro_usd)} {'a month' if tier.period == 'month' else 'an order'}"
    rows = []
    for index, asked in enumerate(tier.requirements or (None,)):
        first = index == 0
        rows.append(
            Row(
                f"{tier.kyc_type}-{asked.key if asked else ''}",
                (
                    Cell(TYPES[tier.kyc_type] if first else "", tone="strong"),
                    Cell(allows if first else ""),
                    Cell(_label(asked) if asked else "Nothing here"),
                    Cell(_AS[asked.type] if asked else ""),
                ),
            )
        )
    return rows


def _label(asked: Requirement) -> str:
    return asked.label if asked.required else f"{asked.label} (optional)"
