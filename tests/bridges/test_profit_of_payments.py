"""What payers paid and recipients did not get is revenue or passed on, whichever way it went."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.ledger import Account, Posting
from crossway.domain.profit_and_loss import COSTS, PASSED_ON, REVENUE, ProfitLine
from crossway.usecases.money import profit_and_loss
from tests.bridges.world import BridgeWorld
from tests.harness import CATALOGUE, PRICES

ETH = CATALOGUE.tokens["BASE_MAINNET", "ETH"].address
PICO_IN_NANO = 1_000


def value(posting: Posting) -> Fraction:
    """In nano-USD, at the prices that never change here."""
    token = CATALOGUE.by_address[posting.chain, posting.token]
    return Fraction(posting.amount * PRICES[token.symbol], 10**token.decimals * PICO_IN_NANO)


def net(postings: Sequence[Posting], *accounts: Account) -> Fraction:
    """Debits less credits of these accounts."""
    total = Fraction(0)
    for one in postings:
        if sign := (one.debit in accounts) - (one.credit in accounts):
            total += sign * value(one)
    return total


@pytest.mark.parametrize(
    ("bridge", "token_in"),
    # Across carries no swapped deposits.
    [("ACROSS", "USDC")]
    + [(name, token) for name in ("CCTP", "GATEWAY", "RHINOFI", "INVENTORY")
       for token in ("USDC", "ETH")],
)  # fmt: skip
def test_no_dollar_is_made_or_lost(tmp_path: Path, bridge: str, token_in: str) -> None:
    world = BridgeWorld(tmp_path, bridge)
    more = {"token_in": ETH} if token_in == "ETH" else {}
    intent = world.pay(**more)
    assert intent.terms.bridge == bridge
    world.wait_for_state(intent, State.COMPLETED, within=900)
    world.pass_time(900, step=10)
    with world.store.read() as unit:
        postings = [one for _, one in unit.ledger.list_by_intent(intent.id)]
    kept = -net(postings, Account.PAYER) - net(
        postings, Account.RECIPIENT, Account.HELD, Account.DUST
    )
    amounts = profit_and_loss.get_payment_margin(world.services, world.operator, intent.id)
    assert [of for of in amounts if of.unpriced] == []
    by_line = {line: sum(of.nano_usd for of in amounts if of.line is line) for line in ProfitLine}
    told = sum(by_line[line] for line in (*REVENUE, *PASSED_ON))
    # Each of the lines is rounded to nano-USD.
    assert abs(kept - told) <= len(amounts) * 2
    assert sum(by_line[line] for line in COSTS) > 0
    day = world.clock.now().date()
    report = profit_and_loss.get_report(world.services, world.operator, day, day)
    assert report.total == profit_and_loss.margin_of(amounts)
