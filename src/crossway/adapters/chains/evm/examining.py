"""What is right and wrong with one live chain: its nodes, contracts, accounts and stock."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from pydantic import SecretStr

from crossway.adapters.chains.evm.balances import lens_questions
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.errands import allowances, contract_trouble, holdings
from crossway.adapters.chains.evm.ground import ask_block
from crossway.adapters.chains.evm.logs import limits_of, question, spans
from crossway.adapters.chains.evm.nodes import Nodes
from crossway.adapters.chains.evm.opening import nodes_of
from crossway.adapters.chains.evm.profile import ChainProfile, urls
from crossway.adapters.chains.evm.rpc import Objection, Question
from crossway.adapters.chains.evm.traits import Traits, traits
from crossway.adapters.chains.evm.wire import Block, block
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable
from crossway.domain.money import format_units

# How old the newest block may be, and how far nodes may be apart, besides the chain's own pace.
_STALE_SECONDS, _APART_SECONDS = 60.0, 30.0
_FEW_TRANSACTIONS = 20
_SHOWN_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what was seen, and where it is wrong what to do about it."""

    what: str
    said: str
    remedy: str = ""

    @property
    def right(self) -> bool:
        """Whether nothing has to be done."""
        return not self.remedy


@dataclass(frozen=True, slots=True)
class Seen:
    """What one node answered."""

    name: str
    newest: Block
    seconds: float


def nodes_findings(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """Each node by itself, and how they agree."""
    try:
        addresses = urls(chain.id, profile, environment)
    except ValueError as error:
        yield Finding("nodes", str(error), "Set the variable, or write the URL into the profile.")
        return
    customs, seen = traits(chain.id), []
    for url in addresses:
        alone = profile.model_copy(update={"rpc": [url.get_secret_value()], "quorum": 1})
        with closing(nodes_of(chain, alone, {}, customs)) as nodes:
            findings, answered = _of_node(chain, nodes, customs, _host(url), now)
        seen += answered
        yield from findings
    yield from _agreement(chain, profile, seen)


def _host(url: SecretStr) -> str:
    """The part of a URL that holds no key."""
    return url.get_secret_value().split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1]


def _of_node(
    chain: Chain, nodes: Nodes, customs: Traits, name: str, now: datetime
) -> tuple[list[Finding], list[Seen]]:
    what, began = f"node {name}", time.monotonic()
    try:
        # The first answer is held against the chain id.
        answer = nodes.one(lambda line: line.ask(ask_block("latest"))[0])
        newest = block(answer)
    except Unreachable as error:
        remedy = "Check the URL and its key, or take this node out of `rpc`."
        return [Finding(what, str(error), remedy)], []
    seen = Seen(name, newest, time.monotonic() - began)
    said = f"chain {chain.chain_id}, block {newest.height:,}, {seen.seconds * 1000:.0f} ms"
    return [
        Finding(what, said),
        *_clock(what, chain, newest, now),
        *_customs(what, nodes, customs, newest),
    ], [seen]


def _clock(what: str, chain: Chain, newest: Block, now: datetime) -> Iterator[Finding]:
    age = (now - newest.at).total_seconds()
    if abs(age) > _STALE_SECONDS + 2 * chain.block_time_seconds:
        said = f"its newest block is {age:,.0f} s old by this machine's clock"
        yield Finding(
            what, said, "Set this machine's clock by NTP; if it is right, the node is behind."
        )


def _customs(what: str, nodes: Nodes, customs: Traits, newest: Block) -> Iterator[Finding]:
    """Whether the node answers the wide questions that detection asks."""
    limits = limits_of(customs)
    first = max(newest.height - limits.blocks + 1, 0)
    span = spans(limits, first, newest.height, _strangers(limits.recipients))[0]
    asked = [question([ZERO], span), Question("eth_getBlockByNumber", ("finalized", False))]
    try:
        logs, final = nodes.one(lambda line: line.tell(asked))
    except Unreachable as error:
        yield Finding(what, str(error), "Deposits may be seen late: try another node.")
        return
    width = f"{newest.height - first + 1:,} blocks and {limits.recipients} receivers a question"
    if isinstance(logs, Objection):
        said = f"refuses {width}: {logs.message}"
        yield Finding(f"{what}: logs", said, "Take a node that allows more: with less it is slow.")
    else:
        yield Finding(f"{what}: logs", width)
    if customs.tags and (isinstance(final, Objection) or final is None):
        said, remedy = "does not know the block `finalized`", "Take another node that does."
        yield Finding(f"{what}: finality", said, remedy)


