// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Escrow2} from "../src/Escrow2.sol";
import {Source} from "../src/Terms.sol";
import {TestBase} from "./TestBase.sol";

/// Random settlements by coordinators, agents and strangers, reclaims and withdrawals of six intents
/// with two tokens.
contract RandomSettlements is TestBase {
    uint256 public constant INTENTS = 6;

    Escrow2 public vault;
    Source[] private sources;
    address[2] public tokens;
    mapping(uint256 => uint256) public settlements;
    mapping(uint256 => uint256) public reclaims;
    bool public early;
    bool public strayed; // An agent paid whom it may not.

    constructor() {
        deployContracts();
        vault = new Escrow2(address(factory));
        tokens = [address(usdc), address(blocking)];
        for (uint256 i = 0; i < INTENTS; ++i) {
            address owner = i % 2 == 0 ? coordinator : stranger;
            Source memory source = terms(tokens[i % 2]);
            (source.nonce, source.bridger, source.coordinator) = (i, address(vault), owner);
            source.refundTo = address(uint160(0xBAC0 + i));
            source.expiry = NOW + (i + 1) * 6 hours;
            sources.push(source);
            vm.prank(owner);
            factory.setAgent(agentOf(owner), true);
        }
    }

    function start_(uint256 which) external {
        Source memory source = sources[which % INTENTS];
        deposit(source, TOTAL);
        start(source);
    }

    function setPayee(uint256 who, bool first, bool allowed) external {
        vm.prank(first ? coordinator : stranger);
        vault.setPayee(receiver(who), allowed);
    }

    /// By the coordinator, its agent, or the agent of another.
    function settle(uint256 which, uint256 who, uint96 amount, uint96 more, bool home) external {
        uint256 i = which % INTENTS;
        Source memory source = sources[i];
        address caller = source.coordinator;
        if (block.timestamp / 1 hours % 3 == 0) return; // What is left waits for a reclaim.
        if (who % 4 != 0) caller = agentOf(who % 4 == 3 ? treasury : caller);
        Escrow2.Payout[] memory list = new Escrow2.Payout[](2);
        list[0] = Escrow2.Payout(home ? depositAddressOf(source) : receiver(who), amount % TOTAL + 1);
        list[1] = Escrow2.Payout(receiver(more), more % 1_000 + 1);
        bool allowed = who % 4 == 0 || isPayee(source, list[0].to) && isPayee(source, list[1].to);
        vm.prank(caller);
        vault.settle(source, destHash(source.token), list);
        if (!allowed || who % 4 == 3) strayed = true;
        ++settlements[i];
    }

    function reclaim(uint256 which) external {
        uint256 i = which % INTENTS;
        vm.prank(relayer);
        vault.reclaim(sources[i], destHash(sources[i].token));
        ++reclaims[i];
        if (block.timestamp < sources[i].expiry + 24 hours) early = true;
    }

    function withdraw(uint256 token, bool first, uint96 amount) external {
        vm.prank(first ? coordinator : stranger);
        vault.withdraw(tokens[token % 2], treasury, amount % TOTAL);
    }

    function block_(uint256 which, bool denied) external {
        blocking.block_(sources[which % INTENTS].refundTo, denied);
    }

    function wait_(uint256 seconds_) external {
        vm.warp(block.timestamp + seconds_ % 12 hours);
    }

    // Queries of the invariants.

    function liabilities(address token) external view returns (uint256 sum) {
        sum = vault.retained(coordinator, token) + vault.retained(stranger, token);
        for (uint256 i = 0; i < INTENTS; ++i) {
            bytes32 hash = intentHashOf(sources[i], destHash(sources[i].token));
            bool open = factory.started(hash) && vault.spent(hash) == 0;
            if (sources[i].token == token && open) sum += TOTAL;
        }
    }

    function holdings(address token) external view returns (uint256) {
        return balanceOf(token, address(vault));
    }

    function receiver(uint256 who) private pure returns (address) {
        return address(uint160(0x5E770 + who % 3));
    }

    function agentOf(address owner) private pure returns (address) {
        return address(uint160(owner) + 1);
    }

    function isPayee(Source memory source, address to) private view returns (bool) {
        return to == depositAddressOf(source) || vault.payees(source.coordinator, to);
    }
}

contract Escrow2Invariants is TestBase {
    RandomSettlements private calls;

    function setUp() public {
        calls = new RandomSettlements();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(calls);
    }

    /// forge-config: default.invariant.runs = 48
    function invariant_the_escrow_holds_what_it_has_to_keep() external view {
        for (uint256 t = 0; t < 2; ++t) {
            address token = calls.tokens(t);
            assertEq(calls.holdings(token), calls.liabilities(token));
        }
        assertTrue(!calls.early() && !calls.strayed());
    }

    function afterInvariant() external view {
        for (uint256 i = 0; i < calls.INTENTS(); ++i) {
            assertTrue(calls.settlements(i) + calls.reclaims(i) <= 1);
        }
    }
}
