"""Signers whose keys are outside: what they are asked, and what of their answers is believed."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from pydantic import ValidationError
from solders.keypair import Keypair

from crossway.adapters.bridges.gateway.burn_intents import BurnIntent, TransferSpec
from crossway.adapters.chain_families import load_family
from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.rpc.family import ChainSettings
from crossway.adapters.chains.rpc.keys import KeyMissing, Keyring
from crossway.adapters.chains.rpc.profile import read_profile
from crossway.adapters.chains.rpc.signer_profile import SignerProfile
from crossway.domain.errors import SigningRefused, Unreachable
from crossway.domain.intent import State, Terms
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.ports.signing import SigningRequest
from tests import remote_signer
from tests.chains import anvil
from tests.chains.anvil import CATALOGUE, RELAYER, RELAYER_KEY
from tests.chains.live import ARBITRUM, BASE, LiveWorld, paid, with_signer, write_profile
from tests.remote_signer import TOKEN, RemoteSigner

SECRET = bytes.fromhex(RELAYER_KEY[2:])
ENVIRONMENT = {"SIGNER_TOKEN": TOKEN}
RECIPIENT = "0x52908400098527886E0F7030069857D2E4169EE7"
DIGEST = keccak256(b"a transaction")
REQUEST = SigningRequest(b"a transaction")


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteSigner]:
    with remote_signer.running(tmp_path_factory.mktemp("signer"), SECRET) as running:
        yield running


@pytest.fixture(autouse=True)
def honest(signer: RemoteSigner) -> None:
    signer.fault = ""
    signer.requests.clear()


def opened(remote: RemoteSigner, family: str = "evm", address: str = "", **changes: Any) -> Any:
    """The signer that a profile with these fields opens."""
    profile = SignerProfile(**remote.fields() | changes)
    keyring = Keyring(ENVIRONMENT, signers={"kms": profile})
    return keyring.signer_for("chains.X.key", load_family(family).keys, "remote:kms", "", address)


def fill() -> OutboundCall:
    terms = Terms(
        1, ARBITRUM, BASE, RECIPIENT, RECIPIENT, 26_000_000, 25_000_000, RECIPIENT, RECIPIENT,
        "CCTP", datetime(2026, 11, 23, tzinfo=UTC),
    )  # fmt: skip
    payout = Output(RELAYER, RECIPIENT, RECIPIENT, 25_000_000)
    intent_hash = "0x" + "12" * 32
    return OutboundCall(OutboundTxKind.FILL, BASE, RELAYER, intent_hash, (payout,), terms=terms)


def test_a_remote_signer_sees_which_burn_intent_it_signs(signer: RemoteSigner) -> None:
    spec = TransferSpec(6, 3, *(bytes([n]) * 32 for n in range(8)), 25_000_000, bytes(32))  # type: ignore[arg-type]
    intent = BurnIntent(2**40, 13_500, spec)
    request = SigningRequest(intent.signing_payload, typed_data=intent.typed_data)
    opened(signer).sign(keccak256(intent.signing_payload), request)
    (asked,) = signer.requests
    assert keccak256(bytes.fromhex(asked["transaction"])).hex() == asked["digest"]
    assert asked["transaction"].startswith("1901")
    assert asked["call"] is None
    assert asked["typed_data"]["primaryType"] == "BurnIntent"
    message = asked["typed_data"]["message"]
    assert (message["maxFee"], message["spec"]["value"]) == ("13500", "25000000")


def test_a_remote_signer_sees_what_it_signs(signer: RemoteSigner) -> None:
    remote = opened(signer)
    assert remote.address == RELAYER
    parity, r, s = remote.sign(DIGEST, replace(REQUEST, call=fill()))
    assert (parity, r, s) == (
        (local := Account.from_key(SECRET).unsafe_sign_hash(DIGEST)).v - 27,
        local.r,
        local.s,
    )
    (asked,) = signer.requests
    assert (asked["curve"], asked["digest"]) == ("secp256k1", DIGEST.hex())
    assert keccak256(bytes.fromhex(asked["transaction"])) == DIGEST
    call = asked["call"]
    assert (call["kind"], call["chain"], call["account"]) == ("FILL", BASE, RELAYER)
    assert call["outputs"] == [
        {
            "source": RELAYER,
            "to": RECIPIENT,
            "token": RECIPIENT,
            "amount": "25000000",
            "required": True,
        }
    ]
    assert call["terms"]["recipient"] == RECIPIENT
    assert call["terms"]["expires_at"] == "2026-11-23T00:00:00+00:00"
    assert signer.tokens == {f"Bearer {TOKEN}"}


def test_the_higher_s_of_a_signer_is_lowered(signer: RemoteSigner) -> None:
    remote = opened(signer)
    signer.fault = "high_s"
    local = Account.from_key(SECRET).unsafe_sign_hash(DIGEST)
    assert remote.sign(DIGEST, REQUEST) == (local.v - 27, local.r, local.s)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("wrong_key", f"signer kms did not return a signature of {RELAYER}"),
        ("error", "signer kms answers with 503"),
        ("redirect", "signer kms answers with 307"),
        ("garbage", "signer kms does not answer with JSON"),
        ("too_much", "signer kms answers with too much"),
        ("silent", "signer kms does not answer in time"),
        ("slow", "signer kms does not answer in time"),
    ],
)
def test_a_signer_that_misbehaves_signs_nothing(
    signer: RemoteSigner, fault: str, message: str
) -> None:
    remote = opened(signer)
    signer.fault = fault
    with pytest.raises(Unreachable, match=message) as raised:
        remote.sign(DIGEST, REQUEST)
    assert TOKEN not in str(raised.value)
    signer.fault = ""
    assert remote.sign(DIGEST, REQUEST)


def test_a_signer_that_refuses_one_transaction_did_answer(signer: RemoteSigner) -> None:
    """By rules of its own, which docs/signers.md invites; all others may be signed."""
    remote = opened(signer)
    signer.fault = "refuses"
    with pytest.raises(SigningRefused, match="Not signed: signer kms refuses it") as raised:
        remote.sign(DIGEST, REQUEST)
    assert TOKEN not in str(raised.value)


def test_a_signer_without_a_trusted_certificate_is_not_asked(signer: RemoteSigner) -> None:
    with pytest.raises(ValueError, match="its address is unknown: signer kms does not answer"):
        opened(signer, certificates="")
    assert not signer.requests
    with pytest.raises(ValueError, match="the certificates /nowhere cannot be read"):
        opened(signer, certificates="/nowhere")


def test_a_signer_that_is_down_keeps_nothing_from_starting(signer: RemoteSigner) -> None:
    """The profile names the address, and each signature is compared with it."""
    signer.fault = "error"
    remote = opened(signer, address=RELAYER)
    signer.fault = ""
    assert remote.sign(DIGEST, REQUEST)
    signer.fault = "error"
    stranger = opened(signer, address=RECIPIENT)
    signer.fault = ""
    with pytest.raises(Unreachable, match=f"did not return a signature of {RECIPIENT}"):
        stranger.sign(DIGEST, REQUEST)
    with pytest.raises(ValueError, match=f"signer kms is the key of {RELAYER}, not of {RECIPIENT}"):
        opened(signer, address=RECIPIENT)


def test_the_doctor_says_whether_a_signer_answers(signer: RemoteSigner, tmp_path: Path) -> None:
    path = with_remote_signer(write_profile(tmp_path, {BASE: ["http://127.0.0.1:9"]}), signer)
    profile = read_profile(path, CATALOGUE)
    keyring = Keyring({}, signers=profile.signers)
    settings = ChainSettings(CATALOGUE, BASE, profile.chains[BASE], keyring)
    operator: Any = load_family("evm").open_chain(settings)
    found = operator._key_finding()
    assert (found.ok, found.message) == (True, f"is with its signer; the relayer is {RELAYER}")
    signer.fault = "error"
    found = operator._key_finding()
    assert (found.ok, found.message) == (False, "signer kms answers with 503")


def test_tron_has_the_same_key_at_its_own_address(signer: RemoteSigner) -> None:
    remote = opened(signer, "tron")
    local = load_family("tron").keys.create_signer(SECRET)
    digest = sha256(b"a transaction").digest()
    assert remote.address == local.address
    assert remote.sign(digest, REQUEST) == local.sign(digest)


def test_solana_is_signed_for_with_ed25519(tmp_path: Path) -> None:
    with remote_signer.running(tmp_path, SECRET, "ed25519") as remote:
        signer, local = opened(remote, "solana"), Keypair.from_seed(SECRET)
        assert signer.address == str(local.pubkey())
        assert signer.sign(b"a message", REQUEST) == bytes(local.sign_message(b"a message"))
        remote.fault = "wrong_key"
        with pytest.raises(Unreachable, match="did not return a signature of"):
            signer.sign(b"a message", REQUEST)


def test_keys_of_starknet_stay_in_this_process(signer: RemoteSigner) -> None:
    with pytest.raises(ValueError, match="keys of this family stay in this process"):
        opened(signer, "starknet")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"url": "http://signer.example"}, "url must begin with https://"),
        ({"key_id": ""}, "must have url, key_id and access_token"),
        ({"module": "/usr/lib/x.so"}, "must have url, key_id and access_token"),
        ({"access_token": TOKEN}, "String should match pattern"),
        ({"key_id": "../other"}, "String should match pattern"),
    ],
)
def test_a_signer_of_a_profile_is_checked(
    signer: RemoteSigner, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message) as raised:
        SignerProfile(**signer.fields() | changes)
    assert TOKEN not in str(raised.value)


def test_a_key_of_a_signer_that_the_profile_lacks_is_refused(tmp_path: Path) -> None:
    path = write_profile(tmp_path, {BASE: ["http://127.0.0.1:9"]})
    lines = [line for line in path.read_text().splitlines() if not line.startswith("key")]
    path.write_text("\n".join(lines) + '\nkey = "remote:kms"\n')
    with pytest.raises(
        ValueError, match=r"there is no \[signers.kms\] with the fields of a remote"
    ):
        read_profile(path, CATALOGUE)
    keyring = Keyring(ENVIRONMENT, watch_only=True)
    with pytest.raises(KeyMissing, match="this process opens no keys"):
        keyring.signer(load_family("evm").keys, "remote:kms", "")


def with_remote_signer(profile: Path, signer: RemoteSigner) -> Path:
    token = profile.with_name("token")
    token.write_text(TOKEN + "\n")
    fields = signer.fields() | {"access_token": f"file:{token}"}
    return with_signer(profile, "remote:kms", fields)


def test_a_payment_waits_for_its_signer_and_is_paid_once(
    tmp_path: Path, signer: RemoteSigner
) -> None:
    with ExitStack() as stack:
        anvils = {c: stack.enter_context(anvil.running(c)) for c in (BASE, ARBITRUM)}
        path = write_profile(tmp_path, {c: [a.url] for c, a in anvils.items()})
        world = LiveWorld(tmp_path, anvils, with_remote_signer(path, signer))
        stack.callback(world.close)
        intent = world.pay()
        world.step()
        world.deposit(intent)
        world.ends(intent, State.FUNDED)
        for fault in ("silent", "wrong_key", "error"):
            signer.fault = fault
            world.step(2)
            assert world.now(intent).state in (State.FUNDED, State.INITIATED)
            assert world.held(intent).recipient == 0
            assert any("Nothing can be signed on" in words for words in world.words())
        signer.fault = ""
        done = world.ends(intent, State.COMPLETED)
        world.settled(intent)
        assert world.held(done) == paid(done)
        kinds = {request["call"]["kind"] for request in signer.requests}
        assert kinds == {"START", "FILL", "REIMBURSE"}
        assert all(
            keccak256(bytes.fromhex(asked["transaction"])).hex() == asked["digest"]
            for asked in signer.requests
        )
