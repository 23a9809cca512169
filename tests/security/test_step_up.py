"""Step-up: an open screen alone moves no money, shows no secret and changes no staff."""

import ast
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crossway import usecases
from crossway.adapters.webhooks.sender import HttpWebhookSender
from crossway.adapters.webhooks.signing import StandardSigner
from crossway.api.schemas.events import render_events
from crossway.domain.clients import Mode, OwnerFilter, Principal, staff_principal
from crossway.domain.errors import DomainError, TooManyRequests, Unauthorized, Unreachable
from crossway.domain.staff import AuthMethod
from crossway.ports.services import Services
from crossway.ports.webhooks import WebhookServices
from crossway.usecases.chains import kill_switches
from crossway.usecases.developers import api_keys, webhooks
from crossway.usecases.money import (
    address_book,
    approvals,
    emergency_stop,
    inventory,
    inventory_adjustments,
    transfer_caps,
)
from crossway.usecases.payments import abandoned_payouts, manual_operations, manual_refunds
from crossway.usecases.staff import (
    account,
    identity_proofs,
    members,
    passkeys,
    second_factors,
    sessions,
    sign_in,
)
from crossway.usecases.staff.sessions import ActiveSession
from crossway.usecases.staff.step_up import StepUpRequired
from tests.staff_world import MACHINE, OFFICE, PASSWORD, SITE, StaffWorld

ETH = "0x52908400098527886E0F7030069857D2E4169EE7"
Action = Callable[[Services, Principal], object]
NEW = members.NewStaffMember("Eve", "viewer", PASSWORD)
SENSITIVE: dict[str, Action] = {
    "refund": lambda s, c: manual_refunds.refund(s, c, ETH),
    "redirect a refund": lambda s, c: manual_operations.redirect_refund(s, c, 1, ETH),
    "return a deposit": lambda s, c: manual_operations.return_deposit(s, c, 1),
    "give a payout up": lambda s, c: abandoned_payouts.give_up_by_hand(s, c, 1),
    "ask for the release of the stop": lambda s, c: emergency_stop.request_release(s, c, "why"),
    "approve": lambda s, c: approvals.approve(s, c, 99, {}),
    "decline": lambda s, c: approvals.decline(s, c, 1, "why"),
    "add an address": lambda s, c: address_book.add_address(s, c, "BASE_MAINNET", ETH, "?"),
    "remove an address": lambda s, c: address_book.remove_address(s, c, 1),
    "set a cap": lambda s, c: transfer_caps.set_cap(s, c, "BASE_MAINNET", "USDC", 1),
    "set a target": lambda s, c: inventory.set_target(s, c, "BASE_MAINNET", "USDC", 1),
    "book opening balances": lambda s, c: inventory_adjustments.book_opening_balances(s, c),
    "book a difference": lambda s, c: inventory_adjustments.book_difference(
        s, c, "BASE_MAINNET", "?", 1, "why"
    ),
    "disable a route": lambda s, c: kill_switches.set_kill_switch(s, c, "bridge:CCTP", True, "?"),
    "enable a route": lambda s, c: kill_switches.set_kill_switch(s, c, "bridge:CCTP", False, ""),
    "make an API key": lambda s, c: api_keys.create_api_key(s, "c-1", Mode.TEST, c),
    "widen an API key": lambda s, c: api_keys.update_api_key(s, 1, api_keys.ApiKeyUpdate(), c),
    "replace an API key": lambda s, c: api_keys.rotate_api_key(s, 1, c, timedelta(hours=1)),
    "make a webhook": lambda s, c: webhooks.create_webhook(
        s, c, webhooks.WebhookUpdate(url="https://8.8.8.8/hook")
    ),
    "replace a webhook's secret": lambda s, c: webhooks.rotate_secret(s, c, 1),
    "add a person": lambda s, c: members.add_member(s, c, NEW),
    "change a role": lambda s, c: members.set_role(s, c, 1, "viewer"),
    "set a password": lambda s, c: members.set_password(s, c, 1, "words of another kind"),
    "set an e-mail address": lambda s, c: members.set_email(s, c, 1, "eve@example.com"),
    "enable a person": lambda s, c: members.enable_member(s, c, 1),
    "reset a second factor": lambda s, c: second_factors.reset_second_factors(s, c, 1),
}  # fmt: skip
OWN: dict[str, Callable[[Services, ActiveSession], object]] = {
    "add an authenticator app": lambda s, a: second_factors.begin_authenticator(s, a),
    "remove the authenticator app": lambda s, a: second_factors.remove_authenticator(s, a),
    "renew recovery codes": lambda s, a: second_factors.renew_recovery_codes(s, a),
    "add a passkey": lambda s, a: passkeys.begin_registration(s, a, SITE),
    "change the password": lambda s, a: account.change_password(
        s, a, PASSWORD, "words of another kind", OFFICE
    ),
}


