"""What must be in place before Tron can be worked: contracts, TRX for fees and approvals."""

from collections.abc import Iterator

from crossway.adapters.chains.evm.balances import allowances, token_balances
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.rpc.operator import deploy_command, missing_approval, missing_fees
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.tron.address_format import to_base58, to_evm_address
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.contracts import contract_addresses
from crossway.adapters.chains.tron.operator_txs import check_contract_code
from crossway.adapters.chains.tron.resources import CHAIN_ID_VOTE
from crossway.domain.money import Token


def unmet_requirements(chain: TronChain) -> list[str]:
    """What is missing, one sentence each. Raises `Unreachable`."""
    context = chain.context
    missing = context.pool.first(lambda session: list(_contracts(context, session)))
    missing += [f"{chain.id}: {problem}" for problem in chain_id_problems(chain)]
    missing += list(_fees(chain))
    if not missing:
        missing = context.pool.first(lambda session: list(_approvals(context, session)))
    return missing


def chain_id_problems(chain: TronChain) -> Iterator[str]:
    """Whether contracts on this network see another chain id than ours expect."""
    if chain.tx_sender.prices().short_chain_id is False:
        yield (
            f"{CHAIN_ID_VOTE} is not voted for on this network: contracts read another chain id "
            "there, and no payment could be started"
        )


def _contracts(context: ChainContext, session: RpcSession) -> Iterator[str]:
    name, addresses = context.chain.id, contract_addresses(context.deployment)
    for contract, problem in check_contract_code(session, context).items():
        if not problem:
            continue
        if not addresses[contract]:
            if contract != "DepositAddress":
                yield (
                    f"{name}: the profile does not name the {contract}: run "
                    f"{deploy_command(name)}, and write what it prints into the profile"
                )
        elif problem == "not deployed":
            yield f"{name}: the {contract} is not deployed at {to_base58(addresses[contract])}"
        else:
            address = to_base58(addresses[contract])
            yield f"{name}: at {address} is another contract than the {contract}"


def _fees(chain: TronChain) -> Iterator[str]:
    """Checks an unused account only: a used one that runs short raises an alert."""
    relayer, symbol = chain.accounts.relayer, chain.context.chain.native_symbol
    if chain.native_balance(relayer) < chain.fee_units() and chain.next_nonce(relayer) == 0:
        yield missing_fees(chain.id, relayer, symbol)


def payable_tokens(context: ChainContext) -> dict[str, Token]:
    """The tokens that recipients can be paid in, by address in EVM form."""
    tokens = context.catalogue.by_chain[context.chain.id]
    return {to_evm_address(t.address): t for t in tokens if t.enabled and not t.native}


def _approvals(context: ChainContext, session: RpcSession) -> Iterator[str]:
    owner, tokens = context.accounts.relayer, payable_tokens(context)
    held = token_balances(session, owner, list(tokens))
    allowed = allowances(session, owner, context.deployment.filler, list(tokens))
    for address, token in tokens.items():
        if held[address] and not allowed[address]:
            yield missing_approval(context.chain.id, token.symbol)
