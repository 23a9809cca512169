"""The API keys of the first run, in a file that is shown once and kept for ten minutes."""

import json
import secrets
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from crossway.domain.clients import Mode
from crossway.settings import write_private

FILE: Final = "first_keys.json"
LIFE_SECONDS: Final = 600


def print_first_keys(data_dir: Path, keys: Mapping[Mode, str]) -> None:
    """Show the first API keys on the terminal, and once on the dashboard; never in a log."""
    if not keys:
        return
    path = data_dir / FILE
    path.unlink(missing_ok=True)
    write_private(path, json.dumps({mode.value: secret for mode, secret in keys.items()}).encode())
    minutes = LIFE_SECONDS // 60
    print(
        "\nWelcome to Crossway. Your first API keys; the dashboard shows them once as well, within "
        f"{minutes} minutes:"
    )
    for mode, secret in keys.items():
        print(f"  {mode:4}  {secret}" if sys.stdout.isatty() else f"  {mode:4}  in {path}")
    print("More keys: crossway keys create --client NAME --mode test\n", flush=True)
    expire_first_keys(data_dir)


def take_first_keys(data_dir: Path) -> Mapping[str, str]:
    """Read the file and remove it; a second caller gets nothing."""
    path = data_dir / FILE
    claimed_path = path.with_suffix(f".{secrets.token_hex(4)}")
    try:
        path.rename(claimed_path)
    except FileNotFoundError:
        return {}
    first_keys: dict[str, str] = json.loads(claimed_path.read_bytes())
    claimed_path.unlink()
    return first_keys


def expire_first_keys(data_dir: Path) -> None:
    """Remove the file once it is ten minutes old: now, or by a timer."""
    path = data_dir / FILE
    try:
        seconds_left = path.stat().st_mtime + LIFE_SECONDS - time.time()
    except FileNotFoundError:
        return
    if seconds_left <= 0:
        path.unlink(missing_ok=True)
        return
    # The file may be another one by then.
    timer = threading.Timer(seconds_left, expire_first_keys, (data_dir,))
    timer.daemon = True
    timer.start()
