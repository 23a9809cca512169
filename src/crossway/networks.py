"""The services of a network: which chains, bridges, prices and ramp providers there are."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from crossway import catalogue as catalogue_data
from crossway.adapters.bridges.across import Across
from crossway.adapters.bridges.cctp import Cctp
from crossway.adapters.bridges.gateway import Gateway
from crossway.adapters.bridges.rhinofi import Rhinofi
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.chains.simulated.clock import SandboxClock
from crossway.adapters.chains.simulated.network import Network
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.adapters.clock import SystemClock
from crossway.adapters.passwords import Argon2Passwords
from crossway.adapters.prices.fixed import FixedPrices
from crossway.adapters.ramps import live as live_ramps
from crossway.adapters.ramps.capabilities import capabilities
from crossway.adapters.ramps.sandbox.backoffice import Backoffice
from crossway.adapters.ramps.sandbox.switches import SandboxRamps
from crossway.adapters.webhooks.receivers import Receivers
from crossway.adapters.webhooks.sender import HttpSender
from crossway.adapters.webhooks.signing import StandardSigner
from crossway.api.schemas.announcements import present
from crossway.catalogue.fiat import load_fiat
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.pricing import ServiceFee
from crossway.domain.ramps import ProviderName
from crossway.ports.process import Doors, Retention
from crossway.ports.quoting import Prices
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Policy, Services
from crossway.ports.sign_in import Vigilance
from crossway.ports.vault import Vault
from crossway.ports.webhooks import Outgoing
from crossway.settings import Settings
from crossway.storage.store import SqlStore

if TYPE_CHECKING:
    from crossway.adapters.chains.network import Live

# A demonstration shall not wait for the depth that real money asks for.
SIMULATED_DEPTH, SIMULATED_FINALITY = 3, 8
SIMULATED_SETTLE_SECONDS = 15
REFERENCE_PRICES_AS_OF = datetime(2026, 11, 21, tzinfo=UTC)


def simulated(
    settings: Settings,
    store: SqlStore,
    vault: Vault,
    pool: ThreadPoolExecutor,
    wake: Callable[[], None],
    machine_seconds: Callable[[], float],
    first_keys: Callable[[], Mapping[str, str]],
) -> Services:
    """The services of the simulated network of every chain, with its sandbox ramp providers."""
    catalogue = shallow(catalogue_data.load())
    pico_usd = {s: price.pico_usd for s, price in catalogue_data.reference_prices().items()}
    clock = SandboxClock(store.writer, store.reader, machine_seconds)
    network = Network(catalogue, store.writer, store.reader, clock, pico_usd)
    fiat = load_fiat()
    can = [capabilities(name, catalogue, fiat) for name in ProviderName]
    office = Backoffice(network, store.writer, store.reader)
    ramps = SandboxRamps(office, can, fiat.rates, vault)
    receivers = Receivers(HttpSender(loopback=True))
    return Services(
        catalogue=catalogue,
        chains={name: SimulatedChain(network, name) for name in catalogue.chains},
        bridges=[bridge(catalogue) for bridge in (Across, Cctp, Gateway, Rhinofi)],
        prices=FixedPrices(pico_usd, REFERENCE_PRICES_AS_OF),
        clock=clock,
        store=store,
        vault=vault,
        asking=pool,
        network="simulated",
        sandbox=SimulatedSandbox(network),
        fiat=fiat,
        ramps=ramps.providers,
        ramp_sandbox=ramps,
        policy=replace(policy_of(settings), most_settle_seconds=SIMULATED_SETTLE_SECONDS),
        outgoing=Outgoing(present, receivers, StandardSigner(), receivers),
        doors=doors_of(settings),
        retention=retention_of(settings),
        wake=wake,
        first_keys=first_keys,
    )


def live(
    settings: Settings,
    store: SqlStore,
    vault: Vault,
    pool: ThreadPoolExecutor,
    wake: Callable[[], None],
    first_keys: Callable[[], Mapping[str, str]],
) -> Services:
    """The services of the real chains that the operator's profile names. Raises `ValueError` with
    a sentence for each thing that is missing."""
    network, prices = _live_network(settings, pool)
    built = [bridge(network.catalogue) for bridge in (Across, Cctp, Gateway, Rhinofi)]
    allowed, most = network.profile.bridges, network.profile.most_settle_seconds
    return Services(
        catalogue=network.catalogue,
        chains=network.chains,
        bridges=[one for one in built if allowed is None or one.name in allowed],
        prices=prices,
        clock=SystemClock(),
        store=store,
        vault=vault,
        asking=pool,
        network="live",
        fiat=load_fiat(),
        ramps=real_ramps(settings),
        policy=replace(policy_of(settings), most_settle_seconds=most),
        outgoing=Outgoing(present, HttpSender(), StandardSigner()),
        doors=doors_of(settings),
        retention=retention_of(settings),
        wake=wake,
        first_keys=first_keys,
    )


def _live_network(settings: Settings, pool: ThreadPoolExecutor) -> "tuple[Live, Prices]":
    try:
        # Its libraries are heavy, and a simulated network needs none of them.
        from crossway.adapters.chains.network import Feeds, lacking, open_live, prices
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{error.name} is not installed: live chains need pip install 'crossway[live]'"
        ) from None
    reference = catalogue_data.reference_prices()
    feeds = Feeds(
        {symbol: price.pico_usd for symbol, price in reference.items()},
        REFERENCE_PRICES_AS_OF,
        {symbol: price.pyth_feed_id for symbol, price in reference.items()},
    )
    network = open_live(settings.profile, catalogue_data.load())
    if sentences := lacking(network, pool):
        network.close()
        raise ValueError("The live network cannot be started.\n" + "\n".join(sentences))
    return network, prices(network.profile, feeds)


def close(services: Services) -> None:
    """Let the connections to real chains go."""
    for chain in services.chains.values():
        if (end := getattr(chain, "close", None)) is not None:
            end()


def real_ramps(settings: Settings) -> Sequence[RampProvider]:
    """The providers that the operator has accounts with; none while the network is simulated.
    Raises `ValueError` where the file that names them is wrong."""
    path = settings.ramps_file if settings.network == "live" else None
    return live_ramps.providers_of(path, catalogue_data.load(), load_fiat())


def policy_of(settings: Settings) -> Policy:
    """The operator's rules."""
    return Policy(
        service_fee=ServiceFee(settings.service_fee_micro_usd, settings.service_fee_bps),
        intent_life_seconds=settings.intent_life_seconds,
        quote_life_seconds=settings.quote_life_seconds,
        reconcile_at_hour=settings.reconcile_at_hour,
    )


