"""What people used of the limits of ramp providers: by their orders, and by erased records."""

from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, func, select, union_all

from crossway.domain.clients import Owner
from crossway.domain.ramps import OrderState
from crossway.ports.ramp_repository import KycUsage
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.ramp_tables import kyc_customers, kyc_erased_usage, orders
from crossway.storage.row_mapper import to_micros

_UNPAID: Final = (OrderState.CANCELLED.value, OrderState.EXPIRED.value, OrderState.REFUNDED.value)
_KEYS: Final = ("email_index", "mode", "client_id", "provider", "month")
_ADD_ERASED = per_dialect(
    lambda insert_into: insert_into(kyc_erased_usage).on_conflict_do_update(
        index_elements=list(_KEYS),
        set_={
            "used_micro_usd": kyc_erased_usage.c.used_micro_usd
            + insert_into(kyc_erased_usage).excluded.used_micro_usd
        },
    )
)


def get_usage(
    db: Connection, owner: Owner, email_index: str, provider: str, month: datetime
) -> KycUsage:
    """See `ports.ramp_repository.KycCustomerRepository.get_usage`."""
    customers, erased = kyc_customers.c, kyc_erased_usage.c
    open_usage = (
        _used_since(month)
        .add_columns(orders.c.client_id)
        .join(kyc_customers, customers.id == orders.c.customer_id)
        .where(
            customers.email_index == email_index,
            customers.mode == owner.mode,
            orders.c.provider == provider,
        )
        .group_by(orders.c.client_id)
    )
    erased_usage = select(erased.used_micro_usd, erased.client_id).where(
        erased.email_index == email_index,
        erased.mode == owner.mode,
        erased.provider == provider,
        erased.month >= to_micros(month),
    )
    rows = db.execute(union_all(open_usage, erased_usage)).all()
    own = sum(int(used) for used, client_id in rows if client_id == owner.client_id)
    return KycUsage(own, sum(int(used) for used, _ in rows))


def keep_usage(db: Connection, customer_id: str, month: datetime) -> None:
    """Keep under its digest what a customer used since the beginning of a month; the digest and the
    orders' customer are about to be deleted."""
    c = kyc_customers.c
    person = select(c.email_index, c.mode, c.client_id).where(c.id == customer_id)
    row = db.execute(person).first()
    if row is None or row.email_index is None:
        return
    by_provider = (
        _used_since(month)
        .add_columns(orders.c.provider)
        .where(orders.c.customer_id == customer_id)
        .group_by(orders.c.provider)
    )
    kept = [
        {**row._mapping, "provider": provider, "month": to_micros(month), "used_micro_usd": used}
        for used, provider in db.execute(by_provider).all()
        if used
    ]
    if kept:
        db.execute(_ADD_ERASED[db.dialect.name], kept)


def _used_since(month: datetime) -> Select[Any]:
    """The value of orders since an instant that were paid or may still be."""
    c = orders.c
    never_paid = and_(c.state == OrderState.FAILED.value, c.paid_at.is_(None))
    return (
        select(func.coalesce(func.sum(c.value_micro_usd), 0))
        .select_from(orders)
        .where(c.created_at >= to_micros(month), c.state.not_in(_UNPAID), ~never_paid)
    )
