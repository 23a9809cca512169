"""Reading many accounts at once: what wallets hold of a token, and what the program has noted."""

from collections.abc import Collection, Sequence
from functools import partial

from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.solana.ground import CONFIRMED, Ground
from crossway.adapters.chains.solana.places import TOKEN, TOKEN_2022, is_native
from crossway.adapters.chains.solana.wire import Account, Malformed, account, in_context, rows

# Of a token account: where its units are.
AMOUNT_AT, AMOUNT_SIZE = 64, 8


def ask_accounts(addresses: Sequence[str], offset: int = 0, length: int = 0) -> Question:
    """Ask for accounts with a part of their data; each node takes 100 at once."""
    asked = {
        "encoding": "base64",
        "commitment": CONFIRMED,
        "dataSlice": {"offset": offset, "length": length},
    }
    return Question("getMultipleAccounts", (list(addresses), asked))


def read_accounts(
    ground: Ground,
    line: Line,
    addresses: Sequence[str],
    offset: int = 0,
    length: int = 0,
) -> list[Account | None]:
    """The accounts in the order asked for."""
    return read_at(ground, line, addresses, offset, length)[1]


def read_at(
    ground: Ground, line: Line, addresses: Sequence[str], offset: int, length: int
) -> tuple[int, list[Account | None]]:
    """As `read_accounts`, with the oldest slot for which the node answered; 0 without addresses."""
    size = ground.traits.accounts
    parts = [addresses[at : at + size] for at in range(0, len(addresses), size)]
    found: list[Account | None] = []
    slots: list[int] = []
    answers = line.ask(*(ask_accounts(part, offset, length) for part in parts))
    for part, answer in zip(parts, answers, strict=True):
        slot, value = in_context(answer, "accounts")
        listed = rows(value, "accounts")
        if len(listed) != len(part):
            raise Malformed("the node answered other accounts than were asked for")
        slots.append(slot)
        found += [account(one) for one in listed]
    return min(slots, default=0), found


def units_in(one: Account | None, native: bool) -> int:
    """What lies there: lamports, or units of the token of a token account."""
    if one is None:
        return 0
    if native:
        return one.lamports
    if one.owner not in (TOKEN, TOKEN_2022) or len(one.data) != AMOUNT_SIZE:
        return 0
    return int.from_bytes(one.data, "little")


def held(ground: Ground, line: Line, wallets: Sequence[str], token: str) -> dict[str, int]:
    """Units of a token that each wallet holds, in its associated token account."""
    native = is_native(token)
    places = [ground.mints.account_of(one, token) for one in wallets]
    there = read_accounts(ground, line, places, AMOUNT_AT, AMOUNT_SIZE)
    return {w: units_in(a, native) for w, a in zip(wallets, there, strict=True)}


def used(ground: Ground, markers: Collection[str]) -> set[str]:
    """Those of the markers that the program has noted, as every node says that must agree."""
    return agreement.used(ground.nodes, markers, partial(_used, ground))


def _used(ground: Ground, line: Line, markers: Sequence[str]) -> set[str]:
    places = [_place(ground, one) for one in markers]
    there = read_accounts(ground, line, places, 0, 2)
    return {m for m, a in zip(markers, there, strict=True) if _says(m, a, ground.program.id)}


def _place(ground: Ground, marker: str) -> str:
    kind, _, key = marker.partition(":")
    at = bytes.fromhex(key.removeprefix("0x"))
    return ground.program.marker(at) if kind == "fill" else ground.program.state(at)


def _says(marker: str, one: Account | None, program: str) -> bool:
    if one is None or one.owner != program or len(one.data) != 2:
        return False
    if marker.startswith("fill:"):
        return one.data[:1] == b"F"
    return one.data[:1] == b"S" and (marker.startswith("start:") or one.data[1] == 1)
