"""Whether rhino.fi paid us by a transaction that it names, as our own nodes report it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from crossway.adapters.bridges.rhinofi.networks import payers
from crossway.adapters.chains.rpc.protocols import HasTokenTransfers
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Chain

CLOCK_SLACK: Final = timedelta(minutes=2)
"""A chain's time may be behind this machine's."""


@dataclass(frozen=True, slots=True)
class ExpectedPayment:
    """At least `amount` units of a token, to our account on a chain, by rhino.fi, after `since`."""

    chain: str
    token: str
    amount: int
    since: datetime


class Payouts:
    """Reads payments on `chains`. Each payment is told once: another transfer for which the service
    names the same transaction was not paid by it. Lives as long as one look at all transfers."""

    def __init__(self, chains: Mapping[str, Chain]) -> None:
        self._chains = chains
        self._told: set[tuple[str, str]] = set()

    def find(self, expected: ExpectedPayment, tx_id: str) -> IncomingTransfer | None:
        """The payment in a transaction; None where our nodes report none such. Raises
        `Unreachable`."""
        chain = self._chains.get(expected.chain)
        if not isinstance(chain, HasTokenTransfers):
            raise Unreachable(f"{expected.chain} is not configured")
        for transfer in chain.token_transfers(tx_id, chain.accounts.relayer):
            place = expected.chain, transfer.tx_ref
            if place not in self._told and _is_expected(transfer, expected):
                self._told.add(place)
                return transfer
        return None


def _is_expected(transfer: IncomingTransfer, expected: ExpectedPayment) -> bool:
    """Not what anyone paid us: the service could name what a payment's contract repaid."""
    return (
        transfer.sender in payers(expected.chain)
        and transfer.token == expected.token
        and transfer.amount >= expected.amount
        and transfer.at >= expected.since - CLOCK_SLACK
    )
