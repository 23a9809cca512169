// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementBase} from "./SettlementBase.sol";
import {Source, Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

interface IIntentFactory {
    function started(bytes32 intentHash) external view returns (bool);
    function isAuthorized(address coordinator, address account) external view returns (bool);
}

/// Holds collected deposits until the coordinator of the terms pays them out, once per intent: to
/// the relayer and the treasury, or back to the payer. Shared by any number of coordinators; none
/// can touch the deposits of another's intents. Has no owner.
contract Escrow is SettlementBase {
    struct Payout {
        address to;
        uint256 amount;
    }

    IIntentFactory public immutable FACTORY;

    /// Whether the deposit of an intent was paid out.
    mapping(bytes32 intentHash => bool) public settled;
    /// Retained amounts of settled deposits, such as bridge fees; the coordinator withdraws them.
    mapping(address coordinator => mapping(address token => uint256 amount)) public retained;

    event Retained(
        bytes32 indexed intentHash,
        address indexed coordinator,
        address indexed token,
        uint256 amount
    );

    error AlreadySettled();
    error NotStarted();
    error ExceedsAvailable();

    constructor(address factory) {
        FACTORY = IIntentFactory(factory);
    }

    receive() external payable {}

    /// Pay out the deposit of an intent; what remains after the payouts is retained.
    function settle(Source calldata source, bytes32 destHash, Payout[] calldata payouts)
        external
        nonReentrant
    {
        if (source.chain != block.chainid) revert WrongChain();
        if (source.bridger != address(this)) revert InvalidTerms();
        if (!FACTORY.isAuthorized(source.coordinator, msg.sender)) revert NotAuthorized();
        bytes32 intentHash = Terms.hashIntent(source, destHash);
        if (settled[intentHash]) revert AlreadySettled();
        if (!FACTORY.started(intentHash)) revert NotStarted();
        settled[intentHash] = true;
        uint256 remaining = source.total;
        for (uint256 i = 0; i < payouts.length; ++i) {
            if (payouts[i].amount > remaining) revert ExceedsAvailable();
            remaining -= payouts[i].amount;
            _pay(intentHash, SETTLE, source.token, payouts[i].to, payouts[i].amount);
        }
        if (remaining != 0) {
            retained[source.coordinator][source.token] += remaining;
            emit Retained(intentHash, source.coordinator, source.token, remaining);
        }
    }

    /// Withdraw retained amounts of the caller's intents.
    function withdraw(address token, address to, uint256 amount) external nonReentrant {
        if (amount > retained[msg.sender][token]) revert ExceedsAvailable();
        retained[msg.sender][token] -= amount;
        _pay(0, WITHDRAW, token, to, amount);
    }

    /// Which of these intents were settled.
    function executed(bytes32[] calldata intentHashes)
        external
        view
        returns (bool[] memory results)
    {
        results = new bool[](intentHashes.length);
        for (uint256 i = 0; i < intentHashes.length; ++i) results[i] = settled[intentHashes[i]];
    }

    function _pay(bytes32 intentHash, uint8 kind, address token, address to, uint256 amount)
        private
    {
        if (amount == 0) revert NothingToTransfer();
        if (to == address(0)) revert TransferFailed(to);
        if (!Transfers.tryTransfer(token, to, amount, Transfers.NO_GAS_LIMIT)) {
            revert TransferFailed(to);
        }
        emit TokensMoved(intentHash, msg.sender, kind, token, address(this), to, amount);
    }
}
