"""What the settings say about signing in: the dashboard's password, identity providers, and how the
first admin is added over the network."""

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crossway.ports.services import Services
from crossway.settings import Settings
from crossway.startup_checks import SetupError
from crossway.usecases.staff.first_admin import get_setup_token, needs_first_admin

if TYPE_CHECKING:
    from crossway.sign_in.providers import Providers

_PROVIDERS_FILE: Final = Path(".streamlit/secrets.toml")


def dashboard_password() -> str:
    """The dashboard's password; empty if none is set."""
    password = Settings().dashboard_password
    return password.get_secret_value() if password else ""


def identity_providers() -> "Providers":
    """The OpenID providers of the operator's file, none without one. Raises `SetupError`."""
    return _load_providers(Settings().oidc_file or _PROVIDERS_FILE)


def check_identity_providers() -> None:
    """Raise `SetupError` if the file of the OpenID providers cannot be used."""
    if (Settings().oidc_file or _PROVIDERS_FILE).exists():
        identity_providers()


def print_setup_token(services: Services, settings: Settings) -> None:
    """Say how the first admin is added from another machine, where one can reach this dashboard
    and nobody is staff yet. The token is for the terminal, never for a log."""
    is_reachable = not settings.is_local or bool(settings.public_url)
    if not (is_reachable or services.environment == "live"):
        return
    if not needs_first_admin(services, settings.dashboard_password is not None):
        return
    place = f"{settings.public_url or settings.local_url}/sign-in"
    token = get_setup_token(services)
    how = token if sys.stdout.isatty() else "shown by `crossway people setup-token`"
    print(f"Nobody is staff yet: add the first admin at {place}, one-time token {how}", flush=True)


@cache
def _load_providers(path: Path) -> "Providers":
    # Imported here: a start without providers is faster.
    from crossway.sign_in.providers import InvalidProviders, Providers

    try:
        return Providers.load(path)
    except InvalidProviders as error:
        raise SetupError(f"{path}: {error}") from error
