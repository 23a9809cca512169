// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementBase} from "./SettlementBase.sol";
import {Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

/// Pays recipients on the destination chain with the caller's funds, once per intent, and remembers
/// whom a bridge's delivery repays. The intent hash is computed from what is paid, so paying less,
/// another token or another recipient cannot mark an intent as filled. Holds no funds and has no
/// owner.
contract Filler2 is SettlementBase {
    /// Who is repaid for the payout of an intent; zero while its recipient was not paid.
    mapping(bytes32 intentHash => address) public repayTo;

    error AlreadyFilled();
    error WrongValue();
    error Expired();

    /// Pay `amount` of `token` to `recipient`: tokens by the caller's allowance to this contract,
    /// native coins by the value of the call. `repayTo_` is who gets the money that the intent's
    /// bridge delivers. Reverts after `notAfter`, so that who gives a payout up can be sure that an
    /// old transaction does not make it later. Anyone can call this.
    function fill(
        bytes32 sourceHash,
        address token,
        address recipient,
        uint256 amount,
        address repayTo_,
        uint256 notAfter
    ) external payable nonReentrant {
        if (block.timestamp > notAfter) revert Expired();
        if (amount == 0 || recipient == address(0) || repayTo_ == address(0)) {
            revert InvalidTerms();
        }
        bytes32 destHash = Terms.hashDestination(token, recipient, amount);
        bytes32 intentHash = Terms.joinHashes(sourceHash, destHash);
        if (repayTo[intentHash] != address(0)) revert AlreadyFilled();
        repayTo[intentHash] = repayTo_;
        if (msg.value != (token == Transfers.NATIVE ? amount : 0)) revert WrongValue();
        if (token == Transfers.NATIVE) {
            if (!Transfers.tryTransfer(token, recipient, amount, Transfers.NO_GAS_LIMIT)) {
                revert TransferFailed(recipient);
            }
        } else {
            _transferFromCaller(token, recipient, amount);
        }
        emit TokensMoved(intentHash, msg.sender, FILL, token, msg.sender, recipient, amount);
    }

    /// Which of these intents were filled.
    function executed(bytes32[] calldata intentHashes)
        external
        view
        returns (bool[] memory results)
    {
        results = new bool[](intentHashes.length);
        for (uint256 i = 0; i < intentHashes.length; ++i) {
            results[i] = repayTo[intentHashes[i]] != address(0);
        }
    }

    function _transferFromCaller(address token, address recipient, uint256 amount) private {
        uint256 balanceBefore = Transfers.balanceOf(token, recipient);
        if (!Transfers.tryTransferFrom(token, msg.sender, recipient, amount)) {
            revert TransferFailed(recipient);
        }
        // A payment to oneself changes no balance; everyone else must receive all of it.
        if (recipient == msg.sender) return;
        if (Transfers.balanceOf(token, recipient) - balanceBefore < amount) {
            revert ReceivedLess(recipient);
        }
    }
}
