"""What postings add to the lines of profit and loss; a reversal undoes it."""

from collections import defaultdict

import pytest

from crossway.domain.ledger import Account as A
from crossway.domain.ledger import Posting
from crossway.domain.profit_and_loss import ProfitLine, UnitPrice, contributions, value_of

HOME, AWAY = "HOME", "AWAY"
PRICES = {
    (HOME, "usd"): UnitPrice(10**12, 6),
    (AWAY, "usd"): UnitPrice(10**12, 6),
    (AWAY, "eur"): UnitPrice(1_160_000_000_000, 6),
    (HOME, "eth"): UnitPrice(2_000 * 10**12, 18),
}
GAS = 5 * 10**12
"""0.01 USD of ether."""


def posting(
    debit: A, credit: A, amount: int, tx: str, chain: str = HOME, token: str = "usd", owner: int = 7
) -> Posting:
    return Posting(owner, chain, token, debit, credit, amount, tx)


def lines(*booked: Posting) -> dict[ProfitLine, int]:
    """The value of each line in micro-USD; the prices of all are known."""
    totals: dict[ProfitLine, int] = defaultdict(int)
    for one in booked:
        for part in contributions(one, booked):
            value = value_of(part, PRICES)
            assert value is not None
            totals[part.line] += value
    return {line: nano // 1_000 for line, nano in totals.items() if nano}


DEPOSIT = posting(A.HELD, A.PAYER, 25_100_000, "in#0")
COLLECT = posting(A.ESCROW, A.HELD, 25_100_000, "start")
PAYOUT = posting(A.RECIPIENT, A.INVENTORY, 25_000_000, "fill", AWAY)
REPAID = (
    posting(A.INVENTORY, A.ESCROW, 25_000_000, "repay"),
    posting(A.SPREAD, A.ESCROW, 60_000, "repay"),
    posting(A.SERVICE_FEES, A.ESCROW, 10_000, "repay"),
    posting(A.APP_FEES, A.ESCROW, 30_000, "repay"),
)
FEES = tuple(
    posting(A.NETWORK_FEES, A.INVENTORY, GAS, tx, token="eth") for tx in ("start", "fill", "repay")
)


def test_a_payment_out_of_inventory_earns_its_fees_less_gas() -> None:
    assert lines(DEPOSIT, COLLECT, PAYOUT, *REPAID, *FEES) == {
        ProfitLine.SPREAD: 60_000,
        ProfitLine.SERVICE_FEES: 10_000,
        ProfitLine.APP_FEES: 30_000,
        ProfitLine.NETWORK_FEES: 30_000,
    }


def test_what_the_relayer_gets_for_another_token_is_valued_against_what_it_paid_out() -> None:
    # 20 EUR at 1.16 USD are 23.20 USD; the relayer gets 23.50 USD.
    paid = posting(A.RECIPIENT, A.INVENTORY, 20_000_000, "fill", AWAY, "eur")
    repaid = posting(A.INVENTORY, A.ESCROW, 23_500_000, "repay")
    assert lines(COLLECT, paid, repaid) == {ProfitLine.CONVERSION: 300_000}


def test_until_the_relayer_is_repaid_a_payout_is_no_cost() -> None:
    assert lines(DEPOSIT, COLLECT, PAYOUT) == {}


def test_a_deposit_that_goes_back_after_the_payout_is_a_loss_until_that_is_undone() -> None:
    back = posting(A.HELD, A.ESCROW, 25_100_000, "reclaim")
    assert lines(COLLECT, PAYOUT, back) == {ProfitLine.DUE_LOSSES: 25_000_000}
    assert lines(COLLECT, PAYOUT, back, back.reversed()) == {}


def test_a_start_that_a_reorganisation_undoes_is_no_loss() -> None:
    assert lines(COLLECT, PAYOUT, COLLECT.reversed()) == {}


def test_a_refund_costs_gas_and_brings_what_it_was_charged() -> None:
    assert lines(
        COLLECT,
        posting(A.PAYER, A.ESCROW, 25_000_000, "refund"),
        posting(A.INVENTORY, A.ESCROW, 100_000, "refund"),
        posting(A.NETWORK_FEES, A.INVENTORY, GAS, "start", token="eth"),
        posting(A.NETWORK_FEES, A.INVENTORY, GAS, "refund", token="eth"),
    ) == {
        ProfitLine.KEPT_COSTS: 100_000,
        ProfitLine.NETWORK_FEES: 10_000,
        ProfitLine.REFUND_FEES: 10_000,
    }


def test_a_start_that_returns_an_overpayment_is_no_refund() -> None:
    assert lines(
        COLLECT,
        posting(A.PAYER, A.HELD, 500_000, "start"),
        posting(A.NETWORK_FEES, A.INVENTORY, GAS, "start", token="eth"),
    ) == {ProfitLine.NETWORK_FEES: 10_000}


def test_a_bridge_is_paid_with_the_payers_money_where_it_carries_the_payment() -> None:
    # 25.10 sent, of which the bridge takes 0.04; the recipient gets 25.00.
    assert lines(
        posting(A.IN_TRANSIT, A.HELD, 25_100_000, "start"),
        posting(A.CROSSED, A.IN_TRANSIT, 25_060_000, "mint"),
        posting(A.BRIDGE_FEES, A.IN_TRANSIT, 40_000, "mint"),
        posting(A.RECIPIENT, A.CROSSED, 25_000_000, "mint", AWAY),
        posting(A.SERVICE_FEES, A.CROSSED, 10_000, "mint", AWAY),
        posting(A.BRIDGE_SURPLUS, A.CROSSED, 50_000, "mint", AWAY),
        posting(A.OWED, A.TREASURY, 60_000, "mint", AWAY),
    ) == {
        ProfitLine.SERVICE_FEES: 10_000,
        ProfitLine.BRIDGE_SURPLUS: 50_000,
        ProfitLine.CHARGED_BRIDGE_FEES: 40_000,
    }


@pytest.mark.parametrize("owner", [7, -3])
def test_a_bridge_that_moves_inventory_is_a_cost(owner: int) -> None:
    assert lines(
        posting(A.IN_TRANSIT, A.INVENTORY, 1_000_000, "send", owner=owner),
        posting(A.CROSSED, A.IN_TRANSIT, 990_000, "got", owner=owner),
        posting(A.BRIDGE_FEES, A.IN_TRANSIT, 10_000, "got", owner=owner),
        posting(A.INVENTORY, A.CROSSED, 990_000, "got", AWAY, owner=owner),
    ) == {ProfitLine.BRIDGE_FEES: 10_000}


def test_a_mint_out_of_the_unified_balance_costs_its_fee_alone() -> None:
    assert lines(
        posting(A.CROSSED, A.INVENTORY, 1_000_000, "mint"),
        posting(A.BRIDGE_FEES, A.INVENTORY, 3_000, "mint"),
        posting(A.INVENTORY, A.CROSSED, 1_000_000, "mint", AWAY),
    ) == {ProfitLine.BRIDGE_FEES: 3_000}


def test_the_relayers_repayment_by_a_bridge_is_no_gain() -> None:
    assert (
        lines(
            posting(A.IN_TRANSIT, A.HELD, 25_000_000, "start"),
            PAYOUT,
            posting(A.CROSSED, A.IN_TRANSIT, 25_000_000, "mint"),
            posting(A.INVENTORY, A.CROSSED, 25_000_000, "mint", AWAY),
        )
        == {}
    )


def test_a_swap_is_worth_the_difference_of_its_ends_and_paid_by_the_payer() -> None:
    # 0.0125 ether at 2,000 USD are 25.00 USD, for 24.90 USD.
    swap = (
        posting(A.EXCHANGED, A.HELD, 12_500_000_000_000_000, "start", token="eth"),
        posting(A.IN_TRANSIT, A.EXCHANGED, 24_900_000, "start"),
    )
    assert lines(*swap) == {ProfitLine.CHARGED_SWAPS: 100_000}
    without_ether = {key: price for key, price in PRICES.items() if key[1] != "eth"}
    ends = [part for one in swap for part in contributions(one, swap)]
    assert [value_of(part, without_ether) for part in ends] == [None, None]


@pytest.mark.parametrize("to", [A.EQUITY, A.TREASURY, A.INVENTORY])
def test_what_the_operator_takes_out_is_no_loss(to: A) -> None:
    assert lines(posting(to, A.SPREAD, 60_000, "escrow:withdrawn", owner=0)) == {
        ProfitLine.WITHDRAWN: -60_000
    }


def test_gas_of_the_operators_own_is_a_cost_whoever_pays_it() -> None:
    for payer in (A.INVENTORY, A.EQUITY):
        fee = posting(A.NETWORK_FEES, payer, GAS, "deploy", token="eth", owner=0)
        assert lines(fee) == {ProfitLine.NETWORK_FEES: 10_000}


def test_a_reversal_undoes_every_line() -> None:
    booked = (COLLECT, PAYOUT, *REPAID, *FEES)
    assert lines(*booked, *(one.reversed() for one in (*FEES, *REPAID))) == {}
