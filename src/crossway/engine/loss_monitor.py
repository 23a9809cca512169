"""Raises an alert for each route that runs at a loss, and resolves it once it does no longer."""

from typing import Final

from crossway.domain.money import format_units
from crossway.domain.profit_and_loss import NANO_USD_DECIMALS
from crossway.engine.alerts import raise_alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money.route_losses import DAYS, RouteLoss, find_losses

LOSS: Final = "loss"
_CENT: Final = 10 ** (NANO_USD_DECIMALS - 2)


def check_routes(services: Services) -> None:
    """Compare the alerts with the routes that run at a loss now."""
    losses = {f"{LOSS}:{':'.join(loss.route)}": loss for loss in find_losses(services)}
    messages = {key: _describe(services, loss) for key, loss in losses.items()}
    with services.store.read() as unit:
        active = {a.key: a.message for a in unit.alerts.list_active(kind=LOSS)}
    ended = sorted(active.keys() - losses.keys())
    changed = {key: text for key, text in messages.items() if active.get(key) != text}
    if not (ended or changed):
        return

    def work(unit: UnitOfWork) -> None:
        unit.alerts.resolve(ended, services.clock.now())
        for key, message in changed.items():
            subject = key.partition(":")[2]
            raise_alert(unit, services, key, LOSS, subject, message)

    services.store.write(work)


def _describe(services: Services, loss: RouteLoss) -> str:
    source, bridge, destination = loss.route
    ends = f"{chain_name(services, source)} → {chain_name(services, destination)}"
    cents = -(-abs(loss.nano_usd) // _CENT)
    more = f"{format_units(cents, 2, 2)} USD more than it earned"
    return (
        f"{ends} over {bridge} cost {more} in the last {DAYS} days, on {loss.payments:,} payments."
    )
