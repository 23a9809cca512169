"""The tables of invoices, subscriptions and the mails about them."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from crossway.storage.partial_indexes import partial_index
from crossway.storage.sealing import SEALED
from crossway.storage.tables import METADATA, row_id

subscriptions = Table(
    "subscriptions",
    METADATA,
    row_id(),
    Column("name", Text, nullable=False, unique=True),
    Column("client_id", Text, ForeignKey("clients.id"), nullable=False),
    Column("mode", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("content", Text, nullable=False, info={SEALED: True}),
    Column("link", Text, nullable=False),
    Column("interval", Text, nullable=False),
    Column("every", Integer, nullable=False),
    Column("first_date", Text, nullable=False),
    Column("time_zone", Text, nullable=False),
    Column("lead_days", Integer, nullable=False),
    Column("periods", BigInteger),
    Column("max_unpaid", Integer, nullable=False),
    Column("next_period", BigInteger, nullable=False),
    Column("next_at", BigInteger),
    Column("skipped", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)
Index("subscriptions_of_client", subscriptions.c.client_id, subscriptions.c.id)
partial_index("subscriptions_due", subscriptions.c.next_at, where="next_at IS NOT NULL")

invoices = Table(
    "invoices",
    METADATA,
    row_id(),
    Column("name", Text, nullable=False, unique=True),
    Column("client_id", Text, ForeignKey("clients.id"), nullable=False),
    Column("mode", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("payment_link_id", Text, ForeignKey("payment_links.id"), nullable=False, unique=True),
    Column("subscription_id", BigInteger, ForeignKey("subscriptions.id")),
    Column("period", BigInteger),
    Column("state", Text, nullable=False),
    Column("total", Text, nullable=False),
    Column("content", Text, nullable=False, info={SEALED: True}),
    Column("due_date", Text, nullable=False),
    Column("time_zone", Text, nullable=False),
    Column("due_at", BigInteger, nullable=False),
    Column("reminders", Integer, nullable=False),
    Column("remind_at", BigInteger),
    Column("issued_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("paid_at", BigInteger),
    UniqueConstraint("client_id", "mode", "sequence", name="invoices_number"),
    # The invoice of a period is issued once.
    UniqueConstraint("subscription_id", "period", name="invoices_period"),
)
Index("invoices_of_client", invoices.c.client_id, invoices.c.id)
partial_index("invoices_open", invoices.c.id, where="state = 'open'")
partial_index("invoices_to_remind", invoices.c.remind_at, where="remind_at IS NOT NULL")

mails = Table(
    "mails",
    METADATA,
    row_id(),
    # What it is about: the same is not sent twice.
    Column("cause", Text, nullable=False, unique=True),
    Column("state", Text, nullable=False),
    # Receiver, subject and text, until it is sent or given up.
    Column("message", Text, nullable=False, info={SEALED: True}),
    Column("attempt_count", Integer, nullable=False),
    Column("error", Text, nullable=False),
    Column("next_at", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
)
partial_index("mails_due", mails.c.next_at, where="state = 'due'")
