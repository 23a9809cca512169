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


@dataclass(frozen=True, slots=True)
class FoundPayment:
    """A payment by rhino.fi, and `total`, all that its transaction paid us of the token, in
    units."""

    transfer: IncomingTransfer
    total: int


class Payouts:
    """Reads payments on `chains`. Each payment is told once: another transfer for which the service
    names the same transaction was not paid by it. Lives as long as one look at all transfers."""

    def __init__(self, chains: Mapping[str, Chain]) -> None:
        self._chains = chains
        self._told: set[tuple[str, str]] = set()

    def find(self, expected: ExpectedPayment, tx_id: str) -> FoundPayment | None:
        """The payment in a transaction, of several the smallest that suffices: a greater one may be
        another transfer's. None where our nodes report none such. Raises `Unreachable`."""
        chain = self._chains.get(expected.chain)
        if not isinstance(chain, HasTokenTransfers):
            raise Unreachable(f"{expected.chain} is not configured")
        paid = [
            transfer
            for transfer in chain.token_transfers(tx_id, chain.accounts.relayer)
            if _is_by_service(transfer, expected)
        ]
        for transfer in sorted(paid, key=lambda one: one.amount):
            place = expected.chain, transfer.tx_ref
            if place not in self._told and _is_expected(transfer, expected):
                self._told.add(place)
                return FoundPayment(transfer, sum(one.amount for one in paid))
        return None


def _is_by_service(transfer: IncomingTransfer, expected: ExpectedPayment) -> bool:
    """Not what anyone paid us: the service could name what a payment's contract repaid."""
    return transfer.sender in payers(expected.chain) and transfer.token == expected.token


def _is_expected(transfer: IncomingTransfer, expected: ExpectedPayment) -> bool:
    is_new = transfer.at >= expected.since - CLOCK_SLACK
    return is_new and transfer.amount >= expected.amount
