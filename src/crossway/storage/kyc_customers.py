"""KYC customers, their submissions, and pending transmissions to providers."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, or_, select, text, update

from crossway.domain.clients import Owner, OwnerFilter
from crossway.domain.ramps import FINAL_ORDER_STATES
from crossway.ports.ramp_repository import (
    KycCustomer,
    KycSubmission,
    KycSubmissionSync,
    KycUsage,
)
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.kyc_usage import get_usage, keep_usage
from crossway.storage.owner_sql import is_owned
from crossway.storage.prepared import fetch
from crossway.storage.ramp_tables import (
    kyc_customers,
    kyc_submission_syncs,
    kyc_submissions,
    orders,
)
from crossway.storage.row_mapper import RowMapper, to_micros

CUSTOMERS: Final = RowMapper(KycCustomer, kyc_customers)
SUBMISSIONS: Final = RowMapper(KycSubmission, kyc_submissions)
SYNCS: Final = RowMapper(KycSubmissionSync, kyc_submission_syncs)
_ADD = per_dialect(lambda insert_into: insert_into(kyc_customers).on_conflict_do_nothing())
_SUBMISSION_SCOPE = ["customer_id", "provider", "country"]
_SAVE_SUBMISSIONS = per_dialect(
    lambda insert_into: insert_into(kyc_submissions).on_conflict_do_update(
        index_elements=[*_SUBMISSION_SCOPE, "field"],
        set_={
            name: insert_into(kyc_submissions).excluded[name]
            for name in ("media_type", "encrypted_value", "at")
        },
    )
)
_SAVE_SYNC = per_dialect(
    lambda insert_into: insert_into(kyc_submission_syncs).on_conflict_do_update(
        index_elements=_SUBMISSION_SCOPE,
        set_={
            name: insert_into(kyc_submission_syncs).excluded[name]
            for name in ("sync_id", "attempt_count", "next_at")
        },
    )
)

_FIRST_DUE_SYNC = (
    select(kyc_submission_syncs.c.sync_id)
    .where(text("next_at IS NOT NULL"), kyc_submission_syncs.c.next_at <= bindparam("now"))
    .limit(1)
)


class SqlKycCustomers:
    """`ports.ramp_repository.KycCustomerRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def find(self, owner: Owner, email_index: str) -> KycCustomer | None:
        found = self.list_by_email(OwnerFilter(owner.client_id, owner.mode), email_index)
        return found[0] if found else None

    def list_by_email(self, owners: OwnerFilter, email_index: str) -> list[KycCustomer]:
        query = select(kyc_customers).where(
            kyc_customers.c.email_index == email_index, *is_owned(kyc_customers, owners)
        )
        rows = self._db.execute(query.order_by(kyc_customers.c.created_at, kyc_customers.c.id))
        return [CUSTOMERS.decode(row) for row in rows]

    def get(self, customer_id: str) -> KycCustomer | None:
        row = self._db.execute(
            select(kyc_customers).where(kyc_customers.c.id == customer_id)
        ).first()
        return None if row is None else CUSTOMERS.decode(row)

    def get_many(self, ids: Collection[str]) -> dict[str, KycCustomer]:
        if not ids:
            return {}
        query = select(kyc_customers).where(in_values(kyc_customers.c.id, ids))
        found = [CUSTOMERS.decode(row) for row in self._db.execute(query)]
        return {customer.id: customer for customer in found}

    def lock(self, customer_id: str) -> KycCustomer | None:
        person = select(kyc_customers.c.email_index).where(kyc_customers.c.id == customer_id)
        # In one order, so that two owners never wait for each other.
        query = (
            select(kyc_customers)
            .where(
                or_(
                    kyc_customers.c.id == customer_id,
                    kyc_customers.c.email_index == person.scalar_subquery(),
                )
            )
            .order_by(kyc_customers.c.id)
            .with_for_update()
        )
        locked = {row.id: CUSTOMERS.decode(row) for row in self._db.execute(query)}
        return locked.get(customer_id)

    def add(self, customer: KycCustomer) -> KycCustomer:
        self._db.execute(_ADD[self._db.dialect.name], CUSTOMERS.encode(customer))
        assert customer.email_index is not None
        owner = Owner(customer.client_id, customer.mode)
        return self.find(owner, customer.email_index) or customer

    def get_usage(self, owner: Owner, email_index: str, provider: str, month: datetime) -> KycUsage:
        return get_usage(self._db, owner, email_index, provider, month)

    def save_submissions(self, submissions: Sequence[KycSubmission]) -> None:
        rows = [SUBMISSIONS.encode(submission) for submission in submissions]
        if rows:
            self._db.execute(_SAVE_SUBMISSIONS[self._db.dialect.name], rows)

    def list_submissions(
        self, customer_id: str, provider: str, country: str
    ) -> list[KycSubmission]:
        query = select(kyc_submissions).where(
            kyc_submissions.c.customer_id == customer_id,
            kyc_submissions.c.provider == provider,
            kyc_submissions.c.country == country,
        )
        rows = self._db.execute(query.order_by(kyc_submissions.c.field))
        return [SUBMISSIONS.decode(row) for row in rows]

    def list_submitted_fields(
        self, customer_id: str, provider: str, country: str
    ) -> frozenset[str]:
        query = select(kyc_submissions.c.field).where(
            kyc_submissions.c.customer_id == customer_id,
            kyc_submissions.c.provider == provider,
            kyc_submissions.c.country == country,
        )
        return frozenset(self._db.execute(query).scalars())

    def schedule_sync(self, sync: KycSubmissionSync) -> None:
        self._db.execute(
            _SAVE_SYNC[self._db.dialect.name],
            SYNCS.encode(sync),
        )

    def get_sync(self, customer_id: str, provider: str, country: str) -> KycSubmissionSync | None:
        query = select(kyc_submission_syncs).where(
            kyc_submission_syncs.c.customer_id == customer_id,
            kyc_submission_syncs.c.provider == provider,
            kyc_submission_syncs.c.country == country,
        )
        row = self._db.execute(query).first()
        return None if row is None else SYNCS.decode(row)

    def delete_sync(self, sync_id: str) -> None:
        self._db.execute(
            delete(kyc_submission_syncs).where(kyc_submission_syncs.c.sync_id == sync_id)
        )

    def update_sync(self, sync: KycSubmissionSync) -> None:
        at = None if sync.next_at is None else to_micros(sync.next_at)
        self._db.execute(
            update(kyc_submission_syncs)
            .where(kyc_submission_syncs.c.sync_id == sync.sync_id)
            .values(attempt_count=sync.attempt_count, next_at=at)
        )

    def has_due_syncs(self, now: datetime) -> bool:
        return bool(fetch(self._db, _FIRST_DUE_SYNC, {"now": to_micros(now)}))

    def lease_due_syncs(
        self, now: datetime, limit: int, until: datetime
    ) -> list[KycSubmissionSync]:
        query = (
            select(kyc_submission_syncs)
            # A literal, so that the planner uses the partial index.
            .where(text("next_at IS NOT NULL"), kyc_submission_syncs.c.next_at <= to_micros(now))
            .order_by(kyc_submission_syncs.c.next_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        syncs = [SYNCS.decode(row) for row in self._db.execute(query).all()]
        for sync in syncs:
            self._db.execute(
                update(kyc_submission_syncs)
                .where(kyc_submission_syncs.c.sync_id == sync.sync_id)
                .values(next_at=to_micros(until))
            )
        return syncs

    def find_open_order(self, customer_id: str) -> int | None:
        query = select(func.min(orders.c.id)).where(
            orders.c.customer_id == customer_id,
            orders.c.state.not_in([state.value for state in FINAL_ORDER_STATES]),
        )
        order_id = self._db.execute(query).scalar_one()
        return None if order_id is None else int(order_id)

    def erase(self, customer_id: str, at: datetime, month: datetime) -> int:
        keep_usage(self._db, customer_id, month)
        emptied_orders = self._db.execute(
            update(orders)
            .where(orders.c.customer_id == customer_id)
            .values(customer_id=None, encrypted_fields=None, instructions="{}", widget_url="")
        ).rowcount
        for table in (kyc_submissions, kyc_submission_syncs):
            self._db.execute(delete(table).where(table.c.customer_id == customer_id))
        self._db.execute(
            update(kyc_customers)
            .where(kyc_customers.c.id == customer_id)
            .values(email_index=None, encrypted_email=None, erased_at=to_micros(at))
        )
        return emptied_orders
