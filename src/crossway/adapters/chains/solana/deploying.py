"""Putting the program on a cluster: its code piece by piece, then the program."""

import time
from functools import partial

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, TransferParams, create_account, transfer

from crossway.adapters.chains.live.errands import Done, Errand, Plan, Sent
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question
from crossway.adapters.chains.solana import code
from crossway.adapters.chains.solana.accounts import read_accounts
from crossway.adapters.chains.solana.calls import READ, SIGN, SIGN_WRITE, WRITE, Place, instruction
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.errands import Site, awaited, carry_out, one_of, plan
from crossway.adapters.chains.solana.opening import PROGRAM_PURPOSE
from crossway.adapters.chains.solana.places import SYSTEM
from crossway.adapters.chains.solana.signers import SolanaSigner
from crossway.adapters.chains.solana.transactions import LAMPORTS_A_SIGNATURE
from crossway.adapters.chains.solana.wire import number
from crossway.domain.errors import Unreachable

VAULT_LAMPORTS = 890_880
_GATHERING = b"crossway code\0"
_PIECE = 900
_RENT = "SysvarRent111111111111111111111111111111111"
_CLOCK = "SysvarC1ock11111111111111111111111111111111"
_INITIALIZE, _WRITE, _DEPLOY, _SET_AUTHORITY = (n.to_bytes(4, "little") for n in (0, 1, 2, 4))
_PATIENCE_SECONDS = 300.0
_AT_ONCE = 20


def _program(site: Site) -> SolanaSigner:
    return site.account(PROGRAM_PURPOSE)


def _gathering(site: Site) -> SolanaSigner:
    return site.account(_GATHERING)


def deployment_plan(chain: SolanaChain, payer: SolanaSigner) -> Plan:
    """What is missing on a cluster. Raises `Unreachable`, or `ValueError` with a sentence where the
    program cannot be put there."""
    site = Site(chain, payer)

    def work(line: Line) -> list[Errand]:
        ground = chain.ground
        found = code.lying(ground, line)
        errands: list[Errand] = []
        if found.trouble == "not deployed":
            errands += _program_errands(site, line)
        elif found.trouble:
            raise ValueError(f"{chain.id}: {found.trouble}")
        vault = read_accounts(ground, line, [ground.own.bridger])[0]
        if (there := vault.lamports if vault else 0) < VAULT_LAMPORTS:
            errands.append(_vault_errand(site, VAULT_LAMPORTS - there))
        return errands

    return plan(site, work)


def _program_errands(site: Site, line: Line) -> list[Errand]:
    chain, built = site.chain, code.built()
    if _program(site).address != chain.ground.program.id:
        raise ValueError(
            f"chains.{chain.id}.program: nothing lies at {chain.ground.program.id}, and the "
            f"relayer's key can put a program only at {_program(site).address}: leave it out"
        )
    asked = [code.BUFFER_HEAD + len(built), code.HEAD + len(built), code.PROGRAM_SIZE]
    wanted = [Question("getMinimumBalanceForRentExemption", (size,)) for size in asked]
    buffer, whole, small = (number(one, "rent") for one in line.ask(*wanted))
    there = _gathered(site, line)
    pieces = _missing_pieces(there or bytes(len(built)))
    fee = LAMPORTS_A_SIGNATURE + site.price() * chain.ground.traits.units // 1_000_000 + 1
    errands = []
    if there is None:
        errands.append(
            Errand("an account to gather the code in, whose rent goes on to the program", 2,
                   buffer + 3 * fee, partial(_make_buffer, site, buffer))
        )  # fmt: skip
    if pieces:
        errands.append(
            Errand(f"{len(built):,} bytes of code in {len(pieces)} transactions", 2 * len(pieces),
                   2 * fee * len(pieces), partial(_write_all, site))
        )  # fmt: skip
    # The rent of what the code was gathered in comes back as it is deployed.
    rent = max(whole - buffer, 0) + small
    what = f"the program at {_program(site).address}, which {site.owner.address} may replace"
    errands.append(Errand(what, 3, rent + 3 * fee, partial(_deploy, site, small)))
    return errands


def _gathered(site: Site, line: Line) -> bytes | None:
    size = code.BUFFER_HEAD + len(code.built())
    one = read_accounts(site.chain.ground, line, [_gathering(site).address], 0, size)[0]
    return code.gathered(one, site.owner.address)


