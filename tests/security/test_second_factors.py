"""Attacks on second factors: codes, recovery codes, and what an admin may do to another's."""

from pathlib import Path

import pytest

from crossway.domain.errors import (
    Forbidden,
    InvalidInput,
    InvalidStatus,
    TooManyRequests,
    Unauthorized,
)
from crossway.domain.roles import Role
from crossway.usecases.staff import account, codes, members, second_factors, sessions, sign_in
from tests.staff_world import MACHINE, OFFICE, PASSWORD, StaffWorld


@pytest.fixture
def world(tmp_path: Path) -> StaffWorld:
    return StaffWorld(tmp_path)


def complete(world: StaffWorld, code: str, address: str = OFFICE) -> str:
    return sign_in.complete_sign_in(world.services, world.pending(), code, address)


def test_a_code_signs_in_once_and_no_other_does(world: StaffWorld) -> None:
    app, _ = world.add_authenticator(world.enter())
    with pytest.raises(codes.WrongCode):
        complete(world, world.code(app))  # The enrolment used it up.
    world.machine.seconds += 90
    code = world.code(app)
    assert world.active(complete(world, f" {code[:3]} {code[3:]} ")).name == "Ada"
    for wrong in (code, world.code(app, -1), world.code(app, 2), "", "٣٣٣٣٣٣", "000000"):
        with pytest.raises(codes.WrongCode):
            complete(world, wrong, f"192.0.2.{len(world.actions()) % 250}")
    assert world.active(complete(world, world.code(app, 1))).name == "Ada"


def test_the_password_alone_starts_no_session(world: StaffWorld) -> None:
    first = world.enter()
    world.add_authenticator(first)
    pending = world.pending()
    with world.store.read() as unit:
        assert [s.id for s in unit.staff.list_open_sessions(pending.member.id)] == [
            first.session.id
        ]


@pytest.mark.parametrize("change", ["late", "password", "disabled"])
def test_a_sign_in_that_waits_for_its_code_does_not_outlive_a_change(
    world: StaffWorld, change: str
) -> None:
    world.add("Bob")
    app, _ = world.add_authenticator(world.enter())
    pending = world.pending()
    if change == "late":
        world.machine.seconds += 601
    elif change == "password":
        members.set_password(world.services, MACHINE, pending.member.id, PASSWORD + "!")
    else:
        members.disable_member(world.services, MACHINE, pending.member.id)
    with pytest.raises(Unauthorized, match="start again"):
        sign_in.complete_sign_in(world.services, pending, world.code(app, 1), OFFICE)


def test_codes_cannot_be_guessed_without_bound(world: StaffWorld) -> None:
    app, recovery = world.add_authenticator(world.enter())
    pending, tried = world.pending(), 0
    for number in range(60):
        try:
            place = f"192.0.2.{number}"
            sign_in.complete_sign_in(world.services, pending, "123456", place)
        except TooManyRequests:
            continue
        except codes.WrongCode:
            tried += 1
    assert tried == 30
    # The person themself gets in: with a recovery code.
    with pytest.raises(TooManyRequests, match="passkey or a recovery code"):
        sign_in.complete_sign_in(world.services, pending, world.code(app, 1), OFFICE)
    token = sign_in.complete_sign_in(world.services, pending, recovery[0], OFFICE)
    assert world.active(token).name == "Ada"


def test_five_wrong_codes_from_one_address_lock_only_that_address(world: StaffWorld) -> None:
    app, _ = world.add_authenticator(world.enter())
    for _ in range(5):
        with pytest.raises(codes.WrongCode):
            complete(world, "123456", "198.51.100.9")
    with pytest.raises(TooManyRequests, match="wait 10 minutes"):
        complete(world, world.code(app, 1), "198.51.100.9")
    complete(world, world.code(app, 1))


