"""`crossway treasury`: policies of rebalancing, its plan and its transfers."""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Annotated, Any

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.numbers import record_number
from crossway.cli.output import ListOutput, RecordOutput, prints
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
Where = Annotated[str, typer.Option(help="A chain, gateway:mainnet or gateway:testnet.")]
Token = Annotated[str, typer.Option(help="Such as USDC.")]
Number = Annotated[int, record_number("Its number.")]
Fields = Mapping[str, Any]


@group.command("policies")
@report_errors
@prints
def list_policies() -> ListOutput[Fields]:
    """List the policies that people have set."""
    with open_service() as service:
        services = service.services
        found = policies.list_policies(services, cli_principal())
        rows = [_policy_fields(services, policy) for policy in found]
    return ListOutput(
        rows,
        _columns("where", "minimum", "target", "maximum", "priority", "by"),
        "No policies are set: crossway treasury set-policy",
    )


@group.command("mode")
@report_errors
@prints
def show_mode() -> RecordOutput:
    """Say whether inventory is rebalanced by itself, only suggested or paused."""
    with open_service() as service:
        mode = policies.get_settings(service.services, cli_principal()).mode.lower()
    return RecordOutput(f"Rebalancing: {mode}", data={"mode": mode})


@group.command("set-policy")
@report_errors
@prints
def set_policy(
    where: Where,
    minimum: Annotated[str, typer.Option(help="Below it, it is filled to its target.")],
    target: Annotated[str, typer.Option(help="How much to hold.")],
    maximum: Annotated[
        str, typer.Option(help="Above it, what exceeds the target leaves; none by default.")
    ] = "",
    token: Token = "USDC",
    priority: Annotated[int, typer.Option(help="Lower ones are filled first.")] = 1,
) -> RecordOutput:
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
        place = location_name(services, location[0])
    return RecordOutput(f"The policy of {token} on {place} is set.")


@group.command("plan")
@report_errors
@prints
def print_plan() -> ListOutput[Fields]:
    """Print what would be moved now and why, and why a lack is not served. Moves nothing."""
    with open_service() as service:
        services = service.services
        plan = read_plan(services, cli_principal()).plan
        rows: list[Fields] = [
            {
                "what": _describe(services, planned),
                "reason": planned.reason,
                "moves": True,
                **_transfer_fields(services, planned),
            }
            for planned in plan.transfers
        ]
    rows += [
        {"what": "Not served", "reason": lack.reason, "moves": False} for lack in plan.unserved
    ]
    empty = "Nothing is below its minimum or above its maximum."
    return ListOutput(rows, _columns("what", "reason"), empty, data=_without_what)


@group.command("dry-run")
@report_errors
@prints
def print_dry_run(
    days: Annotated[int, typer.Option(help="How far back.")] = 30,
) -> RecordOutput:
    """Print what the policies of now would have moved in the past, by a model. Moves nothing."""
    with open_service() as service:
        services, caller = service.services, cli_principal()
        inputs = read_plan(services, caller).inputs
        found = dry_run(services, caller, inputs.policies, inputs.settings, days)
        moves = [
            f"{one.at:%Y-%m-%d %H:%M}  {_describe(services, one.planned)}. {one.planned.reason}"
            for one in found.transfers
        ]
        data = _dry_run_fields(services, found)
    facts = {
        "transfers": len(found.transfers),
        "moved_usd": data["moved_usd"],
        "cost_usd": data["cost_usd"],
        "cost_bps": f"{found.cost_bps:.1f}",
        "payments": found.payments,
        "waited": len(found.waiting),
        "would_not_have_waited": len(found.not_waiting),
        "others_would_have_waited": len(found.delayed),
    }
    return RecordOutput("\n".join([*moves, *found.unknown, *MODEL]), facts, data)


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
@prints
def approve(transfer: Number) -> RecordOutput:
    """Approve a transfer that another person or the engine has proposed."""
    with open_service() as service:
        transfers.approve(service.services, cli_principal(), transfer)
    return RecordOutput(f"Rebalancing transfer {transfer} has started.")


@group.command("decline")
@report_errors
@prints
def decline(
    transfer: Number,
    reason: Annotated[str, typer.Option(help="Stays with it.")],
) -> RecordOutput:
    """Decline a transfer that waits for approval."""
    with open_service() as service:
        transfers.decline(service.services, cli_principal(), transfer, reason)
    return RecordOutput(f"Rebalancing transfer {transfer} is declined.")


@group.command("pause")
@report_errors
@prints
def pause() -> RecordOutput:
    """Let no transfer begin, and nothing more leave for those under way."""
    with open_service() as service:
        policies.pause(service.services, cli_principal())
    return RecordOutput("Rebalancing is paused. A treasurer ends that on the page Treasury.")


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
        "leaves_at_most": _amount(services, transfer.source, transfer.max_source_amount),
        "cost_usd": format_units(transfer.fee_micro_usd, 6, 2),
        "seconds": transfer.seconds,
        "payouts_wait": transfer.is_urgent,
        "reason": transfer.reason,
    }


def _dry_run_fields(services: Services, found: DryRun) -> dict[str, Any]:
    moved = [{"at": one.at, **_transfer_fields(services, one.planned)} for one in found.transfers]
    waited = [
        {
            "payment": one.intent_id,
            "seconds": one.waited.total_seconds(),
            "started": one.started,
            "would_wait_seconds": one.would_wait.total_seconds(),
            "would_start": one.would_start,
        }
        for one in found.waiting
    ]
    return {
        "from": found.began,
        "to": found.ended,
        "moved_usd": format_units(found.moved_micro_usd, 6, 2),
        "cost_usd": format_units(found.cost_micro_usd, 6, 2),
        "payments": found.payments,
        "waited": waited,
        "would_wait_instead": list(found.delayed),
        "transfers": moved,
        "unknown": list(found.unknown),
        "model": list(MODEL),
    }


def _stored_fields(services: Services, transfer: RebalancingTransfer) -> dict[str, Any]:
    return {
        "id": transfer.id,
        "state": transfer.state,
        **_transfer_fields(services, transfer),
        "proposed_by": transfer.proposed_by,
        "decided_by": transfer.decided_by,
        "note": transfer.note,
        "created_at": transfer.created_at,
        "updated_at": transfer.updated_at,
    }


def _columns(*names: str) -> dict[str, Callable[[Fields], object]]:
    return {name: itemgetter(name) for name in names}


def _without_what(row: Fields) -> Fields:
    """A row of the plan as JSON: its sentence is for people."""
    return {name: value for name, value in row.items() if name != "what"}
