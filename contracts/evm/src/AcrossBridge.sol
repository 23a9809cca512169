// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AcrossChains} from "./AcrossChains.sol";
import {BridgeBase} from "./BridgeBase.sol";
import {Destination, Source} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

interface ISpokePool {
    function unsafeDeposit(
        bytes32 depositor,
        bytes32 recipient,
        bytes32 inputToken,
        bytes32 outputToken,
        uint256 inputAmount,
        uint256 outputAmount,
        uint256 destinationChainId,
        bytes32 exclusiveRelayer,
        uint256 depositNonce,
        uint32 quoteTimestamp,
        uint32 fillDeadline,
        uint32 exclusivityParameter,
        bytes calldata message
    ) external payable;
    function getUnsafeDepositId(address msgSender, bytes32 depositor, uint256 depositNonce)
        external
        pure
        returns (uint256);
    function fillDeadlineBuffer() external view returns (uint32);
}

/// Carries payments over Across: deposits a collected deposit into the SpokePool towards itself on
/// the destination chain, with the terms as the message, and pays the recipient there inside the
/// relayer's fill. Nothing is parked: where the recipient cannot be paid, nobody can fill, and the
/// pool refunds the deposit.
contract AcrossBridge is BridgeBase {
    struct Deposit {
        bytes32 depositor;
        bytes32 inputToken;
        bytes32 outputToken;
        uint256 inputAmount;
        uint256 outputAmount;
        uint256 chain;
        uint256 nonce;
        uint32 fillDeadline;
        bytes message;
    }

    /// How long relayers have; less where the pool allows less.
    uint256 public constant FILL_TIME = 2 hours;

    constructor(address factory, address filler) BridgeBase(factory, filler) {}

    /// Start an intent unless it was started before, and deposit its total into the pool, for which
    /// a relayer pays `output` on the destination chain. The coordinator and its agents call this,
    /// before expiry. A higher `output` than relayers accept delays the payment until the pool's
    /// refund; it cannot take anything.
    function startAndBridge(
        Source calldata source,
        Destination calldata destination,
        uint256 output
    ) external nonReentrant {
        if (!FACTORY.isAuthorized(source.coordinator, msg.sender)) revert NotAuthorized();
        if (
            output < destination.amount
                || !AcrossChains.isPair(
                    source.chain, source.token, destination.chain, destination.token
                )
        ) revert InvalidTerms();
        address pool = AcrossChains.find(source.chain).pool;
        bytes32 intentHash = _collect(source, destination);
        uint256 depositId = _deposit(source, destination, output, pool, intentHash);
        emit TokensMoved(
            intentHash, msg.sender, SEND, source.token, address(this), pool, source.total
        );
        emit Sent(intentHash, msg.sender, source.token, source.total, bytes32(depositId));
    }

    /// Pay the recipient from what a relayer, or the pool itself, has just paid to this contract.
    /// Only the pool calls this. It reverts, and with it the fill, unless the recipient gets the
    /// amount or somebody is repaid for it.
    function handleV3AcrossMessage(
        address tokenSent,
        uint256 amount,
        address,
        bytes calldata message
    ) external nonReentrant {
        if (msg.sender != AcrossChains.find(block.chainid).pool) revert NotAuthorized();
        (Source memory source, Destination memory destination) =
            abi.decode(message, (Source, Destination));
        // Anyone can deposit with any message. What arrives is theirs, and pays what it says.
        if (
            source.bridger != address(this) || destination.chain != block.chainid
                || destination.token != tokenSent || amount < destination.amount
        ) revert InvalidTerms();
        _arrive(source, destination, amount);
    }

    function _park(bytes32, address recipient, uint256) internal pure override {
        revert TransferFailed(recipient);
    }

    function _deposit(
        Source calldata source,
        Destination calldata destination,
        uint256 output,
        address pool,
        bytes32 intentHash
    ) private returns (uint256) {
        uint256 balanceBefore = Transfers.balanceOf(source.token, address(this));
        if (!Transfers.tryApprove(source.token, pool, source.total)) revert BridgeFailed();
        Deposit memory deposit;
        // The depositor gets the pool's refund. Across adds up the refunds of one depositor, so that
        // payers who share one take each other's. A deposit address cannot sign either, so nobody
        // can change the deposit later.
        deposit.depositor = _asWord(FACTORY.depositAddress(intentHash));
        deposit.inputToken = _asWord(source.token);
        deposit.outputToken = _asWord(destination.token);
        deposit.inputAmount = source.total;
        deposit.outputAmount = output;
        deposit.chain = destination.chain;
        deposit.nonce = uint256(intentHash);
        deposit.fillDeadline = _fillDeadline(pool);
        deposit.message = abi.encode(source, destination);
        _send(ISpokePool(pool), deposit);
        if (balanceBefore - Transfers.balanceOf(source.token, address(this)) != source.total) {
            revert BridgeFailed();
        }
        return ISpokePool(pool).getUnsafeDepositId(address(this), deposit.depositor, deposit.nonce);
    }

    function _send(ISpokePool pool, Deposit memory deposit) private {
        pool.unsafeDeposit(
            deposit.depositor,
            _asWord(address(this)),
            deposit.inputToken,
            deposit.outputToken,
            deposit.inputAmount,
            deposit.outputAmount,
            deposit.chain,
            0,
            deposit.nonce,
            uint32(block.timestamp),
            deposit.fillDeadline,
            0,
            deposit.message
        );
    }

    function _fillDeadline(address pool) private view returns (uint32) {
        uint256 most = ISpokePool(pool).fillDeadlineBuffer();
        return uint32(block.timestamp + (most < FILL_TIME ? most : FILL_TIME));
    }

    function _asWord(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
