"""A key in a PKCS#11 token: a hardware module, or a smart card."""

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

import pkcs11
from pkcs11 import Attribute, KeyType, Mechanism, ObjectClass

from crossway.adapters.chains.signers.external_key import Curve
from crossway.domain.errors import Unreachable
from crossway.ports.signing import SigningRequest

T = TypeVar("T")
_KEY_TYPES = {"secp256k1": KeyType.EC, "ed25519": KeyType.EC_EDWARDS}
_MECHANISMS = {"secp256k1": Mechanism.ECDSA, "ed25519": Mechanism.EDDSA}
# A DER octet string around a point; that of secp256k1 begins with 04 for "uncompressed".
_POINT_PREFIXES = {"secp256k1": bytes.fromhex("044104"), "ed25519": bytes.fromhex("0420")}
_POINT_BYTES = {"secp256k1": 64, "ed25519": 32}
# A token takes one operation at a time, and initialising the module ends every session of it.
_LOCK = Lock()


class TokenKey:
    """One key of a token. Its session is opened anew after the token was away."""

    def __init__(
        self, name: str, module: str, token: str, label: str, curve: Curve, pin: str
    ) -> None:
        """`module` is the path of the token's library, `token` and `label` are those of the token
        and of the key pair in it."""
        self.name = f"signer {name}"
        self._module, self._token, self._label, self._pin = module, token, label, pin
        self._curve, self._session = curve, None

    def public_key(self) -> bytes:
        def read(session: Any) -> bytes:
            return bytes(self._find(session, ObjectClass.PUBLIC_KEY)[Attribute.EC_POINT])

        point, prefix = self._run(read), _POINT_PREFIXES[self._curve]
        value = point.removeprefix(prefix)
        if len(value) != _POINT_BYTES[self._curve]:
            raise Unreachable(f"{self.name} has no public key on {self._curve}")
        return value

    def sign(self, payload: bytes, request: SigningRequest) -> bytes:
        def sign(session: Any) -> bytes:
            key = self._find(session, ObjectClass.PRIVATE_KEY)
            return bytes(key.sign(payload, mechanism=_MECHANISMS[self._curve]))

        return self._run(sign)

    def _find(self, session: Any, kind: ObjectClass) -> Any:
        return session.get_key(kind, _KEY_TYPES[self._curve], label=self._label)

    def _run(self, work: Callable[[Any], T]) -> T:
        """The result of work in the token's session, or in a new one where that has ended."""
        with _LOCK:
            if self._session is not None:
                try:
                    return work(self._session)
                except pkcs11.PKCS11Error:
                    self._session = None
            try:
                self._session = self._open()
                return work(self._session)
            except (pkcs11.PKCS11Error, OSError, RuntimeError) as error:
                self._session = None
                # The name of the error says what is wrong; its text may be anything.
                raise Unreachable(f"{self.name}: {type(error).__name__}") from None

    def _open(self) -> Any:
        library = pkcs11.lib(self._module)
        try:
            return library.get_token(token_label=self._token).open(user_pin=self._pin)
        except pkcs11.PKCS11Error:
            # A module notices a token that was put back only when it begins anew.
            library.reinitialize()
            return library.get_token(token_label=self._token).open(user_pin=self._pin)
