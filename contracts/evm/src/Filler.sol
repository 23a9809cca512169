// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Guarded} from "./Guarded.sol";
import {Money} from "./Money.sol";
import {Terms} from "./Terms.sol";

/// Pays recipients on the destination chain out of the caller's own money, once an intent. The key
/// is computed from what is paid, so that no intent can be marked as filled by paying less, another
/// token or another recipient. Holds nothing and is owned by nobody.
contract Filler is Guarded {
    /// Intents whose recipient was paid.
    mapping(bytes32 key => bool) public filled;

    error AlreadyFilled();
    error WrongValue();

    /// Pay `amount` of `token` to `recipient`: a token by the caller's allowance to this contract,
    /// the native coin by the value sent along. Anyone may.
    function fill(bytes32 sourceHash, address token, address recipient, uint256 amount)
        external
        payable
        guarded
    {
        if (amount == 0 || recipient == address(0)) revert BadTerms();
        bytes32 key = Terms.join(sourceHash, Terms.destHashOf(token, recipient, amount));
        if (filled[key]) revert AlreadyFilled();
        filled[key] = true;
        if (msg.value != (token == Money.NATIVE ? amount : 0)) revert WrongValue();
        if (token == Money.NATIVE) {
            if (!Money.send(token, recipient, amount, Money.ALL_GAS)) revert Refused(recipient);
        } else {
            _pull(token, recipient, amount);
        }
        emit Moved(key, msg.sender, FILL, token, msg.sender, recipient, amount);
    }

    /// Which of these intents were filled.
    function used(bytes32[] calldata keys) external view returns (bool[] memory answers) {
        answers = new bool[](keys.length);
        for (uint256 i = 0; i < keys.length; ++i) answers[i] = filled[keys[i]];
    }

    function _pull(address token, address recipient, uint256 amount) private {
        uint256 before = Money.held(token, recipient);
        if (!Money.pull(token, msg.sender, recipient, amount)) revert Refused(recipient);
        // Who pays himself has no more than before; everyone else has all of it.
        if (recipient == msg.sender) return;
        if (Money.held(token, recipient) - before < amount) revert ReceivedLess(recipient);
    }
}
