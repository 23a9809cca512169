"""Ways through the pools of an exchange on a chain, and who says what these ask for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from crossway.adapters.chains.words import address_word

_FEE_BYTES: Final = 3
_ADDRESS_BYTES: Final = 20


@dataclass(frozen=True, slots=True)
class PoolPath:
    """A way through pools of Uniswap v3, from what is bought to what is paid in: the tokens'
    addresses and, between each two of them, the fee of their pool in hundredths of a basis
    point."""

    tokens: tuple[str, ...]
    fees: tuple[int, ...]

    def encode(self) -> bytes:
        """The path as the quoter and our contract take it for an exact output."""
        parts = [_address(self.tokens[0])]
        for fee, token in zip(self.fees, self.tokens[1:], strict=True):
            parts += [fee.to_bytes(_FEE_BYTES, "big"), _address(token)]
        return b"".join(parts)


class SwapQuoter(Protocol):
    """What says what pools on one chain ask for."""

    def quote(self, quoter: str, asked: Sequence[tuple[PoolPath, int]]) -> Sequence[int | None]:
        """What each exact output costs along its path, in units, by the contract at `quoter`; None
        where its pools do not have it, or do not exist. Raises `Unreachable`."""
        ...


def _address(address: str) -> bytes:
    return address_word("evm", address)[-_ADDRESS_BYTES:]
