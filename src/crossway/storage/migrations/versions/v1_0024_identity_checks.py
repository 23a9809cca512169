"""Adds the identity checks of customers with providers, as they were last known."""

import sqlalchemy as sa
from alembic import op

revision = "v1_0024"
down_revision = "v1_0023"
branch_labels = None
depends_on = None

# Providers are asked about each customer when somebody looks at them; until then the status is
# unknown. A customer has a check where something was submitted or an order was created.
_FILL = sa.text(
    "INSERT INTO kyc_checks"
    " (client_id, mode, customer_id, provider, country, currency, kyc_type, status, at)"
    " SELECT c.client_id, c.mode, c.id, f.provider, f.country, MAX(f.currency), 'none', NULL,"
    " MAX(f.at) FROM kyc_customers c JOIN ("
    "SELECT customer_id, provider, country, '' AS currency, at FROM kyc_submissions"
    " UNION ALL SELECT customer_id, provider, country, currency, created_at FROM orders"
    " WHERE customer_id IS NOT NULL"
    ") f ON f.customer_id = c.id WHERE c.erased_at IS NULL"
    " GROUP BY c.client_id, c.mode, c.id, f.provider, f.country ORDER BY MAX(f.at)"
)


def upgrade() -> None:
    texts = ("client_id", "mode", "customer_id", "provider", "country", "currency", "kyc_type")
    op.create_table(
        "kyc_checks",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            primary_key=True,
            autoincrement=True,
            nullable=False,
        ),
        *(sa.Column(name, sa.Text(), nullable=False) for name in texts),
        sa.Column("status", sa.Text()),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.create_index("kyc_checks_by_change", "kyc_checks", ["mode", "at", "id"])
    op.create_index("kyc_checks_of_client", "kyc_checks", ["client_id", "mode", "at", "id"])
    op.create_index(
        "kyc_checks_of_person", "kyc_checks", ["customer_id", "provider", "country"], unique=True
    )
    op.execute(_FILL)


def downgrade() -> None:
    op.drop_table("kyc_checks")
