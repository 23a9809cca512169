// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Money} from "./Money.sol";

/// The code behind every deposit address: holds what arrives, obeys its factory and nobody else.
contract DepositAddress {
    address private immutable FACTORY = msg.sender;

    error NotAllowed();

    receive() external payable {}

    /// Send from this address; false when the receiver or the token refuses.
    function pay(address token, address to, uint256 units, uint256 gasLimit)
        external
        returns (bool)
    {
        if (msg.sender != FACTORY) revert NotAllowed();
        return Money.send(token, to, units, gasLimit);
    }
}
