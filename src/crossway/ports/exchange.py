"""The port of an exchange on which the start of a payment swaps the payer's token."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from crossway.domain.swaps import SwapQuote


@dataclass(frozen=True, slots=True)
class SwapRequest:
    """A swap to quote on one chain: so much of `symbol_out`, by value, bought with
    `symbol_in`."""

    chain: str
    symbol_in: str
    symbol_out: str
    micro_usd: int


@dataclass(frozen=True, slots=True)
class SwapRejected:
    """An exchange does not quote a swap; `reason` is a sentence for the user."""

    reason: str


class Exchange(Protocol):
    """An exchange with pools on one or more chains.

    `runs_in_process`: it prices from memory, without network calls. `prices_alike`: every token of
    a chain costs the same to swap, relative to its value.
    """

    runs_in_process: bool
    prices_alike: bool

    def sells(self, chain: str, symbol_in: str, symbol_out: str) -> bool:
        """Whether it may have a way from one token to another on a chain."""
        ...

    def get_quotes(self, requests: Sequence[SwapRequest]) -> Sequence[SwapQuote | SwapRejected]:
        """One answer for each request, in order. Raises `Unreachable`."""
        ...
