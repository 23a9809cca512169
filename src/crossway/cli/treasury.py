"""`crossway treasury`: policies of rebalancing, its plan and its transfers."""

import json
from collections.abc import Callable
from typing import Annotated, Any

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.output import ListOutput, print_table, prints
from crossway.domain.money import format_units, parse_decimal
from crossway.domain.quotes import bridge_title
from crossway.domain.rebalancing import (
    NO_MAXIMUM,
    Location,
    PlannedTransfer,
    RebalancingPolicy,
    RebalancingTransfer,
)
from crossway.ports.services import Services
from crossway.usecases.money import rebalancing_policies as policies
from crossway.usecases.money import rebalancing_records as records
from crossway.usecases.money import rebalancing_transfers as transfers
from crossway.usecases.money.books import get_denomination
from crossway.usecases.money.locations import location_name
from crossway.usecases.money.rebalancing_dry_run import MODEL, DryRun, dry_run
from crossway.usecases.money.rebalancing_plan import read_plan

group = typer.Typer(no_args_is_help=True, help="Rebalancing of the operator's inventory.")
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Where = Annotated[str, typer.Option(help="A chain, gateway:mainnet or gateway:testnet.")]
Token = Annotated[str, typer.Option(help="Such as USDC.")]


@group.command("policies")
@report_errors
def list_policies(as_json: AsJson = False) -> None:
    """Print the mode and the policies that people have set."""
    with open_service() as service:
        services, caller = service.services, cli_principal()
        mode = policies.get_settings(services, caller).mode
        found = policies.list_policies(services, caller)
        if as_json:
            _print_json({"mode": mode, "policies": [_policy_fields(services, p) for p in found]})
            return
        typer.echo(f"Rebalancing: {mode.lower()}")
        rows = [_policy_fields(services, policy) for policy in found]
        if rows:
            print_table(list(rows[0]), [list(row.values()) for row in rows])


@group.command("set-policy")
@report_errors
def set_policy(
    where: Where,
    minimum: Annotated[str, typer.Option(help="Below it, it is filled to its target.")],
    target: Annotated[str, typer.Option(help="How much to hold.")],
    maximum: Annotated[
        str, typer.Option(help="Above it, what exceeds the target leaves; none by default.")
    ] = "",
    token: Token = "USDC",
    priority: Annotated[int, typer.Option(help="Lower ones are filled first.")] = 1,
) -> None:
    """Set what to hold of a token on a chain, or of the unified balance."""
    with open_service() as service:
        services = service.services
        location = policies.find_location(services, where, token)
        decimals = get_denomination(services, *location).decimals
        amounts = (
            parse_decimal("minimum", minimum, decimals),
            parse_decimal("target", target, decimals),
            parse_decimal("maximum", maximum, decimals) if maximum else None,
        )
        policies.set_policy(services, cli_principal(), location, *amounts, priority)
        typer.echo(f"The policy of {token} on {location_name(services, location[0])} is set.")


@group.command("plan")
@report_errors
def print_plan(as_json: AsJson = False) -> None:
    """Print what would be moved now and why, and why a lack is not served. Moves nothing."""
    with open_service() as service:
        services = service.services
        plan = read_plan(services, cli_principal()).plan
        unserved = [lack.reason for lack in plan.unserved]
        if as_json:
            moved = [_transfer_fields(services, planned) for planned in plan.transfers]
            _print_json({"transfers": moved, "unserved": unserved})
            return
        for planned in plan.transfers:
            typer.echo(f"{_describe(services, planned)}. {planned.reason}")
        for reason in unserved:
            typer.echo(f"Not served: {reason}")
        if not plan.transfers and not unserved:
            typer.echo("Nothing is below its minimum or above its maximum.")


@group.command("dry-run")
@report_errors
def print_dry_run(
    days: Annotated[int, typer.Option(help="How far back.")] = 30, as_json: AsJson = False
) -> None:
    """Print what the policies of now would have moved in the past, by a model. Moves nothing."""
    with open_service() as service:
        services, caller = service.services, cli_principal()
        inputs = read_plan(services, caller).inputs
        found = dry_run(services, caller, inputs.policies, inputs.settings, days)
        if as_json:
            _print_json(_dry_run_fields(services, found))
            return
        for one in found.transfers:
            what = _describe(services, one.planned)
            typer.echo(f"{one.at:%Y-%m-%d %H:%M}\t{what}. {one.planned.reason}")
        moved, cost = (
            format_units(usd, 6, 2) for usd in (found.moved_micro_usd, found.cost_micro_usd)
        )
        typer.echo(
            f"Transfers: {len(found.transfers)}, moving {moved} USD for {cost} USD "
            f"({found.cost_bps:.1f} bps)."
        )
        typer.echo(
            f"Of {found.payments} payments {len(found.waiting)} waited for inventory; "
            f"{len(found.not_waiting)} of these would not have, and {len(found.delayed)} others "
            "would have."
        )
        for sentence in (*found.unknown, *MODEL):
            typer.echo(sentence)


