"""A month of made-up business for demonstrations, and the way back to nothing."""

from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.roles import Right
from crossway.ports.demo import Demo, Filled, Tell
from crossway.ports.services import Services

LEAST_PAYMENTS, USUAL_PAYMENTS, MOST_PAYMENTS = 30, 150, 20_000


def _untold(done: float, words: str) -> None:
    """Nobody watches."""


def fill(
    services: Services,
    caller: Caller,
    payments: int = USUAL_PAYMENTS,
    confirmed: bool = False,
    tell: Tell = _untold,
) -> Filled:
    """Play a month of about so many payments, which replaces what there is: where there is any,
    `confirmed` must say that it may go."""
    demo = _demo(services, caller)
    if not LEAST_PAYMENTS <= payments <= MOST_PAYMENTS:
        raise InvalidInput(f"payments must be from {LEAST_PAYMENTS} to {MOST_PAYMENTS}")
    _refuse_unconfirmed(demo, confirmed)
    filled = demo.fill(payments, tell)
    _after(services, caller, "demo month filled", {"payments": filled.payments})
    return filled


def empty(
    services: Services, caller: Caller, confirmed: bool = False, keep_clients: bool = True
) -> None:
    """Take every payment, order, book and block away, and begin anew. People and the audit log
    stay; clients and their keys where they are to be kept."""
    demo = _demo(services, caller)
    _refuse_unconfirmed(demo, confirmed)
    demo.empty(keep_clients)
    _after(services, caller, "simulated network emptied", {"clients kept": keep_clients})


def business(services: Services) -> tuple[int, int]:
    """How many payments and ramp orders there are; none where nothing can be played."""
    return services.demo.business() if services.demo else (0, 0)


def _demo(services: Services, caller: Caller) -> Demo:
    caller.must(Right.MANAGE)
    if services.network != "simulated" or services.demo is None:
        raise NotFound("Only a simulated network can be filled or emptied")
    return services.demo


def _refuse_unconfirmed(demo: Demo, confirmed: bool) -> None:
    payments, orders = demo.business()
    if (payments or orders) and not confirmed:
        raise WrongState(
            f"There are {payments:,} payments and {orders:,} ramp orders, which would be lost: "
            "confirm that they may go"
        )


def _after(services: Services, caller: Caller, what: str, detail: dict[str, object]) -> None:
    now = services.clock.now()
    services.store.write(lambda unit: unit.network.audit(caller.who, what, detail, now))
    services.keys.seen.clear()
    services.switches.known = None
    services.wake()
