"""Circle Gateway refuses, lies, is silent or loses its answers: nothing is minted twice, nothing is
believed that our own nodes do not report, and every reason is a sentence."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from eth_abi.abi import decode

from crossway.adapters.bridges.gateway.burn_intents import parse_signed_intents
from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.words import address_word
from crossway.domain.errors import Unreachable
from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferKind
from crossway.ports.inventory_bridge import Arrived, Declined, Pending, Unanswered
from tests.bridges.cctp_chains import call
from tests.bridges.gateway_chains import (
    AMOUNT,
    GATEWAY,
    STOCK,
    GatewayWorld,
    following,
    two_gateway_chains,
)
from tests.chains.anvil import (
    COINS,
    COORDINATOR,
    COORDINATOR_KEY,
    RELAYER,
    RELAYER_KEY,
    dollars,
)
from tests.chains.live import ARBITRUM, BASE

MINT, DEPOSIT = InventoryTransferKind.MINT, InventoryTransferKind.DEPOSIT
COLD, COLD_KEY = COORDINATOR, COORDINATOR_KEY


@pytest.fixture
def funded(gateway_world: GatewayWorld) -> GatewayWorld:
    """With a final deposit of 50 USDC on Base."""
    gateway_world.deposited(BASE, 2 * AMOUNT)
    gateway_world.pass_finality()
    return gateway_world


def asked(world: GatewayWorld, transfer: InventoryTransfer) -> str:
    """Why the service's answer agrees to nothing yet."""
    answer = world.bridge.agree(transfer, datetime.now(UTC))
    assert isinstance(answer, Unanswered), answer
    return answer.reason


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        ("recipient", "attests to something else than was signed: another recipient."),
        ("value", "attests to something else than was signed: another amount."),
        ("chain", "attests to something else than was signed: another destination chain."),
        ("signer", "attestation cannot be used: the attestation is not by Circle."),
    ],
)
def test_a_lie_is_not_agreed_to(funded: GatewayWorld, lie: str, reason: str) -> None:
    funded.service.lie = lie
    transfer = funded.commit(funded.planned(MINT, ARBITRUM))
    assert asked(funded, transfer).endswith(reason)


def test_a_refusal_is_in_circles_words(funded: GatewayWorld) -> None:
    transfer = funded.commit(funded.planned(MINT, ARBITRUM))
    funded.service.refuse = "This depositor is blocked"
    answer = funded.bridge.agree(transfer, datetime.now(UTC))
    assert answer == Declined("Circle Gateway refuses: This depositor is blocked")
    # What was reserved for it can be used by others.
    assert funded.bridge.balances()[BASE] == 2 * AMOUNT


def test_a_balance_that_is_too_low_now_is_asked_about_again(funded: GatewayWorld) -> None:
    first, second = (funded.planned(MINT, ARBITRUM, n, 2 * AMOUNT - 20_000) for n in (1, 2))
    # Another process, which knows nothing of the first one's intent, signs the second.
    committed = funded.commit(first)
    funded.bridge.balance.release((1, 1))
    other = funded.commit(second)
    funded.agree(committed)
    assert asked(funded, other) == (
        "Circle Gateway refuses for now: Insufficient balance for depositor"
    )
    funded.deposited(BASE, 2 * AMOUNT)
    funded.pass_finality()
    assert funded.agree(other).reference


def test_a_fee_that_rose_above_what_was_offered_is_refused(funded: GatewayWorld) -> None:
    transfer = funded.commit(funded.planned(MINT, ARBITRUM))
    funded.service.gas_factor = 3
    answer = funded.bridge.agree(transfer, datetime.now(UTC))
    assert answer == Declined("Circle Gateway refuses: maxFee is below the fee of 0.031250")


def test_a_fee_far_above_the_documented_one_is_not_offered(funded: GatewayWorld) -> None:
    funded.service.gas_factor = 100
    with pytest.raises(Unreachable, match=r"asks for 1\.00125 USDC, far more than it documents"):
        funded.commit(funded.planned(MINT, ARBITRUM))


