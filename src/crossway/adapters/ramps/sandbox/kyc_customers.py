"""The KYC records of the sandbox providers, by a digest of the e-mail address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from sqlalchemy import Connection, Row, select

from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_into, insert_rows
from crossway.adapters.ramps.sandbox.order_creation import ALL_ZEROS
from crossway.adapters.ramps.sandbox.tables import kyc_customers
from crossway.domain.kyc import KYC_TYPES, KycStatus, KycType, Tier, VerificationStatus

BASIC_SECONDS = 5
NOT_VERIFIED = "This could not be verified: {}"


@dataclass(frozen=True, slots=True)
class KycRecord:
    """A customer's KYC state with one provider since a time in epoch seconds. A status that was
    `overridden` by hand stays until the next submission."""

    kyc_type: KycType = KycType.NONE
    status: KycStatus = KycStatus.NOT_STARTED
    submitted: frozenset[str] = frozenset()
    since: float = 0.0
    overridden: bool = False
    reason: str = ""

    @property
    def passed(self) -> KycType:
        """The type that is approved."""
        return VerificationStatus(self.kyc_type, self.status).passed

    def to_status(self, verification_url: str) -> VerificationStatus:
        """The status as the provider reports it."""
        url = verification_url
        return VerificationStatus(self.kyc_type, self.status, url, self.submitted, self.reason)


NO_RECORD = KycRecord()


def advance_checks(record: KycRecord, tiers: Sequence[Tier], mode: str, now: float) -> KycRecord:
    """Complete due checks, and start the next tier's check once all its requirements were
    submitted. Basic checks take `BASIC_SECONDS`; advanced ones wait for a decision by hand."""
    while not record.overridden:
        if record.status is KycStatus.PENDING:
            ends_at = _check_ends_at(record, mode)
            if now < ends_at:
                return record
            record = replace(record, status=KycStatus.APPROVED, since=ends_at, reason="")
        elif record.status is KycStatus.REJECTED:
            return record
        else:
            next_type = _next_complete_tier(record, tiers)
            if next_type is None:
                return record
            record = replace(record, kyc_type=next_type, status=KycStatus.PENDING)
    return record


def apply_submission(
    record: KycRecord, fields: Mapping[str, str], documents: Sequence[str], now: float
) -> KycRecord:
    """Add a submission; a field of at least four digits that are all zeros is rejected."""
    type_above = KYC_TYPES[min(KYC_TYPES.index(record.passed) + 1, len(KYC_TYPES) - 1)]
    invalid_keys = sorted(key for key, value in fields.items() if ALL_ZEROS.match(value.strip()))
    keys = (record.submitted | {*fields, *documents}) - set(invalid_keys)
    if invalid_keys and record.passed is not type_above:
        reason = NOT_VERIFIED.format(", ".join(invalid_keys))
        return KycRecord(type_above, KycStatus.REJECTED, keys, now, False, reason)
    if record.status is KycStatus.REJECTED or record.overridden:
        record = _reset_to_passed(record)
    return replace(record, submitted=keys, since=now, overridden=False)


def override_status(
    record: KycRecord, kyc_type: KycType, status: KycStatus, now: float
) -> KycRecord:
    """Set a status by hand."""
    reason = "Rejected by hand" if status is KycStatus.REJECTED else ""
    return KycRecord(kyc_type, status, record.submitted, now, True, reason)


def _reset_to_passed(record: KycRecord) -> KycRecord:
    """Discard the current check and keep the type that was approved before it."""
    passed = record.passed
    status = KycStatus.NOT_STARTED if passed is KycType.NONE else KycStatus.APPROVED
    return replace(record, kyc_type=passed, status=status, reason="")


def _check_ends_at(record: KycRecord, mode: str) -> float:
    if mode == "approve":
        return record.since
    is_automatic = mode == "auto" and record.kyc_type is KycType.BASIC
    return record.since + BASIC_SECONDS if is_automatic else float("inf")


def _next_complete_tier(record: KycRecord, tiers: Sequence[Tier]) -> KycType | None:
    """The next tier, if all its requirements were submitted."""
    current_rank = KYC_TYPES.index(record.kyc_type)
    for tier in sorted(tiers, key=lambda tier: KYC_TYPES.index(tier.kyc_type)):
        if KYC_TYPES.index(tier.kyc_type) > current_rank:
            required = {item.key for item in tier.requirements if item.required}
            return tier.kyc_type if required <= record.submitted else None
    return None


def load_record(db: Connection, provider: str, customer: str, lock: bool = False) -> KycRecord:
    """A customer's stored record; `lock` holds it until the transaction ends."""
    query = select(kyc_customers).where(
        kyc_customers.c.provider == provider, kyc_customers.c.customer == customer
    )
    if lock:
        # A missing row is inserted first, so that concurrent transactions have a row to lock.
        row = dict(
            zip(
                (c.name for c in kyc_customers.columns),
                _to_row(provider, customer, NO_RECORD),
                strict=True,
            )
        )
        db.execute(insert_into(db, kyc_customers).values(row).on_conflict_do_nothing())
        query = query.with_for_update()
    found_row = db.execute(query).one_or_none()
    return NO_RECORD if found_row is None else _to_record(found_row)


def save_record(db: Connection, provider: str, customer: str, record: KycRecord) -> None:
    """Store a customer's record."""
    insert_rows(db, kyc_customers, [_to_row(provider, customer, record)], fresh=False)


def _to_row(provider: str, customer: str, record: KycRecord) -> tuple[Any, ...]:
    submitted = orjson.dumps(sorted(record.submitted)).decode()
    state = (record.kyc_type.value, record.status.value, submitted)
    return (provider, customer, *state, record.since, record.overridden, record.reason)


def _to_record(row: Row[Any]) -> KycRecord:
    submitted = frozenset(orjson.loads(row.submitted))
    kyc_type, status = KycType(row.kyc_type), KycStatus(row.status)
    return KycRecord(kyc_type, status, submitted, row.since, row.overridden, row.reason)
