"""The payer's page and the payment's next step say where a stray deposit is, and who acts."""

import html
import re

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.ports.sandbox import Faults
from crossway.usecases.payments.timeline import get_timeline
from tests.harness import CATALOGUE
from tests.payer.conftest import Payer

WAITS = (
    "25 USDC arrived on Arbitrum One, but this payment needs USDC on Base. It does not count as "
    "payment. You need to do nothing: once this payment has started or ended, we return it on "
    "Arbitrum One to your refund address."
)


def notices(page: str) -> list[str]:
    """The notices of a page as text."""
    found = re.findall(r'<p class="notice" role="note">(.*?)</p>', page)
    return [html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\u00a0", " ") for text in found]


def next_action(payer: Payer, intent_id: int) -> str:
    return get_timeline(payer.world.services, payer.world.operator, intent_id).next_action


def test_a_deposit_on_another_chain_is_told_with_its_chain_and_who_returns_it(
    payer: Payer,
) -> None:
    world = payer.world
    world.pass_time(2)
    intent = world.create_intent()
    world.deposit(intent, "25000000", chain="ARBITRUM_MAINNET", token="USDC")
    world.pass_time(30)
    assert notices(payer.get_page(intent)) == [WAITS]
    assert next_action(payer, intent.id).endswith(
        "on Base. What arrived on Arbitrum One does not count; Crossway returns it there once the "
        "payment has started or ended."
    )
    world.pass_time(3700, step=600)
    world.pass_time(60)
    assert world.reload(intent).state is State.EXPIRED
    [notice] = notices(payer.get_page(intent))
    assert notice.endswith("We returned it on Arbitrum One to your refund address.")
    usdc = CATALOGUE.tokens["ARBITRUM_MAINNET", "USDC"].address
    held = world.sandbox.holdings(intent.terms.refund_address)
    assert held == [("ARBITRUM_MAINNET", usdc, 25_000_000)]
    world.deposit(intent, "1000000", chain="ARBITRUM_MAINNET", token="USDC")
    world.pass_time(60)
    [notice] = notices(payer.get_page(intent))
    assert notice.startswith("26 USDC arrived on Arbitrum One")
    assert notice.endswith("We returned it on Arbitrum One to your refund address.")
    held = world.sandbox.holdings(intent.terms.refund_address)
    assert held == [("ARBITRUM_MAINNET", usdc, 26_000_000)]


def test_a_return_that_failed_says_whom_to_ask(payer: Payer) -> None:
    world = payer.world
    world.pass_time(2)
    intent = world.create_intent()
    world.deposit(intent, "25000000", chain="ARBITRUM_MAINNET", token="USDC")
    refusing = Faults(refuse=(intent.terms.refund_address,))
    world.sandbox.inject_faults("ARBITRUM_MAINNET", refusing)
    world.pass_time(3700, step=600)
    world.pass_time(600, step=5)
    [notice] = notices(payer.get_page(intent))
    assert notice.endswith(
        "We could not return it on Arbitrum One to your refund address. Please contact A shop."
    )
    assert next_action(payer, intent.id).startswith(
        "Operator: resolve the failed return of an unexpected deposit on Arbitrum One: "
    )


def test_an_unconfirmed_deposit_elsewhere_is_not_waited_for_here(payer: Payer) -> None:
    world = payer.world
    world.pass_time(2)
    intent = world.create_intent()
    world.deposit(intent, "25000000", chain="ARBITRUM_MAINNET", token="USDC")
    world.engine.tick()
    assert next_action(payer, intent.id).startswith("Payer: send 25.06325 USDC on Base.")


def test_a_stray_that_an_earlier_return_took_along_is_returned(payer: Payer) -> None:
    world = payer.world
    world.pass_time(2)
    intent = world.create_intent()
    world.pass_time(3700, step=600)
    world.deposit(intent, "25000000", chain="ARBITRUM_MAINNET", token="USDC")

    def returns() -> list[OutboundTx]:
        with world.store.read() as unit:
            return unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.RETURN_EXCESS)

    for _ in range(200):
        if returns():
            break
        world.pass_time(0.1, step=0.1)
    world.deposit(intent, "1000000", chain="ARBITRUM_MAINNET", token="USDC")
    world.pass_time(60)
    assert [tx.state for tx in returns()] == [OutboundTxState.FINAL]
    usdc = CATALOGUE.tokens["ARBITRUM_MAINNET", "USDC"].address
    held = world.sandbox.holdings(intent.terms.refund_address)
    assert held == [("ARBITRUM_MAINNET", usdc, 26_000_000)]
    [notice] = notices(payer.get_page(intent))
    assert notice.endswith("We returned it on Arbitrum One to your refund address.")
