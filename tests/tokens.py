"""A PKCS#11 token in software, with a key pair for each curve."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

PIN, LABEL = "1234", "crossway"
LIBRARIES = ("/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so")
SECP256K1, ED25519 = "1.3.132.0.10", b"\x13\x0cedwards25519"


@dataclass
class Token:
    """A token whose files can be taken away, as if it were unplugged."""

    module: str
    folder: Path

    def fields(self, key_label: str) -> dict[str, Any]:
        """What a profile says of one of its keys."""
        return {
            "module": self.module,
            "token": LABEL,
            "key_label": key_label,
            "pin": "env:TOKEN_PIN",
        }

    @contextmanager
    def unplugged(self) -> Iterator[None]:
        away = self.folder.with_name("away")
        self.folder.rename(away)
        try:
            yield
        finally:
            away.rename(self.folder)


def bring_in(held: Token, label: str, secret: bytes) -> None:
    """Bring a key on secp256k1 into a token, as one that was made elsewhere."""
    import pkcs11
    from pkcs11.util.ec import decode_ec_private_key, decode_ec_public_key

    key = ec.derive_private_key(int.from_bytes(secret, "big"), ec.SECP256K1())
    public, private, plain = (
        serialization.PublicFormat.SubjectPublicKeyInfo,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    der = serialization.Encoding.DER
    found = (
        decode_ec_public_key(key.public_key().public_bytes(der, public)),
        decode_ec_private_key(key.private_bytes(der, private, plain)),
    )
    token = pkcs11.lib(held.module).get_token(token_label=LABEL)
    with token.open(user_pin=PIN, rw=True) as session:
        for attributes in found:
            kept = {pkcs11.Attribute.LABEL: label, pkcs11.Attribute.TOKEN: True}
            session.create_object(attributes | kept)


def new_token(folder: Path) -> Token:
    """A token with the keys `relayer` on secp256k1 and `solana` of Ed25519, made inside it."""
    module = next((path for path in LIBRARIES if Path(path).exists()), None)
    if module is None:
        pytest.skip("softhsm2 is not installed: run scripts/system_packages.sh")
    pkcs11 = pytest.importorskip("pkcs11", reason="python-pkcs11 is not installed")
    tokens, settings = folder / "tokens", folder / "softhsm2.conf"
    tokens.mkdir()
    settings.write_text(f"directories.tokendir = {tokens}\nobjectstore.backend = file\n")
    # The library reads it once, when this process begins to use it.
    os.environ["SOFTHSM2_CONF"] = str(settings)
    command = ["softhsm2-util", "--init-token", "--free", "--label", LABEL]
    pins = ["--pin", PIN, "--so-pin", "56789"]
    subprocess.run([*command, *pins], check=True, capture_output=True)
    from pkcs11.util.ec import encode_named_curve_parameters

    types, attribute = pkcs11.KeyType, pkcs11.Attribute
    token = pkcs11.lib(module).get_token(token_label=LABEL)
    with token.open(user_pin=PIN, rw=True) as session:
        for label, kind, curve, mechanism in (
            ("relayer", types.EC, encode_named_curve_parameters(SECP256K1), None),
            ("solana", types.EC_EDWARDS, ED25519, pkcs11.Mechanism.EC_EDWARDS_KEY_PAIR_GEN),
        ):
            domain = session.create_domain_parameters(
                kind, {attribute.EC_PARAMS: curve}, local=True
            )
            _, private = domain.generate_keypair(mechanism=mechanism, store=True, label=label)
            assert private[attribute.EXTRACTABLE] is False
    return Token(module, tokens)
