"""What is right and wrong with one live Starknet chain: its nodes, contracts, account, stock."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from crossway.adapters.chains.live.examining import Look, Newest, examine
from crossway.adapters.chains.live.findings import Finding, fees_finding, stock_findings
from crossway.adapters.chains.live.nodes import Line, Nodes
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.starknet import balances, errands
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.events import limits_of, of_receivers, question
from crossway.adapters.chains.starknet.felts import name_of
from crossway.adapters.chains.starknet.ground import ask_block, ask_nonce
from crossway.adapters.chains.starknet.opening import nodes_of
from crossway.adapters.chains.starknet.signer_check import signer_trouble
from crossway.adapters.chains.starknet.traits import Traits, traits
from crossway.adapters.chains.starknet.wire import CONTRACT_NOT_FOUND, block
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable

# How far back the nonce of an account must still be told.
_HISTORY_BLOCKS = 20_000


def nodes_findings(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """Each node by itself, and how they agree."""
    customs = traits(chain.id)
    account = profile.account or name_of(1)
    look = Look(
        lambda alone, filled: nodes_of(chain, alone, filled, customs),
        _newest,
        lambda what, nodes, newest: _customs(what, nodes, customs, newest, account),
    )
    return examine(chain, profile, environment, now, look)


def _newest(line: Line) -> Newest:
    found = block(line.ask(ask_block("latest"))[0])
    return Newest(found.height, found.at)


def _customs(
    what: str, nodes: Nodes, customs: Traits, newest: Newest, account: str
) -> Iterator[Finding]:
    """Whether the node answers the wide questions that detection asks, and old ones."""
    limits = limits_of(customs)
    first = max(newest.height - limits.blocks + 1, 0)
    strangers = [name_of(1000 + number) for number in range(limits.recipients)]
    wide = question(limits, of_receivers(limits, first, newest.height, strangers)[0])
    old = ask_nonce(account, max(newest.height - _HISTORY_BLOCKS, 0))
    try:
        version, events, before = nodes.one(
            lambda line: line.tell([Question("starknet_specVersion"), wide, old])
        )
    except Unreachable as error:
        yield Finding(what, str(error), "Deposits may be seen late: try another node.")
        return
    if isinstance(version, str) and not version.startswith(("0.8", "0.9", "0.10", "1.")):
        remedy = "Take a URL of version 0.8 or newer, often ending in /rpc/v0_8 or higher."
        yield Finding(f"{what}: version", f"answers by version {version[:20]}", remedy)
    width = f"{newest.height - first + 1:,} blocks and {limits.recipients} receivers a question"
    if isinstance(events, Objection):
        said = f"refuses {width}: {events.message}"
        remedy = "Take a node that allows more: with less it is slow."
        yield Finding(f"{what}: events", said, remedy)
    else:
        yield Finding(f"{what}: events", width)
    if isinstance(before, Objection) and before.code != CONTRACT_NOT_FOUND:
        said = f"does not know the state {_HISTORY_BLOCKS:,} blocks ago: {before.message}"
        yield Finding(f"{what}: history", said, "Take a node that keeps old state.")


def chain_findings(chain: StarknetChain) -> Iterator[Finding]:
    """Key, account, contracts, gas money and stock, as the first node that is well tells them."""
    yield Finding("key", f"opens; its public key is {chain.ground.signer.address}")
    try:
        yield from _account(chain)
        yield from _contracts(chain)
        yield _gas(chain)
        yield from _stock(chain)
    except Unreachable as error:
        yield Finding("chain", str(error), "Nothing more can be told before a node answers.")


def _account(chain: StarknetChain) -> Iterator[Finding]:
    ground = chain.ground
    said = ground.nodes.one(lambda line: signer_trouble(ground, line))
    if said:
        remedy = f"Check chains.{chain.id}.account and its key."
        yield Finding("account", said, remedy)
    else:
        yield Finding("account", f"{ground.own.relayer} takes the key's signature")


def _contracts(chain: StarknetChain) -> Iterator[Finding]:
    found = chain.ground.nodes.one(errands.trouble)
    wrong = [f"{one.name}: {one.trouble}" for one in found if one.trouble]
    undeclared = [one.name for one in found if "declared" in one.trouble]
    if any("another" in one.trouble for one in found):
        yield Finding("contracts", ", ".join(wrong), "Do not use this chain or this node.")
    elif undeclared:
        yield Finding("contracts", ", ".join(wrong), errands.declaring(undeclared))
    elif wrong:
        command = f"crossway contracts deploy --chain {chain.id}"
        yield Finding("contracts", ", ".join(wrong), f"Run {command}")
    else:
        yield Finding("contracts", f"the expected classes, factory at {chain.ground.at.factory}")


def _gas(chain: StarknetChain) -> Finding:
    facts, relayer, how = chain.ground.chain, chain.own.relayer, " at their highest price"
    return fees_finding(facts, relayer, chain.native_balance(relayer), chain.fee_units(), how)


def _stock(chain: StarknetChain) -> Iterator[Finding]:
    ground, owner = chain.ground, chain.own.relayer
    tokens = [t for t in ground.catalogue.by_chain[chain.id] if t.enabled]
    held = ground.nodes.one(
        lambda line: {t.address: balances.read(ground, line, [owner], t.address)[owner]
                      for t in tokens}
    )  # fmt: skip
    there = [(t, held[t.address], None) for t in tokens if t.address != ground.coin]
    return stock_findings(chain.id, owner, there)
