"""What is right and wrong with one live cluster: its nodes, program, accounts, tokens and stock."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from crossway.adapters.chains.live.examining import Look, Newest, examine
from crossway.adapters.chains.live.findings import Finding, fees_finding, stock_findings
from crossway.adapters.chains.live.nodes import Line, Nodes
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.solana import code
from crossway.adapters.chains.solana.accounts import (
    AMOUNT_AT,
    AMOUNT_SIZE,
    ask_accounts,
    read_accounts,
    units_in,
)
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.deploying import VAULT_LAMPORTS
from crossway.adapters.chains.solana.ground import CONFIRMED, Ground, ask_block
from crossway.adapters.chains.solana.opening import cluster_nodes
from crossway.adapters.chains.solana.places import TOKEN_2022
from crossway.adapters.chains.solana.reading import ask_signatures
from crossway.adapters.chains.solana.traits import Traits, traits
from crossway.adapters.chains.solana.wire import Account, block, in_context
from crossway.domain.catalogue import Chain
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token

# Of a mint of Token-2022: where its extensions begin, and those that the program refuses.
_EXTENSIONS_AT, _MOST_MINT = 166, 4_096
_REFUSED = {
    1: "it may take a fee of each transfer",
    9: "it cannot be transferred",
    12: "its issuer can take it back",
    14: "it may call another program at each transfer",
}


def nodes_findings(
    chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
) -> Iterator[Finding]:
    """Each node by itself, and how they agree."""
    customs = traits(chain.id)
    look = Look(
        lambda alone, filled: cluster_nodes(chain, alone, filled, customs),
        _newest,
        lambda what, nodes, _: _customs(what, nodes, customs, profile.treasury),
    )
    return examine(chain, profile, environment, now, look)


def _newest(line: Line) -> Newest:
    told = line.ask(Question("getLatestBlockhash", ({"commitment": CONFIRMED},)))[0]
    slot = in_context(told, "the newest block")[0]
    return Newest(slot, block(line.ask(ask_block(slot))[0], slot).at)


def _customs(what: str, nodes: Nodes, customs: Traits, known: str) -> Iterator[Finding]:
    """Whether the node answers what detection asks: many accounts at once, many questions in a
    request, and transactions of an account, of one that is `known` to be not very busy."""
    many = [known] * customs.accounts
    asked = [ask_accounts(many)] * (customs.batch - 2) + [ask_signatures(known)]
    try:
        *looked, listed = nodes.one(lambda line: line.tell(asked))
    except Unreachable as error:
        remedy = "Deposits may be seen late: take a node that answers several questions at once."
        yield Finding(f"{what}: accounts", str(error), remedy)
        return
    refused = [one.message for one in looked if isinstance(one, Objection)]
    if refused:
        said, remedy = f"refuses {customs.accounts} at once: {refused[0]}", "Take another node."
        yield Finding(f"{what}: accounts", said, remedy)
    else:
        yield Finding(f"{what}: accounts", f"{customs.accounts * len(looked):,} at once")
    if isinstance(listed, Objection):
        said = f"does not list the transactions of an account: {listed.message}"
        yield Finding(f"{what}: transactions", said, "Take another node: deposits need it.")


def chain_findings(chain: SolanaChain) -> Iterator[Finding]:
    """Key, program, fee money, tokens and stock, as the first node that is well tells them."""
    yield Finding("key", f"opens; the relayer is {chain.own.relayer}")
    if (keys := chain.ground.deposits) is not None:
        said = f"derived; keep a copy of their key, whose mark is {keys.address[:8]}"
        yield Finding("deposit addresses", said)
    try:
        yield from _program(chain)
        yield _fees(chain)
        yield from _tokens(chain)
        yield from _stock(chain)
    except Unreachable as error:
        yield Finding("chain", str(error), "Nothing more can be told before a node answers.")


def _program(chain: SolanaChain) -> Iterator[Finding]:
    ground = chain.ground
    found = ground.nodes.one(lambda line: code.lying(ground, line))
    if found.trouble == "not deployed":
        command = f"crossway contracts deploy --chain {chain.id}"
        yield Finding("program", f"not deployed at {ground.program.id}", f"Run {command}")
        return
    if found.trouble:
        yield Finding("program", found.trouble, "Do not use this program or this node.")
        return
    who = f"{found.authority} may replace it" if found.authority else "nobody may replace it"
    yield Finding("program", f"the expected code at {ground.program.id}; {who}")
    if chain.native_balance(ground.own.bridger) < VAULT_LAMPORTS:
        command = f"crossway contracts deploy --chain {chain.id}"
        said = f"the vault {ground.own.bridger} lacks {VAULT_LAMPORTS:,} lamports that must stay"
        yield Finding("vault", said, f"Run {command}")


def _fees(chain: SolanaChain) -> Finding:
    facts, relayer, how = chain.ground.chain, chain.own.relayer, " with the rent that they may pay"
    coins, fee = chain.native_balance(relayer), chain.fee_units()
    return fees_finding(facts, relayer, coins, fee, how, "fees and rent")


def _tokens(chain: SolanaChain) -> Iterator[Finding]:
    ground = chain.ground
    tokens = _each(ground)
    mints = [one.address for one in tokens]
    there = ground.nodes.one(lambda line: read_accounts(ground, line, mints, 0, _MOST_MINT))
    said = [(one, mint_trouble(ground, one, mint)) for one, mint in zip(tokens, there, strict=True)]
    wrong: dict[str, list[str]] = {}
    for one, why in said:
        if why:
            wrong.setdefault(why, []).append(one.symbol)
    can = len(tokens) - sum(map(len, wrong.values()))
    yield Finding("tokens", f"{can} of {len(tokens)} can be paid")
    for why, symbols in wrong.items():
        yield Finding("tokens", f"not {', '.join(symbols)}: {why}")


def mint_trouble(ground: Ground, token: Token, mint: Account | None) -> str:
    """Why a token cannot be paid here; empty where it can."""
    if mint is None:
        return "there is no such token"
    expected = ground.mints.program_of(token.address)
    if mint.owner != expected:
        return f"it belongs to {mint.owner} and not to {expected}"
    if mint.owner != TOKEN_2022:
        return ""
    return next((_REFUSED[kind] for kind in extensions(mint.data) if kind in _REFUSED), "")


def extensions(mint: bytes) -> Iterator[int]:
    """The kinds of the extensions of a mint of Token-2022."""
    at = _EXTENSIONS_AT
    while at + 4 <= len(mint):
        kind, size = (int.from_bytes(mint[n : n + 2], "little") for n in (at, at + 2))
        if kind == 0:
            return
        yield kind
        at += 4 + size


def _each(ground: Ground) -> Sequence[Token]:
    tokens = [t for t in ground.catalogue.by_chain[ground.chain.id] if t.enabled and not t.native]
    return list({one.address: one for one in tokens}.values())


def holdings(chain: SolanaChain, tokens: Sequence[Token]) -> dict[str, int]:
    """What the relayer holds of each token."""
    ground, owner = chain.ground, chain.own.relayer
    places = [ground.mints.account_of(owner, one.address) for one in tokens]
    there = ground.nodes.one(
        lambda line: read_accounts(ground, line, places, AMOUNT_AT, AMOUNT_SIZE)
    )
    return {t.address: units_in(a, t.native) for t, a in zip(tokens, there, strict=True)}


def _stock(chain: SolanaChain) -> Iterator[Finding]:
    tokens = _each(chain.ground)
    held = holdings(chain, tokens)
    there = [(one, held[one.address], None) for one in tokens]
    return stock_findings(chain.id, chain.own.relayer, there)
