"""Comparisons of books and chains as they are run: in the background, every day, remembered."""

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from crossway.domain.clients import Caller
from crossway.domain.errors import WrongState
from crossway.domain.roles import Right
from crossway.ports.records import Alarm
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.ports.treasury_records import Run
from crossway.usecases.money.reconciliation import Difference, Reconciliation, Unknown, compare
from crossway.usecases.money.stock import amount_of, name_of

LONGEST = timedelta(minutes=30)
MOST_FOUND = 500
CLOCK = "the daily comparison"
ALARM = "reconcile"
_SECONDS_IN_DAY = 86_400
log = logging.getLogger("crossway.reconciling")


def start(services: Services, caller: Caller) -> int:
    """Begin a comparison in the background; answers its number. One runs at a time."""
    caller.must(Right.WORK)
    now = services.clock.now()

    def work(unit: Unit) -> int:
        unit.network.lock("reconcile")
        if any(goes_on(services, run) for run in unit.treasury.running()):
            raise WrongState("A comparison is running already: wait for its end")
        begun = unit.treasury.begin_run(caller.who, now, len(services.chains))
        assert begun is not None
        unit.network.audit(caller.who, "comparison begun", {"run": begun}, now, f"run:{begun}")
        return begun

    number = services.store.write(work)
    services.asking.submit(_carry_out, services, number)
    return number


def run_now(services: Services, caller: Caller) -> Reconciliation:
    """Compare here and now, and remember the result; for the command line."""
    caller.must(Right.WORK)
    now, of = services.clock.now(), len(services.chains)
    number = services.store.write(lambda unit: unit.treasury.begin_run(caller.who, now, of))
    assert number is not None
    return _run(services, number)


def daily(services: Services) -> int:
    """Begin today's comparison in the background when its hour has come; answers how many. Of
    several engines one does it."""
    hour, now = services.policy.reconcile_at_hour, services.clock.now()
    if hour is None or now.hour < hour:
        return 0
    day = int(now.timestamp()) // _SECONDS_IN_DAY
    with services.store.read() as unit:
        if unit.treasury.was_run_for(day):
            return 0
    of = len(services.chains)
    number = services.store.write(lambda unit: unit.treasury.begin_run(CLOCK, now, of, day))
    if number is None:
        return 0
    services.asking.submit(_carry_out, services, number)
    return 1


def latest(services: Services, caller: Caller) -> Run | None:
    """The newest comparison, running or ended."""
    found = history(services, caller, 1)
    return found[0] if found else None


def history(
    services: Services, caller: Caller, limit: int, before_id: int | None = None
) -> list[Run]:
    """Comparisons, newest first."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        return unit.treasury.runs(limit, before_id)


def one(services: Services, caller: Caller, number: int) -> Run | None:
    """One comparison by its number."""
    caller.must(Right.SEE)
    with services.store.read() as unit:
        return unit.treasury.run(number)


def goes_on(services: Services, run: Run) -> bool:
    """Whether a comparison still runs; one whose process died is given up after a while."""
    return run.ended_at is None and abs(services.clock.now() - run.started_at) < LONGEST


def _carry_out(services: Services, number: int) -> None:
    try:
        _run(services, number)
    except Exception as error:
        log.exception("comparison %d broke", number)
        failed = {"broken": f"It broke off with {type(error).__name__}; the log has the details."}
        now = services.clock.now()
        services.store.write(lambda unit: unit.treasury.end_run(number, now, 0, failed))


def _run(services: Services, number: int) -> Reconciliation:
    def told(done: int) -> None:
        services.store.write(lambda unit: unit.treasury.progress(number, done))

    found = compare(services, told)
    now, result = services.clock.now(), _result(services, found)

    def work(unit: Unit) -> None:
        unit.treasury.end_run(number, now, found.lasting, result)
        if found.lasting:
            places = "1 place" if found.lasting == 1 else f"{found.lasting} places"
            words = f"Books and chains differ in {places}: {_first(found)}"
            unit.network.raise_alarm(Alarm(ALARM, ALARM, f"run {number}", words, now, now, None))
        elif not found.silent:
            unit.network.clear_alarms([ALARM], now)

    services.store.write(work)
    return found


def _first(found: Reconciliation) -> str:
    lasting = [one.words for one in found.differences if not one.passing]
    return (lasting + [one.words for one in found.unknown])[0]


def _result(services: Services, found: Reconciliation) -> Mapping[str, Any]:
    """What was found, as it is remembered."""
    findings = [_difference(one) for one in found.differences]
    findings += [_unknown(one) for one in found.unknown]
    findings.sort(key=lambda one: bool(one["passing"]))
    return {
        "findings": findings[:MOST_FOUND],
        "left_out": max(0, len(findings) - MOST_FOUND),
        "passing": sum(bool(one["passing"]) for one in findings),
        "silent": found.silent,
        "unopened": [
            {"chain": chain, "name": name_of(services, chain),
             "amount": amount_of(services, chain, token, units)}
            for (chain, token), units in found.unopened.items()
        ],
    }  # fmt: skip


def _difference(one: Difference) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "chain": one.chain,
        "token": one.token,
        "address": one.address,
        "books": str(one.books_units),
        "there": str(one.chain_units),
        "words": one.words,
        "reason": one.reason,
        "way_on": one.way_on,
        "passing": one.passing,
        "intent": one.intent_id,
    }


def _unknown(one: Unknown) -> dict[str, Any]:
    return {
        "kind": "transaction",
        "chain": one.chain,
        "tx": one.made.tx_id,
        "words": one.words,
        "reason": one.reason,
        "way_on": one.way_on,
        "passing": False,
    }
