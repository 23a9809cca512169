// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CctpBase, ITokenMessenger} from "./CctpBase.sol";
import {CctpChains} from "./CctpChains.sol";
import {PoolSwap} from "./PoolSwap.sol";
import {SwapChains} from "./SwapChains.sol";
import {Destination, Source} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

/// Carries payments in any token over Circle's CCTP V2, to recipients who get USDC: buys USDC with a
/// collected deposit and burns it towards itself, as `CctpBridge` does. What the USDC did not cost
/// goes back to the payer. One instance asks for fast messages, another for standard ones.
contract CctpSwapBridge is CctpBase, PoolSwap {
    using CctpChains for CctpChains.End;

    /// The gas limit for returning change to `refundTo`, so that it can never block a start.
    uint256 private constant CHANGE_GAS_LIMIT = 300_000;

    /// An intent's deposit bought `output`, which was burnt; what is left of its total was returned.
    event Swapped(
        bytes32 indexed intentHash, address tokenIn, uint256 spent, address tokenOut, uint256 output
    );

    constructor(address factory, address filler, uint32 minFinality)
        CctpBase(factory, filler, minFinality)
    {}

    /// Deposits in the native coin, from the factory.
    receive() external payable {}

    /// Start an intent unless it was started before, buy exactly `output` USDC with at most its total
    /// along `path` (see `PoolSwap`), burn that, and return the rest. The coordinator and its agents
    /// call this, before expiry. A bad path or a high output costs at most the total, and never the
    /// recipient's amount.
    function startAndBridge(
        Source calldata source,
        Destination calldata destination,
        uint256 output,
        bytes calldata path
    ) external nonReentrant {
        if (!FACTORY.isAuthorized(source.coordinator, msg.sender)) revert NotAuthorized();
        CctpChains.End memory here = CctpChains.find(source.chain);
        CctpChains.End memory there = CctpChains.find(destination.chain);
        if (
            source.token == here.usdc || destination.token != there.usdc
                || here.testNetwork != there.testNetwork || output < destination.amount
        ) revert InvalidTerms();
        bytes32 intentHash = _collectAny(source, destination);
        uint256 paidIn = _swap(_order(source, intentHash), path, here.usdc, output);
        emit Swapped(intentHash, source.token, paidIn, here.usdc, output);
        _burn(source, destination, here, there.domain, output);
        emit TokensMoved(
            intentHash, msg.sender, SEND, here.usdc, address(this), here.messenger(), output
        );
        emit Sent(intentHash, msg.sender, here.usdc, output, 0);
        // Last, as the receiver's code runs.
        if (paidIn != source.total) _return(source, intentHash, source.total - paidIn);
    }

    /// `_collect` for the native coin too: mark an intent as sent, and collect its deposit unless
    /// anyone has started it before.
    function _collectAny(Source calldata source, Destination calldata destination)
        private
        returns (bytes32 intentHash)
    {
        bytes32 destHash = keccak256(abi.encode(destination));
        intentHash = _requireUnspent(source, destHash);
        if (block.timestamp >= source.expiry) revert Expired();
        if (
            source.refundTo == address(0) || destination.amount == 0
                || destination.recipient == address(0) || destination.recipient == address(this)
                || destination.chain == source.chain
        ) revert InvalidTerms();
        spent[intentHash] = SENT;
        if (!FACTORY.started(intentHash)) FACTORY.start(source, destHash);
    }

    function _burn(
        Source calldata source,
        Destination calldata destination,
        CctpChains.End memory here,
        uint32 domain,
        uint256 output
    ) private {
        address messenger = here.messenger();
        uint256 balanceBefore = Transfers.balanceOf(here.usdc, address(this));
        if (!Transfers.tryApprove(here.usdc, messenger, output)) revert BridgeFailed();
        ITokenMessenger(messenger).depositForBurnWithHook(
            output,
            domain,
            _asWord(address(this)),
            here.usdc,
            _asWord(address(this)),
            _maxFee(output, destination.amount),
            MIN_FINALITY,
            abi.encode(source, destination)
        );
        if (balanceBefore - Transfers.balanceOf(here.usdc, address(this)) != output) {
            revert BridgeFailed();
        }
    }

    function _order(Source calldata source, bytes32 intentHash)
        private
        view
        returns (Order memory)
    {
        SwapChains.End memory end = SwapChains.find(source.chain);
        return Order(
            end.factory, end.wrapped, source.token, source.total, intentHash, msg.sender
        );
    }

    /// Return change to `refundTo`, or to the deposit address, from where anyone can refund it.
    function _return(Source calldata source, bytes32 intentHash, uint256 change) private {
        address to = source.refundTo;
        if (Transfers.tryTransfer(source.token, to, change, CHANGE_GAS_LIMIT)) {
            emit TokensMoved(
                intentHash, msg.sender, CHANGE, source.token, address(this), to, change
            );
        } else {
            _pay(intentHash, CHANGE, source.token, FACTORY.depositAddress(intentHash), change);
        }
    }
}
