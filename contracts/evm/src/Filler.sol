// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementBase} from "./SettlementBase.sol";
import {Terms} from "./Terms.sol";
import {Transfers} from "./Transfers.sol";

/// Pays recipients on the destination chain with the caller's funds, once per intent. The intent
/// hash is computed from what is paid, so paying less, another token or another recipient cannot
/// mark an intent as filled. Holds no funds and has no owner.
contract Filler is SettlementBase {
    /// Whether the recipient of an intent was paid.
    mapping(bytes32 intentHash => bool) public filled;

    error AlreadyFilled();
    error WrongValue();

    /// Pay `amount` of `token` to `recipient`: tokens by the caller's allowance to this contract,
    /// native coins by the value of the call. Anyone can call this.
    function fill(bytes32 sourceHash, address token, address recipient, uint256 amount)
        external
        payable
        nonReentrant
    {
        if (amount == 0 || recipient == address(0)) revert InvalidTerms();
        bytes32 destHash = Terms.hashDestination(token, recipient, amount);
        bytes32 intentHash = Terms.joinHashes(sourceHash, destHash);
        if (filled[intentHash]) revert AlreadyFilled();
        filled[intentHash] = true;
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
        for (uint256 i = 0; i < intentHashes.length; ++i) results[i] = filled[intentHashes[i]];
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
