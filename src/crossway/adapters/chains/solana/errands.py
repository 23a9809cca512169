"""What operators do on a cluster by hand: transactions that are sent and waited for."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from solders.instruction import Instruction

from crossway.adapters.chains.live.errands import Done, Errand, Plan, Sent
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.solana import calls
from crossway.adapters.chains.solana.accounts import read_accounts
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.sending import statuses, tell
from crossway.adapters.chains.solana.signers import SolanaSigner
from crossway.adapters.chains.solana.transactions import price_of, written
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units
from crossway.ports.chain import Mined

UNIT = "signatures"
_PATIENCE_SECONDS, _LOOK_SECONDS, _AGAIN_SECONDS = 300.0, 0.4, 2.0


@dataclass(frozen=True)
class Site:
    """A cluster, who pays, and the accounts that a deployment is made with."""

    chain: SolanaChain
    payer: SolanaSigner

    @property
    def owner(self) -> SolanaSigner:
        return self.chain.ground.signer

    def account(self, purpose: bytes) -> SolanaSigner:
        """An account that is used for one thing."""
        return self.owner.other(purpose)

    def signers(self, *others: SolanaSigner) -> list[SolanaSigner]:
        """The payer first, each account once."""
        known = {one.address: one for one in (self.payer, *others)}
        return list(known.values())

    def price(self) -> int:
        return price_of(self.chain.ground.traits, self.chain.fee_units())


def withdrawal_plan(chain: SolanaChain, token: Token, to: str, units: int) -> Plan:
    """Take what stayed of settled payments out of the vault."""
    site, ground = Site(chain, chain.ground.signer), chain.ground
    asked = calls.withdrawal(ground.book, ground.own.coordinator, token.address, to, units)
    what = f"{format_units(units, token.decimals)} {token.symbol} from the vault to {to}"
    cost = chain.fee_units()
    send = partial(one_of, site, asked, site.signers())
    return plan(site, lambda line: [Errand(what, 1, cost, send)])


def kept_units(chain: SolanaChain, token: str) -> int:
    """What stayed in the vault of our own settled payments, in units of a token."""
    ground = chain.ground
    place = ground.program.kept(ground.own.coordinator, token)
    found = ground.nodes.one(lambda line: read_accounts(ground, line, [place], 0, 16))[0]
    right = found is not None and found.owner == ground.program.id and found.data[:1] == b"K"
    return int.from_bytes(found.data[8:16], "little") if found is not None and right else 0


def plan(site: Site, work: Callable[[Line], list[Errand]]) -> Plan:
    nodes, payer = site.chain.ground.nodes, site.payer.address
    errands = nodes.one(work)
    return Plan(tuple(errands), payer, site.chain.native_balance(payer), UNIT)


@dataclass(frozen=True, slots=True)
class OnItsWay:
    tx_id: str
    raw: bytes
    signatures: int


def one_of(
    site: Site, asked: Sequence[Instruction], signers: Sequence[SolanaSigner], sent: Sent
) -> Done:
    return awaited(site, [carry_out(site, asked, signers, sent)])[0]


def carry_out(
    site: Site, asked: Sequence[Instruction], signers: Sequence[SolanaSigner], sent: Sent
) -> OnItsWay:
    chain = site.chain
    price = site.price()
    recent = chain.recent()
    tx_id, raw = written(asked, signers, recent, chain.ground.traits.units, price)
    sent(tx_id)
    said = chain.ground.nodes.one(lambda line: tell(line, [raw], certain=False))[0]
    if said:
        raise ValueError(f"{chain.id}: the node does not take the transaction: {said}")
    return OnItsWay(tx_id, raw, len(signers))


def awaited(site: Site, sent: Sequence[OnItsWay]) -> list[Done]:
    """Wait until each is in a confirmed block; nodes forget, so that each is sent again."""
    nodes, until, again = site.chain.ground.nodes, time.monotonic() + _PATIENCE_SECONDS, 0.0
    names = [one.tx_id for one in sent]
    while time.monotonic() < until:
        told = nodes.one(lambda line: statuses(line, names))
        if all(told[one] in ("confirmed", "finalized") for one in names):
            became = site.chain.status(names)
            worked = {n for n, one in became.items() if isinstance(one, Mined) and not one.reason}
            return [Done(one.tx_id, one.tx_id in worked, one.signatures) for one in sent]
        if time.monotonic() > again:
            again = time.monotonic() + _AGAIN_SECONDS
            waiting = [one.raw for one in sent if told[one.tx_id] is None]
            nodes.one(partial(tell, transactions=waiting, certain=False))
        time.sleep(_LOOK_SECONDS)
    raise Unreachable(f"{names[0]} is in no block after {_PATIENCE_SECONDS:.0f} s: look for it")
