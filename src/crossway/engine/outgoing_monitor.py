"""Watches over the operator's controls on outgoing money: ends what waits for nobody any more."""

from crossway.ports.services import Services
from crossway.usecases.money.address_book import end_alerts
from crossway.usecases.money.approvals import expire_overdue


def check_controls(services: Services) -> int:
    """End approvals whose time is over, and the alerts about addresses that can be used now;
    returns how many."""
    return expire_overdue(services) + end_alerts(services)
