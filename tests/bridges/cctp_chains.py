"""Circle's stand-ins and our contracts on anvil, and a service whose payments CCTP carries."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from eth_abi.abi import encode

from crossway.adapters.bridges.cctp.client import CctpClient
from crossway.adapters.bridges.cctp.iris import Iris
from crossway.adapters.bridges.cctp.networks import AttestationServices, cctp_contracts
from crossway.adapters.bridges.cctp.quotes import CctpQuotes
from crossway.adapters.bridges.service_limits import load_limits
from crossway.adapters.bridges.swapping import SwappingBridge
from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.evm.calldata import encode_call
from crossway.adapters.chains.evm.contracts import (
    BRIDGES,
    DEPLOYER,
    SALT,
    chain_deployment,
    init_code,
)
from crossway.adapters.chains.intent_hash import hash_terms
from crossway.adapters.chains.words import address_word, number_word
from crossway.adapters.exchanges.uniswap import UniswapExchange
from crossway.adapters.live_bridges import SWAPPING
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.domain.quotes import BridgeName
from crossway.engine.loop import Engine
from crossway.ports.services import Services
from tests.bridges.attestation_service import AttestationService, running_service
from tests.bridges.messages import ATTESTERS
from tests.chains import anvil
from tests.chains.anvil import (
    CATALOGUE,
    RELAYER,
    RELAYER_KEY,
    RICH,
    STOCK,
    Anvil,
    compiled,
    dollars,
)
from tests.chains.live import ARBITRUM, BASE, CHAINS, LiveWorld
from tests.processes import ROOT

CCTP = cctp_contracts(testnet=False)
MINTER = canonical_address("evm", "0x" + keccak256(b"a minter of tests")[-20:].hex())
FEE_RECIPIENT = canonical_address("evm", "0x" + keccak256(b"who gets Circle's fees")[-20:].hex())
BURN_LIMIT = 10_000_000 * 10**6
_SOURCES = ROOT / "contracts" / "evm" / "test"
DEPLOYMENT = chain_deployment(CATALOGUE.chains[BASE])
FAST, STANDARD = DEPLOYMENT.bridges["CCTP_FAST"], DEPLOYMENT.bridges["CCTP_STANDARD"]
SWAP_FAST = DEPLOYMENT.bridges["CCTP_SWAP_FAST"]


def call(one: Anvil, to: str, signature: str, *values: Any, key: str = anvil.RICH_KEY) -> None:
    """A call by a plain wallet, in a block of its own; types are those of the signature."""
    types = signature.partition("(")[2].rstrip(")")
    data = keccak256(signature.encode())[:4]
    if types:
        data += encode(types.split(","), values)
    one.transact(to, data, key=key)
    one.mine()


def put_cctp(one: Anvil, inventory: int = 0) -> None:
    """CCTP with USDC of its own on a chain, our contracts, and a relayer with coins for fees."""
    domain = CATALOGUE.chains[one.chain].cctp_domain
    cctp, usdc = compiled(_SOURCES / "CctpStandIn.sol"), compiled(_SOURCES / "UsdcStandIn.sol")
    places = {
        dollars(one.chain): usdc["UsdcStandIn"],
        MINTER: usdc["TokenMinterStandIn"],
        CCTP.message_transmitter: cctp["MessageTransmitterStandIn"],
        CCTP.token_messenger: cctp["TokenMessengerStandIn"],
    }
    for address, code in places.items():
        one.rpc("anvil_setCode", address, code)
    call(
        one,
        CCTP.message_transmitter,
        "initialize(uint32,address[],uint256)",
        domain,
        ATTESTERS,
        2,
    )
    call(
        one,
        MINTER,
        "initialize(address,address,uint256)",
        CCTP.token_messenger,
        dollars(one.chain),
        BURN_LIMIT,
    )
    call(
        one,
        CCTP.token_messenger,
        "initialize(address,address,address)",
        CCTP.message_transmitter,
        MINTER,
        FEE_RECIPIENT,
    )
    for chain in CATALOGUE.chains.values():
        if chain.kind == "evm" and not chain.testnet and chain.cctp_domain not in (None, domain):
            call(one, CCTP.token_messenger, "addRemoteDomain(uint32)", chain.cctp_domain)
            remote = CATALOGUE.tokens[chain.id, "USDC"].address
            call(one, MINTER, "linkTokenPair(uint32,address)", chain.cctp_domain, remote)
    for name in ("IntentFactory", "Escrow2", "Filler2", "CallBatch", *BRIDGES):
        one.transact(DEPLOYER, SALT + init_code(name), gas=8_000_000)
        one.mine()
    one.rpc("anvil_setBalance", RELAYER, hex(anvil.COINS))
    call(one, dollars(one.chain), "mint(address,uint256)", RICH.address, STOCK)
    if inventory:
        call(one, dollars(one.chain), "mint(address,uint256)", RELAYER, inventory)
        allowed = address_word("evm", DEPLOYMENT.filler2), number_word(2**256 - 1)
        token = dollars(one.chain)
        one.call_token(token, "approve(address,uint256)", *allowed, key=RELAYER_KEY)
    # No reorganisation of a test reaches what was set up.
    one.mine(10)


@contextmanager
def two_cctp_chains(inventory: int = 0) -> Iterator[dict[str, Anvil]]:
    """Base and Arbitrum with CCTP."""
    with anvil.running(BASE, ready=False) as base, anvil.running(ARBITRUM, ready=False) as other:
        chains = {BASE: base, ARBITRUM: other}
        for one in chains.values():
            put_cctp(one, inventory)
        yield chains


@contextmanager
def attesting(chains: Mapping[str, Anvil], **fields: Any) -> Iterator[AttestationService]:
    """An attestation service that follows these chains."""
    nodes = {CATALOGUE.chains[chain].cctp_domain or 0: one.url for chain, one in chains.items()}
    with running_service(nodes) as service:
        for name, value in fields.items():
            setattr(service, name, value)
        yield service


@dataclass
class AheadClock:
    """The machine's clock and some seconds more, which a test adds instead of waiting."""

    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def machine(self) -> datetime:
        return datetime.now(UTC)


