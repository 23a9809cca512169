"""`crossway stop`, `release`, `approvals` and `addresses`: the controls on outgoing money from the
machine itself, which counts as a person of its own."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.numbers import record_number
from crossway.cli.output import ListOutput, RecordOutput, prints
from crossway.domain.approvals import Approval, ApprovalKind
from crossway.domain.errors import InvalidStatus
from crossway.domain.outgoing_controls import BookedAddress
from crossway.usecases.money import address_book, approvals, emergency_stop
from crossway.usecases.money.approvals import TITLES
from crossway.usecases.payments.manual_transfers import CARRY_OUT

Number = Annotated[int, record_number("Its number in the list.")]
group = typer.Typer(no_args_is_help=True, help="What waits for a second person.")
addresses = typer.Typer(no_args_is_help=True, help="Where money may be sent by hand.")


@report_errors
@prints
def stop(
    reason: Annotated[str, typer.Option(help="Why, as every page and the audit log say it.")],
) -> RecordOutput:
    """Stop all outgoing money at once. Two people release it."""
    with open_service() as service:
        emergency_stop.press(service.services, cli_principal(), reason)
    return RecordOutput("all outgoing money is stopped: nothing more is signed that moves money")


@report_errors
@prints
def release(
    reason: Annotated[
        str, typer.Option(help="Why money may go out again, where nobody has asked for it yet.")
    ] = "",
) -> RecordOutput:
    """Approve the release of the emergency stop that another person asked for, or ask for it."""
    with open_service() as service:
        services, caller = service.services, cli_principal()
        if emergency_stop.get_stop(services, caller) is None:
            raise InvalidStatus("nothing is stopped")
        asked = [
            one
            for one in approvals.list_open(services, caller)
            if one.kind is ApprovalKind.STOP_RELEASE
        ]
        if asked:
            approvals.approve(services, caller, asked[0].id, CARRY_OUT)
            who = asked[0].requested_by.name
            return RecordOutput(f"released, as {who} asked for: money goes out again")
        emergency_stop.request_release(services, caller, reason)
    return RecordOutput(
        "its release is asked for: a treasurer or an admin has to approve it, on Treasury"
    )


_APPROVALS: Final[Mapping[str, Callable[[Approval], object]]] = {
    "id": lambda one: one.id,
    "what": lambda one: TITLES[one.kind],
    "by": lambda one: one.requested_by.name,
    "until": lambda one: one.expires_at,
    "detail": lambda one: "; ".join(f"{name}: {value}" for name, value in one.detail.items()),
}


@group.command("list")
@report_errors
@prints
def list_open() -> ListOutput[Approval]:
    """List what waits for a second person."""
    with open_service() as service:
        waiting = approvals.list_open(service.services, cli_principal())
    return ListOutput(waiting, _APPROVALS, "Nothing waits for a second person.")


@group.command("approve")
@report_errors
@prints
def approve(number: Number) -> RecordOutput:
    """Agree to what another person asked for, and carry it out."""
    with open_service() as service:
        one = approvals.approve(service.services, cli_principal(), number, CARRY_OUT)
    return RecordOutput(f"{TITLES[one.kind]}: carried out")


@group.command("decline")
@report_errors
@prints
def decline(
    number: Number,
    reason: Annotated[str, typer.Option(help="Why, as the audit log says it.")],
) -> RecordOutput:
    """Decline what another person asked for, or take back what was asked for here."""
    with open_service() as service:
        one = approvals.decline(service.services, cli_principal(), number, reason)
    return RecordOutput(f"{TITLES[one.kind]}: {one.state.lower()}")


@addresses.command("list")
@report_errors
@prints
def list_addresses() -> ListOutput[BookedAddress]:
    """List the address book."""
    with open_service() as service:
        entries = address_book.list_addresses(service.services, cli_principal())
        now = service.services.clock.now()
    columns: dict[str, Callable[[BookedAddress], object]] = {
        "id": lambda one: one.id,
        "chain": lambda one: one.chain,
        "address": lambda one: one.address,
        "name": lambda one: one.name,
        "usable": lambda one: "now" if one.is_usable(now) else one.usable_at,
    }
    empty = "The address book is empty: crossway addresses add CHAIN ADDRESS --name NAME"
    return ListOutput(entries, columns, empty)


@addresses.command("add")
@report_errors
@prints
def add_address(
    chain: Annotated[str, typer.Argument(help="The chain, such as BASE_MAINNET.")],
    address: Annotated[str, typer.Argument(help="The address of a wallet.")],
    name: Annotated[str, typer.Option(help="What people call it.")],
) -> RecordOutput:
    """Add an address, or ask another person to agree to it."""
    with open_service() as service:
        asked = address_book.add_address(service.services, cli_principal(), chain, address, name)
        delay = address_book.describe_delay(service.services)
    if asked is not None:
        said = f"approval {asked.id}: another person has to agree first, on Treasury"
        return RecordOutput(said, data={"done": said, "approval": asked.id})
    return RecordOutput(f"{name} is in the address book. {delay}")


@addresses.command("remove")
@report_errors
@prints
def remove_address(number: Number) -> RecordOutput:
    """Remove an address at once."""
    with open_service() as service:
        address_book.remove_address(service.services, cli_principal(), number)
    return RecordOutput("removed: nothing is sent there by hand any more")
