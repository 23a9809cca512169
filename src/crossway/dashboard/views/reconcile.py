"""Reconciliation runs on screen: differences, their likely causes and next steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from crossway.dashboard.views.book_cells import location_cell, location_name
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import format_duration, shorten, to_millis
from crossway.dashboard.views.links import intent_href, page_href
from crossway.domain.clients import Principal
from crossway.ports.services import Services
from crossway.ports.treasury_repository import ReconciliationRun
from crossway.usecases.money import reconciliation_runs

PAGE_SIZE = 20
FINDING_COLUMNS = (
    Column("Location"),
    Column("Difference"),
    Column("Likely cause"),
    Column("Next step"),
)
HISTORY_COLUMNS = (Column("Started"), Column("Result"), Column("By"), Column("Duration", "right"))
UNOPENED_COLUMNS = (Column("Chain"), Column("Account"), Column("Balances not in the books"))
_ACCOUNTS: Final[Mapping[str, str]] = {
    "inventory": "Relayer",
    "treasury": "Treasury",
    "unified": "Unified balance",
}
_KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "address": ("Deposit address", "pin_drop"),
    "standing": ("Standing address", "all_inbox"),
    "collecting": ("Collecting account", "inventory_2"),
    "inventory": ("Relayer's inventory", "account_balance"),
    "treasury": ("Treasury", "savings"),
    "in_transit": ("On its way over bridges", "swap_horiz"),
    "owed": ("Owed by bridges' contracts", "account_balance_wallet"),
    "parked": ("Parked in bridges' contracts", "local_parking"),
    "unified": ("Unified balance", "hub"),
    "transaction": ("Unknown transaction", "help"),
}
_TEMPORARY = Badge("Temporary", "blue", "hourglass_bottom", "Resolves automatically")
Tone = Literal["success", "error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of the history; `older_than` is the cursor of the next page, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


@dataclass(frozen=True, slots=True)
class AdjustmentCandidate:
    """A difference of the relayer's inventory (`kind` is `inventory`) or of the treasury that a
    treasurer can book; `units` is signed."""

    kind: str
    chain: str
    token: str
    units: int
    description: str


def describe_result(services: Services, run: ReconciliationRun) -> tuple[Tone, str]:
    """The result of a run as a sentence, with its tone."""
    result = run.result
    if run.ended_at is None:
        if reconciliation_runs.is_running(services, run):
            return "info", f"Reconciling: {run.chains_done} of {run.chains_total} chains done."
        return "warning", "This run did not finish because its process stopped. Reconcile again."
    if broken := result.get("error"):
        return "warning", f"This run did not finish. {broken}"
    silent = result.get("unavailable", {})
    unresponsive = f" {_count(len(silent), 'chain')} not responding." if silent else ""
    passing = result.get("transient_count", 0)
    temporary = f" {_count(passing, 'difference')} will resolve automatically." if passing else ""
    if run.differences:
        return (
            "error",
            f"{_count(run.differences, 'difference')} to review.{temporary}{unresponsive}",
        )
    if missing := len(result.get("missing_opening_balances", ())):
        return (
            "warning",
            f"No differences where the books can be compared. {_count(missing, 'balance')} of the "
            f"relayer or the treasury cannot: no opening balance is recorded.{temporary}"
            f"{unresponsive}",
        )
    if silent:
        return "warning", f"No differences on the chains that responded.{temporary}{unresponsive}"
    fees = result.get("outside_fees_booked", 0)
    booked = f" The fees of {_count(fees, 'outside transaction')} were booked." if fees else ""
    if taken := len(result.get("opening_balances_taken_in", ())):
        booked += f" {_count(taken, 'opening balance')} of this first run became part of the books."
    return "success", f"The books and the chains agree.{temporary}{booked}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def build_finding_rows(services: Services, run: ReconciliationRun) -> tuple[Row, ...]:
    """Rows of all differences with likely cause and next step, then the unresponsive chains."""
    return tuple(
        _finding_row(services, index, finding)
        for index, finding in enumerate(run.result.get("findings", ()))
    ) + tuple(
        _unresponsive_row(services, chain, reason)
        for chain, reason in run.result.get("unavailable", {}).items()
    )


def _finding_row(services: Services, index: int, finding: Mapping[str, Any]) -> Row:
    name, icon = _KINDS.get(finding["kind"], (finding["kind"], "help"))
    badges = (Badge(name, "gray" if finding["transient"] else "red", icon),)
    identifier = finding.get("address") or finding.get("tx", "")
    description = (
        finding["message"].replace(identifier, shorten(identifier))
        if identifier
        else finding["message"]
    )
    return Row(
        f"found-{index}",
        (
            location_cell(
                services,
                finding["chain"],
                badges + ((_TEMPORARY,) if finding["transient"] else ()),
            ),
            Cell(
                description,
                copy=identifier,
                value_name="address" if finding.get("address") else "transaction",
            ),
            Cell(finding["reason"]),
            Cell(finding["next_step"]),
        ),
        href=intent_href(finding["intent"]) if finding.get("intent") else "",
        label=f"Payment {finding['intent']}" if finding.get("intent") else "",
    )


def _unresponsive_row(services: Services, chain: str, reason: str) -> Row:
    name = location_name(services, chain)
    return Row(
        f"silent-{chain}",
        (
            location_cell(services, chain, (Badge("Not responding", "orange", "cloud_off"),)),
            Cell(f"The chain is not responding: {reason}"),
            Cell("Its node is down or unreachable."),
            Cell("Check the Chains page and reconcile again once it responds."),
        ),
        href=page_href("chains"),
        label=f"Chains, for {name}",
    )


def list_adjustment_candidates(run: ReconciliationRun) -> list[AdjustmentCandidate]:
    """The persistent differences of the relayer's inventory, the treasury and at bridges."""
    return [
        AdjustmentCandidate(
            finding["kind"],
            finding["chain"],
            finding["token"],
            int(finding["chain_amount"]) - int(finding["ledger_amount"]),
            _shorten_address(finding),
        )
        for finding in run.result.get("findings", ())
        if finding["kind"] in _ACCOUNTS and not finding["transient"]
    ]


