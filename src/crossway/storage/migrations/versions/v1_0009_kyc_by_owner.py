"""What a client hands in or reads about a person is that client's, in one mode; what an erased
person used of a limit stays counted until the month is over."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from alembic import op

revision = "v1_0009"
down_revision = "v1_0008"
branch_labels = None
depends_on = None

_CUSTOMER: tuple[sa.ColumnClause[Any], ...] = (
    sa.column("id"), sa.column("email_index"), sa.column("encrypted_email"),
    sa.column("created_at"), sa.column("erased_at"), sa.column("client_id"), sa.column("mode"),
)  # fmt: skip
_CUSTOMERS = sa.table("kyc_customers", *_CUSTOMER)
_SUBMITTED = ("provider", "country", "field", "media_type", "encrypted_value", "at")
_SUBMISSIONS = sa.table(
    "kyc_submissions",
    *(sa.column(name) for name in ("id", "customer_id", "client_id", *_SUBMITTED)),
)
_SYNCS = sa.table(
    "kyc_submission_syncs",
    *(
        sa.column(name)
        for name in ("customer_id", "provider", "country", "sync_id", "attempt_count", "next_at")
    ),
)
_ORDERS = sa.table(
    "orders", sa.column("id"), sa.column("customer_id"), sa.column("client_id"), sa.column("mode")
)
_KEYS = sa.table("api_keys", sa.column("client_id"), sa.column("mode"))
Owner = tuple[str, str]


def upgrade() -> None:
    _create_erased_usage()
    db = op.get_bind()
    owners = _find_owners(db)
    people = db.execute(sa.text("SELECT * FROM kyc_customers ORDER BY created_at, id")).all()
    _create_customers(with_owner=True)
    for person in people:
        # A person whom nobody has an order or a submission of belongs to nobody, and is forgotten.
        for number, owner in enumerate(sorted(owners[person.id])):
            new_id = person.id if number == 0 else str(uuid4())
            row = {**person._mapping, "id": new_id, "client_id": owner[0], "mode": owner[1]}
            db.execute(_CUSTOMERS.insert(), row)
            if number:
                _copy_for(db, person.id, new_id, owner)
        _keep_own_submissions(db, person.id, sorted(owners[person.id]))
    op.execute("DELETE FROM kyc_submission_syncs WHERE NOT EXISTS (SELECT 1 FROM kyc_submissions s "
               "WHERE s.customer_id = kyc_submission_syncs.customer_id)")  # fmt: skip
    op.execute("ALTER TABLE kyc_submissions DROP COLUMN client_id")


def _find_owners(db: sa.Connection) -> dict[str, set[Owner]]:
    """By person, who has orders or submissions of them. A submission does not say its mode: it is
    of the modes in which its client has orders of the person, else of live mode where the client
    has a live key: a live person is never shown to a test key."""
    owners: dict[str, set[Owner]] = defaultdict(set)
    o, s = _ORDERS.c, _SUBMISSIONS.c
    ordered = sa.select(o.customer_id, o.client_id, o.mode).where(o.customer_id.is_not(None))
    for customer_id, client_id, mode in db.execute(ordered.distinct()):
        owners[customer_id].add((client_id, mode))
    with_live_key = set(
        db.execute(sa.select(_KEYS.c.client_id).where(_KEYS.c.mode == "live")).scalars()
    )
    for customer_id, client_id in db.execute(sa.select(s.customer_id, s.client_id).distinct()):
        if not any(owner[0] == client_id for owner in owners[customer_id]):
            mode = "live" if client_id in with_live_key else "test"
            owners[customer_id].add((client_id, mode))
    # An erased person has neither; their record shows when they were erased.
    erased = sa.text("SELECT id FROM kyc_customers WHERE erased_at IS NOT NULL")
    for customer_id in db.execute(erased).scalars():
        owners[customer_id] = owners[customer_id] or {("", "")}
    return owners


def _copy_for(db: sa.Connection, person: str, copy: str, owner: Owner) -> None:
    """Give a further owner its orders and submissions of a person under the copy's id."""
    o, s, y = _ORDERS.c, _SUBMISSIONS.c, _SYNCS.c
    of_owner = (o.customer_id == person, o.client_id == owner[0], o.mode == owner[1])
    db.execute(_ORDERS.update().where(*of_owner).values(customer_id=copy))
    own = sa.select(_SUBMISSIONS).where(s.customer_id == person, s.client_id == owner[0])
    submitted = db.execute(own).all()
    for row in submitted:
        values = {name: getattr(row, name) for name in (*_SUBMITTED, "client_id")}
        db.execute(_SUBMISSIONS.insert(), {**values, "customer_id": copy})
    for sync in db.execute(sa.select(_SYNCS).where(y.customer_id == person)).all():
        if any((r.provider, r.country) == (sync.provider, sync.country) for r in submitted):
            values = {**sync._mapping, "customer_id": copy, "sync_id": uuid4().hex}
            db.execute(_SYNCS.insert(), values)


