"""The committed program is what its sources compile to, and speaks of Solana's own names."""

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from types import ModuleType

import base58
import pytest

from crossway.adapters.chains.intent_hash import chain_word
from crossway.catalogue import load_catalogue
from tests.processes import ROOT

SOURCES = ROOT / "contracts" / "solana"
ARTIFACTS = files("crossway.adapters.chains.solana").joinpath("artifacts")
BUILT = json.loads(ARTIFACTS.joinpath("build.json").read_bytes())
PROGRAM = ARTIFACTS.joinpath("intent.so").read_bytes()


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"solana_{name}", SOURCES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


def needed() -> None:
    if shutil.which("clang-19") is None:
        pytest.skip("clang-19 is not installed: run scripts/system_packages.sh")


def test_the_sources_are_those_that_were_built() -> None:
    found = [*sorted((SOURCES / "src").iterdir()), SOURCES / "link.py"]
    told = {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in found}
    assert told == BUILT["sources"]
    assert hashlib.sha256(PROGRAM).hexdigest() == BUILT["sha256"]


def test_the_program_is_what_the_sources_compile_to() -> None:
    needed()
    done = subprocess.run(
        [sys.executable, str(SOURCES / "build.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_chain_words_and_programs_are_those_of_the_catalogue() -> None:
    text = (SOURCES / "src" / "chains.h").read_text()
    words = {
        name: bytes(int(one, 16) for one in re.findall(r"0x(\w\w)", body))
        for name, body in re.findall(r"(\w+)\[WORD\] = \{(.*?)\}", text, re.DOTALL)
    }
    chains = load_catalogue().chains
    assert words == {
        "MAINNET": chain_word(chains["SOLANA_MAINNET"]),
        "DEVNET": chain_word(chains["SOLANA_TESTNET"]),
        "SYSTEM": bytes(32),
        "TOKEN": base58.b58decode("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
        "TOKEN_2022": base58.b58decode("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"),
        "ASSOCIATED": base58.b58decode("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"),
    }


def test_the_linker_refuses_unsupported_objects(tmp_path: object) -> None:
    needed()
    link = module("link")
    for source, why in (
        (
            "int number; unsigned long long entrypoint(void *a) { return number += a != 0; }",
            "write",
        ),
        (
            'static const char *const names[] = {"a", "b"};'
            "unsigned long long entrypoint(unsigned char *a) { return *names[*a]; }",
            "constants",
        ),
    ):
        done = subprocess.run(
            ["clang-19", "-target", "bpf", "-mcpu=v2", "-O1", "-ffreestanding", "-x", "c", "-c",
             "-", "-o", f"{tmp_path}/one.o"],
            input=source.encode(), check=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0
        with (
            open(f"{tmp_path}/one.o", "rb") as made,
            pytest.raises(link.UnsupportedObject, match=why),
        ):
            link.link(made.read())
