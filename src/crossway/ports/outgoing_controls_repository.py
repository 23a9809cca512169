"""The repository of the operator's controls on money sent by hand."""

from datetime import datetime
from typing import Protocol

from crossway.domain.outgoing_controls import (
    BookedAddress,
    ManualTransfer,
    NewAddress,
    TransferCap,
)


class OutgoingControlsRepository(Protocol):
    """The address book, the daily caps, and what they are counted from."""

    def add_address(self, new: NewAddress) -> BookedAddress | None:
        """Store an entry; None where the address is in the book of its chain."""
        ...

    def find_address(self, chain: str, address: str) -> BookedAddress | None:
        """The entry of an address that was not removed; nobody removes it until the unit of work
        ends."""
        ...

    def get_address(self, entry_id: int) -> BookedAddress | None: ...
    def list_addresses(self) -> list[BookedAddress]:
        """Entries that were not removed, by chain and name."""
        ...

    def remove_address(self, entry_id: int, by: str, at: datetime) -> bool:
        """Remove an entry; False where it was removed before."""
        ...

    def list_caps(self) -> list[TransferCap]: ...
    def lock_cap(self, chain: str, token: str) -> TransferCap | None:
        """The cap of a token on a chain; nobody else counts or changes it until the unit of work
        ends."""
        ...

    def set_cap(self, cap: TransferCap) -> None: ...
    def delete_cap(self, chain: str, token: str) -> None: ...
    def record_transfer(self, transfer: ManualTransfer) -> None: ...
    def list_transfers(self, since: datetime) -> list[ManualTransfer]:
        """What was sent by hand after this instant, oldest first."""
        ...

    def add_outgoing(self, chain: str, hour: int, micro_usd: int) -> int:
        """Add to what left us on a chain within an hour, numbered since 1970; returns all of it."""
        ...

    def find_most_outgoing(self, chain: str, since_hour: int, before_hour: int) -> int:
        """The most that left us on a chain within one of these hours; 0 where nothing did."""
        ...

    def release_hour(self, hour: int) -> None:
        """Store that no limit applies within an hour."""
        ...

    def is_hour_released(self, hour: int) -> bool: ...
