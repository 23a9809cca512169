"""Which role may do what: every action of the installation's people, by each role."""

import ast
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crossway import usecases
from crossway.adapters.webhooks.sender import HttpSender
from crossway.adapters.webhooks.signing import StandardSigner
from crossway.api.schemas.announcements import present
from crossway.domain.clients import Caller, Mode, insider
from crossway.domain.errors import Forbidden, QuotesUnavailable, Refusal, Unreachable
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.roles import Right, Role, least, may
from crossway.ports.logs import AuditFilter
from crossway.ports.services import Services
from crossway.ports.webhooks import Outgoing
from crossway.usecases.developers import clients, deliveries, keys, webhooks
from crossway.usecases.identity import kyc
from crossway.usecases.money import exposure, reconciliation, stock, treasury
from crossway.usecases.network import sandbox, switches
from crossway.usecases.operating import alarms, operations
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkChange
from crossway.usecases.payments import intents, notes, processing, saved_views
from crossway.usecases.payments.terms import CreateIntent
from crossway.usecases.people import audit, staff
from crossway.usecases.ramps import orders
from crossway.usecases.ramps import sandbox as ramp_sandbox
from crossway.usecases.ramps.terms import NewOrder
from tests.usecases.ramp_worlds import RampWorld

NOTHING = CreateIntent(None, None, None, None, None)
ETH = "0x52908400098527886E0F7030069857D2E4169EE7"
Act = Callable[[Services, Caller], object]
VIEWER, OPERATOR, TREASURER, ADMIN = Role

# What can be done, and the least role that may do it.
ACTIONS: dict[str, tuple[Role, Act]] = {
    "see a payment": (VIEWER, lambda s, c: intents.by_address(s, c, ETH)),
    "see the audit log": (VIEWER, lambda s, c: audit.page(s, c, AuditFilter(), 10)),
    "check the audit log": (VIEWER, lambda s, c: audit.check(s, c)),
    "see what is exposed": (VIEWER, lambda s, c: exposure.exposure(s, c)),
    "reconcile": (VIEWER, lambda s, c: reconciliation.reconcile(s, c)),
    "see simulated balances": (VIEWER, lambda s, c: sandbox.balances(s, c, ETH)),
    "see a sandbox's faults": (VIEWER, lambda s, c: ramp_sandbox.faults(s, c, "YELLOW_CARD")),
    "create a payment": (OPERATOR, lambda s, c: intents.create(s, c, NOTHING)),
    "check for a deposit": (OPERATOR, lambda s, c: processing.trigger(s, c, ETH)),
    "look on other chains": (OPERATOR, lambda s, c: processing.look_elsewhere(s, c, 1)),
    "acknowledge alarms": (OPERATOR, lambda s, c: operations.acknowledge(s, c, "anything")),
    "create an order": (OPERATOR, lambda s, c: orders.create(s, c, NewOrder())),
    "confirm an order": (OPERATOR, lambda s, c: orders.confirm(s, c, 1)),
    "cancel an order": (OPERATOR, lambda s, c: orders.cancel(s, c, 1)),
    "hand in an identity": (OPERATOR, lambda s, c: handed_in(s, c)),
    "test a webhook": (OPERATOR, lambda s, c: deliveries.test(s, c, 1)),
    "replay a delivery": (OPERATOR, lambda s, c: deliveries.replay(s, c, 1)),
    "replay a time": (OPERATOR, lambda s, c: deliveries.replay_range(s, c, 1, {})),
    "deposit": (OPERATOR, lambda s, c: sandbox.deposit(s, c, ETH, "1")),
    "move the clock": (OPERATOR, lambda s, c: sandbox.clock(s, c, 1)),
    "make a chain misbehave": (OPERATOR, lambda s, c: sandbox.faults(s, c, "BASE_MAINNET", {})),
    "let a provider report": (OPERATOR, lambda s, c: ramp_sandbox.report(s, c, 1, "paid")),
    "make a provider misbehave": (OPERATOR, lambda s, c: ramp_sandbox.misbehave(s, c, "", {})),
    "set a standing": (OPERATOR, lambda s, c: stood(s, c)),
    "acknowledge an alarm": (OPERATOR, lambda s, c: alarms.acknowledge(s, c, [], "seen")),
    "settle an alarm": (OPERATOR, lambda s, c: alarms.settle(s, c, [], "done")),
    "write a note": (OPERATOR, lambda s, c: notes.write(s, c, 1, "words")),
    "save a view": (OPERATOR, lambda s, c: saved_views.save(s, c, "?", c.who, "a=1")),
    "remove a view": (OPERATOR, lambda s, c: saved_views.remove(s, c, 0)),
    "make a payment link": (OPERATOR, lambda s, c: links.create(s, c, LinkChange())),
    "change a payment link": (OPERATOR, lambda s, c: links.change(s, c, "?", LinkChange())),
    "refund": (OPERATOR, lambda s, c: processing.refund(s, c, ETH)),
    "return a foreign deposit": (OPERATOR, lambda s, c: processing.return_foreign(s, c, 1)),
    "switch a route": (OPERATOR, lambda s, c: switches.switch(s, c, "bridge:CCTP", True, "why")),
    "redirect a refund": (TREASURER, lambda s, c: processing.redirect_refund(s, c, 1, ETH)),
    "set a target": (TREASURER, lambda s, c: treasury.set_target(s, c, "?", "?", 1)),
    "take stock in": (TREASURER, lambda s, c: stock.take_in(s, c)),
    "book a difference": (TREASURER, lambda s, c: stock.book_difference(s, c, "?", "?", 1, "")),
    "make a client": (ADMIN, lambda s, c: clients.create(s, c.who, c)),
    "change a client": (ADMIN, lambda s, c: clients.change(s, "?", clients.ClientChange(), c)),
    "make a key": (ADMIN, lambda s, c: keys.make(s, "?", Mode.TEST, c)),
    "change a key": (ADMIN, lambda s, c: keys.change(s, 1, keys.KeyChange(), c)),
    "replace a key": (ADMIN, lambda s, c: keys.rotate(s, 1, c, timedelta(hours=1))),
    "end a key": (ADMIN, lambda s, c: keys.revoke(s, 1, c)),
    "make a webhook": (ADMIN, lambda s, c: webhooks.create(s, c, webhooks.WebhookChange())),
    "change a webhook": (ADMIN, lambda s, c: webhooks.change(s, c, 1, webhooks.WebhookChange())),
    "remove a webhook": (ADMIN, lambda s, c: webhooks.remove(s, c, 1)),
    "change a webhook's secret": (ADMIN, lambda s, c: webhooks.rotate_secret(s, c, 1)),
    "see the people": (ADMIN, lambda s, c: staff.every(s, c)),
    "add a person": (ADMIN, lambda s, c: staff.add(s, c, staff.NewMember("", "viewer"))),
    "change a role": (ADMIN, lambda s, c: staff.set_role(s, c, 0, "admin")),
    "set a password": (ADMIN, lambda s, c: staff.set_password(s, c, 0, "")),
    "set an address": (ADMIN, lambda s, c: staff.set_email(s, c, 0, "")),
    "disable somebody": (ADMIN, lambda s, c: staff.disable(s, c, 0)),
    "enable somebody": (ADMIN, lambda s, c: staff.enable(s, c, 0)),
    "erase a person": (ADMIN, lambda s, c: kyc.erase(s, c, "ada@example.com")),
}