@pytest.mark.parametrize("repeats", [True, False])
def test_an_answer_that_is_lost_mints_nothing_twice(funded: GatewayWorld, repeats: bool) -> None:
    funded.service.lost, funded.service.repeats = 1, repeats
    transfer = funded.commit(funded.planned(MINT, ARBITRUM, amount=AMOUNT // 2))
    assert asked(funded, transfer).startswith("Circle Gateway did not respond: ")
    again = funded.bridge.agree(transfer, datetime.now(UTC))
    held = list(funded.service.held.values())
    assert len(held) == 1
    if repeats:
        funded.carry_out(funded.bridge.invocations(funded.agree(transfer)))
        assert funded.anvils[ARBITRUM].balance(RELAYER) == STOCK + AMOUNT // 2
        return
    # Whoever else got that answer cannot mint it: only the relayer can, who has not got it.
    assert again == Declined("Circle Gateway refuses: This transfer was already submitted")
    payload, signature = (
        bytes.fromhex(held[0].answer[name][2:]) for name in ("attestation", "signature")
    )
    call(
        funded.anvils[ARBITRUM],
        GATEWAY.minter,
        "gatewayMint(bytes,bytes)",
        payload,
        signature,
    )
    assert funded.anvils[ARBITRUM].balance(RELAYER) == STOCK
    assert funded.track(transfer) == Pending()


def test_a_silent_service_decides_nothing(funded: GatewayWorld) -> None:
    transfer = funded.commit(funded.planned(MINT, ARBITRUM))
    funded.service.silent = True
    for _ in range(4):
        assert asked(funded, transfer).startswith("Circle Gateway did not respond: ")
    # It is left alone for a while after three failures.
    assert sum(path == "/v1/transfer" for path, _ in funded.service.requests) == 3
    with pytest.raises(Unreachable):
        funded.bridge.balances()
    # What was minted or not is read from our own nodes.
    assert funded.track(transfer) == Pending()


def test_only_usdc_and_only_chains_with_gateway(gateway_world: GatewayWorld) -> None:
    for changes, reason in (
        ({"source_token": "0x" + "1" * 40}, "Circle Gateway carries USDC only."),
        ({"source_chain": "BSC_MAINNET"}, "Circle Gateway is not configured on BSC_MAINNET."),
        (
            {"kind": InventoryTransferKind.TRANSFER},
            "Circle Gateway moves nothing from chain to chain: it takes deposits and mints.",
        ),
    ):
        transfer = replace(gateway_world.planned(DEPOSIT, BASE), **changes)
        assert gateway_world.bridge.commit(transfer, datetime.now(UTC)) == b""
        answer = gateway_world.bridge.agree(transfer, datetime.now(UTC))
        assert answer == Declined(reason)


def test_nothing_is_deposited_where_the_contract_is_not(gateway_world: GatewayWorld) -> None:
    gateway_world.anvils[BASE].rpc("anvil_setCode", GATEWAY.wallet, "0x")
    answer = gateway_world.bridge.agree(gateway_world.planned(DEPOSIT, BASE), datetime.now(UTC))
    assert answer == Declined("Circle Gateway's contracts are not on BASE_MAINNET.")


def test_a_deposit_waits_while_circle_has_paused_the_wallet(gateway_world: GatewayWorld) -> None:
    call(gateway_world.anvils[BASE], GATEWAY.wallet, "pause()")
    deposit = gateway_world.planned(DEPOSIT, BASE)
    assert asked(gateway_world, deposit) == "Circle has paused the wallet on BASE_MAINNET."


def test_a_paused_minter_and_a_denylisted_relayer_are_told(funded: GatewayWorld) -> None:
    arbitrum = funded.anvils[ARBITRUM]
    transfer = funded.commit(funded.planned(MINT, ARBITRUM))
    call(arbitrum, GATEWAY.minter, "pause()")
    assert "Circle has paused the minter" in asked(funded, transfer)
    call(arbitrum, GATEWAY.minter, "unpause()")
    call(arbitrum, GATEWAY.minter, "denylist(address)", RELAYER)
    assert "Circle has denylisted the relayer" in asked(funded, transfer)
    call(arbitrum, GATEWAY.minter, "unDenylist(address)", RELAYER)
    call(arbitrum, dollars(ARBITRUM), "blacklist(address)", RELAYER)
    assert "Blacklistable: account is blacklisted" in asked(funded, transfer)
    call(arbitrum, dollars(ARBITRUM), "unBlacklist(address)", RELAYER)
    funded.carry_out(funded.bridge.invocations(funded.agree(transfer)))
    assert arbitrum.balance(RELAYER) == STOCK + AMOUNT


def test_an_attestation_that_came_too_late_is_followed_to_its_end(funded: GatewayWorld) -> None:
    funded.service.expiry_blocks = 0
    transfer = funded.commit(funded.planned(MINT, ARBITRUM))
    funded.bridge.agree(transfer, datetime.now(UTC))
    funded.anvils[ARBITRUM].mine(2)
    agreed = funded.agree(transfer)
    assert funded.track(agreed) == Pending()
    funded.pass_finality()
    assert type(funded.track(agreed)).__name__ == "AgreementExpired"


@pytest.fixture
def cold_world(tmp_path: Path) -> Iterator[GatewayWorld]:
    """The unified balance belongs to a cold account; its key is not the service's."""
    with two_gateway_chains() as chains, following(chains) as service:
        for one in chains.values():
            one.rpc("anvil_setBalance", COLD, hex(COINS))
        world = GatewayWorld(tmp_path, chains, service, depositor=COLD)
        yield world
        world.close()


def test_a_delegate_mints_a_cold_accounts_balance(cold_world: GatewayWorld) -> None:
    base, arbitrum = (cold_world.anvils[name] for name in (BASE, ARBITRUM))
    deposit = cold_world.deposited(BASE, 2 * AMOUNT)
    cold_world.pass_finality()
    assert isinstance(cold_world.track(deposit), Arrived)
    transfer = cold_world.commit(cold_world.planned(MINT, ARBITRUM))
    answer = cold_world.bridge.agree(transfer, datetime.now(UTC))
    assert answer == Declined(
        "Circle Gateway refuses: The signer is not authorized for this depositor"
    )
    base.carry_out(GATEWAY.wallet, _delegate_call("addDelegate"), key=COLD_KEY)
    agreed = cold_world.agree(transfer)
    spec = parse_signed_intents(agreed.commitment)[0].intent.spec
    assert spec.source_depositor[12:].hex() == COLD[2:].lower()
    assert spec.source_signer[12:].hex() == RELAYER[2:].lower()
    cold_world.carry_out(cold_world.bridge.invocations(agreed), key=RELAYER_KEY)
    assert arbitrum.balance(RELAYER) == STOCK + AMOUNT
    # A delegate that was removed signs no more; what it signed before is still burnt.
    base.carry_out(GATEWAY.wallet, _delegate_call("removeDelegate"), key=COLD_KEY)
    before = base.balance(GATEWAY.wallet)
    cold_world.burn(BASE)
    assert before - base.balance(GATEWAY.wallet) == agreed.source_amount


def _delegate_call(function: str) -> str:
    """A call by which the depositor on Base adds or removes the relayer."""
    words = address_word("evm", dollars(BASE)) + address_word("evm", RELAYER)
    return "0x" + (keccak256(f"{function}(address,address)".encode())[:4] + words).hex()


def test_the_calls_are_the_exact_approval_and_the_deposit(cold_world: GatewayWorld) -> None:
    approve, deposit = cold_world.bridge.invocations(cold_world.planned(DEPOSIT, BASE))
    assert (approve.to, deposit.to) == (dollars(BASE), GATEWAY.wallet)
    assert decode(["address", "uint256"], approve.data[4:]) == (GATEWAY.wallet.lower(), AMOUNT)
    assert deposit.data[:4].hex() == "b3db428b"
    values = decode(["address", "address", "uint256"], deposit.data[4:])
    assert values == (dollars(BASE).lower(), COLD.lower(), AMOUNT)
