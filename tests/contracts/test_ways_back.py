"""Money that cannot go back the usual way: a refund address that refuses, a chain that is wrong."""

from crossway.adapters.chains.evm.contracts import REDIRECT_SECONDS
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxState
from crossway.usecases.payments import manual_operations
from tests.chains.anvil import Anvil, dollars
from tests.chains.live import ARBITRUM, BASE, LiveWorld
from tests.conformance.networks import made_up
from tests.harness import book_address


def refuse(one: Anvil, who: str) -> None:
    """The token takes no transfer to this address any more, as USDC's black list."""
    one.call_token(
        dollars(one.chain), "refuse(address,bool)", address_word("evm", who), number_word(1)
    )


def refused(world: LiveWorld, name: str) -> Intent:
    """A payment whose time is over, and whose refund failed."""
    base = world.anvils[BASE]
    intent = world.pay(name)
    refuse(base, intent.terms.refund_address)
    world.step()
    world.deposit(intent, 7_000_000)
    world.step(3)
    base.rpc("evm_increaseTime", 4_000)

    def failed() -> bool:
        with world.services.store.read() as unit:
            return any(
                t.state is OutboundTxState.FAILED
                for t in unit.outbound_txs.list_by_intents([intent.id])
            )

    world.until(failed)
    return intent


def test_a_refused_refund_goes_to_another_address_once_its_grace_is_over(world: LiveWorld) -> None:
    base, other = world.anvils[BASE], made_up("another wallet of the payer")
    early, late = refused(world, "early"), refused(world, "late")
    book_address(world.services, world.operator, BASE, other)
    manual_operations.redirect_refund(world.services, world.operator, early.id, other)
    world.step(2)
    assert any("Another address is paid from" in line for line in world.words())
    assert base.balance(other) == 0
    base.rpc("evm_increaseTime", REDIRECT_SECONDS)
    world.step()
    manual_operations.redirect_refund(world.services, world.operator, late.id, other)
    world.ends(late, State.REFUNDED)
    assert base.balance(other) == 7_000_000
    assert base.balance(late.terms.refund_address) == 0


def test_money_on_a_wrong_chain_is_found_and_given_back_there(world: LiveWorld) -> None:
    intent, arbitrum = world.pay(), world.anvils[ARBITRUM]
    world.step()
    arbitrum.pay(intent.address, 9_000_000)
    world.step(2)
    found = manual_operations.scan_other_chains(world.services, world.operator, intent.id)
    assert [one.incoming.amount for one in found] == [9_000_000]
    world.step(4)
    manual_operations.return_deposit(world.services, world.operator, found[0].id)
    payer = intent.terms.refund_address
    world.until(lambda: arbitrum.balance(payer) == 9_000_000)
    assert world.now(intent).state is State.PENDING
