"""The committed classes of Starknet are what their sources compile to."""

import json
from importlib.resources import files

from crossway.adapters.chains.starknet.contracts import (
    REDIRECT_SECONDS,
    class_hash,
    default_deployment,
)
from crossway.adapters.chains.starknet.felts import to_hex
from tests.chains.starknet.environment import needed, toolchain
from tests.processes import ROOT

SOURCES = ROOT / "contracts" / "starknet"
ARTIFACTS = files("crossway.adapters.chains.starknet").joinpath("artifacts")
BUILT = json.loads(ARTIFACTS.joinpath("build.json").read_bytes())


def test_the_sources_are_those_that_were_built() -> None:
    assert toolchain().sources(SOURCES) == BUILT["sources"]
    factory = (SOURCES / "src" / "intent_factory.cairo").read_text()
    assert f"const REDIRECT_DELAY: u256 = {REDIRECT_SECONDS};" in factory


def test_the_addresses_follow_from_the_classes_that_are_committed() -> None:
    for name, known in BUILT["classes"].items():
        kept = json.loads(ARTIFACTS.joinpath(f"{name}.sierra.json").read_bytes())
        assert toolchain().class_hash(kept) == known
        assert class_hash(name) == to_hex(int(known, 16))
    told = (SOURCES / "README.md").read_text()
    at = default_deployment()
    for address in (at.factory, at.escrow, at.filler, at.deposit_class):
        assert address in told, f"contracts/starknet/README.md does not tell {address}"


def test_the_artifacts_are_what_the_sources_compile_to() -> None:
    needed()
    for name, text in toolchain().artifacts().items():
        assert ARTIFACTS.joinpath(name).read_text() == text, f"{name}: run build.py"
