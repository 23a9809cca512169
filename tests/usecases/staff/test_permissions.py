"""Permissions: every staff action, tried by each role."""

import ast
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import product
from pathlib import Path

import pytest

from crossway import usecases
from crossway.adapters.webhooks.sender import HttpWebhookSender
from crossway.adapters.webhooks.signing import StandardSigner
from crossway.api.schemas.events import render_events
from crossway.domain.clients import Mode, Principal, Scope, staff_principal
from crossway.domain.errors import DomainError, Forbidden, QuotesUnavailable, Unreachable
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.roles import Permission, Role, can, minimum_role
from crossway.ports.logs import AuditFilter
from crossway.ports.services import Services
from crossway.ports.table_preferences import TablePreference
from crossway.ports.webhooks import WebhookServices
from crossway.usecases.chains import kill_switches
from crossway.usecases.developers import api_keys, clients, deliveries, webhooks
from crossway.usecases.kyc import customers, verification
from crossway.usecases.money import (
    address_book,
    approvals,
    emergency_stop,
    inventory,
    inventory_adjustments,
    price_exposure,
    reconciliation,
    transfer_caps,
)
from crossway.usecases.operating import alert_triage, alerts, overview
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.payments import (
    intents,
    manual_operations,
    manual_refunds,
    notes_and_saved_views,
)
from crossway.usecases.payments import notes_and_saved_views as notes
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.ramps import orders
from crossway.usecases.ramps.create_order import CreateOrderRequest
from crossway.usecases.simulator import chain_controls
from crossway.usecases.simulator import ramp_controls as ramp_sandbox
from crossway.usecases.staff import audit, members, second_factors, table_preferences
from tests.usecases.ramp_world import RampWorld

UNCHANGED = CreateIntentRequest(None, None, None, None, None)
ETH = "0x52908400098527886E0F7030069857D2E4169EE7"
Action = Callable[[Services, Principal], object]
VIEWER, OPERATOR, TREASURER, ADMIN = Role