class CctpWorld(LiveWorld):
    """A service on two chains, whose payments CCTP carries. With each step, its clock and the
    attestation service's go on by `step_seconds`."""

    step_seconds = 4.0

    def __init__(
        self,
        folder: Path,
        anvils: Mapping[str, Anvil],
        attestations: AttestationService,
        profile: Path | None = None,
        reached: Callable[[str], None] = lambda step: None,
    ) -> None:
        super().__init__(folder, anvils, profile, reached)
        self.attestations = attestations
        self.pool = ThreadPoolExecutor(8)
        self.iris = Iris(attestations.url, load_limits(BridgeName.CCTP))
        services, executor = AttestationServices(self.iris, self.iris), self.pool
        ends = {name: chain.bridge_end for name, chain in self.services.chains.items()}  # type: ignore[attr-defined]
        catalogue = self.services.catalogue
        quoters = {
            name: chain.swap_quoter  # type: ignore[attr-defined]
            for name, chain in self.services.chains.items()
        }
        exchange = UniswapExchange(catalogue, quoters, self.services.prices, executor)
        fast = {FAST, SWAP_FAST}
        self.clock = AheadClock()
        self.use(
            replace(
                self.services,
                clock=self.clock,
                # A busy machine answers late, which is not what is tested here.
                bridges=[
                    SwappingBridge(
                        CctpQuotes(catalogue, CHAINS, services, executor, wait_seconds=30),
                        exchange,
                        SWAPPING,
                    )
                ],
                exchange=exchange,
                bridge_clients={"CCTP": CctpClient(catalogue, services, ends, fast, executor)},
                bridge_ends=ends,
            )
        )

    def use(self, services: Services) -> None:
        """Go on with these services."""
        self.services = services
        self.engine = Engine(self.services, "test", sole=True)

    def step(self, blocks: int = 1) -> None:
        for _ in range(blocks):
            self.clock.ahead += timedelta(seconds=self.step_seconds)
            super().step()

    def close(self) -> None:
        super().close()
        self.iris.close()
        self.pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Places:
    """Who holds what of one payment, in units of USDC."""

    payer: int
    deposit: int
    recipient: int
    source_contract: int
    destination_contract: int
    circle: int


