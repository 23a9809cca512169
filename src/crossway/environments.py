"""Services of the simulated and of a live environment: chains, bridges, prices, ramp providers."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from crossway import catalogue as catalogue_data
from crossway.adapters.chains.simulated.blocks.clock import SimulatedClock
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.bridging.bridge_end import SimulatedBridgeEnd
from crossway.adapters.chains.simulated.bridging.sandbox import SimulatedBridgeSandbox
from crossway.adapters.chains.simulated.catalogue import simulated_catalogue
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.adapters.clock import SystemClock
from crossway.adapters.exchanges.simulated import SimulatedExchange
from crossway.adapters.network_costs import ChainNetworkCosts
from crossway.adapters.passkeys import WebAuthnPasskeys
from crossway.adapters.passwords import Argon2PasswordHasher
from crossway.adapters.prices.fixed import FixedPrices
from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.adapters.ramps.sandbox.backend import SandboxBackend
from crossway.adapters.ramps.sandbox.controls import SandboxControls
from crossway.adapters.simulated_bridges.factory import (
    bridge_clients,
    inventory_bridges,
    simulated_bridges,
)
from crossway.adapters.simulated_bridges.reach import reach_of
from crossway.adapters.totp_codes import TotpCodes
from crossway.adapters.webhooks.demo_receivers import DemoReceivers
from crossway.adapters.webhooks.sender import HttpWebhookSender
from crossway.adapters.webhooks.signing import StandardSigner
from crossway.catalogue.fiat import load_fiat
from crossway.domain.network_costs import NetworkCostPolicy
from crossway.domain.price_risk import PricePolicy
from crossway.domain.pricing import ServiceFee
from crossway.domain.ramps import ProviderName
from crossway.domain.roles import Role
from crossway.domain.webhooks import OutboxEvent
from crossway.ports.policy import IngressConfig, Policy, RetentionPolicy, SessionPolicy
from crossway.ports.prices import Prices
from crossway.ports.process import ProcessState
from crossway.ports.ramps import RampProvider
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.vault import Vault
from crossway.ports.webhooks import WebhookInbox, WebhookSender, WebhookServices
from crossway.settings import Settings
from crossway.shard_settings import parse_shards
from crossway.storage.store import SqlStore
from crossway.usecases.billing.pages import page_url
from crossway.usecases.payments.checkout_urls import checkout_url

if TYPE_CHECKING:
    from crossway.adapters.live_environment import LiveEnvironment

SIMULATED_SETTLE_SECONDS = 15
REFERENCE_PRICES_AS_OF = datetime(2026, 11, 21, tzinfo=UTC)


def build_simulated(
    settings: Settings,
    store: SqlStore,
    vault: Vault,
    pool: ThreadPoolExecutor,
    wake: Callable[[], None],
    machine_seconds: Callable[[], float],
    first_keys: Callable[[], Mapping[str, str]],
) -> Services:
    """The services of the simulated network of all chains, with simulated ramp providers."""
    catalogue = simulated_catalogue(catalogue_data.load_catalogue())
    pico_usd = {s: price.pico_usd for s, price in catalogue_data.reference_prices().items()}
    clock = SimulatedClock(store.writer, store.reader, machine_seconds)
    reach, gas = reach_of(catalogue), settings.simulated_gas_accounts
    network = SimulatedNetwork(catalogue, store.writer, store.reader, clock, pico_usd, reach, gas)
    fiat = load_fiat()
    providers = [load_capabilities(name, catalogue, fiat) for name in ProviderName]
    provider_backend = SandboxBackend(network, store.writer, store.reader)
    ramps = SandboxControls(provider_backend, providers, fiat.rates, vault)
    receivers = DemoReceivers(HttpWebhookSender(loopback=settings.loopback_webhooks))
    services = Services(
        catalogue=catalogue,
        chains={name: SimulatedChain(network, name) for name in catalogue.chains},
        bridges=(),
        prices=FixedPrices(pico_usd, REFERENCE_PRICES_AS_OF),
        clock=clock,
        store=store,
        vault=vault,
        executor=pool,
        environment="simulated",
        sandbox=SimulatedSandbox(network),
        fiat=fiat,
        ramps=ramps.providers,
        ramp_sandbox=ramps,
        policy=build_policy(settings, SIMULATED_SETTLE_SECONDS),
        process=ProcessState(wake=wake, first_keys=first_keys),
    )
    services = _with_webhooks(services, receivers, receivers)
    return _with_simulated_bridges(services, network, settings.inventory)


def _with_simulated_bridges(
    services: Services, network: SimulatedNetwork, inventory: bool
) -> Services:
    exchange = SimulatedExchange(services.catalogue)
    return replace(
        services,
        bridges=simulated_bridges(services.catalogue, exchange, inventory),
        exchange=exchange,
        bridge_clients=bridge_clients(network),
        inventory_bridges=inventory_bridges(network, services.catalogue),
        bridge_ends={chain: SimulatedBridgeEnd(network, chain) for chain in network.reach},
        bridge_sandbox=SimulatedBridgeSandbox(network),
    )


def build_live(
    settings: Settings,
    store: SqlStore,
    vault: Vault,
    pool: ThreadPoolExecutor,
    wake: Callable[[], None],
    first_keys: Callable[[], Mapping[str, str]],
    signs: bool,
) -> Services:
    """The services of the real chains that the operator's profile names; only a process that
    `signs` opens keys.

    Raises `ValueError` with a sentence for each unmet requirement."""
    live_environment, prices = _open_live(settings, pool, signs)
    # Imported here, as `_open_live` does.
    from crossway.adapters.live_bridges import open_bridges

    bridges = open_bridges(live_environment, prices)
    services = Services(
        catalogue=live_environment.catalogue,
        chains=live_environment.chains,
        bridges=bridges.bridges,
        exchange=bridges.exchange,
        bridge_models=bridges.models,
        bridge_clients=bridges.clients,
        bridge_ends=bridges.ends,
        inventory_bridges=bridges.inventory_bridges,
        prices=prices,
        clock=SystemClock(),
        store=store,
        vault=vault,
        executor=pool,
        environment="live",
        network_costs=_live_network_costs(settings, live_environment, prices, pool),
        fiat=load_fiat(),
        ramps=build_ramp_providers(settings),
        policy=build_policy(settings, live_environment.profile.most_settle_seconds),
        process=ProcessState(wake=wake, first_keys=first_keys),
    )
    return _with_webhooks(services, HttpWebhookSender())


def _live_network_costs(
    settings: Settings, live: "LiveEnvironment", prices: Prices, pool: ThreadPoolExecutor
) -> ChainNetworkCosts:
    policy = NetworkCostPolicy(settings.network_margin_percent, settings.refund_percent)
    return ChainNetworkCosts(live.chains, live.catalogue, prices, SystemClock(), pool, policy)


def _open_live(
    settings: Settings, pool: ThreadPoolExecutor, signs: bool
) -> "tuple[LiveEnvironment, Prices]":
    try:
        # Imported here: the libraries are heavy, and the simulated network needs none of them.
        from crossway.adapters.bridge_diagnostics import missing_contracts
        from crossway.adapters.live_environment import (
            PriceFeeds,
            create_price_source,
            open_live_environment,
            unmet_requirements,
        )
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{error.name} is not installed: live chains need pip install 'crossway[live]'"
        ) from None
    reference = {**catalogue_data.reference_prices(), **catalogue_data.coin_prices()}
    feeds = PriceFeeds(
        {symbol: price.pico_usd for symbol, price in reference.items()},
        REFERENCE_PRICES_AS_OF,
        {symbol: price.pyth_feed_id for symbol, price in reference.items()},
    )
    network = open_live_environment(settings.profile, catalogue_data.load_catalogue(), signs)
    if sentences := [*unmet_requirements(network, pool), *missing_contracts(network)]:
        network.close()
        raise ValueError("The live network cannot be started.\n" + "\n".join(sentences))
    return network, create_price_source(network.profile, feeds)


def close_connections(services: Services) -> None:
    """Close the connections to real chains and to the services of bridges and prices."""
    clients = (*services.bridge_clients.values(), *services.inventory_bridges.values())
    for opened in (*services.chains.values(), *services.bridges, *clients, services.prices):
        if (close := getattr(opened, "close", None)) is not None:
            close()


def build_ramp_providers(settings: Settings) -> Sequence[RampProvider]:
    """The ramp providers that the operator has accounts with; none on the simulated network.

    Raises `ValueError` if the file that names them is invalid."""
    if settings.network != "live" or settings.ramps_file is None:
        return ()
    # Imported here: a start without real providers needs neither their clients nor HTTP.
    from crossway.adapters.ramp_registry import load_providers

    return load_providers(settings.ramps_file, catalogue_data.load_catalogue(), load_fiat())


def _with_webhooks(
    services: Services, sender: WebhookSender, inbox: WebhookInbox | None = None
) -> Services:
    def render(unit: UnitOfWork, events: Sequence[OutboxEvent]) -> Mapping[int, bytes]:
        # Imported here: a start without events to send needs none of the models of their bodies.
        from crossway.api.schemas.events import render_events

        payment_url, path_url = partial(checkout_url, services, ""), partial(page_url, services, "")
        return render_events(unit, events, payment_url, path_url)

    return replace(services, webhooks=WebhookServices(render, sender, StandardSigner(), inbox))


def build_policy(settings: Settings, max_settle_seconds: int | None) -> Policy:
    """The operator's policy from the settings; `max_settle_seconds` caps settlement times."""
    factor_from = settings.second_factor_from
    return Policy(
        service_fee=ServiceFee(settings.service_fee_micro_usd, settings.service_fee_bps),
        prices=PricePolicy(
            peg_band_bps=settings.peg_band_bps,
            max_confidence_bps=settings.price_confidence_bps,
            option_percent=settings.spread_percent,
            exposure_micro_usd=1_000_000 * settings.exposure_limit_usd or None,
        ),
        intent_life_seconds=settings.intent_life_seconds,
        quote_life_seconds=settings.quote_life_seconds,
        payout_grace_seconds=settings.payout_grace_seconds,
        return_allowance_micro_usd=1_000_000 * settings.return_allowance_usd,
        signature_allowance_micro_usd=settings.signature_allowance_micro_usd,
        max_settle_seconds=max_settle_seconds,
        reconcile_at_hour=settings.daily_reconciliation_hour,
        shards=parse_shards(settings.shards),
        sessions=SessionPolicy(
            idle_seconds=60 * settings.idle_minutes,
            second_confirmation_micro_usd=1_000_000 * settings.second_confirmation_usd,
            second_factor_from=None if factor_from == "off" else Role(factor_from),
        ),
        controls=settings.controls,
        retention=build_retention(settings),
        ingress=build_ingress(settings),
    )


def build_ingress(settings: Settings) -> IngressConfig:
    """Trusted proxies, the metrics token, the public URL and further host names."""
    token = settings.metrics_token.get_secret_value() if settings.metrics_token else ""
    proxies = tuple(settings.trusted_proxies.replace(",", " ").split())
    hosts = tuple(settings.allowed_hosts.replace(",", " ").split())
    return IngressConfig(proxies, token, settings.public_url, hosts, settings.local_url)


def with_staff_sign_in(services: Services) -> Services:
    """The same services with what verifies the passwords, codes and passkeys of staff."""
    return replace(
        services,
        passwords=Argon2PasswordHasher(),
        authenticator_codes=TotpCodes(),
        passkeys=WebAuthnPasskeys(),
    )


def build_retention(settings: Settings) -> RetentionPolicy:
    """How long logs, deliveries, events and reports are kept."""
    return RetentionPolicy(
        requests=timedelta(days=settings.request_log_days),
        deliveries=timedelta(days=settings.delivery_days),
        outbox=timedelta(days=settings.announcement_days),
        provider_updates=timedelta(days=settings.order_report_days),
        unpaid=timedelta(days=settings.unpaid_days),
    )
