"""Several payments by rhino.fi in one transaction: each transfer is told its own."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from crossway.adapters.bridges.rhinofi.networks import payers
from crossway.adapters.bridges.rhinofi.payouts import ExpectedPayment, Payouts
from crossway.domain.deposits import IncomingTransfer
from tests.services import CATALOGUE

BASE, NOW = "BASE_MAINNET", datetime(2026, 1, 1, tzinfo=UTC)
USDC, TX = CATALOGUE.tokens["BASE_MAINNET", "USDC"].address, "0x" + "ab" * 32


@dataclass
class Accounts:
    relayer: str = "0x" + "01" * 20


@dataclass
class PaidChain:
    """A chain on which one transaction paid these amounts, in this order."""

    amounts: tuple[int, ...]
    accounts: Accounts = field(default_factory=Accounts)

    def token_transfers(self, tx_id: str, to: str) -> list[IncomingTransfer]:
        payer = min(payers(BASE))
        return [
            IncomingTransfer(BASE, tx_id, place, 7, "0x7", USDC, payer, to, units, NOW)
            for place, units in enumerate(self.amounts)
        ]


def test_a_small_transfer_does_not_take_the_payment_of_a_greater_one() -> None:
    chains: Any = {BASE: PaidChain((100, 50))}
    payouts = Payouts(chains)
    small, great = (ExpectedPayment(BASE, USDC, units, NOW) for units in (50, 100))
    found = [payouts.find(expected, TX) for expected in (small, great)]
    assert [(one.transfer.amount, one.total) for one in found if one] == [(50, 150), (100, 150)]
    assert payouts.find(small, TX) is None