@group.command("transfers")
@report_errors
@prints
def list_transfers() -> ListOutput[RebalancingTransfer]:
    """List the transfers that are open, and the newest that have ended."""
    with open_service() as service:
        services = service.services
        lists = records.list_transfers(services, cli_principal())
        others = [record.transfer for record in (*lists.under_way, *lists.ended)]
        found = [*lists.proposed, *others]
        texts = {one.id: _describe(services, one) for one in found}
        data = {one.id: _stored_fields(services, one) for one in found}
    columns: dict[str, Callable[[RebalancingTransfer], object]] = {
        "id": lambda one: one.id,
        "state": lambda one: one.state.lower(),
        "what": lambda one: texts[one.id],
        "note": lambda one: one.note,
    }
    empty = "No inventory was rebalanced yet."
    return ListOutput(found, columns, empty, lambda one: data[one.id])


@group.command("approve")
@report_errors
def approve(transfer: Annotated[int, typer.Argument(help="Its number.")]) -> None:
    """Approve a transfer that another person or the engine has proposed."""
    with open_service() as service:
        transfers.approve(service.services, cli_principal(), transfer)
    typer.echo(f"Rebalancing transfer {transfer} has started.")


@group.command("decline")
@report_errors
def decline(
    transfer: Annotated[int, typer.Argument(help="Its number.")],
    reason: Annotated[str, typer.Option(help="Stays with it.")],
) -> None:
    """Decline a transfer that waits for approval."""
    with open_service() as service:
        transfers.decline(service.services, cli_principal(), transfer, reason)
    typer.echo(f"Rebalancing transfer {transfer} is declined.")


@group.command("pause")
@report_errors
def pause() -> None:
    """Let no transfer begin, and nothing more leave for those under way."""
    with open_service() as service:
        policies.pause(service.services, cli_principal())
    typer.echo("Rebalancing is paused. A treasurer ends that on the page Treasury.")


def _describe(services: Services, transfer: PlannedTransfer | RebalancingTransfer) -> str:
    source, destination = (
        location_name(services, location[0]) for location in (transfer.source, transfer.destination)
    )
    amount = _amount(services, transfer.destination, transfer.amount)
    cost = format_units(transfer.fee_micro_usd, 6, 2)
    over = bridge_title(transfer.bridge)
    return f"{amount} from {source} to {destination} over {over} for {cost} USD"


def _amount(services: Services, location: Location, units: int) -> str:
    money = get_denomination(services, *location)
    return f"{money.format(units)} {money.symbol}"


def _policy_fields(services: Services, policy: RebalancingPolicy) -> dict[str, str]:
    location, has_maximum = policy.location, policy.maximum < NO_MAXIMUM
    return {
        "where": policy.chain,
        "minimum": _amount(services, location, policy.minimum),
        "target": _amount(services, location, policy.target),
        "maximum": _amount(services, location, policy.maximum) if has_maximum else "none",
        "priority": str(policy.priority),
        "by": policy.by,
    }


def _transfer_fields(
    services: Services, transfer: PlannedTransfer | RebalancingTransfer
) -> dict[str, Any]:
    return {
        "bridge": transfer.bridge,
        "from": transfer.source[0],
        "to": transfer.destination[0],
        "amount": _amount(services, transfer.destination, transfer.amount),
        "leavesAtMost": _amount(services, transfer.source, transfer.max_source_amount),
        "costUsd": format_units(transfer.fee_micro_usd, 6, 2),
        "seconds": transfer.seconds,
        "payoutsWait": transfer.is_urgent,
        "reason": transfer.reason,
    }


def _dry_run_fields(services: Services, found: DryRun) -> dict[str, Any]:
    moved = [
        {"at": one.at.isoformat(), **_transfer_fields(services, one.planned)}
        for one in found.transfers
    ]
    waited = [
        {
            "payment": one.intent_id,
            "seconds": one.waited.total_seconds(),
            "started": one.started,
            "wouldWaitSeconds": one.would_wait.total_seconds(),
            "wouldStart": one.would_start,
        }
        for one in found.waiting
    ]
    return {
        "from": found.began.isoformat(),
        "to": found.ended.isoformat(),
        "movedUsd": format_units(found.moved_micro_usd, 6, 2),
        "costUsd": format_units(found.cost_micro_usd, 6, 2),
        "payments": found.payments,
        "waited": waited,
        "wouldWaitInstead": list(found.delayed),
        "transfers": moved,
        "unknown": list(found.unknown),
        "model": list(MODEL),
    }


def _stored_fields(services: Services, transfer: RebalancingTransfer) -> dict[str, Any]:
    return {
        "id": transfer.id,
        "state": transfer.state,
        **_transfer_fields(services, transfer),
        "proposedBy": transfer.proposed_by,
        "decidedBy": transfer.decided_by,
        "note": transfer.note,
        "createdAt": transfer.created_at.isoformat(),
        "updatedAt": transfer.updated_at.isoformat(),
    }


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))
