"""Inventory by Circle Gateway on two real chains: deposited once, and minted where it is needed."""

from dataclasses import replace

import pytest

from crossway.adapters.bridges.gateway.burn_intents import parse_signed_intents
from crossway.domain.errors import Unreachable
from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.ports.inventory_bridge import AgreementExpired, Arrived, Pending
from tests.bridges.cctp_chains import FEE_RECIPIENT
from tests.bridges.gateway_chains import AMOUNT, GATEWAY, STOCK, GatewayWorld
from tests.chains.anvil import RELAYER
from tests.chains.live import ARBITRUM, BASE

MINT = InventoryTransferKind.MINT
# The burn's gas on Base, and half a basis point of 25 USDC.
FEE = 10_000 + 1_250


def test_a_deposit_arrives_once_it_is_final(gateway_world: GatewayWorld) -> None:
    base = gateway_world.anvils[BASE]
    deposit = gateway_world.deposited(BASE, 2 * AMOUNT)
    assert base.balance(GATEWAY.wallet) == 2 * AMOUNT
    assert gateway_world.track(deposit) == Pending("Circle counts it once it is final.")
    assert gateway_world.bridge.balances() == {BASE: 0, ARBITRUM: 0}
    gateway_world.pass_finality()
    status = gateway_world.track(deposit)
    assert isinstance(status, Arrived)
    assert (status.tx_id, status.fee_units) == (deposit.source_tx, 0)
    assert gateway_world.bridge.balances() == {BASE: 2 * AMOUNT, ARBITRUM: 0}


def test_no_allowance_is_left_after_a_deposit(gateway_world: GatewayWorld) -> None:
    base = gateway_world.anvils[BASE]
    gateway_world.deposited(BASE)
    data = "0xdd62ed3e" + RELAYER[2:].rjust(64, "0") + GATEWAY.wallet[2:].rjust(64, "0")
    left = base.rpc("eth_call", {"to": base.token, "data": data}, "latest")
    assert int(left, 16) == 0


def test_inventory_is_minted_where_it_is_needed_and_nothing_is_lost_but_the_fee(
    gateway_world: GatewayWorld,
) -> None:
    base, arbitrum = (gateway_world.anvils[name] for name in (BASE, ARBITRUM))
    gateway_world.deposited(BASE, 2 * AMOUNT)
    gateway_world.pass_finality()
    transfer = gateway_world.agree(gateway_world.commit(gateway_world.planned(MINT, ARBITRUM)))
    assert transfer.source_amount == AMOUNT + FEE
    assert gateway_world.track(transfer) == Pending()
    (mint,) = gateway_world.bridge.invocations(transfer)
    assert (mint.chain, mint.to) == (ARBITRUM, GATEWAY.minter)
    tx_id = gateway_world.carry_out([mint])
    assert gateway_world.track(transfer) == Arrived(tx_id, arbitrum.height, FEE)
    assert arbitrum.balance(RELAYER) == STOCK + AMOUNT
    assert gateway_world.bridge.balances() == {BASE: AMOUNT - FEE, ARBITRUM: 0}
    gateway_world.burn(BASE)
    gateway_world.pass_finality()
    assert gateway_world.bridge.balances() == {BASE: AMOUNT - FEE, ARBITRUM: 0}
    held = base.balance(RELAYER) + arbitrum.balance(RELAYER) + base.balance(GATEWAY.wallet)
    assert held + base.balance(FEE_RECIPIENT) == 2 * STOCK
    assert base.balance(FEE_RECIPIENT) == FEE


def test_an_expired_attestation_is_replaced_once_and_minted_once(
    gateway_world: GatewayWorld,
) -> None:
    arbitrum, service = gateway_world.anvils[ARBITRUM], gateway_world.service
    service.expiry_blocks = 3
    gateway_world.deposited(BASE, AMOUNT + 2 * FEE)
    gateway_world.pass_finality()
    first = gateway_world.agree(gateway_world.commit(gateway_world.planned(MINT, ARBITRUM)))
    arbitrum.mine(4)
    # It cannot be minted any more, which is not final yet: another one may not be asked for.
    assert gateway_world.track(first) == Pending()
    again = replace(first, attempt=2, commitment=b"", agreement=b"")
    arbitrum.mine(12)
    assert gateway_world.track(first) == AgreementExpired()
    service.expiry_blocks = 300
    second = gateway_world.agree(gateway_world.commit(again))
    salts = {parse_signed_intents(t.commitment)[0].intent.spec.salt for t in (first, second)}
    assert len(salts) == 2
    gateway_world.carry_out(gateway_world.bridge.invocations(first))
    gateway_world.carry_out(gateway_world.bridge.invocations(second))
    gateway_world.carry_out(gateway_world.bridge.invocations(second))
    assert isinstance(gateway_world.track(second), Arrived)
    assert arbitrum.balance(RELAYER) == STOCK + AMOUNT