@pytest.fixture
def world(tmp_path: Path) -> StaffWorld:
    built = StaffWorld(tmp_path)
    outgoing = WebhookServices(render_events, HttpWebhookSender(loopback=True), StandardSigner())
    built.services = replace(built.services, webhooks=outgoing)
    return built


def stored(world: StaffWorld) -> str:
    """Everything that the sensitive actions change."""
    with world.store.read() as unit:
        staff, factors = unit.staff.list_all(), unit.second_factors.get(1)
        keys, hooks = unit.api_keys.list_api_keys(None), unit.webhooks.list_by_owner(OwnerFilter())
        return repr(
            (
                staff,
                factors,
                keys,
                hooks,
                unit.kill_switches.list_all(),
                unit.treasury.list_targets(),
            )
        )


def reload(world: StaffWorld, active: ActiveSession) -> ActiveSession:
    """The session as it is stored now."""
    with world.store.read() as unit:
        found = unit.staff.list_open_sessions(active.session.member_id)
        member = unit.staff.get(active.session.member_id or 0)
    session = next(session for session in found if session.id == active.session.id)
    return replace(active, session=session, member=member)


@pytest.mark.parametrize("action", SENSITIVE)
def test_an_open_screen_is_asked_again_after_five_minutes(world: StaffWorld, action: str) -> None:
    caller, before = world.principal(world.enter()), stored(world)
    world.machine.seconds += 301
    entries = world.actions()
    with pytest.raises(StepUpRequired, match="Confirm that it is you"):
        SENSITIVE[action](world.services, caller)
    assert (stored(world), world.actions()) == (before, entries)


@pytest.mark.parametrize("action", SENSITIVE)
def test_within_five_minutes_it_is_not_asked(world: StaffWorld, action: str) -> None:
    caller = world.principal(world.enter())
    world.machine.seconds += 299
    try:
        SENSITIVE[action](world.services, caller)
    except StepUpRequired:
        pytest.fail(f"{action} asked again")
    except (DomainError, Unreachable, LookupError):
        pass  # Refused for another reason.


@pytest.mark.parametrize("action", OWN)
def test_own_second_factors_are_protected_in_the_same_way(world: StaffWorld, action: str) -> None:
    active = world.enter()
    world.add_authenticator(active)
    world.machine.seconds += 301
    with pytest.raises(StepUpRequired):
        OWN[action](world.services, active)


# These move no money, show no secret and give nobody more rights.
NOT_ASKED = {
    "create_client", "update_client", "update_branding", "update_webhook", "delete_webhook",
    "revoke_api_key", "erase_customer",
}  # fmt: skip
STRONG = ("Permission.MOVE_FUNDS", "Permission.MANAGE", "Permission.SWITCH_ROUTES", "Scope.REFUND")


