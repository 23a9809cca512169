"""Everything that a finished run is judged by, and the judgement."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.campaign.check_books import check_books
from benchmarks.campaign.check_payments import UNENDED, Violation, check_payments
from benchmarks.campaign.check_service import (
    ANSWERS,
    Accepted,
    check_alerts,
    check_answers,
    check_events,
    check_logs,
)
from benchmarks.campaign.check_swaps import check_swaps
from benchmarks.campaign.facts import Facts
from benchmarks.campaign.stories import Payment


@dataclass
class Evidence:
    """The database as plain rows, what the work was answered and the receiver accepted, the
    payments that the API lists, what was still open, what was answered wrongly, the logs, and how
    often each kind of operation, fault, kill and freeze happened."""

    facts: Facts
    payments: list[Payment]
    accepted: Accepted
    listed: Mapping[str, Mapping[str, Any]]
    left: Mapping[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    logs: Mapping[str, str] = field(default_factory=dict)
    happened: Mapping[str, int] = field(default_factory=dict)

    def violations(self) -> list[Violation]:
        """Everything that is wrong, as (check, sentence)."""
        unique = frozenset(p.created["recipient"] for p in self.payments if p.created)
        refusing = frozenset(address for p in self.payments for address in p.refusing)
        return [
            *((UNENDED, f"{n} {what} are open at the end") for what, n in self.left.items()),
            *((ANSWERS, sentence) for sentence in self.problems),
            *check_payments(self.facts, unique, refusing),
            *check_swaps(self.facts),
            *check_books(self.facts),
            *check_events(self.facts, self.accepted),
            *check_answers(self.facts, self.payments, self.listed),
            *check_alerts(self.facts),
            *check_logs(self.logs),
        ]