def test_each_recovery_code_works_once_and_a_new_set_ends_the_old(world: StaffWorld) -> None:
    first = world.enter()
    _, shown = world.add_authenticator(first)
    assert len(set(shown)) == 10
    used = world.active(complete(world, shown[0].upper().replace("-", " ")))
    with pytest.raises(codes.WrongCode):
        complete(world, shown[0])
    assert second_factors.get_own_factors(world.services, used).recovery_codes_left == 9
    (entry,) = [entry for entry in world.audited() if entry.action == "recovery code used"]
    assert (entry.actor, entry.detail) == ("Ada", {"left": 9})
    fresh = second_factors.renew_recovery_codes(world.services, used)
    with pytest.raises(codes.WrongCode):
        complete(world, shown[1])
    complete(world, fresh[1])
    assert not set(fresh) & set(shown)


def test_a_recovery_code_of_another_person_is_none(world: StaffWorld) -> None:
    world.add("Bob")
    _, shown = world.add_authenticator(world.enter("Bob"))
    world.add_authenticator(world.enter())
    with pytest.raises(codes.WrongCode):
        complete(world, shown[0])
    with pytest.raises(Unauthorized):
        sign_in.sign_in_with_password(world.services, "Ada", PASSWORD, OFFICE, shown[0])


def test_a_recovery_code_passes_a_name_that_others_tried_too_often(world: StaffWorld) -> None:
    _, shown = world.add_authenticator(world.enter())
    world.services.process.sessions.known_addresses.clear()
    for number in range(100):
        with pytest.raises(Unauthorized):
            sign_in.sign_in_with_password(world.services, "Ada", "wrong", f"192.0.2.{number}")
    with pytest.raises(TooManyRequests):
        world.enter()
    with pytest.raises(Unauthorized):  # It does not stand in for the password.
        sign_in.sign_in_with_password(world.services, "Ada", "wrong", OFFICE, shown[0])
    token = sign_in.sign_in_with_password(world.services, "Ada", PASSWORD, OFFICE, shown[0])
    assert world.active(token).name == "Ada"
    with pytest.raises((Unauthorized, TooManyRequests)):
        sign_in.sign_in_with_password(world.services, "Ada", PASSWORD, "192.0.9.9", shown[0])


def test_secrets_are_neither_stored_nor_logged_in_plain_text(world: StaffWorld) -> None:
    app, shown = world.add_authenticator(world.enter())
    stored = (Path(world.url.removeprefix("sqlite:///"))).parent
    world.store.close()
    contents = b"".join(path.read_bytes() for path in stored.iterdir())
    for secret in (app.secret, *shown, *(code.replace("-", "") for code in shown)):
        assert secret.encode() not in contents


def test_enrolment_needs_the_right_code(world: StaffWorld) -> None:
    active = world.enter()
    enrolment = second_factors.begin_authenticator(world.services, active)
    assert enrolment.secret not in repr(enrolment)
    assert enrolment.uri == f"otpauth://totp/Crossway:Ada?secret={enrolment.secret}&issuer=Crossway"
    with pytest.raises(InvalidInput, match="code is wrong"):
        second_factors.confirm_authenticator(world.services, active, enrolment, "123456")
    assert not second_factors.get_own_factors(world.services, active).any
    world.enter()


def test_a_change_of_second_factors_ends_the_other_sessions(world: StaffWorld) -> None:
    stolen, own = world.enter(), world.enter()
    world.add_authenticator(own)
    assert (world.is_open(stolen), world.is_open(own)) == (False, True)


def test_recovery_codes_go_with_the_last_second_factor(world: StaffWorld) -> None:
    active = world.enter()
    with pytest.raises(InvalidStatus, match="add one first"):
        second_factors.renew_recovery_codes(world.services, active)
    _, shown = world.add_authenticator(active)
    second_factors.remove_authenticator(world.services, active)
    assert second_factors.get_own_factors(world.services, active).recovery_codes_left == 0
    with pytest.raises(Unauthorized):
        sign_in.sign_in_with_password(world.services, "Ada", PASSWORD, OFFICE, shown[0])
    world.enter()


def test_an_admin_resets_a_second_factor_and_nobody_else(world: StaffWorld) -> None:
    bob = world.add("Bob", "treasurer")
    session = world.enter("Bob")
    world.add_authenticator(session)
    with pytest.raises(Forbidden, match="ask a staff member with the role admin"):
        second_factors.reset_second_factors(world.services, world.principal(session), bob)
    second_factors.reset_second_factors(world.services, world.principal(world.enter()), bob)
    assert not world.is_open(session)
    assert world.audited()[-1].actor == "Ada"
    assert world.audited()[-1].action == "second factor reset"
    world.enter("Bob")


