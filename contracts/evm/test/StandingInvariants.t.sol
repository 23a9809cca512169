// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StandingTerms} from "../src/StandingFactory.sol";
import {Source} from "../src/Terms.sol";
import {StandingTestBase} from "./StandingTestBase.sol";

/// Random calls on one standing address by an agent and strangers; counts what succeeded.
contract RandomStandingCalls is StandingTestBase {
    uint256 public deposited;
    uint256 public forwarded;
    uint256 public forwards;
    bool public leftTwice;
    mapping(bytes32 => uint256) private leaves;
    bool public earlyReturn;
    bool public tooLittle;
    uint256 private flaggedAt;

    constructor() {
        deployStanding();
    }

    function pay(uint64 amount) external {
        deposited += amount;
        usdc.mint(at(standingTerms()), amount);
    }

    function payMuch() external {
        deposited += 30_000_000;
        usdc.mint(at(standingTerms()), 30_000_000);
    }

    function wait_(uint256 seconds_) external {
        vm.warp(block.timestamp + seconds_ % 1 days);
    }

    function forward(uint64 total, uint64 amount, uint8 id, uint8 exact, address caller) external {
        if (exact % 4 != 0) (total, amount, caller) = (30_000_000, 29_000_000, agent);
        Source memory source = intentOf(address(usdc), total);
        (source.nonce, source.expiry) = (forwards, block.timestamp + 1 hours);
        vm.prank(caller);
        standing.forward(standingTerms(), source, amount, bytes32(uint256(id)));
        ++forwards;
        if (++leaves[bytes32(uint256(id))] > 1) leftTwice = true;
        forwarded += total;
        if (amount < least(total)) tooLittle = true;
    }

    function recover(uint64 amount, uint8 id, bool authorized) external {
        vm.prank(authorized ? agent : stranger);
        standing.recover(standingTerms(), address(usdc), amount, bytes32(uint256(id)));
        if (++leaves[bytes32(uint256(id))] > 1) leftTwice = true;
    }

    function flag() external {
        standing.flag(standingTerms(), address(usdc));
        flaggedAt = block.timestamp;
    }

    function recoverUnserved(address caller) external {
        vm.prank(caller);
        standing.recoverUnserved(standingTerms(), address(usdc));
        if (block.timestamp < flaggedAt + 1 days) earlyReturn = true;
    }

    // Queries of the invariants.

    function there() external view returns (uint256) {
        return usdc.balanceOf(at(standingTerms()));
    }

    function recovered() external view returns (uint256) {
        return usdc.balanceOf(recovery);
    }

    function flagged() external view returns (uint256 amount) {
        (amount,) = standing.flags(keccak256(abi.encode(standingTerms())), address(usdc));
    }

    function elsewhere() external view returns (uint256) {
        return usdc.balanceOf(agent) + usdc.balanceOf(stranger) + usdc.balanceOf(coordinator)
            + usdc.balanceOf(address(standing)) + usdc.balanceOf(address(factory));
    }
}

contract StandingInvariants is StandingTestBase {
    RandomStandingCalls private calls;

    function setUp() public {
        calls = new RandomStandingCalls();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(calls);
    }

    /// Every unit is there, at a payment's deposit address or at the recovery address.
    function invariant_every_unit_is_accounted_for() public view {
        assertEq(calls.there() + calls.forwarded() + calls.recovered(), calls.deposited());
        assertEq(calls.elsewhere(), 0);
        assertTrue(!calls.earlyReturn() && !calls.tooLittle());
        assertTrue(calls.flagged() <= calls.deposited());
        assertTrue(!calls.leftTwice());
    }
}
