"""What is right and wrong with Tron: its nodes, contracts, account and stock."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from crossway.adapters.chains.evm.errands import allowances, holdings
from crossway.adapters.chains.evm.examining import answers_widely, newest_of
from crossway.adapters.chains.live.examining import Look, Newest, examine
from crossway.adapters.chains.live.findings import FEW_TRANSACTIONS, Finding, stock_findings
from crossway.adapters.chains.live.nodes import Nodes
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.customs import customs
from crossway.adapters.chains.tron.errands import trouble_of
from crossway.adapters.chains.tron.forms import named
from crossway.adapters.chains.tron.node import nodes_of
from crossway.adapters.chains.tron.resources import resources
from crossway.adapters.chains.tron.starting import payable, wrong_votes
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable
from crossway.domain.money import format_units


def nodes_findings(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """Each node by itself, and how they agree."""
    allows = customs()
    look = Look(
        lambda alone, filled: nodes_of(chain, alone, filled, allows.batch), newest_of, _answers
    )
    return examine(chain, profile, environment, now, look)


def _answers(what: str, nodes: Nodes, newest: Newest) -> Iterator[Finding]:
    yield from answers_widely(what, nodes, customs().traits, newest)
    paths = {
        "/walletsolidity/getnowblock": {},
        "/wallet/getchainparameters": {},
        "/wallet/getblockbylimitnext": {"startNum": newest.height, "endNum": newest.height + 1},
        "/wallet/gettransactioninfobyblocknum": {"num": newest.height},
    }
    asked = [Question(path, (body,)) for path, body in paths.items()]
    try:
        answers = nodes.one(lambda line: line.tell(asked))
    except Unreachable as error:
        yield Finding(f"{what}: HTTP", str(error), "Take a node with the whole HTTP interface.")
        return
    silent = [p for p, a in zip(paths, answers, strict=True) if isinstance(a, Objection)]
    if silent:
        said = f"refuses {', '.join(silent)}"
        yield Finding(f"{what}: HTTP", said, "Take a node with the whole HTTP interface.")
    else:
        yield Finding(f"{what}: HTTP", "blocks, outcomes and what is final")


def chain_findings(chain: TronChain) -> Iterator[Finding]:
    """Key, contracts, TRX and energy, stock and approvals, as the first node that is well tells."""
    yield Finding("key", f"opens; the relayer is {chain.own.relayer}")
    try:
        yield from _contracts(chain)
        for said in wrong_votes(chain):
            yield Finding("chain id", said, "Do not use this network.")
        yield from _fees(chain)
        yield from _stock(chain)
    except Unreachable as error:
        yield Finding("chain", str(error), "Nothing more can be told before a node answers.")


def _contracts(chain: TronChain) -> Iterator[Finding]:
    ground = chain.ground
    trouble = ground.nodes.one(lambda line: trouble_of(line, ground))
    wrong = [f"{name} {said}" for name, said in trouble.items() if said]
    if any("other code" in one for one in wrong):
        yield Finding("contracts", ", ".join(wrong), "Do not use these contracts or this node.")
    elif wrong:
        command = f"crossway contracts deploy --chain {chain.id}"
        yield Finding("contracts", ", ".join(wrong), f"Run {command}, and write down what it tells")
    else:
        yield Finding("contracts", f"the expected code, factory at {named(ground.at.factory)}")


def _fees(chain: TronChain) -> Iterator[Finding]:
    ground, relayer = chain.ground, chain.own.relayer
    facts = ground.chain
    fee, coins = chain.fee_units(), chain.native_balance(relayer)
    has = ground.nodes.one(lambda line: resources(line, ground.own.relayer))
    enough = coins // fee if fee else None
    shown = f"{format_units(coins, facts.native_decimals)} {facts.native_symbol}"
    many = "any number of" if enough is None else f"{enough:,}"
    said = f"holds {shown} and {has.energy:,} energy, enough for {many} transactions"
    if enough is None or enough >= FEW_TRANSACTIONS:
        yield Finding("relayer", said)
    else:
        yield Finding(
            "relayer", said, f"Send {facts.native_symbol} for fees to {relayer}, or stake for it."
        )


def _stock(chain: TronChain) -> Iterator[Finding]:
    ground = chain.ground
    tokens, owner, filler = payable(ground), ground.own.relayer, ground.at.filler
    held = ground.nodes.one(lambda line: holdings(line, owner, list(tokens)))
    may = ground.nodes.one(lambda line: allowances(line, owner, filler, list(tokens)))
    there = [(token, held[place], may[place]) for place, token in tokens.items()]
    return stock_findings(chain.id, chain.own.relayer, there, "USDT")
