"""The contracts of standing addresses on one chain."""

from typing import Protocol

from crossway.domain.standing import StandingTerms


class StandingContracts(Protocol):
    """Derives standing addresses from their terms. Pure but for `is_deployed`."""

    def is_deployed(self) -> bool:
        """Whether the contract is there; False also where no node answers."""
        ...

    def standing_hash(self, terms: StandingTerms) -> str:
        """The hash of the terms, `0x` and 64 hex digits."""
        ...

    def standing_address(self, standing_hash: str) -> str:
        """The address of a hash of terms, the same on every chain of the family."""
        ...

    def marker(self, standing_hash: str, deposit_id: bytes) -> str:
        """The on-chain marker that this deposit left its standing address, forwarded or to the
        recovery address."""
        ...
