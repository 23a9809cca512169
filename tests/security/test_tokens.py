"""Keys in a PKCS#11 token: they sign for every family that its curves allow, and never leave it."""

from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from solders.pubkey import Pubkey
from solders.signature import Signature

from crossway.adapters.chain_families import load_family
from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.signer_profile import SignerProfile
from crossway.adapters.chains.tron.address_format import to_base58
from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from crossway.ports.signing import SigningRequest
from tests.chains import anvil
from tests.chains.anvil import RELAYER_KEY
from tests.chains.live import ARBITRUM, BASE, LiveWorld, paid, with_signer, write_profile
from tests.tokens import PIN, Token, bring_in, new_token

REQUEST = SigningRequest(b"a transaction")
DIGEST = keccak256(b"a transaction")
HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0


@pytest.fixture(scope="module")
def token(tmp_path_factory: pytest.TempPathFactory) -> Token:
    return new_token(tmp_path_factory.mktemp("token"))


def opened(held: Token, family: str, label: str, pin: str = PIN, **changes: Any) -> Any:
    profile = SignerProfile(**held.fields(label) | changes)
    keyring = Keyring({"TOKEN_PIN": pin}, signers={"hsm": profile})
    return keyring.signer_for("chains.X.key", load_family(family).keys, "pkcs11:hsm")


def test_a_token_signs_for_an_evm_chain(token: Token) -> None:
    signer = opened(token, "evm", "relayer")
    # The token chooses another number each time: signatures differ, and each is valid.
    signatures = {signer.sign(DIGEST, REQUEST) for _ in range(8)}
    for parity, r, s in signatures:
        assert s <= HALF_ORDER
        assert Account._recover_hash(DIGEST, vrs=(27 + parity, r, s)) == signer.address
    assert len(signatures) == 8


def test_a_token_signs_for_tron(token: Token) -> None:
    evm, tron = opened(token, "evm", "relayer"), opened(token, "tron", "relayer")
    assert tron.address == to_base58(evm.address)
    digest = sha256(b"a transaction").digest()
    parity, r, s = tron.sign(digest, REQUEST)
    assert Account._recover_hash(digest, vrs=(27 + parity, r, s)) == evm.address


def test_a_token_signs_for_solana(token: Token) -> None:
    signer = opened(token, "solana", "solana")
    signature = Signature.from_bytes(signer.sign(b"a message", REQUEST))
    assert signature.verify(Pubkey.from_string(signer.address), b"a message")


def test_a_token_that_was_away_signs_again(token: Token) -> None:
    signer, other = opened(token, "evm", "relayer"), opened(token, "solana", "solana")
    assert signer.sign(DIGEST, REQUEST)
    with token.unplugged(), pytest.raises(Unreachable, match="signer hsm: "):
        signer.sign(DIGEST, REQUEST)
    assert signer.sign(DIGEST, REQUEST)
    assert other.sign(b"a message", REQUEST)


@pytest.mark.parametrize(
    ("label", "changes", "message"),
    [
        ("relayer", {"pin": "9999"}, "signer hsm: PinIncorrect"),
        ("nobody", {}, "signer hsm: NoSuchKey"),
        ("solana", {}, "signer hsm: NoSuchKey"),
        ("relayer", {"token": "another"}, "signer hsm: NoSuchToken"),
        ("relayer", {"module": "/nowhere.so"}, "signer hsm: "),
    ],
)
def test_what_is_wrong_with_a_token_is_said_without_its_pin(
    token: Token, label: str, changes: dict[str, str], message: str
) -> None:
    pin = changes.pop("pin", PIN)
    with pytest.raises(ValueError, match=message) as raised:
        opened(token, "evm", label, pin, **changes)
    assert pin not in str(raised.value)


def test_a_pin_is_never_in_a_profile(token: Token) -> None:
    with pytest.raises(ValueError, match="String should match pattern"):
        SignerProfile(**token.fields("relayer") | {"pin": PIN})


def test_a_public_key_alone_signs_nothing(token: Token, tmp_path: Path) -> None:
    """The watch-only profile of another process: no token is opened."""
    profile = SignerProfile(**token.fields("relayer") | {"module": str(tmp_path / "none.so")})
    keyring = Keyring({}, watch_only=True, signers={"hsm": profile})
    with pytest.raises(ValueError, match="this process opens no keys"):
        keyring.signer_for("chains.X.key", load_family("evm").keys, "pkcs11:hsm")


def test_a_payment_is_signed_by_a_token(tmp_path: Path, token: Token) -> None:
    bring_in(token, "payments", bytes.fromhex(RELAYER_KEY[2:]))
    with ExitStack() as stack:
        anvils = {c: stack.enter_context(anvil.running(c)) for c in (BASE, ARBITRUM)}
        path = write_profile(tmp_path, {c: [a.url] for c, a in anvils.items()})
        pin = tmp_path / "pin"
        pin.write_text(PIN)
        fields = token.fields("payments") | {"pin": f"file:{pin}"}
        world = LiveWorld(tmp_path, anvils, with_signer(path, "pkcs11:hsm", fields))
        stack.callback(world.close)
        intent = world.pay()
        world.step()
        world.deposit(intent)
        done = world.ends(intent, State.COMPLETED)
        world.settled(intent)
        assert world.held(done) == paid(done)
