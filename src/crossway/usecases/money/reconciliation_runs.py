"""Runs of the reconciliation: started manually or daily, in the background, with stored results."""

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidStatus
from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.domain.roles import Permission
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.treasury_repository import ReconciliationRun
from crossway.usecases.money.first_openings import take_in_openings, tell_taken_in
from crossway.usecases.money.inventory_adjustments import format_amount
from crossway.usecases.money.locations import location_name
from crossway.usecases.money.reconciliation import compare
from crossway.usecases.money.reconciliation_findings import Difference, Reconciliation, UnknownTx

MAX_DURATION = timedelta(minutes=30)
MAX_FINDINGS = 500
# What happened while no engine ran is booked first.
SETTLE_SECONDS = 300
DAILY_ACTOR = "the daily reconciliation"
ALERT_KEY, OPENING_KEY = "reconcile", "opening"
_FEE_LEG = (Account.NETWORK_FEES, Account.INVENTORY)
_SECONDS_IN_DAY = 86_400
log = logging.getLogger("crossway.reconciliation")


def start_run(services: Services, caller: Principal) -> int:
    """Start a run in the background; returns its id. Raises `InvalidStatus` while another runs."""
    caller.require_permission(Permission.OPERATE)
    run_id = _begin(services, caller)
    services.executor.submit(_run_in_background, services, run_id)
    return run_id


def is_any_running(services: Services) -> bool:
    """Whether a run is in progress."""
    with services.store.read() as unit:
        running = unit.treasury.list_running_reconciliations()
    return any(is_running(services, run) for run in running)


def _begin(services: Services, caller: Principal) -> int:
    now = services.clock.now()

    def work(unit: UnitOfWork) -> int:
        unit.leases.lock("reconcile")
        if any(is_running(services, run) for run in unit.treasury.list_running_reconciliations()):
            raise InvalidStatus("A reconciliation is already running: wait until it ends")
        run_id = unit.treasury.start_reconciliation(caller.actor_name, now, len(services.chains))
        assert run_id is not None
        unit.audit_log.record(
            caller.actor_name, "reconciliation started", {"run": run_id}, now, f"run:{run_id}"
        )
        return run_id

    return services.store.write(work)


def run_and_wait(services: Services, caller: Principal) -> Reconciliation:
    """Run in the foreground and store the result; for the command line. Raises `InvalidStatus`
    while another runs."""
    caller.require_permission(Permission.OPERATE)
    return _run(services, _begin(services, caller))


def start_daily(services: Services) -> int:
    """Start the daily run in the background once its hour has come and the engine has run for some
    minutes; the very first of a live service, which takes in opening balances, at any hour. Returns
    the number of runs started. Of several engines, one starts it."""
    hour, now = services.policy.reconcile_at_hour, services.clock.now()
    if hour is None or services.process.engine.seconds_running() < SETTLE_SECONDS:
        return 0
    day = int(now.timestamp()) // _SECONDS_IN_DAY
    with services.store.read() as unit:
        is_first = services.sandbox is None and not unit.treasury.list_reconciliations(1, None)
        if (now.hour < hour and not is_first) or unit.treasury.has_reconciliation_for(day):
            return 0
    chain_count = len(services.chains)
    run_id = services.store.write(
        lambda unit: unit.treasury.start_reconciliation(DAILY_ACTOR, now, chain_count, day)
    )
    if run_id is None:
        return 0
    services.executor.submit(_run_in_background, services, run_id)
    return 1


def latest_run(services: Services, caller: Principal) -> ReconciliationRun | None:
    """The newest run, in progress or ended."""
    runs = list_runs(services, caller, 1)
    return runs[0] if runs else None


def list_runs(
    services: Services, caller: Principal, limit: int, before_id: int | None = None
) -> list[ReconciliationRun]:
    """One page of runs, newest first."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.treasury.list_reconciliations(limit, before_id)


def get_run(services: Services, caller: Principal, run_id: int) -> ReconciliationRun | None:
    """A run by its id."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.treasury.get_reconciliation(run_id)


def is_running(services: Services, run: ReconciliationRun) -> bool:
    """Whether a run is in progress; after `MAX_DURATION` its process is assumed to have died."""
    return run.ended_at is None and abs(services.clock.now() - run.started_at) < MAX_DURATION


def _run_in_background(services: Services, run_id: int) -> None:
    try:
        _run(services, run_id)
    except Exception as error:
        log.exception("reconciliation run %d failed", run_id)
        result = {"error": f"It failed with {type(error).__name__}; see the log for details."}
        now = services.clock.now()
        services.store.write(
            lambda unit: unit.treasury.finish_reconciliation(run_id, now, 0, result)
        )


