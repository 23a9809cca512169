"""A whole Crossway on two EVM chains of this machine: a profile, its engine, and plain wallets."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crossway.domain.intent import Intent
from tests.chains import anvil, service
from tests.chains.anvil import Anvil
from tests.chains.service import Held, RealWorld, profile_of

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
CHAINS = (BASE, ARBITRUM)


def write_profile(
    folder: Path,
    urls: Mapping[str, Sequence[str]],
    quorum: int = 1,
    fast: int = 1,
    poll_seconds: float = 0,
) -> Path:
    """A profile of EVM chains whose nodes have these URLs."""
    chains = [Anvil(chain, found[0]) for chain, found in urls.items()]
    return profile_of(folder, chains, urls, quorum, fast, poll_seconds)


def with_signer(profile: Path, key: str, fields: Mapping[str, Any]) -> Path:
    """The profile with every key at a signer outside, such as `remote:kms`, of these fields."""
    lines = [line for line in profile.read_text().splitlines() if not line.startswith("key")]
    text = "\n".join(lines).replace("quorum =", f'key = "{key}"\nquorum =')
    text += f"\n[signers.{key.partition(':')[2]}]\n"
    text += "\n".join(f"{name} = {value!r}".replace("'", '"') for name, value in fields.items())
    profile.write_text(text + "\n")
    return profile


class LiveWorld(RealWorld[Anvil]):
    """A service on two chains, whose engine and blocks a test moves on by hand."""

    def __init__(
        self,
        folder: Path,
        anvils: Mapping[str, Anvil],
        profile: Path | None = None,
        reached: Callable[[str], None] = lambda step: None,
    ) -> None:
        super().__init__(folder, anvils, profile, reached)
        self.anvils = anvils

    def pay(self, name: str = "one", source: str = BASE, to: str = ARBITRUM, **more: Any) -> Intent:
        """A new intent of 25 USDC."""
        return self.ask(name, source, to, **more)


def paid(intent: Intent, back: int = 0) -> Held:
    """What the terms say of a payment that worked, when all held nothing but the relayer."""
    return service.paid(intent, 2 * anvil.STOCK, back)


def given_back(units: int) -> Held:
    """What the terms say of a payment that was not started."""
    return Held(units, 0, 2 * anvil.STOCK, 0, 0, 0)


@contextmanager
def two_chains() -> Iterator[dict[str, Anvil]]:
    with anvil.running(BASE) as base, anvil.running(ARBITRUM) as arbitrum:
        yield {BASE: base, ARBITRUM: arbitrum}


def no_settings() -> None:
    """Nothing of this machine's environment says how a test's service is set up."""
    for name in [name for name in os.environ if name.startswith("CROSSWAY_")]:
        del os.environ[name]
