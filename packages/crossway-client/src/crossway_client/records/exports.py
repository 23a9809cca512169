"""Records of exports: lists as files, written in the background."""

from datetime import datetime
from typing import Any

from crossway_client.records.base import Record


class Export(Record):
    """One export: `progress` in percent, `size` in bytes. `url` leads to its file without a key
    once it is `completed`, until `expires_at`; `error` says why it failed."""

    id: int
    resource: str
    format: str
    filters: dict[str, Any]
    status: str
    progress: int
    rows: int
    error: str | None
    url: str | None
    size: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None

    @property
    def ended(self) -> bool:
        """Whether it is completed or failed."""
        return self.status not in ("pending", "running")
