"""Packages of npm that tests compare with: fetched without their dependencies, never committed."""

import base64
import hashlib
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path

import pytest

from tests.processes import ROOT

FETCHED = ROOT / "build" / "npm"
FETCH_SECONDS = 60

# Name, version, and the hash by which the registry lists the archive.
ACROSS_CONTRACTS = (
    "@across-protocol/contracts",
    "5.0.27",
    "sha512-zp6BEBTDzRGEp7sNvvdRH4jBF2EuTI4RqFWVvhfkO28630Ow2hbCYeYiyTOjEOzAdqt+dn/sba9D9WirfwabWQ==",
)
ACROSS_CONSTANTS = (
    "@across-protocol/constants",
    "3.1.127",
    "sha512-gTmLS6BBY0tdqptd0n+019lRNlt318H4g0gOog06+84NkJSi6uZlRha3BxYUyyFFwVdqsw/pujQVd/s9nbiVfQ==",
)
CIRCLE_BRIDGE_KIT = (
    "@circle-fin/bridge-kit",
    "1.15.1",
    "sha512-CnMoBmZJL4NXYDZ11uHxdQJ+9/h9JQSJPOXmFw0EJRn45m0NqWJFWJgyOH+1Kmt8csDOcBgNLWii4WSn3wS4qA==",
)
CIRCLE_CCTP_PROVIDER = (
    "@circle-fin/provider-cctp-v2",
    "1.14.0",
    "sha512-AX4fQueRft5TfS6XnYjPkHa6El+Dyf7Q2SyifLC6sfOT1kh2FdMvPKc4cWMdn5cBVQczDXlgXiP+PlOSrpK2qw==",
)
UNISWAP_CORE = (
    "@uniswap/v3-core",
    "1.0.1",
    "sha512-7pVk4hEm00j9tc71Y9+ssYpO6ytkeI0y7WE9P6UcmNzhxPePwyAxImuhVsTqWK9YFvzgtvzJHi64pBl4jUzKMQ==",
)
UNISWAP_PERIPHERY = (
    "@uniswap/v3-periphery",
    "1.4.4",
    "sha512-S4+m+wh8HbWSO3DKk4LwUCPZJTpCugIsHrWR86m/OrUyvSqGDTXKFfc2sMuGXCZrD1ZqO3rhQsKgdWg3Hbb2Kw==",
)
UNISWAP_SDK = (
    "@uniswap/sdk-core",
    "7.19.4",
    "sha512-jV9qVMMD6qvEATgfFnZ3QgrhIMv5lullzeGPWjyC4+sUctatft+1M+OtAZxxjbFm8NQfJA73hqIeFPOg4cUyoA==",
)


def npm_package(name: str, version: str, sha512: str) -> Path:
    """The folder of an unpacked package of npm, as `npm_package(*ACROSS_CONTRACTS)`. Skips the test
    where the registry does not answer; fails where the archive has another hash."""
    fetched = _fetch(name, version, sha512)
    if isinstance(fetched, str):
        pytest.skip(fetched)
    return fetched


@cache
def _fetch(name: str, version: str, sha512: str) -> Path | str:
    """The folder, or why there is none: one test waits for a silent registry, not each."""
    folder = FETCHED / f"{name.replace('@', '').replace('/', '-')}-{version}"
    if folder.exists():
        return folder
    FETCHED.mkdir(parents=True, exist_ok=True)
    # Several processes fetch at a time: each unpacks apart, and the first one's folder stays.
    with tempfile.TemporaryDirectory(dir=FETCHED) as scratch:
        # Without dependencies and scripts: only the files are read.
        command = ["npm", "pack", "--silent", "--ignore-scripts", f"{name}@{version}"]
        try:
            subprocess.run(
                command, cwd=scratch, check=True, capture_output=True, timeout=FETCH_SECONDS
            )
        except (OSError, subprocess.SubprocessError) as error:
            return f"npm cannot fetch {name} {version}: {type(error).__name__}"
        (archive,) = Path(scratch).glob("*.tgz")
        digest = hashlib.sha512(archive.read_bytes()).digest()
        found = f"sha512-{base64.b64encode(digest).decode()}"
        assert found == sha512, f"{name} {version} has another hash: {found}"
        with tarfile.open(archive) as packed:
            packed.extractall(scratch, filter="data")
        try:
            (Path(scratch) / "package").rename(folder)
        except OSError:
            assert folder.exists()
    return folder
