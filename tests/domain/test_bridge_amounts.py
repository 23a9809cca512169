"""What a bridge that fills deposits is asked to pay out: all but its own fee by the quote."""

from dataclasses import replace

from crossway.adapters.bridges.base import encode_words
from crossway.domain.bridge_amounts import bridge_fee_units, bridge_output
from tests.bridges.payments import AMOUNT, FEE, sent_intent

INTENT = sent_intent(1)
TOTAL = AMOUNT + FEE


def test_the_fee_is_a_share_of_the_deposit_and_gas_each_rounded_up() -> None:
    intent = replace(INTENT, bridge_data=encode_words(1, 2, 18 * 10**13, 2_400))
    assert bridge_fee_units(intent) == -(-TOTAL * 18 // 100_000) + 2_400
    assert bridge_output(intent) == TOTAL - bridge_fee_units(intent)


def test_gas_is_counted_at_the_price_of_the_amount() -> None:
    # 25 units of the token are worth 75,000 dollars: 1 dollar is a 3,000th of one.
    costs = replace(INTENT.costs, amount_micro_usd=75_000_000_000)
    words = encode_words(1, 2, 0, 3_001_000)
    intent = replace(INTENT, costs=costs, bridge_data=words)
    assert bridge_fee_units(intent) == 1_001


def test_the_payout_counts_the_units_of_its_own_token() -> None:
    intent = replace(INTENT, out_decimals=18, bridge_data=encode_words(1, 2, 0, 80_000))
    terms = replace(intent.terms, payout_amount=AMOUNT * 10**12)
    assert bridge_output(replace(intent, terms=terms)) == AMOUNT * 10**12


def test_it_is_never_less_than_the_recipients_amount() -> None:
    intent = replace(INTENT, bridge_data=encode_words(1, 2, 10**17, 0))
    assert bridge_fee_units(intent) > FEE
    assert bridge_output(intent) == AMOUNT


def test_without_the_bridges_data_no_fee_is_known() -> None:
    assert bridge_fee_units(INTENT) == 0
    assert bridge_output(INTENT) == TOTAL
