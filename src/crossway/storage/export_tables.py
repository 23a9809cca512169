"""The tables of exports and of the chunks of their files."""

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, Table, Text

from crossway.storage.partial_indexes import partial_index
from crossway.storage.tables import METADATA, row_id

exports = Table(
    "exports",
    METADATA,
    row_id(),
    Column("client_id", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("resource", Text, nullable=False),
    Column("format", Text, nullable=False),
    Column("filters", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("before_id", BigInteger, nullable=False),
    Column("lowest_id", BigInteger, nullable=False),
    Column("place", BigInteger, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("chunk_count", Integer, nullable=False),
    Column("byte_count", BigInteger, nullable=False),
    Column("attempt_count", Integer, nullable=False),
    Column("error", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, index=True),
    Column("leased_until", BigInteger, nullable=False),
    # The number of a deleted export, which links name, is never given again.
    sqlite_autoincrement=True,
)
Index("exports_of_client", exports.c.client_id, exports.c.mode, exports.c.id)
partial_index("exports_open", exports.c.id, where="state IN ('PENDING', 'RUNNING')")

export_chunks = Table(
    "export_chunks",
    METADATA,
    row_id(),
    Column("export_id", BigInteger, nullable=False),
    Column("number", Integer, nullable=False),
    Column("encrypted_content", LargeBinary, nullable=False),
)
Index("export_chunks_in_order", export_chunks.c.export_id, export_chunks.c.number, unique=True)
