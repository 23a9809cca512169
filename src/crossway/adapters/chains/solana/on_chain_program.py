"""The built program, and the upgradeable loader's accounts on a cluster."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from solders.pubkey import Pubkey

from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.solana.accounts import fetch_accounts
from crossway.adapters.chains.solana.chain_context import ChainContext
from crossway.adapters.chains.solana.pdas import derive_address
from crossway.adapters.chains.solana.rpc_schemas import Account

LOADER = "BPFLoaderUpgradeab1e11111111111111111111111"
# Header sizes before the code: in the program data account, and in a buffer account.
HEAD, BUFFER_HEAD, PROGRAM_SIZE = 45, 37, 36
_PROGRAM, _CODE, _BUFFER = 2, 3, 1
_ADDRESS = 32


@cache
def built_code() -> bytes:
    """The built program's code."""
    return files(__package__).joinpath("artifacts", "intent.so").read_bytes()


@dataclass(frozen=True, slots=True)
class ProgramAccount:
    """The account at a program's address. `problem` is empty if it is the built program;
    `authority` may replace it, nobody if empty."""

    problem: str
    authority: str


def code_account(program: str) -> str:
    """The program data account of a program."""
    return derive_address(LOADER, bytes(Pubkey.from_string(program)))


def fetch_program(context: ChainContext, session: RpcSession) -> ProgramAccount:
    """Fetch the account at the program's address."""
    addresses = [context.program.id, code_account(context.program.id)]
    size = HEAD + 2 * len(built_code())
    program, code = fetch_accounts(context, session, addresses, 0, size)
    if program is None:
        return ProgramAccount("not deployed", "")
    pointing = _PROGRAM.to_bytes(4, "little") + bytes(Pubkey.from_string(addresses[1]))
    if program.owner != LOADER or program.data != pointing or code is None:
        return ProgramAccount(f"other code at {context.program.id}", "")
    return _check_code(code, context.program.id)


def _check_code(code: Account, program: str) -> ProgramAccount:
    if code.owner != LOADER or len(code.data) < HEAD or code.data[0] != _CODE:
        raise MalformedResponse("the node returns a program account in an unknown format")
    authority = _authority(code.data[12:HEAD])
    same = code.data[HEAD:].rstrip(b"\0") == built_code().rstrip(b"\0")
    return ProgramAccount("" if same else f"other code at {program}", authority)


def _authority(data: bytes) -> str:
    return str(Pubkey.from_bytes(data[1 : 1 + _ADDRESS])) if data[0] else ""


def buffer_content(account: Account | None, owner: str) -> bytes | None:
    """The code in a buffer account; None if this owner has no such account."""
    if account is None:
        return None
    is_buffer = account.owner == LOADER and account.data[:1] == bytes([_BUFFER])
    if not is_buffer or _authority(account.data[4:BUFFER_HEAD]) != owner:
        raise ValueError("the buffer account of the deployment is used for something else")
    return account.data[BUFFER_HEAD:]
