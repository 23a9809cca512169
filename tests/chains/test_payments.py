"""Payments over two real chains: what becomes of each kind of deposit, to the unit."""

from crossway.adapters.chains.evm.calldata import encode_call
from crossway.adapters.chains.evm.contracts import default_deployment
from crossway.adapters.chains.intent_hash import hash_terms
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.usecases.money.reconciliation import reconcile
from tests.chains.anvil import CATALOGUE, RICH, dollars
from tests.chains.live import ARBITRUM, BASE, LiveWorld, given_back, paid


def outsiders_call(intent: Intent, duty: OutboundTxKind) -> tuple[str, bytes]:
    """The call by which anybody can start or fill this intent."""
    terms = intent.terms
    outputs = {
        OutboundTxKind.START: Output(
            intent.address, intent.bridger, terms.token_in, terms.deposit_amount
        ),
        OutboundTxKind.FILL: Output(
            RICH.address, terms.recipient, terms.token_out, terms.payout_amount
        ),
    }
    action = OutboundCall(
        duty,
        terms.source_chain,
        RICH.address,
        intent.intent_hash,
        (outputs[duty],),
        None,
        None,
        terms,
        intent.bridger,
        intent.coordinator,
    )
    call = encode_call(CATALOGUE, default_deployment(), action)
    return call.to, call.data


def test_an_exact_deposit_pays_the_recipient_and_everyone_what_the_terms_say(
    world: LiveWorld,
) -> None:
    intent = world.pay()
    world.step()
    world.record_openings()
    world.deposit(intent)
    done = world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.held(done) == paid(done)
    assert done.tx_hash is not None
    hashes = hash_terms(CATALOGUE, intent.terms, intent.bridger, intent.coordinator)
    assert "0x" + hashes.intent_hash.hex() == intent.intent_hash
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def test_a_short_deposit_waits_for_its_top_up(world: LiveWorld) -> None:
    intent = world.pay()
    world.step()
    world.deposit(intent, intent.terms.deposit_amount - 5)
    world.step(3)
    assert world.now(intent).state is State.PENDING
    world.deposit(intent, 5)
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.held(intent) == paid(intent)


def test_what_is_over_and_what_is_late_goes_back(world: LiveWorld) -> None:
    intent = world.pay()
    world.step()
    world.deposit(intent, intent.terms.deposit_amount + 3_000_000)
    world.ends(intent, State.COMPLETED)
    assert world.held(intent).payer == 3_000_000
    world.deposit(intent, 2_000_000)
    world.step(3)
    world.settled(intent)
    world.until(lambda: world.held(intent).payer == 5_000_000)
    world.settled(intent)
    assert world.held(intent) == paid(intent, back=5_000_000)


def test_a_foreign_token_goes_back_and_the_payment_goes_on(world: LiveWorld) -> None:
    euros = CATALOGUE.tokens[BASE, "EURC"].address
    world.anvils[BASE].put_token(euros)
    intent = world.pay()
    world.step()
    world.deposit(intent, 4_000_000, euros)
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    payer = intent.terms.refund_address
    world.until(lambda: world.anvils[BASE].balance(payer, euros) == 4_000_000)
    world.settled(intent)
    assert world.held(intent) == paid(intent)


def test_an_expired_payment_goes_back_to_the_unit(world: LiveWorld) -> None:
    intent = world.pay()
    world.step()
    world.deposit(intent, 7_000_000)
    world.step(3)
    world.anvils[BASE].rpc("evm_increaseTime", 4_000)
    world.ends(intent, State.REFUNDED)
    assert world.held(intent) == given_back(7_000_000)


def test_a_start_and_a_fill_by_somebody_else_are_taken_as_done(world: LiveWorld) -> None:
    intent = world.pay()
    world.step()
    arbitrum, base = world.anvils[ARBITRUM], world.anvils[BASE]
    filler = default_deployment().filler2
    approve = "approve(address,uint256)"
    arbitrum.call_token(
        dollars(ARBITRUM), approve, address_word("evm", filler), number_word(2**200)
    )
    base.send(intent.address, intent.terms.deposit_amount)
    base.transact(*outsiders_call(intent, OutboundTxKind.START))
    arbitrum.transact(*outsiders_call(intent, OutboundTxKind.FILL))
    done = world.ends(intent, State.COMPLETED)
    world.settled(intent)
    held, right = world.held(done), paid(done)
    assert held.recipient == right.recipient
    # It was somebody else's money that paid, and ours is as if we had not.
    assert held.relayer == right.relayer + intent.terms.payout_amount
    assert (held.escrow, held.treasury) == (right.escrow, right.treasury)


def test_a_token_that_keeps_a_part_is_never_started_and_goes_back(world: LiveWorld) -> None:
    intent = world.pay()
    world.step()
    world.deposit(intent)
    world.anvils[BASE].rpc("anvil_setCode", dollars(BASE), taking())
    world.step(6)
    assert world.now(intent).state is State.FUNDED
    world.anvils[BASE].rpc("evm_increaseTime", 4_000)
    world.ends(intent, State.REFUNDED, most=200)
    total = intent.terms.deposit_amount
    assert world.anvils[BASE].balance(intent.terms.refund_address) == total - total // 100
    assert world.held(intent).recipient == 0


def taking() -> str:
    from tests.chains.anvil import token_code

    return token_code("Taking")


def test_a_credited_deposit_that_is_reorganised_away_is_paid_once(world: LiveWorld) -> None:
    intent = world.pay()
    world.step()
    base = world.anvils[BASE]
    world.deposit(intent)
    base.mine()
    world.engine.tick()
    assert world.now(intent).state is State.FUNDED
    base.rpc("anvil_reorg", 3, [])
    world.engine.tick()
    assert world.now(intent).state is State.PENDING
    base.rpc("eth_sendRawTransaction", base.sent[-1])
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.held(intent) == paid(intent)
