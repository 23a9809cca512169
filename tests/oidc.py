"""A small OpenID provider on this machine, which authenticates the user set by the test."""

import base64
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _number(value: int) -> str:
    return _text(value.to_bytes((value.bit_length() + 7) // 8, "big"))


@dataclass
class OidcProvider:
    """The provider's signed-in user and claims."""

    url: str = ""
    email: str = "ada@example.com"
    verified: bool = True
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))
    codes: dict[str, str] = field(default_factory=dict)

    def discovery_document(self) -> dict[str, Any]:
        """Its discovery document."""
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "end_session_endpoint": f"{self.url}/end",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def key_set(self) -> dict[str, Any]:
        numbers = self.key.public_key().public_numbers()
        key = {"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256"}
        return {"keys": [key | {"n": _number(numbers.n), "e": _number(numbers.e)}]}

    def authorize_redirect(self, asked: dict[str, str]) -> str:
        """The redirect back to the site, without any sign-in form."""
        code = secrets.token_hex(16)
        self.codes[code] = asked.get("nonce", "")
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, code: str) -> dict[str, Any]:
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": "crossway", "sub": self.email, "iat": now, "exp": now + 300,
            "nonce": self.codes.pop(code), "email": self.email, "email_verified": self.verified,
        }  # fmt: skip
        parts = [{"alg": "RS256", "kid": "1", "typ": "JWT"}, claims]
        signed = ".".join(_text(json.dumps(part).encode()) for part in parts)
        signature = self.key.sign(signed.encode(), padding.PKCS1v15(), SHA256())
        response = {
            "access_token": secrets.token_hex(16),
            "token_type": "Bearer",
            "expires_in": 300,
        }
        return response | {"id_token": f"{signed}.{_text(signature)}"}


@contextmanager
def oidc_provider() -> Iterator[OidcProvider]:
    """A provider that runs during the block."""
    provider = OidcProvider()

    def end(params: dict[str, str]) -> str:
        return params["post_logout_redirect_uri"]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            params = {name: values[0] for name, values in parse_qs(parts.query).items()}
            if parts.path in ("/authorize", "/end"):
                self.send_response(302)
                asked = provider.authorize_redirect
                back = asked(params) if parts.path == "/authorize" else end(params)
                self.send_header("Location", back)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self._say(
                provider.key_set() if parts.path == "/keys" else provider.discovery_document()
            )

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._say(provider.token(parse_qs(body)["code"][0]))

        def _say(self, body: dict[str, Any]) -> None:
            raw = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()


def secrets_file(provider: OidcProvider, site: str) -> str:
    """The Streamlit secrets file that configures the provider."""
    return "\n".join(
        [
            "[auth]",
            f'redirect_uri = "{site}/oauth2callback"',
            f'cookie_secret = "{secrets.token_hex(32)}"',
            'client_id = "crossway"',
            'client_secret = "not a secret"',
            f'server_metadata_url = "{provider.url}/.well-known/openid-configuration"',
        ]
    )
