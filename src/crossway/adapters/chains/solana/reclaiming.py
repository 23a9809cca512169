"""Getting the rent of old notes back: what was started or filled long ago needs no note."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from crossway.adapters.chains.live.errands import Errand, Plan
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.solana.calls import CLOSE, WRITE, Place, instruction
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.errands import Site, one_of, plan
from crossway.adapters.chains.solana.ground import CONFIRMED, Ground
from crossway.adapters.chains.solana.transactions import LAMPORTS_A_SIGNATURE
from crossway.adapters.chains.solana.wire import (
    Account,
    Malformed,
    account,
    address_of,
    rows,
    table,
)
from crossway.domain.errors import Unreachable
from crossway.domain.money import format_units

# Of a state or a marker: its size, when it may be closed, and who paid for it.
_SIZE, _WHEN_AT, _WHO_AT = 48, 8, 16
# So many fit into a transaction.
_AT_ONCE = 15


def reclaiming_plan(chain: SolanaChain) -> Plan:
    """Close the notes that our account paid for and whose time has come, and get their rent back.
    Raises `Unreachable`, also where the node does not list a program's accounts."""
    site, now = Site(chain, chain.ground.signer), int(chain.heads().time.timestamp())

    def work(line: Line) -> list[Errand]:
        old = [one for one in _notes(chain.ground, line) if _may_go(one[1], now)]
        parts = [old[at : at + _AT_ONCE] for at in range(0, len(old), _AT_ONCE)]
        return [_errand(site, part) for part in parts]

    return plan(site, work)


def _notes(ground: Ground, line: Line) -> list[tuple[str, Account]]:
    payer = {"memcmp": {"offset": _WHO_AT, "bytes": ground.own.relayer}}
    asked = {
        "encoding": "base64",
        "commitment": CONFIRMED,
        "filters": [{"dataSize": _SIZE}, payer],
    }
    answer = line.tell([Question("getProgramAccounts", (ground.program.id, asked))])[0]
    if isinstance(answer, Objection):
        raise Unreachable(f"the node does not list a program's accounts: {answer.message}")
    return [_note(one) for one in rows(answer, "accounts")]


def _note(value: Any) -> tuple[str, Account]:
    told = table(value, "an account")
    found = account(told.get("account"))
    if found is None:
        raise Malformed("the node lists an account that is not there")
    return address_of(told.get("pubkey")), found


def _may_go(one: Account, now: int) -> bool:
    """Its time has come; and of a start, its total was paid out or never was to be."""
    if len(one.data) != _SIZE or one.data[:1] not in (b"S", b"F"):
        return False
    if int.from_bytes(one.data[_WHEN_AT:_WHO_AT], "little") > now:
        return False
    return one.data[:1] == b"F" or one.data[1] == 1 or one.data[2] == 0


def _errand(site: Site, part: Sequence[tuple[str, Account]]) -> Errand:
    ground = site.chain.ground
    coins = sum(one.lamports for _, one in part)
    shown = format_units(coins, ground.chain.native_decimals)
    asked = []
    for address, _ in part:
        places: list[Place] = [(address, WRITE), (ground.own.relayer, WRITE)]
        asked.append(instruction(ground.program.id, bytes([CLOSE]) + bytes(8), places))
    notes = "1 old note" if len(part) == 1 else f"{len(part)} old notes"
    what = f"{notes} closed, for {shown} {ground.chain.native_symbol} back"
    cost = 2 * LAMPORTS_A_SIGNATURE + site.price() * ground.traits.units // 1_000_000
    return Errand(what, 1, cost, partial(one_of, site, asked, site.signers()))
