"""Handing to a provider what somebody handed in: kept first, told then, and again until it is."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from crossway.domain.errors import Unreachable
from crossway.domain.kyc import (
    KycStatus,
    Requirement,
    Standing,
    Tier,
    asked_for,
    complete_type,
    next_type,
)
from crossway.ports.ramp_records import Handover, Submission
from crossway.ports.ramps import Capabilities, Document, ProviderRefused, RampProvider
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.ramps.capabilities import in_time

IDENTITIES = "identities"
LEASE = timedelta(seconds=60)
LONGEST_WAIT = timedelta(hours=1)
REFUSED = "The provider refused what was handed in; hand it in again, corrected"


def tiers_of(capabilities: Capabilities, country: str) -> tuple[Tier, ...]:
    """The tiers of a provider in a country."""
    return capabilities.tiers.get(country, capabilities.tiers.get("", ()))


def everything_asked(tiers: Sequence[Tier]) -> tuple[Requirement, ...]:
    """All that any tier asks for, each thing once."""
    found = {one.key: one for tier in tiers for one in tier.requirements}
    return tuple(found.values())


def with_handover(standing: Standing, tiers: Sequence[Tier], handover: Handover | None) -> Standing:
    """What a provider says, and what it was not told yet or did not take."""
    above = next_type(tiers, standing.passed)
    if handover is None or above is None:
        return standing
    if handover.next_at is None:
        return replace(standing, kyc_type=above, status=KycStatus.REJECTED, reason=REFUSED)
    return replace(standing, kyc_type=above, status=KycStatus.PENDING)


def asked(services: Services, provider: RampProvider, email: str, country: str) -> Standing:
    """What a provider says of somebody, if it does in time; else `Unreachable`."""
    return in_time(services, provider, lambda: provider.standing(email, country), IDENTITIES)


def tell(services: Services, provider: RampProvider, handover: Handover) -> Standing:
    """Hand over every check that is complete, once it is known which is passed; what the provider
    says to it. Raises `Unreachable`, after which it is tried again, or `ProviderRefused`.
    """
    with services.store.read() as unit:
        person = unit.people.get(handover.person_id)
        kept = unit.people.submitted(handover.person_id, provider.name, handover.country)
    said = Standing()
    if person is not None and person.email_sealed is not None and kept:
        email = services.vault.open(person.email_sealed).decode()
        said = _tell(services, provider, email, handover.country, kept)
    services.store.write(lambda unit: unit.people.handed_over(handover.mark))
    return said


def _tell(
    services: Services,
    provider: RampProvider,
    email: str,
    country: str,
    kept: Sequence[Submission],
) -> Standing:
    standing = asked(services, provider, email, country)
    tiers, passed = tiers_of(provider.capabilities, country), standing.passed
    target = complete_type(tiers, passed, {one.key for one in kept})
    wanted = {one.key for one in asked_for(tiers, passed, target)}
    opened = [(one, services.vault.open(one.sealed)) for one in kept if one.key in wanted]
    if not opened:
        return standing
    fields = {one.key: json.loads(plain) for one, plain in opened if not one.media_type}
    files = [Document(one.key, one.media_type, plain) for one, plain in opened if one.media_type]
    return in_time(
        services, provider, lambda: provider.submit(email, country, fields, files), IDENTITIES
    )


def refused(services: Services, handover: Handover) -> None:
    """Note that a provider said no; its words are not kept, as they may repeat what it was told."""
    changed = replace(handover, next_at=None)
    services.store.write(lambda unit: unit.people.change_handover(changed))


def hand_over_due(services: Services, limit: int = 10) -> int:
    """Tell providers what they could not be told before; how many were taken up. One pass of the
    engine's, safe to run in several processes."""
    now = services.clock.now()

    def due(unit: Unit) -> list[Handover]:
        return unit.people.due_handovers(now, limit, now + LEASE)

    with services.store.read() as unit:
        if not unit.people.has_due_handovers(now):
            return 0
    found = services.store.write(due)
    for handover in found:
        _try_again(services, handover)
    return len(found)


def _try_again(services: Services, handover: Handover) -> None:
    provider = next((one for one in services.ramps if one.name == handover.provider), None)
    if provider is None:
        return  # Its lease brings it back, should the provider be configured again.
    try:
        tell(services, provider, handover)
    except ProviderRefused:
        refused(services, handover)
    except Unreachable:
        wait = min(LEASE * 2 ** min(handover.tries, 10), LONGEST_WAIT)
        again = replace(handover, tries=handover.tries + 1, next_at=services.clock.now() + wait)
        services.store.write(lambda unit: unit.people.change_handover(again))
