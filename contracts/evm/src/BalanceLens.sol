// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Money} from "./Money.sol";

/// Never deployed: an eth_call without receiver runs this constructor, whose answer takes the place
/// of the code: the block's time in seconds, then what each owner holds, a word each. At most 700
/// owners, as code ends at 24,576 bytes. The time comes first because code must not begin with 0xef.
contract BalanceLens {
    constructor(address token, address[] memory owners) {
        uint256[] memory words = new uint256[](owners.length + 1);
        words[0] = block.timestamp;
        for (uint256 i = 0; i < owners.length; ++i) words[i + 1] = Money.held(token, owners[i]);
        assembly ("memory-safe") {
            return(add(words, 32), mul(mload(words), 32))
        }
    }
}
