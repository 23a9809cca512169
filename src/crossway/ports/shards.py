"""Which of a chain's payments an engine works on, where several share the chain."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Shards:
    """Those `held` of the `count` shards of a chain. Shard N has the payments whose number divided
    by the count leaves N; a rebalancing transfer's number counts without its sign."""

    count: int = 1
    held: frozenset[int] = frozenset({0})

    @property
    def are_all(self) -> bool:
        """Whether they have every payment."""
        return len(self.held) == self.count


ALL_SHARDS: Final = Shards()