# Every action, with the lowest role that may take it.
ACTIONS: dict[str, tuple[Role, Action]] = {
    "see a payment": (VIEWER, lambda s, c: intents.get_by_address(s, c, ETH)),
    "see the audit log": (VIEWER, lambda s, c: audit.list_entries(s, c, AuditFilter(), 10)),
    "check the audit log": (VIEWER, lambda s, c: audit.verify_log(s, c)),
    "see what is exposed": (VIEWER, lambda s, c: price_exposure.list_exposures(s, c)),
    "see one's columns": (VIEWER, lambda s, c: table_preferences.get_preference(s, c, "?")),
    "choose columns": (
        VIEWER,
        lambda s, c: table_preferences.save_preference(s, c, "?", TablePreference()),
    ),
    "reconcile": (VIEWER, lambda s, c: reconciliation.reconcile(s, c)),
    "see simulated balances": (VIEWER, lambda s, c: chain_controls.get_balances(s, c, ETH)),
    "see a sandbox's faults": (VIEWER, lambda s, c: ramp_sandbox.get_faults(s, c, "YELLOW_CARD")),
    "create a payment": (OPERATOR, lambda s, c: create_intent(s, c, UNCHANGED)),
    "check for a deposit": (OPERATOR, lambda s, c: manual_operations.trigger(s, c, ETH)),
    "look on other chains": (OPERATOR, lambda s, c: manual_operations.scan_other_chains(s, c, 1)),
    "acknowledge alarms": (
        OPERATOR,
        lambda s, c: overview.resolve_alerts_of_kind(s, c, "anything"),
    ),
    "create an order": (OPERATOR, lambda s, c: orders.create_order(s, c, CreateOrderRequest())),
    "confirm an order": (OPERATOR, lambda s, c: orders.confirm_order(s, c, 1)),
    "cancel an order": (OPERATOR, lambda s, c: orders.cancel_order(s, c, 1)),
    "hand in an identity": (OPERATOR, lambda s, c: submit_kyc(s, c)),
    "test a webhook": (OPERATOR, lambda s, c: deliveries.send_test_event(s, c, 1)),
    "replay a delivery": (OPERATOR, lambda s, c: deliveries.replay_delivery(s, c, 1)),
    "replay a time": (OPERATOR, lambda s, c: deliveries.replay_range(s, c, 1, {})),
    "deposit": (OPERATOR, lambda s, c: chain_controls.send_deposit(s, c, ETH, "1")),
    "move the clock": (OPERATOR, lambda s, c: chain_controls.set_clock(s, c, 1)),
    "make a chain misbehave": (
        OPERATOR,
        lambda s, c: chain_controls.inject_faults(s, c, "BASE_MAINNET", {}),
    ),
    "let a provider report": (
        OPERATOR,
        lambda s, c: ramp_sandbox.report_order_status(s, c, 1, "paid"),
    ),
    "make a provider misbehave": (OPERATOR, lambda s, c: ramp_sandbox.inject_faults(s, c, "", {})),
    "set a standing": (OPERATOR, lambda s, c: get_kyc_status(s, c)),
    "acknowledge an alarm": (OPERATOR, lambda s, c: alerts.acknowledge_alerts(s, c, [], "seen")),
    "settle an alarm": (OPERATOR, lambda s, c: alerts.resolve_alerts(s, c, [], "done")),
    "see who may own an alert": (OPERATOR, lambda s, c: alert_triage.list_assignees(s, c)),
    "assign an alert": (OPERATOR, lambda s, c: alert_triage.assign_alerts(s, c, [], "")),
    "snooze an alert": (
        OPERATOR,
        lambda s, c: alert_triage.snooze_alerts(s, c, [], s.clock.now() + timedelta(hours=1)),
    ),
    "end a snooze": (OPERATOR, lambda s, c: alert_triage.end_snooze(s, c, [])),
    "write a note": (OPERATOR, lambda s, c: notes.add_note(s, c, 1, "words")),
    "save a view": (
        OPERATOR,
        lambda s, c: notes_and_saved_views.save_view(s, c, "?", c.actor_name, "a=1"),
    ),
    "remove a view": (OPERATOR, lambda s, c: notes_and_saved_views.delete_view(s, c, 0)),
    "make a payment link": (OPERATOR, lambda s, c: links.create(s, c, LinkRequest())),
    "change a payment link": (OPERATOR, lambda s, c: links.update(s, c, "?", LinkRequest())),
    "refund": (OPERATOR, lambda s, c: manual_refunds.refund(s, c, ETH)),
    "return a foreign deposit": (OPERATOR, lambda s, c: manual_operations.return_deposit(s, c, 1)),
    "switch a route": (
        OPERATOR,
        lambda s, c: kill_switches.set_kill_switch(s, c, "bridge:CCTP", True, "why"),
    ),
    "stop all outgoing money": (OPERATOR, lambda s, c: emergency_stop.press(s, c, "why")),
    "ask for the release": (TREASURER, lambda s, c: emergency_stop.request_release(s, c, "why")),
    "approve": (TREASURER, lambda s, c: approvals.approve(s, c, 99, {})),
    "decline": (TREASURER, lambda s, c: approvals.decline(s, c, 1, "why")),
    "book a receiver": (TREASURER, lambda s, c: address_book.add_address(s, c, "?", "?", "?")),
    "remove a receiver": (TREASURER, lambda s, c: address_book.remove_address(s, c, 1)),
    "set a cap": (TREASURER, lambda s, c: transfer_caps.set_cap(s, c, "?", "?", 1)),
    "redirect a refund": (TREASURER, lambda s, c: manual_operations.redirect_refund(s, c, 1, ETH)),
    "set a target": (TREASURER, lambda s, c: inventory.set_target(s, c, "?", "?", 1)),
    "take stock in": (TREASURER, lambda s, c: inventory_adjustments.book_opening_balances(s, c)),
    "book a difference": (
        TREASURER,
        lambda s, c: inventory_adjustments.book_difference(s, c, "?", "?", 1, ""),
    ),
    "make a client": (ADMIN, lambda s, c: clients.create_client(s, c.actor_name, c)),
    "change a client": (
        ADMIN,
        lambda s, c: clients.update_client(s, "?", clients.ClientUpdate(), c),
    ),
    "make a key": (ADMIN, lambda s, c: api_keys.create_api_key(s, "?", Mode.TEST, c)),
    "change a key": (ADMIN, lambda s, c: api_keys.update_api_key(s, 1, api_keys.ApiKeyUpdate(), c)),
    "replace a key": (ADMIN, lambda s, c: api_keys.rotate_api_key(s, 1, c, timedelta(hours=1))),
    "end a key": (ADMIN, lambda s, c: api_keys.revoke_api_key(s, 1, c)),
    "make a webhook": (ADMIN, lambda s, c: webhooks.create_webhook(s, c, webhooks.WebhookUpdate())),
    "change a webhook": (
        ADMIN,
        lambda s, c: webhooks.update_webhook(s, c, 1, webhooks.WebhookUpdate()),
    ),
    "remove a webhook": (ADMIN, lambda s, c: webhooks.delete_webhook(s, c, 1)),
    "change a webhook's secret": (ADMIN, lambda s, c: webhooks.rotate_secret(s, c, 1)),
    "see the people": (ADMIN, lambda s, c: members.list_members(s, c)),
    "add a person": (
        ADMIN,
        lambda s, c: members.add_member(s, c, members.NewStaffMember("", "viewer")),
    ),
    "change a role": (ADMIN, lambda s, c: members.set_role(s, c, 0, "admin")),
    "set a password": (ADMIN, lambda s, c: members.set_password(s, c, 0, "")),
    "set an address": (ADMIN, lambda s, c: members.set_email(s, c, 0, "")),
    "disable somebody": (ADMIN, lambda s, c: members.disable_member(s, c, 0)),
    "enable somebody": (ADMIN, lambda s, c: members.enable_member(s, c, 0)),
    "reset a second factor": (
        ADMIN,
        lambda s, c: second_factors.reset_second_factors(s, c, 0),
    ),
    "see second factors": (ADMIN, lambda s, c: second_factors.list_factors(s, c)),
    "erase a person": (ADMIN, lambda s, c: customers.erase_customer(s, c, "ada@example.com")),
}


