"""Watches over the operator's controls on outgoing money: ends requests that nobody decided on."""

from crossway.ports.services import Services
from crossway.usecases.money.approvals import expire_overdue


def check_controls(services: Services) -> int:
    """End approvals whose time is over; returns how many."""
    return expire_overdue(services)
