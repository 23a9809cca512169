"""Attacks on passkeys: replayed, stolen, copied, unverified, from another site."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound, Unauthorized
from crossway.domain.second_factors import find_relying_party
from crossway.domain.staff import AuthMethod
from crossway.usecases.staff import members, passkeys, second_factors, sign_in
from crossway.usecases.staff.sessions import ActiveSession
from tests.passkeys import SoftwarePasskey
from tests.staff_world import MACHINE, SITE, StaffWorld

Change = Callable[[SoftwarePasskey], object]


@pytest.fixture
def world(tmp_path: Path) -> StaffWorld:
    return StaffWorld(tmp_path)


def enter(world: StaffWorld, passkey: SoftwarePasskey) -> ActiveSession:
    asked = passkeys.begin_sign_in(world.services, SITE)
    answer = passkey.authenticate(asked.options)
    return world.active(
        passkeys.sign_in_with_passkey(world.services, SITE, asked.challenge, answer)
    )


def register(world: StaffWorld, active: ActiveSession, passkey: SoftwarePasskey) -> None:
    asked = passkeys.begin_registration(world.services, active, SITE)
    answer = passkey.register(asked.options)
    passkeys.add_passkey(world.services, active, SITE, asked.challenge, answer, "Phone")


def test_a_passkey_alone_signs_in_and_brings_recovery_codes(world: StaffWorld) -> None:
    passkey, shown = world.add_passkey(world.enter())
    assert len(shown) == 10
    active = enter(world, passkey)
    assert (active.name, active.session.auth_method) == ("Ada", AuthMethod.PASSKEY)
    assert active.session.proven_at == active.session.started_at
    (stored,) = second_factors.get_own_factors(world.services, active).passkeys
    assert (stored.name, stored.sign_count) == ("Laptop", passkey.sign_count)
    assert stored.last_used_at is not None
    with pytest.raises(sign_in.SecondFactorRequired):
        world.enter()
    assert world.add_passkey(active, "Phone")[1] == ()


def test_what_the_browser_is_asked_for(world: StaffWorld) -> None:
    active = world.enter()
    world.add_passkey(active)
    asked = json.loads(passkeys.begin_registration(world.services, active, SITE).options)
    assert asked["rp"] == {"name": "Crossway", "id": "localhost"}
    assert asked["authenticatorSelection"]["residentKey"] == "required"
    assert asked["authenticatorSelection"]["userVerification"] == "required"
    assert len(asked["excludeCredentials"]) == 1
    assert asked["user"]["name"] == "Ada"
    asked = json.loads(passkeys.begin_sign_in(world.services, SITE).options)
    assert (asked["userVerification"], asked["allowCredentials"]) == ("required", [])


FRAUDS: dict[str, Change] = {
    "no finger and no PIN": lambda passkey: setattr(passkey, "verifies", False),
    "a page of another site": lambda passkey: setattr(passkey, "origin", "http://evil.example"),
    "another port": lambda passkey: setattr(passkey, "origin", "http://localhost:9999"),
    "a key for another site": lambda passkey: setattr(passkey, "rp_id", "evil.example"),
    "a copy that counts less": lambda passkey: setattr(passkey, "sign_count", 0),
    "another key": lambda passkey: setattr(passkey, "key", SoftwarePasskey().key),
}


@pytest.mark.parametrize("fraud", FRAUDS)
def test_a_passkey_that_does_not_verify_is_refused_and_audited(
    world: StaffWorld, fraud: str
) -> None:
    passkey, _ = world.add_passkey(world.enter())
    enter(world, passkey)
    FRAUDS[fraud](passkey)
    with pytest.raises(Unauthorized, match="could not be verified"):
        enter(world, passkey)
    last = world.audited()[-1]
    assert (last.actor, last.action, last.detail) == ("Ada", "sign-in failed", {"by": "passkey"})


@pytest.mark.parametrize(
    "fraud", ["no finger and no PIN", "a page of another site", "another port"]
)
def test_a_new_passkey_that_does_not_verify_is_not_stored(world: StaffWorld, fraud: str) -> None:
    active, passkey = world.enter(), SoftwarePasskey()
    FRAUDS[fraud](passkey)
    with pytest.raises(Unauthorized, match="could not be verified"):
        register(world, active, passkey)
    assert not second_factors.get_own_factors(world.services, active).any


def test_an_answer_signs_in_once(world: StaffWorld) -> None:
    passkey, _ = world.add_passkey(world.enter())
    asked = passkeys.begin_sign_in(world.services, SITE)
    answer = passkey.authenticate(asked.options)
    passkeys.sign_in_with_passkey(world.services, SITE, asked.challenge, answer)
    with pytest.raises(Unauthorized, match="too old"):
        passkeys.sign_in_with_passkey(world.services, SITE, asked.challenge, answer)
    fresh = passkeys.begin_sign_in(world.services, SITE)
    with pytest.raises(Unauthorized, match="could not be verified"):
        passkeys.sign_in_with_passkey(world.services, SITE, fresh.challenge, answer)


def test_a_challenge_is_valid_for_its_purpose_and_its_person_only(world: StaffWorld) -> None:
    world.add("Bob")
    ada, bob = world.enter(), world.enter("Bob")
    passkey, _ = world.add_passkey(ada)
    proof = passkeys.begin_proof(world.services, ada, SITE)
    answer = passkey.authenticate(proof.options)
    with pytest.raises(Unauthorized, match="too old"):
        passkeys.sign_in_with_passkey(world.services, SITE, proof.challenge, answer)
    asked = passkeys.begin_registration(world.services, ada, SITE)
    answer = SoftwarePasskey().register(asked.options)
    with pytest.raises(Unauthorized, match="too old"):
        passkeys.add_passkey(world.services, bob, SITE, asked.challenge, answer, "Stolen")
    with pytest.raises(Unauthorized, match="too old"):
        passkeys.sign_in_with_passkey(world.services, SITE, b"guessed", answer)


def test_an_old_challenge_is_refused(world: StaffWorld) -> None:
    passkey, _ = world.add_passkey(world.enter())
    asked = passkeys.begin_sign_in(world.services, SITE)
    purpose, expires_at = world.services.process.sessions.challenges[asked.challenge]
    late = purpose, expires_at - passkeys.CHALLENGE_SECONDS
    world.services.process.sessions.challenges[asked.challenge] = late
    with pytest.raises(Unauthorized, match="too old"):
        passkeys.sign_in_with_passkey(
            world.services, SITE, asked.challenge, passkey.authenticate(asked.options)
        )


@pytest.mark.parametrize(
    "answer",
    ["", "{}", "null", "[]", '{"id": 1}', '{"id": "x", "rawId": "x"}', "\x00", "9" * 5000,
     '{"id":"AA","rawId":"AA","type":"public-key","response":{"attestationObject":"AA",'
     '"clientDataJSON":"AA","authenticatorData":"","signature":""}}'],
)  # fmt: skip
def test_garbage_is_refused_in_words(world: StaffWorld, answer: str) -> None:
    active = world.enter()
    asked = passkeys.begin_registration(world.services, active, SITE)
    with pytest.raises(Unauthorized):
        passkeys.add_passkey(world.services, active, SITE, asked.challenge, answer, "x")
    asked = passkeys.begin_sign_in(world.services, SITE)
    with pytest.raises(Unauthorized):
        passkeys.sign_in_with_passkey(world.services, SITE, asked.challenge, answer)


def test_a_passkey_belongs_to_one_person(world: StaffWorld) -> None:
    world.add("Bob")
    passkey, _ = world.add_passkey(world.enter())
    with pytest.raises(InvalidInput, match="known already"):
        register(world, world.enter("Bob"), passkey)


def test_a_removed_or_disabled_passkey_no_longer_signs_in(world: StaffWorld) -> None:
    bob = world.add("Bob")
    active = world.enter("Bob")
    passkey, _ = world.add_passkey(active)
    other, _ = world.add_passkey(active, "Phone")
    stored, _ = second_factors.get_own_factors(world.services, active).passkeys
    with pytest.raises(NotFound):
        passkeys.remove_passkey(world.services, world.enter(), stored.id)
    passkeys.remove_passkey(world.services, active, stored.id)
    with pytest.raises(Unauthorized, match="not known here"):
        enter(world, passkey)
    members.disable_member(world.services, MACHINE, bob)
    with pytest.raises(Unauthorized, match="could not be verified"):
        enter(world, other)


def test_a_person_has_a_bounded_number_of_passkeys_with_names(world: StaffWorld) -> None:
    active = world.enter()
    for number in range(20):
        world.add_passkey(active, f"Key {number}")
    with pytest.raises(InvalidStatus, match="at most 20 passkeys"):
        passkeys.begin_registration(world.services, active, SITE)
    for name in ("", " ", "x" * 61, "a\nb", None):
        with pytest.raises(InvalidInput, match="passkey name must be"):
            passkeys.add_passkey(world.services, active, SITE, b"", "", name)


def test_the_number_of_open_challenges_is_bounded(world: StaffWorld) -> None:
    first = passkeys.begin_sign_in(world.services, SITE)
    for _ in range(10_000):
        world.services.process.sessions.challenges[object()] = ("", 0.0)  # type: ignore[index]
    passkeys.begin_sign_in(world.services, SITE)
    assert len(world.services.process.sessions.challenges) <= 10_001
    assert first.challenge not in world.services.process.sessions.challenges


@pytest.mark.parametrize(
    ("public_url", "page_url", "id_"),
    [
        ("", "http://localhost:8600/keys?a=b", "localhost"),
        ("", "http://127.0.0.1:8600/", None),
        ("", "http://192.0.2.4:8600/", None),
        ("", "https://pay.shop.example/", None),  # Anybody could have given it this name.
        ("https://pay.shop.example", "https://pay.shop.example/staff", "pay.shop.example"),
        ("https://pay.shop.example", "https://evil.example/", None),
        ("https://pay.shop.example", "http://pay.shop.example/", None),
        ("https://pay.shop.example", "http://localhost:8600/", None),
        ("https://pay.shop.example:8443", "https://pay.shop.example:8443/", "pay.shop.example"),
        ("http://localhost:8600", "http://localhost:8600/", "localhost"),
        ("https://192.0.2.4", "https://192.0.2.4/", None),
        ("", "", None),
    ],
)
def test_passkeys_are_valid_at_the_public_url_or_at_localhost(
    public_url: str, page_url: str, id_: str | None
) -> None:
    found = find_relying_party(public_url, page_url)
    assert (found.id if found else None) == id_
    assert found is None or page_url.startswith(f"{found.origin}/")