def test_every_other_use_case_with_a_strong_permission_asks() -> None:
    found = set()
    for path in sorted(Path(usecases.__file__).parent.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                body = ast.unparse(node)
                writes = ".write(" in body or "_update_member(" in body
                if writes and "caller" in body and any(right in body for right in STRONG):
                    found.add((node.name, "require_step_up(" in body))
    assert len(found) > 20
    assert {name for name, asks in found if not asks} == NOT_ASKED


def test_callers_without_a_session_are_not_asked(world: StaffWorld) -> None:
    world.machine.seconds += 3600
    for caller in (MACHINE, staff_principal("Operator"), world.caller):
        for action in ("refund", "make a webhook", "replace a webhook's secret"):
            try:
                SENSITIVE[action](world.services, caller)
            except StepUpRequired:
                pytest.fail(f"{action} asked {caller.client.name}")
            except (DomainError, Unreachable):
                pass


def test_a_session_from_before_this_version_is_asked(world: StaffWorld) -> None:
    active = world.enter()
    old = replace(active, session=replace(active.session, proven_at=None))
    with pytest.raises(StepUpRequired):
        SENSITIVE["make an API key"](world.services, world.principal(old))


def test_taking_access_away_is_never_delayed(world: StaffWorld) -> None:
    bob = world.add("Bob")
    key = api_keys.create_api_key(world.services, "c-1", Mode.TEST, MACHINE).key
    caller = world.principal(world.enter())
    world.machine.seconds += 301
    api_keys.revoke_api_key(world.services, key.id, caller)
    members.disable_member(world.services, caller, bob)


def test_the_password_proves_without_a_second_factor_only(world: StaffWorld) -> None:
    active = world.enter()
    world.machine.seconds += 301
    with pytest.raises(Unauthorized, match="The password is wrong"):
        identity_proofs.prove_with_password(world.services, active, "wrong", OFFICE)
    identity_proofs.prove_with_password(world.services, active, PASSWORD, OFFICE)
    proven = reload(world, active)
    SENSITIVE["make an API key"](world.services, world.principal(proven))
    app, _ = world.add_authenticator(proven)
    world.machine.seconds += 301
    with pytest.raises(Unauthorized, match="second factor"):
        identity_proofs.prove_with_password(world.services, proven, PASSWORD, OFFICE)
    identity_proofs.prove_with_code(world.services, proven, world.code(app), OFFICE)
    SENSITIVE["make an API key"](world.services, world.principal(reload(world, proven)))
    with pytest.raises(Unauthorized):
        identity_proofs.prove_with_code(world.services, proven, world.code(app), OFFICE)
    actions = world.actions()
    assert actions.count("identity confirmed") == 2
    assert actions.count("identity not confirmed") == 2


def test_a_passkey_proves_its_owner_only(world: StaffWorld) -> None:
    world.add("Bob")
    ada, bob = world.enter(), world.enter("Bob")
    own, _ = world.add_passkey(ada)
    others, _ = world.add_passkey(bob)
    world.machine.seconds += 301
    asked = passkeys.begin_proof(world.services, ada, SITE)
    with pytest.raises(Unauthorized):
        identity_proofs.prove_with_passkey(
            world.services, ada, SITE, asked.challenge, others.authenticate(asked.options)
        )
    asked = passkeys.begin_proof(world.services, ada, SITE)
    with pytest.raises(Unauthorized, match="too old"):
        identity_proofs.prove_with_passkey(
            world.services, bob, SITE, asked.challenge, own.authenticate(asked.options)
        )
    asked = passkeys.begin_proof(world.services, ada, SITE)
    identity_proofs.prove_with_passkey(
        world.services, ada, SITE, asked.challenge, own.authenticate(asked.options)
    )
    SENSITIVE["make an API key"](world.services, world.principal(reload(world, ada)))
    with pytest.raises(StepUpRequired):
        SENSITIVE["make an API key"](world.services, world.principal(reload(world, bob)))


def test_a_proof_holds_in_its_own_session_only(world: StaffWorld) -> None:
    first, second = world.enter(), world.enter()
    world.machine.seconds += 301
    identity_proofs.prove_with_password(world.services, first, PASSWORD, OFFICE)
    with pytest.raises(StepUpRequired):
        SENSITIVE["refund"](world.services, world.principal(reload(world, second)))


def test_a_stolen_screen_cannot_guess_the_password_without_bound(world: StaffWorld) -> None:
    active = world.enter()
    for _ in range(5):
        with pytest.raises(Unauthorized):
            identity_proofs.prove_with_password(world.services, active, "wrong", OFFICE)
    with pytest.raises(TooManyRequests):
        identity_proofs.prove_with_password(world.services, active, PASSWORD, OFFICE)


def test_the_installation_password_proves_until_there_is_staff(tmp_path: Path) -> None:
    world = StaffWorld.__new__(StaffWorld)
    StaffWorld.__bases__[0].__init__(world, f"sqlite:///{tmp_path / 'w.db'}", chains=())
    token = sign_in.sign_in_with_install_password(world.services, "sesame", "sesame", OFFICE)
    active = world.active(token)
    assert active.session.auth_method is AuthMethod.INSTALLATION_PASSWORD
    world.machine.seconds += 301
    with pytest.raises(StepUpRequired):
        SENSITIVE["add a person"](world.services, world.principal(active))
    with pytest.raises(Unauthorized):
        identity_proofs.prove_with_password(world.services, active, "", OFFICE, "")
    identity_proofs.prove_with_password(world.services, active, "sesame", OFFICE, "sesame")
    first = members.NewStaffMember("Ada", "admin", PASSWORD)
    members.add_member(world.services, world.principal(world.active(token)), first)
    assert sessions.get_own_session(world.services, token) is None


def test_who_signs_in_elsewhere_alone_proves_by_signing_in_again(world: StaffWorld) -> None:
    request = members.NewStaffMember("Eve", "viewer", None, "eve@example.com")
    members.add_member(world.services, MACHINE, request)

    def enter(proof: str) -> ActiveSession:
        now = world.services.clock.machine()
        arguments = ("eve@example.com", True, now, proof)
        return world.active(sign_in.sign_in_with_provider(world.services, *arguments))

    active = enter("1")
    world.machine.seconds += 301
    methods = identity_proofs.get_proof_methods(world.services, active)
    assert (methods.password, methods.code, methods.passkey) == (False, False, False)
    with pytest.raises(StepUpRequired):
        second_factors.begin_authenticator(world.services, active)
    second_factors.begin_authenticator(world.services, enter("2"))
