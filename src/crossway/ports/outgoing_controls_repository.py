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