def doors_of(settings: Settings) -> Doors:
    """From where and with what one may come in."""
    token = settings.metrics_token.get_secret_value() if settings.metrics_token else ""
    proxies = tuple(settings.trusted_proxies.replace(",", " ").split())
    return Doors(proxies, token, settings.public_url)


def with_people(services: Services, settings: Settings) -> Services:
    """The same services, to which people can sign in."""
    vigilance = Vigilance(
        idle_seconds=60 * settings.idle_minutes,
        second_confirmation_micro_usd=1_000_000 * settings.second_confirmation_usd,
    )
    return replace(services, passwords=Argon2Passwords(), vigilance=vigilance)


def retention_of(settings: Settings) -> Retention:
    """How long what nothing depends on is remembered."""
    return Retention(
        requests=timedelta(days=settings.request_log_days),
        deliveries=timedelta(days=settings.delivery_days),
        announcements=timedelta(days=settings.announcement_days),
        order_reports=timedelta(days=settings.order_report_days),
    )


def shallow(catalogue: Catalogue) -> Catalogue:
    """The catalogue with the depths of the simulated network."""
    return replace(catalogue, chains={k: _shallow(c) for k, c in catalogue.chains.items()})


def _shallow(chain: Chain) -> Chain:
    depths = chain.confirmations
    return replace(
        chain,
        confirmations=replace(
            depths,
            fast=min(depths.fast, SIMULATED_DEPTH),
            normal=min(depths.normal, SIMULATED_DEPTH),
            large=min(depths.large, SIMULATED_DEPTH),
            finalized=min(depths.finalized, SIMULATED_FINALITY),
        ),
    )
