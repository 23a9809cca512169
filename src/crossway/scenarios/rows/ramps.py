"""Local money into crypto and back, with a provider that is honest, late, short or gone."""

from crossway.domain.errors import Refusal
from crossway.domain.intent import State
from crossway.domain.ledger import Account, balances, fiat_place
from crossway.domain.money import format_units
from crossway.domain.ramps import Direction, OrderState, RampOrder
from crossway.ports.sandbox import RampFaults
from crossway.scenarios.scenario import Back, Ends, scenario
from crossway.scenarios.stage import ARBITRUM, Stage
from crossway.usecases.payments import intents
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps import sandbox as ramp_sandbox
from crossway.usecases.ramps.terms import NewOrder

PROVIDER, CURRENCY, COUNTRY = "YELLOW_CARD", "NGN", "NG"
WHO = "ada@example.com"
AMOUNT = 25


@scenario(43, "on-ramp", "Local money is paid, and crypto is delivered over a bridge",
          Ends(State.COMPLETED))  # fmt: skip
def on_ramp(stage: Stage) -> None:
    order = _buy(stage)
    _report(stage, order, "paid")
    order = _until(stage, order, OrderState.COMPLETED)
    stage.rest()
    _books(stage, order, _done(order))


@scenario(44, "off-ramp", "Crypto is sold over a bridge, and local money is paid out",
          Ends(State.COMPLETED))  # fmt: skip
def off_ramp(stage: Stage) -> None:
    order = _sell(stage)
    stage.deposit("exact")
    order = _until(stage, order, OrderState.COMPLETED)
    stage.rest()
    _books(stage, order, _done(order))


@scenario(45, "on-ramp-unpaid", "Nobody pays the local money in time", Ends(State.EXPIRED))
def on_ramp_unpaid(stage: Stage) -> None:
    order = _buy(stage)
    stage.pass_time(order.expires_at.timestamp() - stage.hand.seconds + 60)
    order = _until(stage, order, OrderState.EXPIRED)
    _books(stage, order, {})


@scenario(46, "on-ramp-short", "The provider says that it delivered, and sends less",
          Ends(State.REFUNDED, Back.ALL))  # fmt: skip
def on_ramp_short(stage: Stage) -> None:
    _behave(stage, "it will deliver 5 % less than it says", RampFaults(short_bps=500))
    order = _buy(stage)
    _report(stage, order, "paid")
    stage.pass_time(300)
    stage.check(any(a.kind == "ramp" for a in stage.alarms()), "an alarm tells of the short sum")
    stage.pass_expiry()
    order = _until(stage, order, OrderState.REFUNDED, within=600)
    stage.rest()
    _books(stage, order, {})


@scenario(47, "off-ramp-cancelled", "The crypto of an off-ramp comes in after it was cancelled",
          Ends(State.REFUNDED, Back.ALL))  # fmt: skip
def off_ramp_cancelled(stage: Stage) -> None:
    order = _sell(stage)
    stage.operate("The seller cancels", lambda: ramp_orders.cancel(
        stage.services, stage.caller, order.id
    ))  # fmt: skip
    stage.deposit("exact")
    stage.pass_expiry()
    stage.until(State.REFUNDED)
    stage.rest()
    order = _until(stage, order, OrderState.CANCELLED)
    stage.check(stage.holds(order.ramp_chain, order.pay_to) == 0, "the provider got nothing")
    _books(stage, order, {})


@scenario(48, "off-ramp-refunded", "The provider cannot pay the local money out",
          Ends(State.COMPLETED))  # fmt: skip
def off_ramp_refunded(stage: Stage) -> None:
    _behave(stage, "it delivers only when told", RampFaults(deliver_seconds=-1))
    order = _sell(stage)
    stage.deposit("exact")
    stage.until(State.COMPLETED)
    _until(stage, order, OrderState.PROCESSING)
    _report(stage, order, "failed")
    _until(stage, order, OrderState.FAILED)
    _report(stage, order, "refunded")
    order = _until(stage, order, OrderState.REFUNDED)
    stage.rest()
    _books(stage, order, {})


@scenario(49, "ramp-provider-down", "The provider gives no answer for a while after the order",
          Ends(State.COMPLETED))  # fmt: skip