def _missing_pieces(there: bytes) -> list[tuple[int, bytes]]:
    built = code.built()
    parts = ((at, built[at : at + _PIECE]) for at in range(0, len(built), _PIECE))
    return [(at, part) for at, part in parts if there[at : at + len(part)] != part]


def _make_buffer(site: Site, rent: int, sent: Sent) -> Done:
    place, size = _gathering(site).address, code.BUFFER_HEAD + len(code.built())
    made = _creation(site.payer.address, place, rent, size)
    begun = instruction(code.LOADER, _INITIALIZE, [(place, WRITE), (site.owner.address, READ)])
    return one_of(site, [made, begun], site.signers(_gathering(site)), sent)


def _creation(payer: str, place: str, rent: int, size: int) -> Instruction:
    return create_account(
        CreateAccountParams(
            from_pubkey=Pubkey.from_string(payer),
            to_pubkey=Pubkey.from_string(place),
            lamports=rent,
            space=size,
            owner=Pubkey.from_string(code.LOADER),
        )
    )


def _write_all(site: Site, sent: Sent) -> Done:
    """Write what is missing, as often as transactions get lost."""
    done, until = Done("", True, 0), time.monotonic() + _PATIENCE_SECONDS
    nodes, size = site.chain.ground.nodes, len(code.built())
    while pieces := _missing_pieces(nodes.one(partial(_gathered, site)) or bytes(size)):
        if time.monotonic() > until:
            raise Unreachable(f"{len(pieces)} pieces of the code are not there yet: run it again")
        some = [_writing(site, at, part) for at, part in pieces[:_AT_ONCE]]
        each = [carry_out(site, [one], site.signers(site.owner), lambda _: None) for one in some]
        for one in awaited(site, each):
            sent(one.tx_id)
            done = Done(one.tx_id, True, done.used + one.used)
    return done


def _writing(site: Site, at: int, part: bytes) -> Instruction:
    data = _WRITE + at.to_bytes(4, "little") + len(part).to_bytes(8, "little") + part
    return instruction(
        code.LOADER, data, [(_gathering(site).address, WRITE), (site.owner.address, SIGN)]
    )


def _deploy(site: Site, rent: int, sent: Sent) -> Done:
    program, owner = _program(site), site.owner
    made = _creation(site.payer.address, program.address, rent, code.PROGRAM_SIZE)
    places: list[Place] = [
        (site.payer.address, SIGN_WRITE),
        (code.code_account(program.address), WRITE),
        (program.address, WRITE),
        (_gathering(site).address, WRITE),
        (_RENT, READ),
        (_CLOCK, READ),
        (SYSTEM, READ),
        (owner.address, SIGN),
    ]
    data = _DEPLOY + len(code.built()).to_bytes(8, "little")
    asked = [made, instruction(code.LOADER, data, places)]
    return one_of(site, asked, site.signers(program, owner), sent)


def _vault_errand(site: Site, lamports: int) -> Errand:
    chain = site.chain
    to = chain.ground.own.bridger
    moved = transfer(
        TransferParams(
            from_pubkey=Pubkey.from_string(site.payer.address),
            to_pubkey=Pubkey.from_string(to),
            lamports=lamports,
        )
    )
    what = f"what the account that collects payments must hold at least, to {to}"
    return Errand(what, 1, lamports + 2 * LAMPORTS_A_SIGNATURE,
                  partial(one_of, site, [moved], site.signers()))  # fmt: skip


def final_plan(chain: SolanaChain) -> Plan:
    """Let nobody replace the program any more; no errands where nobody can. Raises `ValueError`
    where somebody else may."""
    site = Site(chain, chain.ground.signer)

    def work(line: Line) -> list[Errand]:
        found = code.lying(chain.ground, line)
        if found.trouble:
            raise ValueError(f"{chain.id}: {found.trouble}")
        if not found.authority:
            return []
        if found.authority != site.owner.address:
            raise ValueError(f"{chain.id}: only {found.authority} can make the program final")
        places: list[Place] = [
            (code.code_account(chain.ground.program.id), WRITE),
            (site.owner.address, SIGN),
        ]
        asked = [instruction(code.LOADER, _SET_AUTHORITY, places)]
        what = "nobody may replace the program any more, for ever"
        send = partial(one_of, site, asked, site.signers())
        return [Errand(what, 1, 2 * LAMPORTS_A_SIGNATURE, send)]

    return plan(site, work)
