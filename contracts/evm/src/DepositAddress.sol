// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Transfers} from "./Transfers.sol";

/// The implementation behind every deposit address. Only the factory can move what it holds.
contract DepositAddress {
    address private immutable FACTORY = msg.sender;

    error NotAuthorized();

    receive() external payable {}

    /// Transfer from this address. Returns false if the receiver or the token refuses.
    function pay(address token, address to, uint256 amount, uint256 gasLimit)
        external
        returns (bool)
    {
        if (msg.sender != FACTORY) revert NotAuthorized();
        return Transfers.tryTransfer(token, to, amount, gasLimit);
    }
}