def _agreement(chain: Chain, profile: ChainProfile, seen: Sequence[Seen]) -> Iterator[Finding]:
    if len(seen) < profile.quorum:
        said = f"{len(seen)} of the {profile.quorum} nodes that must agree answer"
        yield Finding("agreement", said, "Deposits are not credited before enough nodes answer.")
    if len(seen) < 2:
        return
    heights = [one.newest.height for one in seen]
    apart = max(heights) - min(heights)
    if apart * chain.block_time_seconds > _APART_SECONDS + 2 * chain.block_time_seconds:
        behind = min(seen, key=lambda one: one.newest.height).name
        yield Finding("agreement", f"nodes are {apart:,} blocks apart", f"{behind} is behind.")
    else:
        yield Finding("agreement", f"nodes are at most {apart:,} blocks apart")


def chain_findings(chain: EvmChain) -> Iterator[Finding]:
    """Key, contracts, gas money, stock and approvals, as the first node that is well tells them."""
    yield Finding("key", f"opens; the relayer is {chain.own.relayer}")
    try:
        yield from _contracts(chain)
        yield from _balances(chain)
        yield from _gas(chain)
        yield from _stock(chain)
    except Unreachable as error:
        yield Finding("chain", str(error), "Nothing more can be told before a node answers.")


def _contracts(chain: EvmChain) -> Iterator[Finding]:
    at = chain.ground.at
    trouble = chain.ground.nodes.one(lambda line: contract_trouble(line, at))
    wrong = [f"{name} {said}" for name, said in trouble.items() if said]
    if any("other code" in one for one in wrong):
        yield Finding("contracts", ", ".join(wrong), "Do not use this chain or this node.")
    elif wrong:
        command = f"crossway contracts deploy --chain {chain.id}"
        yield Finding("contracts", ", ".join(wrong), f"Run {command}")
    else:
        yield Finding("contracts", f"the expected code, factory at {at.factory}")


def _balances(chain: EvmChain) -> Iterator[Finding]:
    ground = chain.ground
    asked = lens_questions(ground, _strangers(ground.traits.lens), ZERO, "latest")
    answer = ground.nodes.one(lambda line: line.tell(asked))[0]
    if isinstance(answer, Objection):
        said = f"the node refuses {ground.traits.lens} at once: {answer.message}"
        yield Finding("balances", said, "Take another node: one by one is slow.")
    else:
        yield Finding("balances", f"{ground.traits.lens} at once")


def _strangers(count: int) -> list[str]:
    """Addresses to ask about that nobody has."""
    return [f"0x{1000 + number:040x}" for number in range(count)]


def _gas(chain: EvmChain) -> Iterator[Finding]:
    facts, relayer = chain.ground.chain, chain.own.relayer
    fee, coins = chain.fee_units(), chain.native_balance(relayer)
    cut = max(facts.native_decimals - _SHOWN_DECIMALS, 0)
    shown = f"{format_units(coins // 10**cut, facts.native_decimals - cut)} {facts.native_symbol}"
    enough = coins // max(fee, 1)
    said = f"holds {shown}, enough for {enough:,} transactions"
    if enough >= _FEW_TRANSACTIONS:
        yield Finding("relayer", said)
    else:
        yield Finding("relayer", said, f"Send {facts.native_symbol} for fees to {relayer}.")


def _stock(chain: EvmChain) -> Iterator[Finding]:
    ground = chain.ground
    tokens = [t for t in ground.catalogue.by_chain[chain.id] if t.enabled and not t.native]
    places, owner = [t.address for t in tokens], ground.own.relayer
    held = ground.nodes.one(lambda line: holdings(line, owner, places))
    may = ground.nodes.one(lambda line: allowances(line, owner, ground.at.filler, places))
    there = {t.address: t for t in tokens if held[t.address]}
    if not there:
        said = "the relayer holds no token that recipients could be paid"
        yield Finding("stock", said, f"Send some, such as USDC, to {owner}.")
    for place, token in there.items():
        units = f"{format_units(held[place], token.decimals)} {token.symbol}"
        if may[place] >= held[place]:
            yield Finding("stock", f"{units}, approved")
        else:
            command = f"crossway contracts approve --chain {chain.id} --token {token.symbol}"
            yield Finding("stock", f"{units}, not all of it approved", f"Run {command}")


def key_finding(name: str, error: ValueError) -> Finding:
    """A chain that cannot be opened, for want of its key or of a variable."""
    return Finding("key", str(error), f"Give the key that chains.{name}.key names, and try again.")