def _shorten_address(finding: Mapping[str, Any]) -> str:
    """The message of a finding; a unified balance has no address."""
    address, message = str(finding["address"]), str(finding["message"])
    return message.replace(address, shorten(address)) if address else message


def build_unopened_rows(run: ReconciliationRun | None) -> tuple[Row, ...]:
    """Rows of balances without an opening balance in the books, one per account."""
    by_account: dict[tuple[str, str], list[str]] = {}
    for finding in run.result.get("missing_opening_balances", ()) if run else ():
        account = _ACCOUNTS[finding.get("account", "inventory")]
        by_account.setdefault((finding["name"], account), []).append(finding["amount"])
    return tuple(
        Row(f"{name} {account}", (Cell(name), Cell(account), Cell(", ".join(amounts))))
        for (name, account), amounts in by_account.items()
    )


def load_page(services: Services, caller: Principal, before_id: int | None) -> ListPage:
    """One page of reconciliation runs, newest first."""
    runs = reconciliation_runs.list_runs(services, caller, PAGE_SIZE + 1, before_id)
    page_runs = runs[:PAGE_SIZE]
    older = page_runs[-1].id if len(runs) > PAGE_SIZE else None
    return ListPage(tuple(_run_row(services, run) for run in page_runs), older)


def _run_row(services: Services, run: ReconciliationRun) -> Row:
    tone, text = describe_result(services, run)
    badges: Mapping[Tone, Badge] = {
        "success": Badge("Balanced", "green", "check_circle"),
        "error": Badge("Differences", "red", "error"),
        "warning": Badge("Incomplete", "orange", "warning"),
        "info": Badge("Running", "blue", "sync"),
    }
    duration = "–"
    if run.ended_at is not None:
        duration = format_duration((run.ended_at - run.started_at).total_seconds())
    return Row(
        str(run.id),
        (
            Cell(at=to_millis(run.started_at), as_="exact"),
            Cell(text, badges=(badges[tone],)),
            Cell(run.started_by),
            Cell(duration),
        ),
        href=page_href("reconcile", run=str(run.id)),
        label=f"Run {run.id}",
    )


def describe_schedule(services: Services) -> str:
    """The schedule of the automatic reconciliation as a sentence."""
    hour = services.policy.reconcile_at_hour
    if hour is None:
        return (
            "Automatic reconciliation is off. Set CROSSWAY_RECONCILE_AT_HOUR to an hour (UTC) to "
            "run it daily; a difference raises an alert."
        )
    return f"Runs daily at {hour:02}:00 UTC; a difference raises an alert."


def join_sentences(sentences: Sequence[str]) -> str:
    """The result of recording the opening balances as one text."""
    return " ".join(sentences) or "All balances are already in the books."