def places(world: LiveWorld, intent: Intent) -> Places:
    terms = intent.terms
    source, to = world.anvils[terms.source_chain], world.anvils[terms.destination_chain]
    return Places(
        payer=source.balance(terms.refund_address),
        deposit=source.balance(intent.address),
        recipient=to.balance(terms.recipient),
        source_contract=source.balance(intent.bridger),
        destination_contract=to.balance(intent.bridger),
        circle=to.balance(FEE_RECIPIENT),
    )


def send_as_stranger(world: LiveWorld, intent: Intent) -> str:
    """Anybody sends the deposit over the bridge."""
    return _by_stranger(world, intent, OutboundTxKind.START, Custody.BRIDGE)


def start_as_stranger(world: LiveWorld, intent: Intent) -> str:
    """Anybody starts the payment at the factory: its deposit lies in the bridge's contract then."""
    return _by_stranger(world, intent, OutboundTxKind.START, Custody.OPERATOR)


def _by_stranger(world: LiveWorld, intent: Intent, kind: OutboundTxKind, custody: Custody) -> str:
    terms = intent.terms
    collected = Output(intent.address, intent.bridger, terms.token_in, terms.deposit_amount)
    action = OutboundCall(
        kind,
        terms.source_chain,
        RICH.address,
        intent.intent_hash,
        (collected,),
        terms=terms,
        bridger=intent.bridger,
        coordinator=intent.coordinator,
        custody=custody,
    )
    made = encode_call(CATALOGUE, DEPLOYMENT, action)
    return world.anvils[terms.source_chain].carry_out(made.to, made.hex)


def fill_as_stranger(
    world: CctpWorld, intent: Intent, mine: bool = True, repay_to: str = RICH.address
) -> None:
    """Somebody with tokens pays the recipient in advance, for whom `repay_to` is repaid."""
    terms = intent.terms
    to, token = world.anvils[terms.destination_chain], terms.token_out
    filler, units = DEPLOYMENT.filler2, number_word(terms.payout_amount)
    to.call_token(token, "approve(address,uint256)", address_word("evm", filler), units)
    hashes = hash_terms(CATALOGUE, terms, intent.bridger, intent.coordinator)
    signature = "fill(bytes32,address,address,uint256,address,uint256)"
    types = signature.partition("(")[2].rstrip(")").split(",")
    values = (hashes.source_hash, token, terms.recipient, terms.payout_amount, repay_to, 2**40)
    to.transact(filler, keccak256(signature.encode())[:4] + encode(types, values))
    if mine:
        to.mine()


def deliver_as_stranger(world: CctpWorld, intent: Intent, source_tx: str = "") -> str:
    """Anybody fetches the attested message by the payment's transaction, and delivers it."""
    terms = intent.terms
    if not source_tx:
        with world.services.store.read() as unit:
            source_tx = unit.bridge_transfers.get_many([intent.id])[intent.id].source_tx
    domain = CATALOGUE.chains[terms.source_chain].cctp_domain
    url = f"{world.attestations.url}/v2/messages/{domain}?transactionHash={source_tx}"
    (entry,) = httpx.get(url, trust_env=False).json()["messages"]
    words = [bytes.fromhex(entry[name][2:]) for name in ("message", "attestation")]
    data = keccak256(b"deliver(bytes,bytes)")[:4] + encode(["bytes", "bytes"], words)
    return world.anvils[terms.destination_chain].carry_out(intent.bridger, "0x" + data.hex())
