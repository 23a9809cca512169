"""The catalogue as the simulated network has it: shallow depths, and explorers of our own."""

from dataclasses import replace

from crossway.domain.catalogue import Catalogue, Chain

# A demonstration should not wait for the confirmations that real money requires.
SIMULATED_DEPTH, SIMULATED_FINALITY = 3, 8


def simulated_catalogue(catalogue: Catalogue) -> Catalogue:
    """The catalogue of the simulated network."""
    return with_own_explorer(with_simulated_depths(catalogue))


def with_simulated_depths(catalogue: Catalogue) -> Catalogue:
    """The catalogue with the confirmation depths of the simulated network."""
    return replace(
        catalogue, chains={k: _with_simulated_depth(c) for k, c in catalogue.chains.items()}
    )


def with_own_explorer(catalogue: Catalogue) -> Catalogue:
    """The catalogue whose explorers are the dashboard's pages: no public explorer knows what
    happens on the simulated network."""
    chains = {
        name: replace(
            chain,
            explorer_tx=f"transaction?chain={name}&tx={{tx}}",
            explorer_address=f"address?chain={name}&address={{address}}",
        )
        for name, chain in catalogue.chains.items()
    }
    return replace(catalogue, chains=chains)


def _with_simulated_depth(chain: Chain) -> Chain:
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
