"""`crossway doctor`: problems of the installation and of each live chain."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import typer
from cryptography.fernet import Fernet
from pydantic import ValidationError
from sqlalchemy.exc import OperationalError, ProgrammingError, SQLAlchemyError

from crossway.adapters.chains.rpc.diagnostics import Finding, missing_key_finding
from crossway.adapters.vault import FernetVault, InvalidSecretKey, check_keys
from crossway.cli.errors import report_errors, setting_errors
from crossway.cli.output import RecordOutput, check_rows, prints
from crossway.domain.quotes import BridgeName
from crossway.server.allowed_hosts import is_loopback_name
from crossway.settings import OWNER_ONLY, Settings, secret_keys_of
from crossway.sign_in_setup import check_identity_providers
from crossway.startup_checks import SetupError
from crossway.storage.store import SqlStore, open_store
from crossway.usecases.operating import alerts

_MAX_ALERTS = 10
_NO_PROBLEMS = "No problems found"
_ONE_PROCESS = (
    "Note: with CROSSWAY_RUN_ENGINE=true, crossway serve answers strangers and holds the relayer's "
    "keys in one process. For real money run crossway api without keys, and crossway engine with "
    "them (docs/going-live.md)"
)
_NO_SECOND_FACTOR = (
    "Note: staff who move real money sign in with a password alone: require a second factor with "
    "CROSSWAY_SECOND_FACTOR_FROM=operator (docs/staff.md), or at your identity provider"
)


@report_errors
@prints
def examine() -> RecordOutput:
    """Print problems of this installation, one per line, and check each live chain."""
    problems, notes = list(_findings()), list[str]()
    checks: dict[str, Sequence[Finding]] = {}
    if _is_live():
        notes += live_notes(Settings())
        try:
            checks = {**_check_chains(), **_check_bridges()}
        except SetupError as error:
            problems.append(str(error))
    lines = [*problems, *notes]
    for name, findings in checks.items():
        lines += [name, *_describe(findings)]
    fails = bool(problems) or not all(one.ok for found in checks.values() for one in found)
    shown = {
        name: [{**asdict(one), "ok": one.ok} for one in findings]
        for name, findings in checks.items()
    }
    data = {"passed": not fails, "findings": problems, "notes": notes, "checks": shown}
    sentence = "\n".join(lines if fails else [*lines, _NO_PROBLEMS])
    return RecordOutput(sentence, data=data, fails=fails, rows=_rows(problems, notes, checks))


def _rows(
    problems: Sequence[str], notes: Sequence[str], checks: Mapping[str, Sequence[Finding]]
) -> list[tuple[str, str]]:
    """The CSV: what is wrong with the installation, then what was found at each chain."""
    failed = [
        f"{name}: {one.subject}: {one.message}" + (f" → {one.remedy}" if one.remedy else "")
        for name, findings in checks.items()
        for one in findings
        if not one.ok
    ]
    return check_rows([*problems, *failed], _NO_PROBLEMS, notes)


def live_notes(settings: Settings) -> Iterator[str]:
    """What is advised where real money moves, and is no fault."""
    if settings.run_engine:
        yield _ONE_PROCESS
    if settings.second_factor_from == "off":
        yield _NO_SECOND_FACTOR


def _is_live() -> bool:
    try:
        return Settings().network == "live"
    except ValidationError:
        return False


def _check_chains() -> dict[str, list[Finding]]:
    """Check every chain of the profile concurrently; the findings of each. Raises `SetupError`."""
    # These libraries are optional and needed for live chains only.
    from crossway.adapters.chains.rpc.family import ChainSettings
    from crossway.adapters.chains.rpc.keys import Keyring, environment
    from crossway.cli.contract_operations import load_profile, open_family

    catalogue, profile = load_profile()
    ring = Keyring(environment(), not Settings().run_engine, profile.signers)

    def diagnose(name: str) -> list[Finding]:
        chain, configured = catalogue.chains[name], profile.chains[name]
        chain_family = open_family(chain.kind)
        findings = list(
            chain_family.diagnose_nodes(chain, configured, environment(), datetime.now(UTC))
        )
        try:
            settings = ChainSettings(catalogue, name, configured, ring, profile.contract_users)
            operator = chain_family.open_chain(settings)
        except ValueError as error:
            reported = any(finding.message == str(error) for finding in findings)
            return findings if reported else [*findings, missing_key_finding(error)]
        with closing(operator.chain):
            return [*findings, *operator.diagnose()]

    with ThreadPoolExecutor(max(len(profile.chains), 1)) as pool:
        typer.echo(f"Asking the nodes of {', '.join(profile.chains)}…", err=True)
        return dict(zip(profile.chains, pool.map(diagnose, profile.chains), strict=True))


def _check_bridges() -> dict[str, list[Finding]]:
    """Check the bridges of the profile; the findings of each."""
    # As above.
    from crossway.adapters.across_diagnostics import diagnose_across_inventory
    from crossway.adapters.bridge_diagnostics import diagnose_bridges
    from crossway.adapters.bridges.gateway.diagnostics import diagnose_gateway
    from crossway.adapters.live_bridges import (
        gateway_ends,
        open_attestation_services,
        open_gateway_apis,
    )
    from crossway.adapters.live_environment import open_live_environment
    from crossway.adapters.rhinofi_diagnostics import diagnose_rhinofi
    from crossway.catalogue import load_catalogue

    try:
        live = open_live_environment(Settings().profile, load_catalogue(), signs=False)
    except ValueError:  # The findings about chains have named it.
        return {}
    with closing(live):
        services = open_attestation_services(live.profile.cctp)
        with closing(services):
            by_bridge = diagnose_bridges(live, services) | diagnose_rhinofi(live)
        if inventory := diagnose_across_inventory(live):
            by_bridge[BridgeName.ACROSS] += inventory
        if BridgeName.GATEWAY in live.profile.bridges:
            apis = open_gateway_apis(live.profile.gateway)
            with closing(apis):
                by_bridge[BridgeName.GATEWAY] = list(diagnose_gateway(gateway_ends(live), apis))
    return {str(name): list(findings) for name, findings in by_bridge.items()}


def _describe(findings: Sequence[Finding]) -> Iterator[str]:
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        mark = "✓" if finding.ok else "✗"
        yield f"  {mark} {finding.subject:{width}}  {finding.message}"
        if finding.remedy:
            yield f"    {'':{width}}  → {finding.remedy}"


def _findings() -> Iterator[str]:
    try:
        settings = Settings()
    except ValidationError as error:
        yield from setting_errors(error)
        return
    yield from _folder_findings(settings)
    yield from _reach_findings(settings)
    yield from _provider_findings()
    yield from _database_findings(settings)
    if find_spec("uvloop") is None:
        yield "uvloop is not installed: responses take longer without it"


def _folder_findings(settings: Settings) -> Iterator[str]:
    folder, key = settings.data_dir, settings.secret_key_file
    existing = next(path for path in (folder, *folder.resolve().parents) if path.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        yield f"{existing} cannot be written to: the service stores its files in {folder}"
    if settings.secret_key is None and key.exists():
        if stat.S_IMODE(key.stat().st_mode) != OWNER_ONLY:
            yield f"{key} can be read by others: chmod 600 {key}"
        if not key.read_bytes().strip():
            yield f"{key} is empty: without the key, what it encrypted is lost"
    try:
        if settings.secret_key or key.exists():
            FernetVault(secret_keys_of(settings), b"")
    except InvalidSecretKey as error:
        yield str(error)


def _reach_findings(settings: Settings) -> Iterator[str]:
    """What is missing for being reached from other machines, or is wrong with it."""
    public_host = urlsplit(settings.public_url).hostname or "localhost"
    if settings.is_local and is_loopback_name(public_host):
        return
    if not settings.public_url:
        yield (
            "CROSSWAY_PUBLIC_URL is not set although other machines are let in: set it to the URL "
            "that payers use, or requests under that name are refused"
        )
    if settings.network == "simulated":
        yield (
            "the simulated network can be reached from outside: nobody is paid on it, and every "
            "key moves its money and its clock"
        )


def _provider_findings() -> Iterator[str]:
    try:
        check_identity_providers()
    except SetupError as error:
        yield str(error)


def _sign_in_findings(settings: Settings, store: SqlStore) -> Iterator[str]:
    with store.read() as unit:
        if unit.staff.has_any() or settings.dashboard_password is not None:
            return
    if settings.network == "live" or not settings.is_local:
        yield (
            "nobody can sign in to the dashboard: add staff with crossway people add, or there "
            "with the token of crossway people setup-token"
        )
    else:
        yield (
            "the dashboard is open: whoever uses this machine has full access; add staff with "
            "crossway people add, or set CROSSWAY_DASHBOARD_PASSWORD"
        )


def _database_findings(settings: Settings) -> Iterator[str]:
    if settings.on_sqlite and not Path(settings.url.removeprefix("sqlite:///")).exists():
        return  # The first start creates it.
    try:
        store = open_store(settings.url)
        yield from store.ping()
        with suppress(ProgrammingError, OperationalError):  # The first start creates the tables.
            yield from _key_findings(settings, store)
            yield from _sign_in_findings(settings, store)
            yield from _alert_findings(store)
        store.close()
    except (SQLAlchemyError, ImportError) as error:
        yield f"CROSSWAY_DATABASE_URL cannot be used: {error}"


def _alert_findings(store: SqlStore) -> Iterator[str]:
    """The critical alerts of the running service: money that waits or may be missing."""
    with store.read() as unit:
        active = unit.alerts.list_active(limit=alerts.MAX_ACTIVE_ALERTS)
    critical = [
        alert
        for alert in active
        if alerts.describe_kind(alerts.display_kind(alert)).severity is alerts.Severity.CRITICAL
    ]
    for alert in critical[:_MAX_ALERTS]:
        yield f"alert since {alert.since:%Y-%m-%d %H:%M} UTC: {alert.message}"
    if len(critical) > _MAX_ALERTS:
        yield f"and {len(critical) - _MAX_ALERTS} more critical alerts: see the page Alerts"


def _key_findings(settings: Settings, store: SqlStore) -> Iterator[str]:
    configured = settings.secret_key is not None or settings.secret_key_file.exists()
    try:
        check_keys(secret_keys_of(settings) if configured else [Fernet.generate_key()], store)
    except InvalidSecretKey:
        yield "the secret key is not the one that this database was first started with"
