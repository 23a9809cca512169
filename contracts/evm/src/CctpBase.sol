// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeBase} from "./BridgeBase.sol";
import {CctpChains} from "./CctpChains.sol";
import {ParkingBridge} from "./ParkingBridge.sol";
import {Destination, Source} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

interface ITokenMessenger {
    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external;
}

interface IMessageTransmitter {
    function receiveMessage(bytes calldata message, bytes calldata attestation)
        external
        returns (bool);
    function usedNonces(bytes32 nonce) external view returns (uint256);
}

/// What the bridges over Circle's CCTP V2 share: the destination chain's end, which pays the recipient
/// from what is minted, and the rule for Circle's fee.
abstract contract CctpBase is ParkingBridge {
    using CctpChains for CctpChains.End;

    /// At most this part of the deposit, and never any of the recipient's amount, is offered to
    /// Circle as its fee.
    uint256 public constant MAX_FEE_DIVISOR = 500;
    /// The offsets and the length of a message with our hook; see Circle's MessageV2 and
    /// BurnMessageV2.
    uint256 private constant SOURCE_DOMAIN_AT = 4;
    uint256 private constant NONCE_AT = 12;
    uint256 private constant RECIPIENT_AT = 76;
    uint256 private constant SENDER_AT = 248;
    uint256 private constant HOOK_AT = 376;
    uint256 private constant MESSAGE_LENGTH = HOOK_AT + 12 * 32;

    /// 1000: attested once soft-final, for a fee. 2000: attested once final, free.
    uint32 public immutable MIN_FINALITY;

    error AlreadyDelivered();
    error InvalidMessage();

    constructor(address factory, address filler, uint32 minFinality) BridgeBase(factory, filler) {
        MIN_FINALITY = minFinality;
    }

    /// Receive a message that Circle attested, and pay the recipient from what it mints. Anyone can
    /// call this.
    function deliver(bytes calldata message, bytes calldata attestation) external nonReentrant {
        CctpChains.End memory here = CctpChains.find(block.chainid);
        // Anyone can have any body attested, by a message to another recipient than the messenger.
        if (
            message.length != MESSAGE_LENGTH
                || _word(message, RECIPIENT_AT) != _asWord(here.messenger())
                || _word(message, SENDER_AT) != _asWord(address(this))
        ) revert InvalidMessage();
        (Source memory source, Destination memory destination) =
            abi.decode(message[HOOK_AT:], (Source, Destination));
        if (
            source.bridger != address(this) || destination.chain != block.chainid
                || destination.token != here.usdc
        ) revert InvalidTerms();
        // The sender is this contract only on the chains of the table; of another one it is a word
        // that somebody there may be able to forge.
        if (
            uint32(bytes4(message[SOURCE_DOMAIN_AT:SOURCE_DOMAIN_AT + 4]))
                != CctpChains.find(source.chain).domain
        ) revert InvalidMessage();
        IMessageTransmitter transmitter = IMessageTransmitter(here.transmitter());
        if (transmitter.usedNonces(_word(message, NONCE_AT)) != 0) revert AlreadyDelivered();
        uint256 balanceBefore = Transfers.balanceOf(here.usdc, address(this));
        if (!transmitter.receiveMessage(message, attestation)) revert BridgeFailed();
        uint256 got = Transfers.balanceOf(here.usdc, address(this)) - balanceBefore;
        if (got == 0) revert NothingToTransfer();
        _arrive(source, destination, got);
    }

    function _maxFee(uint256 total, uint256 amount) internal pure returns (uint256) {
        uint256 most = total / MAX_FEE_DIVISOR;
        return total - amount < most ? total - amount : most;
    }

    function _word(bytes calldata data, uint256 offset) private pure returns (bytes32) {
        return bytes32(data[offset:offset + 32]);
    }

    function _asWord(address account) internal pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
