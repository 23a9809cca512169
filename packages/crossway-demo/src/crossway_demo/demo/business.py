"""What people of the business do: policies, payment links, views, notes and reconciliations."""

from collections.abc import Callable
from functools import partial

from crossway.domain.clients import Principal, staff_principal
from crossway.domain.errors import DomainError
from crossway.domain.intent import State
from crossway.domain.money import parse_decimal
from crossway.domain.payment_links import PaymentLink
from crossway.domain.rebalancing import RebalancingMode
from crossway.domain.roles import Role
from crossway.ports.records import IntentFilter
from crossway.ports.sandbox import Faults
from crossway.usecases.money import inventory_adjustments, rebalancing_policies, reconciliation_runs
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.payments import notes_and_saved_views
from crossway_demo.demo.demo_world import DemoWorld
from crossway_demo.demo.payments import DemoActors, run_engine
from crossway_demo.demo.scenario_plan import parameters

_DAY_SECONDS = 86_400
_NOTES_PER_STATE = 2
# What somebody sends to the relayer without an entry in the books, and what is said about it.
_TOP_UP = ("POLYGON_MAINNET", "USDC", 1_500)
_TOP_UP_REASON = "Top-up by the treasurer from the exchange account, bank reference 2207-118"
# Days of the month on which the books are compared with the chains.
_RECONCILED_ON, _TOPPED_UP_ON = (3, 10, 17, 24, 29), 17


def person(role: str) -> Principal:
    """A member of the operator's staff. They act in the records only: no account is created, so
    that whoever looks at the demo month need not sign in."""
    return staff_principal(parameters()["people"][role], Role(role))


def set_up(world: DemoWorld) -> None:
    """The treasurer's policies, with rebalancing that acts by itself, and the team's views."""
    treasurer = person("treasurer")
    for row in parameters()["policies"]:
        location = rebalancing_policies.find_location(world.services, row["chain"], row["symbol"])
        decimals = world.services.catalogue.tokens[row["chain"], row["symbol"]].decimals
        least, target, most = (amount * 10**decimals for amount in row["amounts"])
        rebalancing_policies.set_policy(world.services, treasurer, location, least, target, most)
    confirmation = rebalancing_policies.CONFIRMATION
    rebalancing_policies.set_mode(
        world.services, treasurer, RebalancingMode.AUTOMATIC, confirmation
    )
    for view in parameters()["views"]:
        notes_and_saved_views.save_view(
            world.services, person("operator"), view["screen"], view["name"], view["query"]
        )


def plan_month(world: DemoWorld, actors: DemoActors, start: float, end: float) -> None:
    """Schedule what people do on certain days between two times in epoch seconds."""

    def at(day: float, work: Callable[[DemoWorld, DemoActors], None]) -> None:
        moment = start + day * _DAY_SECONDS
        if moment < end:
            actors.chores.append((moment, work))

    for row in parameters()["links"]:
        at(row["day"], partial(_create_link, row=row))
    for day in _RECONCILED_ON:
        at(day + 0.02, _top_up_and_reconcile if day == _TOPPED_UP_ON else _reconcile)
    actors.chores.sort(key=lambda chore: chore[0])


def _create_link(world: DemoWorld, actors: DemoActors, row: dict[str, object]) -> None:
    merchant = actors.merchants[str(row["merchant"])]
    chain, symbol = merchant.payout_tokens[0]
    token = world.services.catalogue.tokens[chain, symbol]
    amount = parse_decimal("amount", str(row["amount_usd"]), token.decimals)
    request = LinkRequest(
        title=row["title"],
        description=f"{merchant.name} thanks you.",
        amount=str(amount) if amount else None,
        destination_chain=chain,
        token_out=token.address,
        recipient=world.wallet(chain, f"{merchant.name} main"),
    )
    caller = actors.callers[merchant.name]
    link: PaymentLink = links.create(world.services, caller, request)
    actors.links.setdefault(merchant.name, []).append(link)


def _reconcile(world: DemoWorld, actors: DemoActors) -> None:
    """Compare the books with the chains, as every night; first, what is under way is confirmed."""
    world.active_chains.update(world.services.chains)
    run_engine(world, (30, 20))
    reconciliation_runs.run_and_wait(
        world.services, staff_principal(reconciliation_runs.DAILY_ACTOR)
    )


def _top_up_and_reconcile(world: DemoWorld, actors: DemoActors) -> None:
    """A transfer that nobody booked is found, and booked by the treasurer with a reason."""
    chain, symbol, whole = _TOP_UP
    token = world.services.catalogue.tokens[chain, symbol]
    units = whole * 10**token.decimals
    relayer = world.services.chains[chain].accounts.relayer
    held = world.services.chains[chain].balances([relayer], token.address)[relayer]
    world.sandbox.inject_faults(chain, Faults(balances={"relayer": {symbol: held + units}}))
    _reconcile(world, actors)
    world.tick(3_600)
    try:
        inventory_adjustments.book_difference(
            world.services, person("treasurer"), chain, token.address, units, _TOP_UP_REASON
        )
    except DomainError:
        # Something was under way on that chain: it stays as it was before.
        world.sandbox.inject_faults(chain, Faults(balances={"relayer": {symbol: held}}))
        world.tick(30)
    _reconcile(world, actors)


def write_notes(world: DemoWorld) -> None:
    """Notes of the team on some payments that ended unusually."""
    for state, text in parameters()["notes"].items():
        filters = IntentFilter(states=(State(state),))
        with world.services.store.read() as unit:
            intents = unit.intents.list_page(filters, _NOTES_PER_STATE, 0)
        for intent in intents:
            notes_and_saved_views.add_note(world.services, person("operator"), intent.id, text)
