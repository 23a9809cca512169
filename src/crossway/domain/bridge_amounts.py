"""Amounts of a payment over a bridge, between the token that is sent and its payout's at par."""

from typing import Final

from crossway.domain.intent import Intent

# In the quote's data, whose words are the time of the quote, the deadline, the share of the deposit
# as a fraction of 10**18, and the gas in micro-USD.
_WORD_DIGITS: Final = 64
_FEE_WORDS, _SHARE_PLACE, _GAS_PLACE = 4, 2, 3
_WHOLE: Final = 10**18


def in_deposit_units(intent: Intent, payout_units: int) -> int:
    """An amount of the payout's token in units of what is sent, which is the deposit unless that is
    swapped; one for one, rounded down."""
    return _rescale(payout_units, intent.out_decimals, intent.collected.decimals)


def in_payout_units(intent: Intent, deposit_units: int) -> int:
    """An amount of what is sent in units of the payout's token, one for one, rounded down."""
    return _rescale(deposit_units, intent.collected.decimals, intent.out_decimals)


def bridge_fee_units(intent: Intent) -> int:
    """What a bridge that fills deposits takes of this one by its quote, in units of the deposit's
    token and rounded up: a share of the deposit, and a relayer's gas. The rest is the operator's,
    for its service and for its network costs."""
    words = intent.bridge_data.removeprefix("0x")
    if len(words) < _FEE_WORDS * _WORD_DIGITS:
        return 0
    share, gas_micro_usd = (
        int(words[place * _WORD_DIGITS : (place + 1) * _WORD_DIGITS], 16)
        for place in (_SHARE_PLACE, _GAS_PLACE)
    )
    # Dollars in units of the token at the price of the quote, which is that of its amount.
    amount = in_deposit_units(intent, intent.terms.payout_amount)
    micro_usd = max(intent.costs.amount_micro_usd, 1)
    share_units = -(-intent.terms.deposit_amount * share // _WHOLE)
    return share_units - (-gas_micro_usd * amount // micro_usd)


def bridge_output(intent: Intent) -> int:
    """What a bridge that fills deposits is asked to pay out for one, in units of the payout's
    token: all but its own fee, and never less than the recipient's amount."""
    rest = intent.terms.deposit_amount - bridge_fee_units(intent)
    return max(in_payout_units(intent, rest), intent.terms.payout_amount)


def _rescale(units: int, decimals: int, to_decimals: int) -> int:
    return int(units * 10**to_decimals // 10**decimals)
