"""Deposits that arrive late, twice, in another token, or on another chain."""

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.usecases.payments import manual_operations
from crossway_demo.scenarios.scenario import ExpectedOutcome, ReturnedFunds, scenario
from crossway_demo.scenarios.scenario_world import ARBITRUM, BASE, OPTIMISM, ScenarioWorld

DUST = "9000"  # 0.009 USDC: less than the modelled fee on Base


@scenario(
    9,
    "after-expiry",
    "The exact amount after expiry",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def after_expiry(world: ScenarioWorld) -> None:
    world.create_intent()
    world.pass_expiry()
    world.wait_for(State.EXPIRED)
    world.pass_time(300)
    world.deposit("exact")
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    10,
    "after-refund",
    "Another deposit after the refund",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def after_refund(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("short")
    world.pass_expiry()
    world.wait_for(State.REFUNDED)
    world.settle()
    world.deposit("3000000")
    world.settle()
    world.deposit("2000000", count=3)
    world.settle()


@scenario(
    11,
    "after-completion",
    "Another deposit after the payment is completed",
    ExpectedOutcome(State.COMPLETED, ReturnedFunds.EXCESS),
)
def after_completion(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()
    world.deposit(str(intent.terms.deposit_amount))
    world.settle()
    extra = world.timeline().deposits[-1]
    world.require(
        extra.purpose is not None and extra.purpose == "OVERPAYMENT",
        "it is flagged as an overpayment",
    )


@scenario(
    11,
    "while-initiated",
    "Another deposit while the payment is in progress",
    ExpectedOutcome(State.COMPLETED, ReturnedFunds.EXCESS),
)
def while_initiated(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.fault(ARBITRUM, "blocks are slow", slowBlocks=40)
    world.deposit("exact")
    world.wait_for(State.INITIATED)
    world.deposit(str(intent.terms.deposit_amount), count=2)
    world.deposit("4000000")
    world.pass_time(20)
    world.fault(ARBITRUM, "blocks are normal again", slowBlocks=0)
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    11,
    "while-starting",
    "Another deposit while the start is signed but not mined",
    ExpectedOutcome(State.COMPLETED, ReturnedFunds.EXCESS),
)
def while_starting(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("exact")
    world.wait_for(State.FUNDED)
    world.deposit(str(intent.terms.deposit_amount))
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(12, "another-token", "Another token, returned on request", ExpectedOutcome(State.PENDING))
def another_token(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("5000000", token="EURC")
    world.pass_time(10)
    deposit = world.timeline().deposits[0]
    world.require(deposit.purpose == "WRONG_TOKEN", "it is shown at once as another token")
    world.require(world.reload().received_amount == 0, "it does not count as payment")
    world.try_action(
        "The merchant returns it",
        lambda: manual_operations.return_deposit(world.services, world.caller, deposit.id),
    )
    world.settle()
    back = world.balance_of(BASE, intent.terms.refund_address, "EURC")
    world.require(back == 5_000_000, "all of it is returned")


@scenario(
    12,
    "another-token-expired",
    "Another token, returned after expiry",
    ExpectedOutcome(State.EXPIRED),
)
def another_token_expired(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("5000000", token="EURC")
    world.deposit("7000000", token="EURC")
    world.pass_expiry()
    world.settle()
    back = world.balance_of(BASE, intent.terms.refund_address, "EURC")
    world.require(back == 12_000_000, "all of it is returned")


@scenario(13, "native-coin", "The native coin instead of the token", ExpectedOutcome(State.EXPIRED))
def native_coin(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit(str(10**16), token="ETH")
    world.pass_expiry()
    world.settle()
    back = world.balance_of(BASE, intent.terms.refund_address, "ETH")
    world.require(back == 10**16, "all of it is returned")


@scenario(
    14,
    "right-and-foreign-token",
    "Both the right and another token",
    ExpectedOutcome(State.COMPLETED),
)
def right_and_foreign_token(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("5000000", token="EURC")
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.deposit("6000000", token="EURC", count=2)
    world.settle()
    back = world.balance_of(BASE, intent.terms.refund_address, "EURC")
    world.require(back == 17_000_000, "the other token is returned")


@scenario(
    15,
    "fee-on-transfer",
    "A token that takes a fee on transfer: the amount arrives short, and is topped up",
    ExpectedOutcome(State.COMPLETED),
)
def fee_on_transfer(world: ScenarioWorld) -> None:
    total = world.create_intent().terms.deposit_amount
    world.deposit(str(total - total // 100))
    world.pass_time(30)
    world.require(world.reload().state is State.PENDING, "what arrived counts, not what was sent")
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()


@scenario(
    16,
    "dust",
    "A zero-value transfer, and dust that costs more to return than it is worth",
    ExpectedOutcome(State.EXPIRED, dust=True),
)
def dust(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit("0")
    world.deposit(DUST)
    world.pass_time(10)
    world.require(world.reload().state is State.PENDING, "the payment is unchanged")
    world.pass_expiry()
    world.settle()
    notes = [deposit.note for deposit in world.timeline().deposits]
    world.require(all(notes), "each has its reason")


@scenario(
    16,
    "dust-then-more",
    "Dust is returned together with a later deposit",
    ExpectedOutcome(State.REFUNDED, ReturnedFunds.ALL),
)
def dust_then_more(world: ScenarioWorld) -> None:
    world.create_intent()
    world.deposit(DUST)
    world.pass_expiry()
    world.settle()
    world.deposit("2000000")
    world.wait_for(State.REFUNDED)
    world.settle()


@scenario(
    16,
    "dust-adds-up",
    "Many small deposits of another token: together they are worth a return",
    ExpectedOutcome(State.COMPLETED),
)
def dust_adds_up(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("1000", token="USDT", count=40)
    world.deposit("exact")
    world.wait_for(State.COMPLETED)
    world.settle()
    back = world.balance_of(BASE, intent.terms.refund_address, "USDT")
    world.require(back == 40_000, "all of them are returned")
    returns = [t for t in world.timeline().outbound_txs if t.kind is OutboundTxKind.RETURN_EXCESS]
    world.require(len(returns) == 1, "one transaction returns them")


@scenario(
    17,
    "another-chain",
    "The right token to the same address on another chain of its family",
    ExpectedOutcome(State.PENDING),
    (BASE, ARBITRUM, OPTIMISM),
)
def another_chain(world: ScenarioWorld) -> None:
    intent = world.create_intent()
    world.deposit("25000000", token="USDC", chain=OPTIMISM)
    world.try_action(
        "An operator checks the other chains",
        lambda: manual_operations.scan_other_chains(world.services, world.operator, intent.id),
    )
    world.pass_time(10)
    deposits = world.timeline().deposits
    world.require([d.purpose for d in deposits] == ["WRONG_CHAIN"], "it is found on Optimism")
    world.try_action(
        "The operator returns it from there",
        lambda: manual_operations.return_deposit(world.services, world.operator, deposits[0].id),
    )
    world.settle()
    back = world.balance_of(OPTIMISM, intent.terms.refund_address)
    world.require(back == 25_000_000, "all of it is returned, on Optimism")
    world.require(
        all(
            t.state is OutboundTxState.FINAL
            for t in world.timeline().outbound_txs
            if t.kind is OutboundTxKind.RETURN_EXCESS
        ),
        "it went out on Optimism",
    )