def submit_kyc(services: Services, caller: Principal) -> object:
    return verification.submit_kyc(
        services, caller, "YELLOW_CARD", "ada@example.com", "NG", {"firstName": "Ada"}
    )


def get_kyc_status(services: Services, caller: Principal) -> object:
    return ramp_sandbox.set_kyc_status(
        services, caller, "YELLOW_CARD", "a@example.com", KycType.NONE, KycStatus.NOT_STARTED
    )


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> RampWorld:
    folder: Path = tmp_path_factory.mktemp("rights")
    built = RampWorld(f"sqlite:///{folder / 'world.db'}")
    outgoing = WebhookServices(render_events, HttpWebhookSender(loopback=True), StandardSigner())
    built.services = replace(built.services, webhooks=outgoing)
    return built


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("action", ACTIONS)
def test_each_role_is_allowed_its_actions_and_denied_the_rest(
    world: RampWorld, action: str, role: Role
) -> None:
    needed, act = ACTIONS[action]
    caller = staff_principal(f"{action} {role}", role, Mode.TEST)
    if list(Role).index(role) < list(Role).index(needed):
        with pytest.raises(Forbidden, match=f"the role {role} does not have: ask .* {needed}$"):
            act(world.services, caller)
    else:
        try:
            act(world.services, caller)
        except Forbidden:
            pytest.fail(f"{role} may {action}")
        except (DomainError, Unreachable, QuotesUnavailable):
            pass  # Permitted, and then rejected for another reason.


def test_clients_cannot_perform_staff_actions(world: RampWorld) -> None:
    for action in ("switch a route", "redirect a refund", "look on other chains", "reconcile",
                   "see the audit log", "make a client", "make a key", "end a key"):  # fmt: skip
        with pytest.raises(Forbidden, match="Only an operator can do this"):
            ACTIONS[action][1](world.services, world.caller)


def test_clients_need_no_role_for_their_own_records(world: RampWorld) -> None:
    webhook = webhooks.create_webhook(
        world.services, world.caller, webhooks.WebhookUpdate(url="https://8.8.8.8/hook")
    )
    assert webhook.endpoint.client_id == world.caller.client.id


def test_every_writing_use_case_checks_permissions() -> None:
    checks = ("require_scope(", "require_permission(")
    checks += ("_get_for_operator(", "_require_sandbox(", "_require_treasurer(")
    writing = []
    for path in sorted(Path(usecases.__file__).parent.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            text = ast.unparse(node)
            if any(arg.arg == "caller" for arg in node.args.args) and ".write(" in text:
                writing.append(node.name)
                assert any(check in text for check in checks), f"{path.name}: {node.name}"
    assert len(writing) > 30


# The actions of clients that need a scope other than WRITE, which the others need.
OTHER_SCOPES = {
    "see a payment": Scope.READ,
    "refund": Scope.REFUND,
    "return a foreign deposit": Scope.REFUND,
}
WRITES = (
    "create a payment", "check for a deposit", "create an order", "confirm an order",
    "cancel an order", "hand in an identity", "test a webhook", "replay a delivery",
    "replay a time", "deposit", "move the clock", "make a chain misbehave",
    "make a payment link", "change a payment link", "make a webhook", "change a webhook",
    "remove a webhook", "change a webhook's secret", "erase a person",
)  # fmt: skip


@pytest.mark.parametrize(("action", "scope"), [*OTHER_SCOPES.items(), *product(WRITES, ["write"])])
def test_a_key_without_the_scope_of_an_action_is_refused(
    world: RampWorld, action: str, scope: str
) -> None:
    lesser = replace(world.caller, scopes=frozenset(Scope) - {Scope(scope)})
    with pytest.raises(Forbidden, match=f"This key lacks the scope: {scope}"):
        ACTIONS[action][1](world.services, lesser)


@pytest.mark.parametrize("right", Permission)
def test_each_role_includes_the_permissions_of_lower_roles(right: Permission) -> None:
    allowed = [can(role, right) for role in Role]
    assert allowed == sorted(allowed)
    assert next(role for role in Role if can(role, right)) is minimum_role(right)


def test_a_permission_without_the_scope_is_not_enough(world: RampWorld) -> None:
    caller = replace(staff_principal("Ada"), scopes=frozenset())
    with pytest.raises(Forbidden, match="lacks the scope"):
        manual_operations.trigger(world.services, caller, ETH)
