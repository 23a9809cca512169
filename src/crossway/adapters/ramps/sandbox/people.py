"""Where people stand with the sandbox providers; nobody's name, only digests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from sqlalchemy import Connection, Row, select
from sqlalchemy.dialects import postgresql, sqlite

from crossway.adapters.chains.simulated.sets import put
from crossway.adapters.ramps.sandbox.opening import ALL_ZEROS
from crossway.adapters.ramps.sandbox.tables import people
from crossway.domain.kyc import ORDERED, KycStatus, KycType, Standing, Tier

BASIC_SECONDS = 5
NOT_VERIFIED = "This could not be verified: {}"


@dataclass(frozen=True, slots=True)
class Known:
    """Where one person stands with one provider since an instant in epoch seconds. What was
    `steered` by hand stays so until the next thing is handed in."""

    kyc_type: KycType = KycType.NONE
    status: KycStatus = KycStatus.NOT_STARTED
    submitted: frozenset[str] = frozenset()
    since: float = 0.0
    steered: bool = False
    reason: str = ""

    @property
    def passed(self) -> KycType:
        """The type that is approved."""
        return Standing(self.kyc_type, self.status).passed

    def standing(self, verification_url: str) -> Standing:
        """What goes out of it."""
        url = verification_url
        return Standing(self.kyc_type, self.status, url, self.submitted, self.reason)


NOBODY = Known()


def grown(known: Known, tiers: Sequence[Tier], mode: str, now: float) -> Known:
    """Where somebody stands by now: a check ends, and the next tier's begins once all that it
    requires was handed in. Basic checks take `BASIC_SECONDS`, advanced ones wait to be told."""
    while not known.steered:
        if known.status is KycStatus.PENDING:
            ends = _ends_at(known, mode)
            if now < ends:
                return known
            known = replace(known, status=KycStatus.APPROVED, since=ends, reason="")
        elif known.status is KycStatus.REJECTED:
            return known
        else:
            following = _next(known, tiers)
            if following is None:
                return known
            known = replace(known, kyc_type=following, status=KycStatus.PENDING)
    return known


def handed_in(
    known: Known, given: Mapping[str, str], documents: Sequence[str], now: float
) -> Known:
    """What somebody adds; a field of at least four digits that are all zeros is rejected."""
    above = ORDERED[min(ORDERED.index(known.passed) + 1, len(ORDERED) - 1)]
    wrong = sorted(key for key, value in given.items() if ALL_ZEROS.match(value.strip()))
    keys = (known.submitted | {*given, *documents}) - set(wrong)
    if wrong and known.passed is not above:
        reason = NOT_VERIFIED.format(", ".join(wrong))
        return Known(above, KycStatus.REJECTED, keys, now, False, reason)
    if known.status is KycStatus.REJECTED or known.steered:
        known = _back_to_passed(known)
    return replace(known, submitted=keys, since=now, steered=False)


def steered(known: Known, kyc_type: KycType, status: KycStatus, now: float) -> Known:
    """Where somebody stands once a person at the sandbox said so."""
    reason = "Rejected by hand" if status is KycStatus.REJECTED else ""
    return Known(kyc_type, status, known.submitted, now, True, reason)


def _back_to_passed(known: Known) -> Known:
    """What remains of a check that is made anew: the type that was reached before it."""
    passed = known.passed
    status = KycStatus.NOT_STARTED if passed is KycType.NONE else KycStatus.APPROVED
    return replace(known, kyc_type=passed, status=status, reason="")


def _ends_at(known: Known, mode: str) -> float:
    if mode == "approve":
        return known.since
    by_itself = mode == "auto" and known.kyc_type is KycType.BASIC
    return known.since + BASIC_SECONDS if by_itself else float("inf")


def _next(known: Known, tiers: Sequence[Tier]) -> KycType | None:
    """The tier above, if all that it requires was handed in."""
    reached = ORDERED.index(known.kyc_type)
    for tier in sorted(tiers, key=lambda one: ORDERED.index(one.kyc_type)):
        if ORDERED.index(tier.kyc_type) > reached:
            required = {one.key for one in tier.requirements if one.required}
            return tier.kyc_type if required <= known.submitted else None
    return None


def load(db: Connection, provider: str, person: str, lock: bool = False) -> Known:
    """Where somebody stands, as it was stored; locked, they are held until the end."""
    query = select(people).where(people.c.provider == provider, people.c.person == person)
    if lock:
        # Somebody new is stored first: two who know nothing of each other would both be right.
        make = sqlite.insert if db.dialect.name == "sqlite" else postgresql.insert
        row = dict(
            zip((c.name for c in people.columns), _row(provider, person, NOBODY), strict=True)
        )
        db.execute(make(people).values(row).on_conflict_do_nothing())
        query = query.with_for_update()
    found = db.execute(query).one_or_none()
    return NOBODY if found is None else _known(found)


def save(db: Connection, provider: str, person: str, known: Known) -> None:
    """Store where somebody stands."""
    put(db, people, [_row(provider, person, known)], fresh=False)


def _row(provider: str, person: str, known: Known) -> tuple[Any, ...]:
    submitted = orjson.dumps(sorted(known.submitted)).decode()
    state = (known.kyc_type.value, known.status.value, submitted)
    return (provider, person, *state, known.since, known.steered, known.reason)


def _known(row: Row[Any]) -> Known:
    submitted = frozenset(orjson.loads(row.submitted))
    kyc_type, status = KycType(row.kyc_type), KycStatus(row.status)
    return Known(kyc_type, status, submitted, row.since, row.steered, row.reason)