def test_a_required_second_factor_is_enrolled_before_anything_else(tmp_path: Path) -> None:
    world = StaffWorld(tmp_path, second_factor_from=Role.TREASURER)
    world.add("Vic", "operator")
    assert not world.enter("Vic").must_enrol
    token = sign_in.sign_in_with_password(world.services, "Ada", PASSWORD, OFFICE)
    assert sessions.get_active_session(world.services, token) is None
    active = world.active(token)
    assert active.must_enrol
    world.add_authenticator(active)
    enrolled = sessions.get_active_session(world.services, token)
    assert enrolled is not None
    with pytest.raises(InvalidStatus, match="Your role requires a second factor"):
        second_factors.remove_authenticator(world.services, enrolled)
    # An admin's reset leads back to enrolling, and takes effect in open screens.
    members.set_role(world.services, MACHINE, world.add("Bob", "operator"), "admin")
    assert world.enter("Bob").must_enrol


def test_a_single_sign_on_asks_for_the_second_factor_too(world: StaffWorld) -> None:
    eve = world.add("Eve", "viewer", "eve@example.com")
    app, _ = world.add_authenticator(world.enter("Eve"))
    now = world.services.clock.machine()
    arguments = ("eve@example.com", True, now, "iss sub 1")
    for _ in range(2):  # The page may be drawn again meanwhile.
        with pytest.raises(sign_in.SecondFactorRequired) as asked:
            sign_in.sign_in_with_provider(world.services, *arguments)
    pending = asked.value.pending
    token = sign_in.complete_sign_in(world.services, pending, world.code(app, 1), OFFICE)
    assert world.active(token).session.member_id == eve
    world.machine.seconds += 60
    with pytest.raises(sessions.ReplayedAssertion):
        sign_in.complete_sign_in(world.services, pending, world.code(app), OFFICE)


def test_the_own_password_is_changed_with_the_old_one(world: StaffWorld) -> None:
    stolen, own = world.enter(), world.enter()
    new = "another set of words"
    with pytest.raises(Unauthorized, match="The password is wrong"):
        account.change_password(world.services, own, "wrong", new, OFFICE)
    with pytest.raises(InvalidInput, match="at least 12 characters"):
        account.change_password(world.services, own, PASSWORD, "short", OFFICE)
    account.change_password(world.services, own, PASSWORD, new, OFFICE)
    assert (world.is_open(stolen), world.is_open(own)) == (False, True)
    world.enter("Ada", new)
    with pytest.raises(Unauthorized):
        world.enter("Ada", PASSWORD)
    # With the session from before, the old password opens nothing any more.
    with pytest.raises((Unauthorized, InvalidStatus)):
        account.change_password(world.services, own, PASSWORD, "words of a third kind", OFFICE)


def test_sign_out_elsewhere_keeps_the_own_session(world: StaffWorld) -> None:
    world.add("Bob")
    others, bob, own = [world.enter(), world.enter()], world.enter("Bob"), world.enter()
    assert len(account.list_sessions(world.services, own)) == 3
    assert account.sign_out_elsewhere(world.services, own) == 2
    assert [world.is_open(s) for s in (*others, bob, own)] == [False, False, True, True]


def test_every_step_is_audited_without_a_secret(world: StaffWorld) -> None:
    active = world.enter()
    app, shown = world.add_authenticator(active)
    with pytest.raises(codes.WrongCode):
        complete(world, "123456")
    complete(world, shown[0])
    second_factors.renew_recovery_codes(world.services, active)
    second_factors.remove_authenticator(world.services, active)
    assert world.actions() == [
        "person added", "signed in", "authenticator app added", "sign-in failed",
        "recovery code used", "signed in", "recovery codes renewed", "authenticator app removed",
    ]  # fmt: skip
    text = str(world.audited())
    assert not [secret for secret in (app.secret, "123456", *shown) if secret in text]
