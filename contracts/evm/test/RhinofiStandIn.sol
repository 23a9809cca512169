// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// A stand-in of rhino.fi's bridge contract (DVFDepositContract) for tests, written from
// docs.rhino.fi/contracts/evm and what is published of the deployed contracts: selectors, events
// and the order of what they do are theirs, and the words of refusals but TRANSFER_FAILED. The file
// compiles alone, and its runtime code works at any address.
//
// Like the real one it takes every deposit whatever its commitment: unknown to rhino.fi, expired,
// or deposited before. Only rhino.fi's service knows what a commitment is worth.

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

contract RhinofiStandIn {
    mapping(address => bool) public authorized;

    event BridgedDepositWithId(
        address sender, address origin, address token, uint256 amount, uint256 commitmentId
    );
    event BridgedWithdrawal(address user, address token, uint256 amount, string withdrawalId);

    modifier onlyAuthorized() {
        require(authorized[msg.sender], "UNAUTHORIZED");
        _;
    }

    /// Anyone: a test is rhino.fi's owner.
    function authorize(address user, bool value) external {
        authorized[user] = value;
    }

    function depositWithId(address token, uint256 amount, uint256 commitmentId) external {
        require(token != address(0), "BLACKHOLE_NOT_ALLOWED");
        _call(token, abi.encodeCall(IToken.transferFrom, (msg.sender, address(this), amount)));
        emit BridgedDepositWithId(msg.sender, tx.origin, token, amount, commitmentId);
    }

    /// A payout, and a refund: the chain does not tell which, nor for which deposit.
    function withdrawV2(address token, address to, uint256 amount) external onlyAuthorized {
        _call(token, abi.encodeCall(IToken.transfer, (to, amount)));
        emit BridgedWithdrawal(to, token, amount, "");
    }

    /// As tokens that return nothing are called.
    function _call(address token, bytes memory data) private {
        (bool ok, bytes memory result) = token.call(data);
        require(ok && token.code.length > 0, "TRANSFER_FAILED");
        require(result.length == 0 || abi.decode(result, (bool)), "TRANSFER_FAILED");
    }
}
