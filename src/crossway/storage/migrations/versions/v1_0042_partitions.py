"""On PostgreSQL, events, deliveries and their attempts are partitioned by time.

What is there becomes one partition, up to the coming midnight, and is not copied. The default
partition takes what belongs to no other. Indexes that are unique become those of each partition.
On SQLite nothing changes.
"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

revision = "v1_0042"
down_revision = "v1_0034"
branch_labels = None
depends_on = None
KEYS = {"outbox": "at", "deliveries": "created_at", "delivery_attempts": "at"}
# What a clock that was ahead stored further in the future goes to the default partition.
LEAD = timedelta(days=31)
DAY = 86_400_000_000


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, key in KEYS.items():
            partition(table, key)


def partition(table: str, key: str) -> None:
    indexes = read_indexes(table)
    op.execute(f"ALTER TABLE {table} RENAME TO {table}_before")
    for name in indexes:
        op.execute(f"ALTER INDEX {name} RENAME TO {name}_before")
    op.execute(f"ALTER TABLE {table}_before DROP CONSTRAINT {table}_pkey")
    op.execute(f"ALTER TABLE {table}_before ADD PRIMARY KEY (id, {key})")
    op.execute(
        f"CREATE TABLE {table} (LIKE {table}_before INCLUDING DEFAULTS) PARTITION BY RANGE ({key})"
    )
    op.execute(f"ALTER SEQUENCE {table}_id_seq OWNED BY {table}.id")
    op.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (id, {key})")
    for definition in indexes.values():
        if not definition.startswith("CREATE UNIQUE"):
            op.execute(definition)
    op.execute(f"CREATE TABLE {table}_default (LIKE {table}_before INCLUDING ALL)")
    take_in(table, key)
    op.execute(f"ALTER TABLE {table} ATTACH PARTITION {table}_default DEFAULT")


def read_indexes(table: str) -> dict[str, str]:
    """The statements that create the indexes of a table, by their names; without the primary
    key's."""
    query = sa.text(
        "SELECT indexname, indexdef FROM pg_indexes "
        "WHERE schemaname = current_schema() AND tablename = :name AND indexname <> :key"
    )
    rows = op.get_bind().execute(query, {"name": table, "key": f"{table}_pkey"})
    return {row.indexname: row.indexdef for row in rows}


def take_in(table: str, key: str) -> None:
    """Attach what is there as a partition, if there is anything."""
    newest = op.get_bind().execute(sa.text(f"SELECT max({key}) FROM {table}_before")).scalar()
    if newest is None:
        op.execute(f"DROP TABLE {table}_before")
        return
    now = datetime.now(UTC)
    last = min(max(newest, to_micros(now)), to_micros(now + LEAD))
    end = (last // DAY + 1) * DAY
    op.execute(
        f"WITH later AS (DELETE FROM {table}_before WHERE {key} >= {end} RETURNING *) "
        f"INSERT INTO {table}_default SELECT * FROM later"
    )
    op.execute(
        f"ALTER TABLE {table} ATTACH PARTITION {table}_before FOR VALUES FROM (MINVALUE) TO ({end})"
    )


def to_micros(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, key in KEYS.items():
            unite(table, key)


def unite(table: str, key: str) -> None:
    indexes = read_indexes(table)
    op.execute(f"ALTER TABLE {table} RENAME TO {table}_parts")
    for name in (*indexes, f"{table}_pkey"):
        op.execute(f"ALTER INDEX {name} RENAME TO {name}_parts")
    op.execute(f"CREATE TABLE {table} (LIKE {table}_parts INCLUDING DEFAULTS)")
    op.execute(f"ALTER SEQUENCE {table}_id_seq OWNED BY {table}.id")
    op.execute(f"INSERT INTO {table} SELECT * FROM {table}_parts")
    op.execute(f"DROP TABLE {table}_parts")
    op.execute(f"ALTER TABLE {table} ADD PRIMARY KEY (id)")
    for definition in indexes.values():
        op.execute(definition.replace(" ON ONLY ", " ON "))
    if table == "outbox":
        op.create_unique_constraint("outbox_event_id_key", "outbox", ["event_id"])
        op.create_index("outbox_of_client", "outbox", ["client_id", "position"], unique=True)
