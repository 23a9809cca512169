"""Payments created with the contracts of earlier versions end on these, beside new ones."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crossway.adapters.chains.evm.contracts import DEPLOYER, SALT, default_deployment, init_code
from crossway.adapters.chains.words import address_word, number_word
from crossway.cli.program import cli
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound_call import fill_marker, settle_marker
from crossway.ports.chain_addresses import ChainAddresses
from crossway.usecases.money.reconciliation import reconcile
from crossway.usecases.payments.self_service import Guarantee, get_self_service
from tests.chains.anvil import RELAYER_KEY, STOCK, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE, LiveWorld
from tests.chains.service import fees
from tests.chains.test_claims import AGREE, ClaimWorld

AT = default_deployment()


class EarlierWorld(ClaimWorld):
    """A service on chains that have both generations of the contracts."""

    def __init__(self, folder: Path, chains: dict[str, Anvil]) -> None:
        for chain in chains.values():
            for name in ("Escrow", "Filler"):
                chain.transact(DEPLOYER, SALT + init_code(name))
                chain.mine()
            allowed = address_word("evm", AT.filler), number_word(2**256 - 1)
            token = dollars(chain.chain)
            chain.call_token(token, "approve(address,uint256)", *allowed, key=RELAYER_KEY)
        super().__init__(folder, chains)
        self.environment = {
            "CROSSWAY_NETWORK": "live",
            "CROSSWAY_PROFILE": str(folder / "profile.toml"),
            "CROSSWAY_DATA_DIR": str(folder / "elsewhere"),
        }

    def pay_as_before(self, name: str) -> Intent:
        """A payment as the version before created it."""
        chain = self.live.services.chains[BASE]
        now: ChainAddresses = chain.accounts
        chain.accounts = replace(now, bridger=AT.escrow, reclaim_seconds=0)
        try:
            return self.live.pay(name)
        finally:
            chain.accounts = now

    def book(self, address: str) -> None:
        """Add an address to the address book that commands know, usable at once."""
        words = ["addresses", "add", BASE, address, "--name", "Chosen by the operator"]
        at_once = {"CROSSWAY_ADDRESS_DELAY_HOURS": "0", "CROSSWAY_SECOND_PERSON_ABOVE_USD": "off"}
        told = CliRunner().invoke(cli, words, env={**self.environment, **at_once})
        assert told.exit_code == 0, told.output

    def says(self, *words: str, code: int = 0) -> str:
        told = CliRunner().invoke(cli, ["contracts", *words], env=self.environment)
        assert told.exit_code == code, told.output
        return told.output


@pytest.fixture
def world(tmp_path: Path, chains: dict[str, Anvil]) -> Iterator[EarlierWorld]:
    made = EarlierWorld(tmp_path, chains)
    yield made
    made.live.close()


def executed(live: LiveWorld, intent: Intent) -> tuple[bool, bool]:
    """Whether the payment's own contracts have paid its recipient and paid out its deposit."""
    chains = live.services.chains
    filled = chains[ARBITRUM].executed({fill_marker(intent)})
    settled = chains[BASE].executed({settle_marker(intent)})
    return bool(filled), bool(settled)


def test_an_earlier_payment_ends_on_its_contracts_and_a_new_one_on_the_new(
    world: EarlierWorld,
) -> None:
    live = world.live
    old, new = world.pay_as_before("old"), live.pay("new")
    assert (old.bridger, new.bridger) == (AT.escrow, AT.escrow2)
    live.step()
    live.record_openings()
    for intent in (old, new):
        live.deposit(intent)
    for intent in (old, new):
        live.ends(intent, State.COMPLETED)
        live.settled(intent)
        assert executed(live, intent) == (True, True)
        # The marker is that of one set of contracts, and the other set has not paid.
        other = replace(intent, bridger=AT.escrow2 if intent is old else AT.escrow)
        assert executed(live, other) == (False, False)
    for intent in (old, new):
        kept = fees(intent) - intent.costs.treasury_units
        assert live.anvils[BASE].balance(intent.bridger) == kept > 0
        assert live.anvils[ARBITRUM].balance(intent.terms.recipient) == intent.terms.payout_amount
    assert reconcile(live.services, live.operator).sentences() == AGREE
    assert get_self_service(live.services, old).guarantee is Guarantee.OPERATOR
    assert get_self_service(live.services, new).guarantee is Guarantee.RECLAIMABLE


def test_an_earlier_payment_without_inventory_is_refunded_by_its_escrow(
    world: EarlierWorld,
) -> None:
    live = world.live
    intent = world.pay_as_before("old")
    live.step()
    live.record_openings()
    live.deposit(intent)
    live.until(lambda: live.now(intent).state is State.INITIATED)
    live.anvils[ARBITRUM].refuse(intent.terms.recipient)
    live.ends(intent, State.REFUNDED)
    live.settled(intent)
    kept = intent.costs.network_fee_units
    held = live.held(intent)
    assert (held.payer, held.escrow) == (intent.terms.deposit_amount - kept, 0)
    assert held.relayer == 2 * STOCK + kept
    assert executed(live, intent) == (False, True)


def test_what_both_escrows_retain_is_summed_and_withdrawn_from_each(world: EarlierWorld) -> None:
    live, base = world.live, world.base
    old, new = world.pay_as_before("old"), live.pay("new")
    live.step()
    live.record_openings()
    for intent in (old, new):
        live.deposit(intent)
        live.ends(intent, State.COMPLETED)
        live.settled(intent)
    kept = sum(fees(intent) - intent.costs.treasury_units for intent in (old, new))
    chain = live.services.chains[BASE]
    retained = chain.retained({chain.accounts.coordinator}, dollars(BASE))
    assert sum(retained.values()) == kept
    own = base.wallet("the operator's own account")
    world.book(own)
    base.rpc("evm_setAutomine", True)
    told = world.says("withdraw", "--chain", BASE, "--token", "USDC", "--to", own, "--yes")
    for escrow in (AT.escrow, AT.escrow2):
        assert f"from the contract {escrow} to {own}" in told
        assert base.balance(escrow) == 0
    base.rpc("evm_setAutomine", False)
    assert base.balance(own) == kept
    world.pass_minutes(12)
    with live.services.store.read() as unit:
        assert unit.ledger.get_balances().get((Account.SPREAD, BASE, dollars(BASE)), 0) == 0


def test_the_earlier_contracts_are_checked_where_they_are_deployed(world: EarlierWorld) -> None:
    told = world.says("verify", "--chain", BASE)
    assert f"✓ {BASE} Escrow at {AT.escrow}" in told
    world.base.rpc("anvil_setCode", AT.filler, "0x")
    assert f"{BASE} Filler at" not in world.says("verify", "--chain", BASE)
    world.base.rpc("anvil_setCode", AT.escrow, "0x6001")
    assert "other code" in world.says("verify", "--chain", BASE, code=1)
