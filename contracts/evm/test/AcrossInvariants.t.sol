// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Destination, Source} from "../src/Terms.sol";
import {AcrossTestBase, Pool} from "./AcrossTestBase.sol";

/// Random calls on six intents over the real SpokePool by anyone, with fills, refunds by the pool,
/// strangers' deposits and payouts, blacklists and gifts.
contract RandomAcrossCalls is AcrossTestBase {
    uint256 public constant INTENTS = 6;

    Source[] private sources;
    Destination[] private destinations;
    Pool.Relay[] private relays; // What was deposited, filled or not; also by strangers.
    uint256[] private intentOf; // INTENTS and more: a stranger's deposit with the terms of one.
    mapping(uint256 => bool) public refunded;
    mapping(uint256 => bool) public filled;
    mapping(uint256 => uint256) public paidBack; // By pool and bridge to the deposit address.
    mapping(address => uint256) public gifts; // By token.

    constructor() {
        deployContracts();
        for (uint256 i = 0; i < INTENTS; ++i) {
            (Source memory source, Destination memory destination) = terms();
            source.nonce = i;
            source.expiry = NOW + (i < 3 ? (i + 1) * 12 hours : 1000 days);
            source.refundTo = address(uint160(0xBAC0 + i));
            source.coordinator = i % 2 == 0 ? coordinator : address(0xC00E);
            destination.recipient = address(uint160(0xB0B0 + i));
            sources.push(source);
            destinations.push(destination);
        }
    }

    function start(uint256 which) external {
        vm.chainId(BASE);
        uint256 i = which % INTENTS;
        pay(sources[i], destinations[i]);
        factory.start(sources[i], destHash(destinations[i]));
    }

    function startAndBridge(uint256 which, uint16 more, bool unpaid) external {
        vm.chainId(BASE);
        uint256 i = which % INTENTS;
        if (!unpaid) pay(sources[i], destinations[i]);
        vm.recordLogs();
        vm.prank(sources[i].coordinator);
        bridge.startAndBridge(sources[i], destinations[i], AMOUNT + more);
        relays.push(relayOf(vm.getRecordedLogs(), BASE));
        intentOf.push(i);
    }

    function depositOfAStranger(uint256 which, uint256 output) external {
        uint256 i = which % INTENTS;
        Pool.Relay memory relay;
        (relay.depositor, relay.recipient) = (word(stranger), word(address(bridge)));
        (relay.inputToken, relay.outputToken) = (word(token(BASE)), word(token(ARBITRUM)));
        relay.outputAmount = output % 3 == 0 ? AMOUNT - 1 : AMOUNT + output % 9;
        (relay.originChainId, relay.depositId) = (BASE, relays.length);
        (relay.fillDeadline, relay.message) =
            (uint32(block.timestamp + 1 hours), abi.encode(sources[i], destinations[i]));
        relays.push(relay);
        intentOf.push(INTENTS + i);
    }

    /// A fill, unless the pool has refunded the deposit: its owner knows both chains.
    function fill_(uint256 which) external {
        vm.chainId(ARBITRUM);
        uint256 r = which % 2 == 0 ? relays.length - 1 : which % relays.length;
        if (refunded[r]) return;
        fill(relays[r]);
        filled[r] = true;
    }

    function refundByThePool(uint256 which) external {
        uint256 r = which % relays.length;
        uint256 i = intentOf[r];
        if (refunded[r] || filled[r] || i >= INTENTS) return;
        vm.warp(relays[r].fillDeadline + 1 hours);
        refundDepositor(depositOf(sources[i], destinations[i]), TOTAL);
        refunded[r] = true;
        paidBack[i] += TOTAL;
    }

    function refund(uint256 which) external {
        vm.chainId(BASE);
        uint256 i = which % INTENTS;
        vm.prank(stranger);
        factory.refund(sources[i], destHash(destinations[i]), token(BASE));
    }

    function giveBack(uint256 which, bool byCoordinator) external {
        vm.chainId(BASE);
        uint256 i = which % INTENTS;
        vm.prank(byCoordinator ? sources[i].coordinator : stranger);
        bridge.giveBack(sources[i], destHash(destinations[i]));
        paidBack[i] += TOTAL;
    }

    function payInAdvance(uint256 which, uint256 who) external {
        vm.chainId(ARBITRUM);
        if (who % 4 != 0) return; // Most recipients are paid by the fill.
        uint256 i = which % INTENTS;
        address repayTo = who % 8 == 0 ? address(bridge) : fillerOf(i);
        usdc(ARBITRUM).mint(relayer, AMOUNT);
        vm.prank(relayer);
        usdc(ARBITRUM).approve(address(filler), AMOUNT);
        bytes32 sourceHash = keccak256(abi.encode(sources[i]));
        vm.prank(relayer);
        filler.fill(
            sourceHash,
            token(ARBITRUM),
            destinations[i].recipient,
            AMOUNT,
            repayTo,
            block.timestamp
        );
    }

    function withdraw(bool first, uint16 amount) external {
        vm.chainId(ARBITRUM);
        vm.prank(first ? coordinator : address(0xC00E));
        bridge.withdraw(token(ARBITRUM), address(0xCA5E), amount);
    }

    function gift(bool onBase, uint32 amount) external {
        address token_ = token(onBase ? BASE : ARBITRUM);
        usdc(onBase ? BASE : ARBITRUM).mint(address(bridge), amount);
        gifts[token_] += amount;
    }

    function blacklist(uint256 which, bool filler_, bool denied) external {
        uint256 i = which % INTENTS;
        usdc(ARBITRUM).refuse(filler_ ? fillerOf(i) : destinations[i].recipient, denied);
    }

    function wait_(uint256 seconds_) external {
        vm.warp(block.timestamp + seconds_ % 1 hours);
    }

    // Queries of the invariants.

    function fillerOf(uint256 i) public pure returns (address) {
        return address(uint160(0xF1110 + i));
    }

    function recipientGot(uint256 i) external view returns (uint256) {
        return usdc(ARBITRUM).balanceOf(destinations[i].recipient);
    }

    function arrivedOf(uint256 i) external view returns (uint8) {
        return bridge.arrived(hashOf(sources[i], destinations[i]));
    }

    function collected() external view returns (uint256 sum) {
        for (uint256 i = 0; i < INTENTS; ++i) {
            bytes32 hash = hashOf(sources[i], destinations[i]);
            if (factory.started(hash) && bridge.spent(hash) == 0) sum += TOTAL;
        }
    }

    function owed() external view returns (uint256 sum) {
        address token_ = token(ARBITRUM);
        sum = bridge.owed(coordinator, token_) + bridge.owed(address(0xC00E), token_);
        for (uint256 i = 0; i < INTENTS; ++i) sum += bridge.owed(fillerOf(i), token_);
    }

    function holdings(uint256 chain) external view returns (uint256) {
        return usdc(chain).balanceOf(address(bridge)) - gifts[token(chain)];
    }

    function allowances() external view returns (uint256) {
        return usdc(BASE).allowance(address(bridge), address(pool(BASE)))
            + usdc(ARBITRUM).allowance(address(bridge), address(filler));
    }
}

contract AcrossInvariants is AcrossTestBase {
    RandomAcrossCalls private calls;

    function setUp() public {
        calls = new RandomAcrossCalls();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(calls);
    }

    /// The bridge holds exactly what was collected and not sent on the source chain, and what it
    /// owes on the destination chain.
    /// forge-config: default.invariant.runs = 48
    function invariant_the_bridge_holds_what_it_has_to_keep() external view {
        assertEq(calls.holdings(BASE), calls.collected());
        assertEq(calls.holdings(ARBITRUM), calls.owed());
        assertEq(calls.allowances(), 0);
    }

    /// A recipient is paid once and exactly, and where something arrived, the recipient was.
    function afterInvariant() external view {
        for (uint256 i = 0; i < calls.INTENTS(); ++i) {
            uint256 got = calls.recipientGot(i);
            assertTrue(got == 0 || got == AMOUNT);
            if (calls.arrivedOf(i) != 0) assertEq(got, AMOUNT);
            assertTrue(calls.paidBack(i) <= TOTAL);
        }
    }
}
