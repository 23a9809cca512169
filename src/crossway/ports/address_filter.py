"""The port by which chains are told which deposit addresses to look for."""

from collections.abc import Collection, Sequence
from typing import Protocol


class AddressFilter(Protocol):
    """The deposit addresses to look for on one chain."""

    def filter_known(self, addresses: Collection[str]) -> set[str]:
        """Those of the addresses that are deposit addresses; for chains whose blocks list all."""
        ...

    def find_watched(self, keys: Collection[bytes]) -> set[bytes]:
        """Those of the addresses that are watched on any chain of the family, each as
        `domain.deposits.address_key` has it; by what was stored when this filter was first asked,
        without a query. For chains whose transfers are read whoever they pay."""
        ...

    def count(self) -> int:
        """How many addresses of payments of this chain are watched."""
        ...

    def list_part(self, first: int, count: int) -> Sequence[str]:
        """So many of these addresses from the number `first` on, oldest first; hexadecimal ones in
        lower case."""
        ...

    def list_all(self) -> Sequence[str]:
        """All watched addresses; for chains that must be queried by address."""
        ...

    def list_recent(self) -> Sequence[str]:
        """Those of payments that are open or ended lately; the others are seldom paid to."""
        ...
