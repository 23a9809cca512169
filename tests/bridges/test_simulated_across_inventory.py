"""The operator's inventory over the simulated Across: what it carries, and how transfers end."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.bridges.base import load_data
from crossway.adapters.chains.simulated.contracts.timing import (
    ACROSS_FILL_DEADLINE_SECONDS,
    ACROSS_QUOTE_SECONDS,
    ACROSS_REFUND_SECONDS,
)
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferState
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.quotes import BridgeName
from crossway.ports.inventory_bridge import (
    Agreed,
    AgreementExpired,
    Arrived,
    Declined,
    GivenBack,
    InventoryBridge,
    Pending,
    TransferStatus,
    Unanswered,
)
from crossway.usecases.payments.inventory_transfers import bringing_transfer, settling_transfer
from tests.bridges.rhinofi_chains import planned
from tests.bridges.world import BridgeWorld
from tests.chains.anvil import CATALOGUE

BASE, ARBITRUM, BSC = "BASE_MAINNET", "ARBITRUM_MAINNET", "BSC_MAINNET"
AMOUNT = 10**17
S = InventoryTransferState


class World(BridgeWorld):
    """Inventory that moves over Across, followed by hand."""

    @property
    def across(self) -> InventoryBridge:
        return self.services.inventory_bridges[BridgeName.ACROSS]

    def planned(self, symbol: str = "WETH", to: str = ARBITRUM, **more: Any) -> InventoryTransfer:
        tokens, now = CATALOGUE.tokens, self.clock.now()
        fields = {"amount": AMOUNT, "created_at": now, "updated_at": now, "bridge": "ACROSS"}
        fields["source_token"] = tokens[BASE, symbol].address
        fields["destination_token"] = tokens[to, symbol].address
        return planned(-7, BASE, to, **fields | more)

    def ask(self, transfer: InventoryTransfer) -> Any:
        return self.across.agree(transfer, self.clock.now())

    def agreed(self, **more: Any) -> InventoryTransfer:
        transfer = self.planned(**more)
        answer = self.ask(transfer)
        assert isinstance(answer, Agreed), answer
        return replace(
            transfer,
            state=S.AGREED,
            agreement=answer.agreement,
            reference=answer.reference,
            source_amount=answer.source_amount,
            expires_at=answer.expires_at,
        )

    def send(self, transfer: InventoryTransfer) -> InventoryTransfer:
        """The relayer's calls, each in a block."""
        chain, tx_id = self.services.chains[transfer.source_chain], ""
        for one in self.across.invocations(transfer):
            relayer = chain.accounts.relayer
            call = OutboundCall(
                OutboundTxKind.INVENTORY_SEND,
                transfer.source_chain,
                relayer,
                "",
                (),
                contract=one.to,
                data=one.data,
            )
            (signed,) = chain.sign([(call, chain.next_nonce(relayer))], chain.fee_units())
            chain.broadcast([signed])
            tx_id = signed.tx_id
            self.pass_time(5)
        return replace(transfer, state=S.SENT, source_tx=tx_id)

    def track(self, transfer: InventoryTransfer) -> TransferStatus:
        return self.across.track([transfer])[0]

    def stock(self, chain: str, token: str) -> int:
        relayer = self.services.chains[chain].accounts.relayer
        return self.services.chains[chain].balances([relayer], token)[relayer]

    def ends(self, transfer: InventoryTransfer, within: float = 60) -> TransferStatus:
        """What becomes of it, as once known."""
        end = self.machine.seconds + within
        while isinstance(status := self.track(transfer), Pending):
            assert self.machine.seconds < end, status
            self.pass_time(within / 60, within / 60)
        return status


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, "ACROSS")


