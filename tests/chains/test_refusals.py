"""A recipient that the token refuses, on EVM nodes: not started, or settled back less the costs."""

from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from tests.chains.anvil import dollars
from tests.chains.live import ARBITRUM, LiveWorld


def refuse(world: LiveWorld, intent: Intent, on: bool = True) -> None:
    """Put the recipient on the token's deny list, or take it off."""
    recipient = address_word("evm", intent.terms.recipient)
    world.anvils[ARBITRUM].call_token(
        dollars(ARBITRUM), "refuse(address,bool)", recipient, number_word(int(on))
    )


def start_of(world: LiveWorld, intent: Intent) -> OutboundTx | None:
    with world.services.store.read() as unit:
        starts = unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.START)
    return starts[0] if starts else None


def test_what_the_recipient_would_refuse_is_not_collected(world: LiveWorld) -> None:
    intent = world.pay()
    world.step()
    refuse(world, intent)
    world.deposit(intent)
    world.ends(intent, State.FUNDED)
    world.step(3)
    start = start_of(world, intent)
    assert start is not None
    assert start.state is OutboundTxState.DUE
    assert start.reason == (
        "The recipient cannot be paid: the receiver or the token refuses this transfer. "
        "The deposit goes back when the payment expires."
    )
    assert world.held(intent).payer == 0


def test_a_refusal_after_the_start_costs_the_payer_what_was_shown(world: LiveWorld) -> None:
    intent = world.pay()
    world.step()
    before = world.held(intent)
    world.deposit(intent)
    world.until(lambda: (start := start_of(world, intent)) is not None and bool(start.tx_id))
    refuse(world, intent)
    world.ends(intent, State.REFUNDED)
    world.settled(intent)
    kept = intent.costs.network_fee_units
    assert 0 < kept < intent.costs.fees_units
    after = world.held(intent)
    assert after.payer == intent.terms.deposit_amount - kept
    assert (after.recipient, after.escrow) == (0, before.escrow)
    assert after.relayer - before.relayer == kept
