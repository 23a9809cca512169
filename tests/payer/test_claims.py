"""What waits at a payment's address stands on its payer's page."""

from crossway.domain.intent import Intent, State
from crossway.domain.return_budget import ReturnBudget
from crossway.payer.i18n import LANGUAGES, load_translations
from tests.harness import CATALOGUE, Harness
from tests.payer.conftest import Payer, state_on_page

BASE = "BASE_MAINNET"
USDC, USDT = (CATALOGUE.tokens[BASE, symbol].address for symbol in ("USDC", "USDT"))


def expired_with(world: Harness, amount: int, token: str = USDC) -> Intent:
    intent = world.create_intent()
    world.sandbox.deposit(BASE, intent.address, token, amount)
    world.pass_time(20)
    world.machine.seconds += 3_700
    return world.wait_for_state(intent, State.EXPIRED)


def plain(page: str) -> str:
    return (
        page.replace("\u00a0", " ").replace("&#39;", "'").replace("<bdi>", "").replace("</bdi>", "")
    )


def test_dust_is_said_to_remain_the_payers_in_every_language(payer: Payer) -> None:
    intent = expired_with(payer.world, 9_000)
    payer.world.pass_time(10)
    for code in LANGUAGES:
        page, words = plain(payer.get_page(intent, code)), load_translations(code).texts
        assert state_on_page(page) == "expired"
        assert words["claim.dust"].split("{amount}")[1].split("{chain}")[0] in page
        assert words["claim.simulated"] in page
    assert "0.009 USDC remains at this payment's address on Base" in plain(payer.get_page(intent))


def test_dust_of_another_token_is_not_said_to_go_back(payer: Payer) -> None:
    intent = expired_with(payer.world, 9_000, USDT)
    payer.world.pass_time(10)
    page = plain(payer.get_page(intent))
    assert "0.009 USDT remains at this payment's address on Base" in page
    assert "When this payment ends, it is returned" not in page


def test_a_refund_that_waits_for_its_allowance_is_not_said_to_be_under_way(payer: Payer) -> None:
    world = payer.world
    intent = world.create_intent()
    world.sandbox.deposit(BASE, intent.address, USDC, 2_000_000)
    world.pass_time(20)
    world.machine.seconds += 3_700
    spent = ReturnBudget(BASE, 0, 0, world.clock.now())
    world.store.write(lambda unit: unit.treasury.save_return_budget(spent))
    world.wait_for_state(intent, State.EXPIRED)
    world.pass_time(1)
    page = plain(payer.get_page(intent))
    assert state_on_page(page) == "refund_waits"
    assert "2 USDC waits at this payment's address on Base" in page
    assert "are being returned" not in page
    world.wait_for_state(intent, State.REFUNDED)
    page = payer.get_page(intent)
    assert (state_on_page(page), "claim" in page.split("</article>")[0]) == ("refunded", False)