def handed_in(services: Services, caller: Caller) -> object:
    return kyc.submit(
        services, caller, "YELLOW_CARD", "ada@example.com", "NG", {"firstName": "Ada"}
    )


def stood(services: Services, caller: Caller) -> object:
    return ramp_sandbox.set_standing(
        services, caller, "YELLOW_CARD", "a@example.com", KycType.NONE, KycStatus.NOT_STARTED
    )


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> RampWorld:
    folder: Path = tmp_path_factory.mktemp("rights")
    built = RampWorld(f"sqlite:///{folder / 'world.db'}")
    outgoing = Outgoing(present, HttpSender(loopback=True), StandardSigner())
    built.services = replace(built.services, outgoing=outgoing)
    return built


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("action", ACTIONS)
def test_a_role_does_what_it_may_and_is_refused_the_rest(
    world: RampWorld, action: str, role: Role
) -> None:
    needed, act = ACTIONS[action]
    caller = insider(f"{action} {role}", role)
    if list(Role).index(role) < list(Role).index(needed):
        with pytest.raises(Forbidden, match=f"the role {role} does not have: ask .* {needed}$"):
            act(world.services, caller)
    else:
        try:
            act(world.services, caller)
        except Forbidden:
            pytest.fail(f"{role} may {action}")
        except (Refusal, Unreachable, QuotesUnavailable):
            pass  # Let in, and then told what else is wrong.


def test_a_client_does_nothing_of_the_installations_own(world: RampWorld) -> None:
    for action in ("switch a route", "redirect a refund", "look on other chains", "reconcile",
                   "see the audit log", "make a client", "make a key", "end a key"):  # fmt: skip
        with pytest.raises(Forbidden, match="Only an operator can do this"):
            ACTIONS[action][1](world.services, world.caller)


def test_a_client_needs_no_role_for_its_own(world: RampWorld) -> None:
    made = webhooks.create(
        world.services, world.caller, webhooks.WebhookChange(url="https://example.com/hook")
    )
    assert made.endpoint.client_id == world.caller.client.id


def test_whatever_writes_for_somebody_asks_first_what_they_may() -> None:
    asks = (".must(", ".needs(", "_operated(", "_sandbox(")
    for path in sorted(Path(usecases.__file__).parent.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            public = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            text = ast.unparse(node) if public else ""
            if "caller: Caller" in text and ".write(" in text:
                assert any(word in text for word in asks), f"{path.name}: {text[:60]}"


@pytest.mark.parametrize("right", Right)
def test_each_role_has_the_rights_of_those_before_it(right: Right) -> None:
    allowed = [may(role, right) for role in Role]
    assert allowed == sorted(allowed)
    assert next(role for role in Role if may(role, right)) is least(right)


def test_a_right_is_of_no_use_without_the_scope(world: RampWorld) -> None:
    caller = replace(insider("Ada"), scopes=frozenset())
    with pytest.raises(Forbidden, match="lacks the scope"):
        processing.trigger(world.services, caller, ETH)