def test_wrapped_ether_arrives_whole_for_a_fee_on_top(world: World) -> None:
    transfer = world.agreed()
    before = {
        BASE: world.stock(BASE, transfer.source_token),
        ARBITRUM: world.stock(ARBITRUM, transfer.destination_token),
    }
    # A basis point for the relayer and one for the pool.
    assert transfer.source_amount == AMOUNT + AMOUNT * 2 // 10_000
    assert world.track(transfer) == Pending()
    sent = world.send(transfer)
    assert isinstance(world.ends(sent), Arrived)
    left = world.stock(BASE, transfer.source_token)
    assert left == before[BASE] - transfer.source_amount
    assert world.stock(ARBITRUM, transfer.destination_token) == before[ARBITRUM] + AMOUNT
    assert world.across.balances() == {}


def test_it_carries_what_across_carries_on_both_chains_and_nothing_else(world: World) -> None:
    listed = load_data(BridgeName.ACROSS)["tokens"]
    carried = [
        symbol
        for (chain, symbol), token in CATALOGUE.tokens.items()
        if chain == BASE
        and (ARBITRUM, symbol) in CATALOGUE.tokens
        and isinstance(world.ask(world.planned(symbol)), Agreed)
    ]
    assert sorted(carried) == sorted(set(listed[BASE]) & set(listed[ARBITRUM]))
    usdt = CATALOGUE.tokens[ARBITRUM, "USDT"].address
    for wrong in (
        world.planned("USDC", destination_token=usdt),
        world.planned("USDC", to=BSC, destination_chain="BASE_TESTNET"),
        world.planned("USDC", destination_token="0x" + "00" * 20),
    ):
        assert isinstance(world.ask(wrong), Declined)


def test_what_nobody_fills_comes_back_hours_after_its_deadline(world: World) -> None:
    world.set_faults("ACROSS", unfilled_deposits=True)
    transfer = world.agreed()
    before = world.stock(BASE, transfer.source_token)
    sent = world.send(transfer)
    world.track(sent)
    assert world.track(sent) == Pending("No relayer of Across has filled it.")
    world.pass_time(ACROSS_FILL_DEADLINE_SECONDS + 10, step=60)
    world.set_faults("ACROSS", unfilled_deposits=False)
    assert world.track(sent) == Pending(
        "Nobody filled it in time; Across gives it back within hours."
    )
    assert isinstance(world.ends(sent, within=2 * ACROSS_REFUND_SECONDS), GivenBack)
    assert world.stock(BASE, transfer.source_token) == before


def test_its_service_can_be_silent_refuse_hold_and_give_back(world: World) -> None:
    transfer = world.agreed()
    for faults, answer in (
        ({"silent": True}, Unanswered("Across does not answer")),
        ({"refused": True}, Declined("Across does not take this transfer (simulated).")),
        ({"paused": True}, Unanswered("Across' pool takes no deposits at present.")),
    ):
        world.set_faults("ACROSS", **faults)
        assert world.ask(world.planned(attempt=2)) == answer
        world.set_faults("ACROSS", **dict.fromkeys(faults, False))
    world.set_faults("ACROSS", unexecuted=True)
    sent = world.send(transfer)
    world.track(sent)
    world.pass_time(ACROSS_FILL_DEADLINE_SECONDS + ACROSS_REFUND_SECONDS + 60, step=60)
    assert world.track(sent) == Pending(
        "Nobody filled it in time, and Across has not given it back."
    )
    world.set_faults("ACROSS", unexecuted=False, returned=True, silent=True)
    assert world.track(sent) == Unanswered("Across does not answer")
    world.set_faults("ACROSS", silent=False)
    assert isinstance(world.ends(sent), GivenBack)


def test_an_agreement_that_was_not_used_in_time_has_lapsed(world: World) -> None:
    transfer = world.agreed()
    world.pass_time(ACROSS_QUOTE_SECONDS + 60, step=10)
    assert world.track(transfer) == AgreementExpired()
    assert world.track(replace(transfer, state=S.SENDING)) == AgreementExpired()


def test_payments_over_across_move_no_inventory(world: World) -> None:
    intent = world.pay()
    assert intent.terms.bridge == "ACROSS"
    assert bringing_transfer(intent) is None
    assert settling_transfer(intent, world.clock.now()) is None
    world.pass_time(60)
    with world.store.read() as unit:
        assert unit.inventory_transfers.list_by_intents([intent.id]) == []
