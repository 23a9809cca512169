"""The program as it was built, and how the upgradeable loader keeps programs on a cluster."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from solders.pubkey import Pubkey

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.solana.accounts import read_accounts
from crossway.adapters.chains.solana.ground import Ground
from crossway.adapters.chains.solana.places import derived
from crossway.adapters.chains.solana.wire import Account, Malformed

LOADER = "BPFLoaderUpgradeab1e11111111111111111111111"
# What comes before the code: in the account of the code, and in one that it is gathered in.
HEAD, BUFFER_HEAD, PROGRAM_SIZE = 45, 37, 36
_PROGRAM, _CODE, _BUFFER = 2, 3, 1
_ADDRESS = 32


@cache
def built() -> bytes:
    """The program as it was built."""
    return files(__package__).joinpath("artifacts", "intent.so").read_bytes()


@dataclass(frozen=True, slots=True)
class Lying:
    """What lies at a program's address: `trouble` in words, empty where it is the built program;
    `authority` may still replace it, nobody where that is empty."""

    trouble: str
    authority: str


def code_account(program: str) -> str:
    """Where the loader keeps the code of a program."""
    return derived(LOADER, bytes(Pubkey.from_string(program)))


def lying(ground: Ground, line: Line) -> Lying:
    """What lies where the program must be."""
    places = [ground.program.id, code_account(ground.program.id)]
    size = HEAD + 2 * len(built())
    program, code = read_accounts(ground, line, places, 0, size)
    if program is None:
        return Lying("not deployed", "")
    pointing = _PROGRAM.to_bytes(4, "little") + bytes(Pubkey.from_string(places[1]))
    if program.owner != LOADER or program.data != pointing or code is None:
        return Lying(f"other code at {ground.program.id}", "")
    return _looked_into(code, ground.program.id)


def _looked_into(code: Account, program: str) -> Lying:
    if code.owner != LOADER or len(code.data) < HEAD or code.data[0] != _CODE:
        raise Malformed("the node shows a program in a form that is not the loader's")
    authority = _authority(code.data[12:HEAD])
    same = code.data[HEAD:].rstrip(b"\0") == built().rstrip(b"\0")
    return Lying("" if same else f"other code at {program}", authority)


def _authority(data: bytes) -> str:
    return str(Pubkey.from_bytes(data[1 : 1 + _ADDRESS])) if data[0] else ""


def gathered(one: Account | None, owner: str) -> bytes | None:
    """The code in an account that it is gathered in; None where there is none of this owner."""
    if one is None:
        return None
    right = one.owner == LOADER and one.data[:1] == bytes([_BUFFER])
    if not right or _authority(one.data[4:BUFFER_HEAD]) != owner:
        raise ValueError("the account in which the code is gathered is used for something else")
    return one.data[BUFFER_HEAD:]
