"""The repository of rebalancing: policies, settings and transfers."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from crossway.domain.rebalancing import (
    PlannedTransfer,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingState,
    RebalancingTransfer,
)


class RebalancingRepository(Protocol):
    """What to hold where, within which limits, and the transfers between the locations."""

    def list_policies(self) -> list[RebalancingPolicy]: ...
    def set_policy(self, policy: RebalancingPolicy) -> None: ...
    def delete_policy(self, chain: str, token: str) -> None: ...

    def get_settings(self) -> RebalancingSettings:
        """The settings, or the defaults where nobody has changed them."""
        ...

    def save_settings(self, settings: RebalancingSettings) -> None: ...

    def add(
        self,
        planned: PlannedTransfer,
        state: RebalancingState,
        proposed_by: str,
        at: datetime,
        proposed_by_identity: str = "",
    ) -> RebalancingTransfer:
        """Store a new one."""
        ...

    def lock(self, ids: Collection[int]) -> dict[int, RebalancingTransfer]:
        """Some by id, locked until the unit of work ends."""
        ...

    def get_many(self, ids: Collection[int]) -> dict[int, RebalancingTransfer]: ...

    def list_open(self) -> list[RebalancingTransfer]:
        """Those that are proposed or started, oldest first."""
        ...

    def list_page(self, limit: int, before_id: int | None = None) -> list[RebalancingTransfer]:
        """Newest first."""
        ...

    def list_since(self, at: datetime) -> list[RebalancingTransfer]:
        """Those that were stored since a time, oldest first."""
        ...

    def update(self, transfers: Sequence[RebalancingTransfer]) -> None:
        """Write the state and what says how it came to it."""
        ...
