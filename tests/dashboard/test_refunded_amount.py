"""What a payment's page says was refunded, from the ledger's postings."""

import pytest

from crossway.dashboard.views.intent_comparison import _format_refunded
from crossway.domain.ledger import Account, Posting
from tests.harness import CATALOGUE

CHAIN = "BASE_MAINNET"
USDC = CATALOGUE.tokens[CHAIN, "USDC"].address
USDT = CATALOGUE.tokens[CHAIN, "USDT"].address
DEPOSITED = "0x01#0"


def posting(
    debit: Account, credit: Account, amount: int, tx: str = "0x02", token: str = USDC
) -> Posting:
    return Posting(1, CHAIN, token, debit, credit, amount, tx)


DEPOSIT = posting(Account.HELD, Account.PAYER, 30_000_000, DEPOSITED)
START = posting(Account.ESCROW, Account.HELD, 25_000_000)
EXCESS = posting(Account.PAYER, Account.HELD, 5_000_000)
FROM_ESCROW = posting(Account.PAYER, Account.ESCROW, 25_000_000, "0x03")
WRONG_TOKEN = posting(Account.HELD, Account.PAYER, 4_000_000, "0x04#1", USDT)
RETURNED = posting(Account.PAYER, Account.HELD, 4_000_000, "0x05", USDT)


@pytest.mark.parametrize(
    ("postings", "expected"),
    [
        ([DEPOSIT, START], "–"),
        ([DEPOSIT, DEPOSIT.reversed()], "–"),
        ([DEPOSIT, START, EXCESS], "5.00 USDC"),
        ([DEPOSIT, START, EXCESS, EXCESS.reversed()], "–"),
        ([DEPOSIT, START, EXCESS, EXCESS.reversed(), EXCESS], "5.00 USDC"),
        ([DEPOSIT, START, EXCESS, FROM_ESCROW], "30.00 USDC"),
        ([DEPOSIT, START, WRONG_TOKEN], "–"),
        ([DEPOSIT, START, EXCESS, WRONG_TOKEN, RETURNED], "5.00 USDC + 4.00 USDT"),
    ],
)
def test_refunded_is_what_went_back_to_the_payer(postings: list[Posting], expected: str) -> None:
    assert _format_refunded(CATALOGUE, postings) == expected