def _keep_own_submissions(db: sa.Connection, person: str, owners: list[Owner]) -> None:
    """The first owner keeps the id, and only what its client handed in."""
    s = _SUBMISSIONS.c
    others = s.client_id != owners[0][0] if owners else sa.true()
    db.execute(_SUBMISSIONS.delete().where(s.customer_id == person, others))


def _create_customers(*, with_owner: bool) -> None:
    op.drop_table("kyc_customers")
    owner = [sa.Column(name, sa.Text(), nullable=False) for name in ("client_id", "mode")]
    op.create_table(
        "kyc_customers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("email_index", sa.Text(), nullable=True),
        sa.Column("encrypted_email", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("erased_at", sa.BigInteger(), nullable=True),
        *(owner if with_owner else [sa.UniqueConstraint("email_index")]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("kyc_customers_by_age", "kyc_customers", ["created_at", "id"])
    if with_owner:
        names = ["email_index", "mode", "client_id"]
        op.create_index("kyc_customers_of_person", "kyc_customers", names, unique=True)


def _create_erased_usage() -> None:
    keys = ("email_index", "mode", "client_id", "provider")
    op.create_table(
        "kyc_erased_usage",
        *(sa.Column(name, sa.Text(), nullable=False) for name in keys),
        sa.Column("month", sa.BigInteger(), nullable=False),
        sa.Column("used_micro_usd", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(*keys, "month"),
    )
    op.create_index("ix_kyc_erased_usage_month", "kyc_erased_usage", ["month"])


def downgrade() -> None:
    """One record for each person again: the oldest, with the newest of what was handed in."""
    db = op.get_bind()
    op.execute("ALTER TABLE kyc_submissions ADD COLUMN client_id TEXT NOT NULL DEFAULT ''")
    op.execute(
        "UPDATE kyc_submissions SET client_id = coalesce((SELECT client_id FROM kyc_customers c "
        "WHERE c.id = kyc_submissions.customer_id), '')"
    )
    records = db.execute(sa.text("SELECT * FROM kyc_customers ORDER BY created_at, id")).all()
    _create_customers(with_owner=False)
    for kept, further in _group_by_person(records):
        row = {name: value for name, value in kept._mapping.items() if name not in _OWNER}
        db.execute(_CUSTOMERS.insert(), row)
        for record in further:
            _merge(db, record.id, kept.id)
    op.drop_index("ix_kyc_erased_usage_month")
    op.drop_table("kyc_erased_usage")


_OWNER = ("client_id", "mode")


def _group_by_person(records: Sequence[Any]) -> Iterator[tuple[Any, list[Any]]]:
    people: dict[str, list[Any]] = defaultdict(list)
    for record in records:
        people[record.email_index or record.id].append(record)
    for kept, *further in people.values():
        yield kept, further


def _merge(db: sa.Connection, record: str, kept: str) -> None:
    db.execute(_ORDERS.update().where(_ORDERS.c.customer_id == record).values(customer_id=kept))
    keys = {"kyc_submissions": "provider, country, field",
            "kyc_submission_syncs": "provider, country"}  # fmt: skip
    for table, names in keys.items():
        same = " AND ".join(f"o.{name} = {table}.{name}" for name in names.split(", "))
        parameters = {"record": record, "kept": kept}
        db.execute(
            sa.text(
                f"DELETE FROM {table} WHERE customer_id = :record AND EXISTS "
                f"(SELECT 1 FROM {table} o WHERE o.customer_id = :kept AND {same})"
            ),
            parameters,
        )
        db.execute(
            sa.text(f"UPDATE {table} SET customer_id = :kept WHERE customer_id = :record"),
            parameters,
        )