def test_a_mint_that_reorganises_away_has_not_arrived(gateway_world: GatewayWorld) -> None:
    arbitrum = gateway_world.anvils[ARBITRUM]
    gateway_world.deposited(BASE, 2 * AMOUNT)
    gateway_world.pass_finality()
    transfer = gateway_world.agree(gateway_world.commit(gateway_world.planned(MINT, ARBITRUM)))
    gateway_world.carry_out(gateway_world.bridge.invocations(transfer))
    assert isinstance(gateway_world.track(transfer), Arrived)
    arbitrum.rpc("anvil_reorg", 2, [])
    assert gateway_world.track(transfer) == Pending()


def test_the_cheapest_deposits_that_suffice_are_burnt(gateway_world: GatewayWorld) -> None:
    gateway_world.deposited(BASE, 2 * AMOUNT, 91)
    gateway_world.deposited(ARBITRUM, 2 * AMOUNT, 92)
    gateway_world.pass_finality()
    transfer = gateway_world.commit(gateway_world.planned(MINT, ARBITRUM))
    # Within one chain Circle takes no share.
    assert parse_signed_intents(transfer.commitment)[0].intent.spec.source_domain == 3
    assert gateway_world.agree(transfer).source_amount == AMOUNT + 10_000


def test_a_mint_above_each_chains_deposits_burns_several(gateway_world: GatewayWorld) -> None:
    base, arbitrum = (gateway_world.anvils[name] for name in (BASE, ARBITRUM))
    gateway_world.deposited(BASE, AMOUNT, 91)
    gateway_world.deposited(ARBITRUM, AMOUNT // 2, 92)
    gateway_world.pass_finality()
    planned = gateway_world.planned(MINT, ARBITRUM, amount=AMOUNT * 5 // 4)
    transfer = gateway_world.agree(gateway_world.commit(planned))
    specs = [one.intent.spec for one in parse_signed_intents(transfer.commitment)]
    assert [spec.source_domain for spec in specs] == [6, 3]
    assert sum(spec.value for spec in specs) == planned.amount
    assert gateway_world.track(transfer) == Pending()
    before = arbitrum.balance(RELAYER)
    tx_id = gateway_world.carry_out(gateway_world.bridge.invocations(transfer))
    fee = transfer.source_amount - planned.amount
    assert gateway_world.track(transfer) == Arrived(tx_id, arbitrum.height, fee)
    assert arbitrum.balance(RELAYER) - before == planned.amount
    for chain in (BASE, ARBITRUM):
        gateway_world.burn(chain)
    assert base.balance(FEE_RECIPIENT) + arbitrum.balance(FEE_RECIPIENT) == fee
    gateway_world.pass_finality()
    left = AMOUNT * 3 // 2 - transfer.source_amount
    assert sum(gateway_world.bridge.balances().values()) == left


def test_what_all_deposits_do_not_cover_is_not_asked_for(gateway_world: GatewayWorld) -> None:
    gateway_world.deposited(BASE, AMOUNT, 91)
    gateway_world.deposited(ARBITRUM, AMOUNT, 92)
    gateway_world.pass_finality()
    with pytest.raises(Unreachable, match=r"50\.00 USDC in all, do not suffice for 50\.00 USDC"):
        gateway_world.commit(gateway_world.planned(MINT, ARBITRUM, amount=2 * AMOUNT))
    assert gateway_world.service.held == {}


def test_two_mints_do_not_count_on_the_same_deposit(gateway_world: GatewayWorld) -> None:
    gateway_world.deposited(BASE, AMOUNT + 2 * FEE)
    gateway_world.pass_finality()
    first = gateway_world.commit(gateway_world.planned(MINT, ARBITRUM, number=1))
    # Signed and not yet posted: Circle knows nothing of it.
    assert gateway_world.bridge.balances()[BASE] < 2 * FEE
    with pytest.raises(Unreachable, match=r"deposits at Circle Gateway, 0\.0\d+ USDC in all"):
        gateway_world.commit(gateway_world.planned(MINT, ARBITRUM, number=2))
    gateway_world.agree(first)
    assert gateway_world.bridge.balances()[BASE] == FEE


def test_a_service_that_counts_deposits_too_early_is_not_believed(
    gateway_world: GatewayWorld,
) -> None:
    gateway_world.service.counts_fresh = True
    gateway_world.deposited(BASE, 2 * AMOUNT)
    assert gateway_world.bridge.balances()[BASE] == 0
    with pytest.raises(Unreachable):
        gateway_world.commit(gateway_world.planned(MINT, ARBITRUM))


def test_a_plain_transfer_is_no_deposit(gateway_world: GatewayWorld) -> None:
    base = gateway_world.anvils[BASE]
    name = base.pay(GATEWAY.wallet, AMOUNT)
    gateway_world.pass_finality()
    deposit = gateway_world.planned(InventoryTransferKind.DEPOSIT, BASE)
    status = gateway_world.track(replace(deposit, source_tx=name))
    assert not isinstance(status, Arrived)
    assert gateway_world.bridge.balances()[BASE] == 0
