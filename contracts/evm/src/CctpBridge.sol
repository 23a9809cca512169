// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CctpBase, ITokenMessenger} from "./CctpBase.sol";
import {CctpChains} from "./CctpChains.sol";
import {Destination, Source} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

/// Carries USDC payments over Circle's CCTP V2: burns a collected deposit towards itself on the
/// destination chain, with the terms in the message, and pays the recipient there from what is
/// minted. One instance asks for fast messages, another for standard ones.
contract CctpBridge is CctpBase {
    using CctpChains for CctpChains.End;

    constructor(address factory, address filler, uint32 minFinality)
        CctpBase(factory, filler, minFinality)
    {}

    /// Start an intent unless it was started before, and burn its deposit. Anyone can call this
    /// before expiry; nothing in it is the caller's choice.
    function startAndBridge(Source calldata source, Destination calldata destination)
        external
        nonReentrant
    {
        CctpChains.End memory here = CctpChains.find(source.chain);
        CctpChains.End memory there = CctpChains.find(destination.chain);
        if (
            source.token != here.usdc || destination.token != there.usdc
                || here.testNetwork != there.testNetwork || source.total < destination.amount
        ) revert InvalidTerms();
        bytes32 intentHash = _collect(source, destination);
        _burn(source, destination, here.messenger(), there.domain);
        emit TokensMoved(
            intentHash, msg.sender, SEND, source.token, address(this), here.messenger(), source.total
        );
        emit Sent(intentHash, msg.sender, source.token, source.total, 0);
    }

    function _burn(
        Source calldata source,
        Destination calldata destination,
        address messenger,
        uint32 domain
    ) private {
        uint256 balanceBefore = Transfers.balanceOf(source.token, address(this));
        if (!Transfers.tryApprove(source.token, messenger, source.total)) revert BridgeFailed();
        bytes memory hook = abi.encode(source, destination);
        ITokenMessenger(messenger).depositForBurnWithHook(
            source.total,
            domain,
            _asWord(address(this)),
            source.token,
            _asWord(address(this)),
            _maxFee(source.total, destination.amount),
            MIN_FINALITY,
            hook
        );
        if (balanceBefore - Transfers.balanceOf(source.token, address(this)) != source.total) {
            revert BridgeFailed();
        }
    }
}
