"""Resending the webhooks of what somebody has selected."""

from collections.abc import Sequence

from crossway.dashboard.components import list_table
from crossway.dashboard.components.actions import confirm
from crossway.dashboard.session import operator, services
from crossway.usecases.developers import resending
from crossway.usecases.developers.resending import Resent


def resend_selected(table: str, delivery_ids: Sequence[int]) -> None:
    """Resend deliveries that were selected in a table."""
    list_table.run(
        table,
        lambda: _describe(resending.resend_deliveries(services(), operator(), delivery_ids)),
    )


def confirm_for_payments(table: str, intent_ids: Sequence[int]) -> None:
    """Resend all events of payments that were selected in a table, after confirmation."""
    payments = f"{len(intent_ids)} payment{'' if len(intent_ids) == 1 else 's'}"
    confirm(
        "Resend webhooks?",
        f"Every event of {payments} is sent again to the webhooks that it went to. Receivers "
        "recognise a resent event by its ID.",
        "Resend",
        lambda: list_table.done(
            table,
            _describe(resending.resend_of_payments(services(), operator(), intent_ids)),
        ),
    )


def _describe(resent: Resent) -> str:
    if not resent.count:
        return "There is nothing to resend: no event went to a webhook."
    sent = f"{resent.count:,} event{'' if resent.count == 1 else 's'} queued again."
    left = f" {resent.refused:,} left out: {resent.reason}." if resent.refused else ""
    return sent + left