def ramp_provider_down(stage: Stage) -> None:
    order = _buy(stage)
    _behave(stage, "it gives no answer for a minute", RampFaults(down_seconds=60))
    stage.operate("The buyer tries to cancel", lambda: _try_to_cancel(stage, order))
    ramp_orders.confirm(stage.services, stage.caller, order.id)
    stage.say("The buyer says that it is paid")
    stage.pass_time(20)
    stage.check(any(a.kind == "provider" for a in stage.alarms()), "an alarm tells of the silence")
    order = _until(stage, order, OrderState.COMPLETED)
    stage.rest()
    _books(stage, order, _done(order))


def _buy(stage: Stage) -> RampOrder:
    _known(stage)
    return _opened(stage, NewOrder(
        direction=Direction.ON.value, provider=PROVIDER, currency=CURRENCY, country=COUNTRY,
        amount=AMOUNT, destination_chain=ARBITRUM, recipient=stage.wallet(ARBITRUM, "buyer"),
        email=WHO, fields=_fields(stage, Direction.ON),
    ))  # fmt: skip


def _sell(stage: Stage) -> RampOrder:
    _known(stage)
    return _opened(stage, NewOrder(
        direction=Direction.OFF.value, provider=PROVIDER, currency=CURRENCY, country=COUNTRY,
        amount=AMOUNT, source_chain=ARBITRUM, sender=stage.wallet(ARBITRUM, "seller"),
        email=WHO, fields=_fields(stage, Direction.OFF),
    ))  # fmt: skip


def _opened(stage: Stage, asked: NewOrder) -> RampOrder:
    order = ramp_orders.create(stage.services, stage.caller, asked)
    assert order.intent_id is not None
    stage.made.append(intents.by_id(stage.services, stage.operator, order.intent_id))
    fiat = format_units(order.fiat_minor, order.digits, order.digits)
    verb = "buys" if order.direction is Direction.ON else "sells"
    words = "costs" if order.direction is Direction.ON else "brings"
    stage.say(f"Somebody {verb} {AMOUNT} {order.symbol} on {stage.name_of(ARBITRUM)} with "
              f"{PROVIDER}, which {words} {fiat} {CURRENCY}")  # fmt: skip
    return order


def _known(stage: Stage) -> None:
    """The provider knows who it is."""
    assert stage.services.ramp_sandbox is not None
    stage.services.ramp_sandbox.set_standing(PROVIDER, WHO, "basic", "approved")


def _fields(stage: Stage, direction: Direction) -> dict[str, str]:
    found = next(one for one in stage.services.ramps if one.name == PROVIDER)
    channel = found.capabilities.channels_for(direction, CURRENCY, COUNTRY)[0]
    return {
        one.key: one.options[0].value if one.options else one.example
        for one in channel.fields
        if one.required
    }


def _report(stage: Stage, order: RampOrder, outcome: str) -> None:
    ramp_sandbox.report(stage.services, stage.operator, order.id, outcome)
    stage.say(f"{PROVIDER} reports: {outcome}")


def _behave(stage: Stage, words: str, faults: RampFaults) -> None:
    assert stage.services.ramp_sandbox is not None
    stage.services.ramp_sandbox.misbehave(PROVIDER, faults)
    stage.say(f"{PROVIDER}: {words}")


def _try_to_cancel(stage: Stage, order: RampOrder) -> None:
    try:
        ramp_orders.cancel(stage.services, stage.caller, order.id)
    except Refusal:
        raise
    except Exception as silence:
        raise Refusal(str(silence)) from silence


def _until(stage: Stage, order: RampOrder, state: OrderState, within: float = 300) -> RampOrder:
    end = stage.hand.seconds + within
    while (now := ramp_orders.by_id(stage.services, stage.operator, order.id)).state is not state:
        stage.check(
            stage.hand.seconds < end, f"the order, {now.state}, becomes {state} in {within:.0f} s"
        )
        stage.pass_time(1)
    stage.say(f"The order is {state}")
    return now


def _done(order: RampOrder) -> dict[Account, int]:
    """What the books hold of local money once an order is completed."""
    fiat, fee = order.fiat_minor, order.fee_minor
    if order.direction is Direction.ON:
        return {Account.CUSTOMER: -fiat, Account.EXCHANGED: fiat - fee, Account.RAMP_FEES: fee}
    return {Account.CUSTOMER: fiat, Account.EXCHANGED: -fiat - fee, Account.RAMP_FEES: fee}


def _books(stage: Stage, order: RampOrder, wanted: dict[Account, int]) -> None:
    posted = [posting for _, posting in stage.story().postings]
    place = fiat_place(order.provider)
    found = {
        account: units
        for (account, at, _), units in balances(posted).items()
        if at == place and units
    }
    stage.check(found == wanted, f"the books of local money hold {wanted}, not {found}")
