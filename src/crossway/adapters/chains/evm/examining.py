"""What is right and wrong with one live EVM chain: its nodes, contracts, accounts and stock."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from crossway.adapters.chains.evm.balances import lens_questions
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.errands import allowances, contract_trouble, holdings
from crossway.adapters.chains.evm.ground import ask_block
from crossway.adapters.chains.evm.logs import limits_of, question, spans
from crossway.adapters.chains.evm.opening import nodes_of
from crossway.adapters.chains.evm.traits import Traits, traits
from crossway.adapters.chains.evm.wire import block
from crossway.adapters.chains.live.examining import Look, Newest, examine
from crossway.adapters.chains.live.findings import Finding, fees_finding, stock_findings
from crossway.adapters.chains.live.nodes import Line, Nodes
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable


def nodes_findings(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """Each node by itself, and how they agree."""
    customs = traits(chain.id)
    look = Look(
        lambda alone, filled: nodes_of(chain, alone, filled, customs),
        newest_of,
        lambda what, nodes, newest: answers_widely(what, nodes, customs, newest),
    )
    return examine(chain, profile, environment, now, look)


def newest_of(line: Line) -> Newest:
    """A node's newest block."""
    found = block(line.ask(ask_block("latest"))[0])
    return Newest(found.height, found.at)


def answers_widely(what: str, nodes: Nodes, customs: Traits, newest: Newest) -> Iterator[Finding]:
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


def chain_findings(chain: EvmChain) -> Iterator[Finding]:
    """Key, contracts, gas money, stock and approvals, as the first node that is well tells them."""
    yield Finding("key", f"opens; the relayer is {chain.own.relayer}")
    try:
        yield from _contracts(chain)
        yield from _balances(chain)
        yield _gas(chain)
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


def _gas(chain: EvmChain) -> Finding:
    coins = chain.native_balance(chain.own.relayer)
    return fees_finding(chain.ground.chain, chain.own.relayer, coins, chain.fee_units())


def _stock(chain: EvmChain) -> Iterator[Finding]:
    ground = chain.ground
    tokens = [t for t in ground.catalogue.by_chain[chain.id] if t.enabled and not t.native]
    places, owner = [t.address for t in tokens], ground.own.relayer
    held = ground.nodes.one(lambda line: holdings(line, owner, places))
    may = ground.nodes.one(lambda line: allowances(line, owner, ground.at.filler, places))
    there = [(one, held[one.address], may[one.address]) for one in tokens]
    return stock_findings(chain.id, owner, there)
