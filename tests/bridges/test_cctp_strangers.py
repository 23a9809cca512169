"""Transactions of strangers on two real chains that do not do for a payment what they seem to."""

from datetime import timedelta
from pathlib import Path

from eth_account import Account

from crossway.adapters.chains.evm.calldata import encode_call
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from tests.bridges.cctp_chains import (
    CATALOGUE,
    DEPLOYMENT,
    CctpWorld,
    call,
    fill_as_stranger,
    places,
)
from tests.bridges.test_cctp_failures import sent, transfer_of
from tests.bridges.test_cctp_payments import INVENTORY, standard, stocked_world
from tests.chains.anvil import RELAYER, RELAYER_KEY, RICH, STRANGER_KEY, dollars
from tests.chains.live import ARBITRUM, BASE

WRAPPER = "0x" + "11" * 20
PROPOSER = "0x" + "22" * 20


def calls_unless_proposed(target: str) -> str:
    """The code of a contract that passes its call on, whatever comes of it, except in blocks of
    PROPOSER."""
    skip = "41" + "73" + PROPOSER[2:] + "14"  # COINBASE, PUSH20, EQ
    copy = "36" + "6000" + "6000" + "37"  # CALLDATACOPY(0, 0, size)
    call = "6000" + "6000" + "36" + "6000" + "6000" + "73" + target[2:] + "5a" + "f1" + "50" + "00"
    end = 1 + 21 + 1 + 2 + 1 + (len(copy) + len(call)) // 2
    return "0x" + skip + f"60{end:02x}" + "57" + copy + call + "5b00"


def encode_send(intent: Intent) -> bytes:
    """The call of the bridge's contract by which anybody sends a payment."""
    terms = intent.terms
    collected = Output(intent.address, intent.bridger, terms.token_in, terms.deposit_amount)
    call = OutboundCall(
        OutboundTxKind.START,
        terms.source_chain,
        RICH.address,
        intent.intent_hash,
        (collected,),
        terms=terms,
        bridger=intent.bridger,
        coordinator=intent.coordinator,
        custody=Custody.BRIDGE,
    )
    return encode_call(CATALOGUE, DEPLOYMENT, call).data


def test_a_send_that_another_block_did_not_make_is_made_before_inventory_pays(
    tmp_path: Path,
) -> None:
    with stocked_world(tmp_path) as world:
        base, arbitrum = world.anvils[BASE], world.anvils[ARBITRUM]
        intent = standard(world)
        base.rpc("anvil_setCode", WRAPPER, calls_unless_proposed(intent.bridger))
        base.rpc("anvil_setBalance", Account.from_key(STRANGER_KEY).address, hex(10**18))
        world.deposit(intent)
        before = base.rpc("evm_snapshot")
        base.transact(WRAPPER, encode_send(intent), key=STRANGER_KEY)
        raw = base.sent[-1]
        base.mine()
        world.engine.tick()
        assert transfer_of(world, intent).state == "SEEN"
        # Another block of the same height has the same transaction, which succeeds there too.
        assert base.rpc("evm_revert", before)
        base.rpc("anvil_setCoinbase", PROPOSER)
        base.rpc("eth_sendRawTransaction", raw)
        base.mine()
        base.rpc("anvil_setCoinbase", "0x" + "00" * 20)
        assert places(world, intent).deposit == intent.terms.deposit_amount
        world.ends(intent, State.COMPLETED, most=60)
        # It was sent by another transaction, so that the bridge repays what inventory paid.
        assert (places(world, intent).deposit, transfer_of(world, intent).state) == (0, "SEEN")
        assert arbitrum.balance(RELAYER) == INVENTORY - intent.terms.payout_amount
        world.attestations.standard_seconds = 0
        world.clock.ahead += timedelta(hours=1)
        world.until(lambda: transfer_of(world, intent).state == "CLOSED")
        assert arbitrum.balance(RELAYER) == INVENTORY


def test_a_payment_that_somebody_paid_in_the_bridge_s_name_completes(
    cctp_world: CctpWorld,
) -> None:
    world = cctp_world
    intent = sent(world)
    fill_as_stranger(world, intent, repay_to=intent.bridger)
    world.ends(intent, State.COMPLETED)
    held = places(world, intent)
    assert held.recipient == intent.terms.payout_amount
    # What arrived is owed to the coordinator.
    assert held.destination_contract == intent.terms.deposit_amount - held.circle
    world.until(lambda: transfer_of(world, intent).state == "CLOSED")


def test_what_a_bridge_s_contract_pays_to_an_address_is_a_deposit(cctp_world: CctpWorld) -> None:
    """What it gives back is none; what it owes can be withdrawn to the address of a payment."""
    world = cctp_world
    first = sent(world)
    world.ends(first, State.COMPLETED)
    there = first.terms.destination_chain
    tokens = {"token_in": dollars(there), "token_out": dollars(BASE)}
    other = world.pay("paid by it", source_chain=there, destination_chain=BASE, **tokens)
    assert other.bridger == first.bridger
    owed = places(world, first).destination_contract
    withdraw = "withdraw(address,address,uint256)"
    arbitrum = world.anvils[there]
    call(arbitrum, first.bridger, withdraw, dollars(there), other.address, owed, key=RELAYER_KEY)
    world.until(lambda: world.now(other).balance_at_address == owed)


def test_nothing_is_sent_where_the_bridge_s_contract_is_missing(cctp_world: CctpWorld) -> None:
    world = cctp_world
    intent = world.pay()
    there = world.anvils[intent.terms.destination_chain]
    code = there.rpc("eth_getCode", intent.bridger, "latest")
    there.rpc("anvil_setCode", intent.bridger, "0x")
    world.deposit(intent)
    world.step(6)
    assert places(world, intent).deposit == intent.terms.deposit_amount
    assert any("CCTP is not deployed on Arbitrum One" in words for words in world.words())
    there.rpc("anvil_setCode", intent.bridger, code)
    world.ends(intent, State.COMPLETED)