def _run(services: Services, run_id: int) -> Reconciliation:
    def record_progress(done: int) -> None:
        services.store.write(lambda unit: unit.treasury.record_progress(run_id, done))

    comparison = compare(services, record_progress)
    take_in_openings(services, comparison)
    now, result = services.clock.now(), _stored_result(services, comparison)

    def work(unit: UnitOfWork) -> None:
        unit.treasury.finish_reconciliation(run_id, now, comparison.unresolved_count, result)
        _settle_outside_txs(unit, services, comparison)
        _update_opening_alert(unit, services, comparison)
        tell_taken_in(unit, services, comparison)
        if comparison.unresolved_count:
            places = (
                "1 place"
                if comparison.unresolved_count == 1
                else f"{comparison.unresolved_count} places"
            )
            message = f"Books and chains differ in {places}: {_first_message(comparison)}"
            unit.alerts.raise_alert(
                Alert(ALERT_KEY, ALERT_KEY, f"run {run_id}", message, now, now, None)
            )
        elif not comparison.unavailable:
            unit.alerts.resolve([ALERT_KEY], now)

    services.store.write(work)
    return comparison


def _settle_outside_txs(unit: UnitOfWork, services: Services, comparison: Reconciliation) -> None:
    """Book the fees of transactions that others made with the relayer's key and that moved nothing,
    and resolve the alerts about them: nobody has to act."""
    now = services.clock.now()
    for chain, txs in comparison.outside_fees.items():
        native, accounts = services.catalogue.native_token(chain), _FEE_LEG
        booked = {p.tx for p in unit.ledger.list_by_tx([NO_INTENT], {tx.tx_id for tx in txs})}
        unit.ledger.post(
            [
                Posting(NO_INTENT, chain, native, *accounts, tx.included.fee_units, tx.tx_id)
                for tx in txs
                if tx.tx_id not in booked
            ],
            now,
        )
    unexplained = {unknown.chain for unknown in comparison.unknown_txs}
    for (chain, account), txs in sorted(comparison.idle_txs.items()):
        if chain not in unexplained:
            unit.account_nonces.reserve(chain, account, 0, max(tx.nonce for tx in txs) + 1)
            unit.alerts.resolve([f"outside:{chain}"], now)


def _update_opening_alert(unit: UnitOfWork, services: Services, comparison: Reconciliation) -> None:
    now, count = services.clock.now(), len(comparison.missing_opening_balances)
    if count:
        message = (
            f"{count} balance{'' if count == 1 else 's'} of the relayer or the treasury cannot be "
            "compared with the chains: record the opening balances."
        )
        unit.alerts.raise_alert(Alert(OPENING_KEY, OPENING_KEY, "", message, now, now, None))
    elif not comparison.unavailable:
        unit.alerts.resolve([OPENING_KEY], now)


def _first_message(comparison: Reconciliation) -> str:
    messages = [finding.message for finding in comparison.differences if not finding.is_transient]
    return (messages + [finding.message for finding in comparison.unknown_txs])[0]


def _stored_result(services: Services, comparison: Reconciliation) -> Mapping[str, Any]:
    """The findings as stored with the run."""
    findings = [_stored_difference(finding) for finding in comparison.differences]
    findings += [_stored_unknown_tx(finding) for finding in comparison.unknown_txs]
    findings.sort(key=lambda finding: bool(finding["transient"]))
    return {
        "findings": findings[:MAX_FINDINGS],
        "omitted_count": max(0, len(findings) - MAX_FINDINGS),
        "transient_count": sum(bool(finding["transient"]) for finding in findings),
        "unavailable": comparison.unavailable,
        "outside_fees_booked": sum(map(len, comparison.outside_fees.values())),
        "compared": sorted(services.chains.keys() - comparison.unavailable.keys()),
        "missing_opening_balances": _openings(services, comparison.missing_opening_balances),
        "opening_balances_taken_in": _openings(services, comparison.taken_in),
    }


def _openings(
    services: Services, of: Mapping[tuple[str, str, str], int]
) -> list[Mapping[str, str]]:
    return [
        {
            "chain": chain,
            "name": location_name(services, chain),
            "account": kind,
            "amount": format_amount(services, chain, token, amount),
        }
        for (chain, kind, token), amount in of.items()
    ]


def _stored_difference(difference: Difference) -> dict[str, Any]:
    return {
        "kind": difference.kind,
        "chain": difference.chain,
        "token": difference.token,
        "address": difference.address,
        "ledger_amount": str(difference.ledger_amount),
        "chain_amount": str(difference.chain_amount),
        "message": difference.message,
        "reason": difference.reason,
        "next_step": difference.next_step,
        "transient": difference.is_transient,
        "intent": difference.intent_id,
    }


def _stored_unknown_tx(unknown_tx: UnknownTx) -> dict[str, Any]:
    return {
        "kind": "transaction",
        "chain": unknown_tx.chain,
        "tx": unknown_tx.tx.tx_id,
        "message": unknown_tx.message,
        "reason": unknown_tx.reason,
        "next_step": unknown_tx.next_step,
        "transient": False,
    }
