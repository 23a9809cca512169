"""Comparisons of books and chains on screen: what was found, why, and what to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import chain_name, duration, millis, short
from crossway.dashboard.views.links import intent_href, link
from crossway.domain.clients import Caller
from crossway.ports.services import Services
from crossway.ports.treasury_records import Run
from crossway.usecases.money import reconciling

PAGE_SIZE = 20
FOUND_COLUMNS = (Column("Where"), Column("What differs"), Column("Likely reason"), Column("Way on"))
HISTORY_COLUMNS = (Column("When"), Column("Result"), Column("By"), Column("Took", "right"))
UNOPENED_COLUMNS = (Column("Chain"), Column("What the relayer holds"))
_KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "address": ("Deposit address", "pin_drop"),
    "collecting": ("Collecting account", "inventory_2"),
    "stock": ("Relayer's stock", "account_balance"),
    "transaction": ("Unknown transaction", "help"),
}
_PASSING = Chip("Passing", "blue", "hourglass_bottom", "It goes by itself")
Tone = Literal["success", "error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of the history: `older_than` is where the next one starts, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


@dataclass(frozen=True, slots=True)
class Bookable:
    """A difference of the relayer's stock that a treasurer can book, `units` more or less."""

    chain: str
    token: str
    units: int
    words: str


def verdict(services: Services, run: Run) -> tuple[Tone, str]:
    """What came of a comparison, as a sentence."""
    result = run.result
    if run.ended_at is None:
        if reconciling.goes_on(services, run):
            return "info", f"Comparing: {run.done} of {run.of} chains are done."
        return "warning", "This comparison did not end: its process stopped. Compare again."
    if broken := result.get("broken"):
        return "warning", f"This comparison did not end. {broken}"
    silent = result.get("silent", {})
    left_out = f" {_count(len(silent), 'chain')} gave no answer." if silent else ""
    passing = result.get("passing", 0)
    itself = "itself" if passing == 1 else "themselves"
    soon = f" {_count(passing, 'difference')} will pass by {itself}." if passing else ""
    if run.differences:
        return "error", f"{_count(run.differences, 'difference')} to look at.{soon}{left_out}"
    if silent:
        return "warning", f"No difference on the chains that answered.{soon}{left_out}"
    return "success", f"The books and the chains agree.{soon}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def findings(services: Services, run: Run) -> tuple[Row, ...]:
    """Every difference with its likely reason and a way on, what passes by itself last."""
    return tuple(
        _finding(services, index, one) for index, one in enumerate(run.result.get("findings", ()))
    ) + tuple(_silent(services, chain, why) for chain, why in run.result.get("silent", {}).items())


def _finding(services: Services, index: int, one: Mapping[str, Any]) -> Row:
    name, icon = _KINDS.get(one["kind"], (one["kind"], "help"))
    chips = (Chip(name, "gray" if one["passing"] else "red", icon),)
    whole = one.get("address") or one.get("tx", "")
    words = one["words"].replace(whole, short(whole)) if whole else one["words"]
    return Row(
        f"found-{index}",
        (
            Cell(
                chain_name(services.catalogue, one["chain"]),
                chips=chips + ((_PASSING,) if one["passing"] else ()),
            ),
            Cell(words, copy=whole, what="address" if one.get("address") else "transaction"),
            Cell(one["reason"]),
            Cell(one["way_on"]),
        ),
        href=intent_href(one["intent"]) if one.get("intent") else "",
        label=f"Payment {one['intent']}" if one.get("intent") else "",
    )


def _silent(services: Services, chain: str, why: str) -> Row:
    where = chain_name(services.catalogue, chain)
    return Row(
        f"silent-{chain}",
        (
            Cell(where, chips=(Chip("No answer", "orange", "cloud_off"),)),
            Cell(f"It gave no answer: {why}"),
            Cell("Its node is down, or out of reach from here."),
            Cell("See the page Chains; compare again when it answers."),
        ),
        href=link("chains"),
        label=f"Chains, for {where}",
    )


def bookable(run: Run) -> list[Bookable]:
    """Differences of the relayer's stock that last."""
    return [
        Bookable(
            one["chain"], one["token"], int(one["there"]) - int(one["books"]),
            one["words"].replace(one["address"], short(one["address"])),
        )
        for one in run.result.get("findings", ())
        if one["kind"] == "stock" and not one["passing"]
    ]  # fmt: skip


def unopened(run: Run | None) -> tuple[Row, ...]:
    """Stock that the books were never told of, a line a chain."""
    by_chain: dict[str, list[str]] = {}
    for one in run.result.get("unopened", ()) if run else ():
        by_chain.setdefault(one["name"], []).append(one["amount"])
    return tuple(
        Row(name, (Cell(name), Cell(", ".join(amounts)))) for name, amounts in by_chain.items()
    )


def listing(services: Services, caller: Caller, before_id: int | None) -> Listing:
    """Comparisons, newest first."""
    found = reconciling.history(services, caller, PAGE_SIZE + 1, before_id)
    shown = found[:PAGE_SIZE]
    older = shown[-1].id if len(found) > PAGE_SIZE else None
    return Listing(tuple(_run(services, run) for run in shown), older)


def _run(services: Services, run: Run) -> Row:
    tone, words = verdict(services, run)
    looks: Mapping[Tone, Chip] = {
        "success": Chip("Agrees", "green", "check_circle"),
        "error": Chip("Differs", "red", "error"),
        "warning": Chip("Incomplete", "orange", "warning"),
        "info": Chip("Running", "blue", "sync"),
    }
    took = "–"
    if run.ended_at is not None:
        took = duration((run.ended_at - run.started_at).total_seconds())
    return Row(
        str(run.id),
        (
            Cell(at=millis(run.started_at), as_="exact"),
            Cell(words, chips=(looks[tone],)),
            Cell(run.who),
            Cell(took),
        ),
        href=link("reconcile", run=str(run.id)),
        label=f"Comparison {run.id}",
    )


def schedule(services: Services) -> str:
    """Whether books and chains are compared every day."""
    hour = services.policy.reconcile_at_hour
    if hour is None:
        return (
            "Nothing is compared by itself: set CROSSWAY_RECONCILE_AT_HOUR to an hour (UTC), and a "
            "difference raises an alarm every day."
        )
    return f"Compared every day at {hour:02}:00 UTC; a difference raises an alarm."


def told(sentences: Sequence[str]) -> str:
    """What came of taking stock in."""
    return " ".join(sentences) or "The books knew all of it already."
