"""The table of payments that expired unpaid and were put away."""

from sqlalchemy import BigInteger, Column, LargeBinary, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, intents

archived_payments = Table(
    "archived_payments",
    METADATA,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("address", Text, nullable=False, unique=True),
    Column("destination_address", Text, nullable=False, index=True),
    # The payment's rows of every table, as compressed JSON.
    Column("packed", LargeBinary, nullable=False),
)
UNPAID = "state = 'EXPIRED' AND received_amount = '0' AND order_id IS NULL"
partial_index("intents_unpaid", intents.c.expires_at, where=UNPAID)
