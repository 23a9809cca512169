"""Single sign-on: the OpenID providers of the operator's file, asked through Authlib."""

import logging
import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from authlib.integrations.starlette_client import OAuth  # type: ignore[import-untyped]
from starlette.requests import Request
from starlette.responses import Response

from crossway.domain.errors import Unauthorized

DEFAULT: Final = "default"
_SCOPE: Final = "openid email profile"
# What the browser's cookie remembers: which provider was asked, and whether it must ask in turn.
_PROVIDER, _AGAIN = "provider", "again"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,60}\Z")
_REQUIRED: Final = ("client_id", "client_secret", "server_metadata_url")
_LOG: Final = logging.getLogger(__name__)


class InvalidProviders(ValueError):
    """The file of the providers cannot be used; the message says what it lacks."""


class Providers:
    """The providers by name; none without a file."""

    def __init__(self, auth: Mapping[str, Any]) -> None:
        """`auth` is the section of that name. Raises `InvalidProviders`."""
        sections = {
            name: dict(section)
            for name, section in auth.items()
            if isinstance(section, Mapping) and name != "client_kwargs"
        }
        if auth and not sections:
            keys = (*_REQUIRED, "client_kwargs")
            sections = {DEFAULT: {key: auth[key] for key in keys if key in auth}}
        self._sections, self._auth = sections, auth
        for name, section in sections.items():
            if not _NAME.match(name):
                raise InvalidProviders(f"auth.{name}: a name has letters, digits, _ and - only")
            if missing := [key for key in _REQUIRED if not section.get(key)]:
                raise InvalidProviders(f"auth.{name} has no {missing[0]}")
        for key in ("redirect_uri", "cookie_secret") if sections else ():
            if not auth.get(key):
                raise InvalidProviders(f"auth has no {key}")

    @staticmethod
    def load(path: Path) -> "Providers":
        """The providers of a TOML file, none where there is no file. Raises `InvalidProviders`."""
        try:
            content = tomllib.loads(path.read_text())
        except FileNotFoundError:
            return Providers({})
        except (OSError, ValueError) as error:
            raise InvalidProviders(str(error)) from error
        section = content.get("auth", {})
        return Providers(section if isinstance(section, Mapping) else {})

    @property
    def labels(self) -> dict[str, str]:
        """What each provider is called, by name."""
        return {
            name: self._host(section) if name == DEFAULT else name.replace("_", " ").title()
            for name, section in self._sections.items()
        }

    @property
    def cookie_secret(self) -> str:
        """Signs the cookie that remembers what a provider was asked; empty without providers."""
        return str(self._auth.get("cookie_secret", "")) if self._sections else ""

    @property
    def is_encrypted(self) -> bool:
        """Whether providers send the browser back over TLS."""
        return self._redirect_uri.startswith("https:")

    async def ask(self, request: Request, name: str) -> Response:
        """Send the browser to a provider. Raises `Unauthorized` where it does not answer."""
        # Who has to prove again that it is them is asked for more than the provider's own cookie.
        prompt = {"prompt": "login"} if request.session.pop(_AGAIN, False) else {}
        client = self._client(name)
        try:
            answer: Response = await client.authorize_redirect(
                request, self._redirect_uri, **prompt
            )
        except Exception as error:
            _warn(name, error)
            raise Unauthorized("Your identity provider does not answer: try again") from error
        request.session[_PROVIDER] = name
        return answer

    async def read_claims(self, request: Request) -> Mapping[str, object]:
        """The claims of the identity token with which a provider sent the browser back. Raises
        `Unauthorized` where it did not confirm anybody, or answers another question."""
        name = str(request.session.get(_PROVIDER, ""))
        client = self._client(name)
        try:
            token = await client.authorize_access_token(request)
        except Exception as error:
            _warn(name, error)
            raise Unauthorized("Your identity provider did not sign you in: try again") from error
        return dict(token.get("userinfo") or {})

    def ask_for_proof(self, request: Request) -> None:
        """Have the provider that this browser asks next identify the person anew."""
        request.session[_AGAIN] = True

    async def sign_out_url(self, request: Request) -> str:
        """Where the browser ends its session at the provider, which sends it back afterwards; empty
        where it signed in otherwise, or the provider offers none or does not answer."""
        name = request.session.pop(_PROVIDER, "")
        if name not in self._sections:
            return ""
        site = urlsplit(self._redirect_uri)
        client = self._client(name)
        try:
            asked = await client.create_logout_url(
                f"{site.scheme}://{site.netloc}", client_id=client.client_id
            )
        except Exception as error:
            _warn(name, error)
            return ""
        return str(asked["url"])

    @property
    def _redirect_uri(self) -> str:
        return str(self._auth.get("redirect_uri", ""))

    @cached_property
    def _oauth(self) -> Any:
        oauth = OAuth()
        for name, section in self._sections.items():
            wanted = {"scope": _SCOPE, "code_challenge_method": "S256", "prompt": "select_account"}
            kwargs = wanted | dict(section.get("client_kwargs", {}))
            oauth.register(name, **section | {"client_kwargs": kwargs})
        return oauth

    def _client(self, name: str) -> Any:
        """The client of a provider. Raises `Unauthorized` for an unknown one."""
        if name not in self._sections:
            raise Unauthorized("Begin again: nobody asked this identity provider")
        return self._oauth.create_client(name)

    @staticmethod
    def _host(section: Mapping[str, Any]) -> str:
        return urlsplit(str(section["server_metadata_url"])).hostname or "your account"


def _warn(name: str, error: Exception) -> None:
    """Log what went wrong between a provider and Authlib, which raises what its parts raise: no
    answer, a wrong one, one of another question, a signature that does not match."""
    _LOG.warning("Identity provider %s: %s", name, f"{type(error).__name__}: {error}"[:300])
