// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CctpBridge} from "../src/CctpBridge.sol";
import {Destination, Source} from "../src/Terms.sol";
import {CctpTestBase} from "./CctpTestBase.sol";
import {UsdcStandIn} from "./UsdcStandIn.sol";

/// Random calls on eight intents of both instances by anyone, with blacklists, reorganised burns,
/// strangers' payouts and gifts.
contract RandomBridgeCalls is CctpTestBase {
    uint256 public constant INTENTS = 8;

    Source[] private sources;
    Destination[] private destinations;
    bytes[] public messages; // What was burnt, delivered or not.
    uint256[] public intentOf;
    mapping(uint256 => bytes32) private nonces;
    mapping(address => mapping(address => uint256)) public gifts; // By bridge and token.
    mapping(uint256 => uint256) public payouts; // By strangers and relayers.
    uint256 public withdrawn;

    constructor() {
        deployContracts();
        for (uint256 i = 0; i < INTENTS; ++i) {
            (Source memory source, Destination memory destination) =
                terms(i % 2 == 0 ? fast : standard);
            source.nonce = i;
            source.expiry = NOW + (i < 4 ? (i + 1) * 12 hours : 1000 days);
            source.refundTo = address(uint160(0xBAC0 + i));
            source.coordinator = i % 4 < 2 ? coordinator : address(0xC00E);
            destination.recipient = address(uint160(0xB0B0 + i));
            destination.amount = AMOUNT - i;
            sources.push(source);
            destinations.push(destination);
        }
    }

    function pay_(uint256 which, bool exact, uint32 amount) external {
        uint256 i = which % INTENTS;
        usdc(BASE).mint(depositOf(sources[i], destinations[i]), exact ? TOTAL : amount + 1);
    }

    function start(uint256 which, bool unpaid) external {
        on(BASE);
        if (!unpaid) pay(sources[which % INTENTS], destinations[which % INTENTS]);
        factory.start(sources[which % INTENTS], destHash(destinations[which % INTENTS]));
    }

    function startAndBridge(uint256 which, bool unpaid) external {
        on(BASE);
        uint256 i = which % INTENTS;
        if (!unpaid) pay(sources[i], destinations[i]);
        messages.push(send(sources[i], destinations[i]));
        intentOf.push(i);
    }

    function giveBack(uint256 which, bool byCoordinator) external {
        on(BASE);
        uint256 i = which % INTENTS;
        vm.prank(byCoordinator ? sources[i].coordinator : stranger);
        bridgeOf(i).giveBack(sources[i], destHash(destinations[i]));
    }

    /// Attested again, a message keeps its nonce; a repeated burn has a new one.
    function deliver_(uint256 which, uint256 fee, bool repeated) external {
        on(ARBITRUM);
        // The newest message, or any.
        uint256 m = which % 2 == 0 ? messages.length - 1 : which % messages.length;
        bool again = repeated && fee % 8 == 0;
        if (nonces[m] == 0 || again) nonces[m] = keccak256(abi.encode(m, fee));
        uint256 i = intentOf[m];
        if (fee % 3 == 1) usdc(ARBITRUM).blacklist(destinations[i].recipient);
        if (fee % 3 == 2) usdc(ARBITRUM).blacklist(fillerOf(i));
        (bytes memory filled, bytes memory attestation) = attestAs(
            nonces[m], messages[m], fee % 4 == 0 ? FINAL : FAST, fee % (TOTAL - AMOUNT), 0
        );
        bridgeOf(i).deliver(filled, attestation);
    }

    function fill(uint256 which, uint256 who) external {
        on(ARBITRUM);
        uint256 i = which % INTENTS;
        if (who % 2 == 0) return; // Most recipients are paid by the arrival.
        address repayTo = who % 3 == 0 ? address(bridgeOf(i)) : fillerOf(i);
        fillBy(relayer, sources[i], destinations[i], repayTo);
        ++payouts[i];
    }

    function release(uint256 which, bool stillDenied) external {
        on(ARBITRUM);
        uint256 i = parkedIntent(which);
        if (!stillDenied) usdc(ARBITRUM).unBlacklist(destinations[i].recipient);
        bridgeOf(i).release(sources[i], destinations[i]);
    }

    function unpark(uint256 which, bool early) external {
        on(ARBITRUM);
        if (!early) vm.warp(block.timestamp + 30 days);
        uint256 i = parkedIntent(which);
        vm.prank(sources[i].coordinator);
        bridgeOf(i).unpark(sources[i], destinations[i]);
    }

    function withdraw(bool first, bool ofFast, uint32 amount) external {
        on(ARBITRUM);
        vm.prank(first ? coordinator : address(0xC00E));
        amount %= 5_000;
        (ofFast ? fast : standard).withdraw(address(usdc(ARBITRUM)), address(0xCA5E), amount);
        withdrawn += amount;
    }

    function withdrawRepayment(uint256 which) external {
        on(ARBITRUM);
        uint256 i = which % INTENTS;
        for (uint256 n = 0; n < INTENTS && owedToFiller(i) == 0; ++n) i = (i + 1) % INTENTS;
        uint256 amount = owedToFiller(i);
        usdc(ARBITRUM).unBlacklist(fillerOf(i));
        vm.prank(fillerOf(i));
        bridgeOf(i).withdraw(destinations[i].token, fillerOf(i), amount);
    }

    function gift(bool toFast, bool onBase, uint32 amount) external {
        CctpBridge bridge = toFast ? fast : standard;
        UsdcStandIn token = usdc(onBase ? BASE : ARBITRUM);
        token.mint(address(bridge), amount);
        gifts[address(bridge)][address(token)] += amount;
    }

    function blacklist(uint256 which, uint256 kind, bool on_) external {
        uint256 i = which % INTENTS;
        bool denied = on_ || kind % 4 == 0;
        if (kind % 5 == 0) usdc(BASE).refuse(sources[i].refundTo, denied);
        else if (kind % 5 == 1) usdc(ARBITRUM).refuse(fillerOf(i), denied);
        else usdc(ARBITRUM).refuse(destinations[i].recipient, denied);
    }

    function wait_(uint256 seconds_) external {
        vm.warp(block.timestamp + seconds_ % 2 hours);
    }

    // Queries of the invariants.

    function bridgeOf(uint256 i) public view returns (CctpBridge) {
        return CctpBridge(sources[i].bridger);
    }

    /// A parked intent, if there is one.
    function parkedIntent(uint256 which) private view returns (uint256 i) {
        i = which % INTENTS;
        for (uint256 n = 0; n < INTENTS && this.arrivedOf(i) != 4; ++n) i = (i + 1) % INTENTS;
    }

    function owedToFiller(uint256 i) private view returns (uint256) {
        return bridgeOf(i).owed(fillerOf(i), destinations[i].token);
    }

    function fillerOf(uint256 i) public pure returns (address) {
        return address(uint160(0xF1110 + i));
    }

    function recipientGot(uint256 i) external view returns (uint256) {
        return usdc(ARBITRUM).balanceOf(destinations[i].recipient);
    }

    function amountOf(uint256 i) external view returns (uint256) {
        return destinations[i].amount;
    }

    function unspent(uint256 i) public view returns (uint256) {
        bytes32 hash = hashOf(sources[i], destinations[i]);
        return factory.started(hash) && bridgeOf(i).spent(hash) == 0 ? TOTAL : 0;
    }

    function arrivedOf(uint256 i) external view returns (uint8) {
        return bridgeOf(i).arrived(hashOf(sources[i], destinations[i]));
    }

    function sent(uint256 i) external view returns (bool) {
        return bridgeOf(i).spent(hashOf(sources[i], destinations[i])) == 1;
    }

    function messageCount() external view returns (uint256) {
        return messages.length;
    }

    function holdings(CctpBridge bridge, uint256 chain) external view returns (uint256) {
        address token = address(usdc(chain));
        return usdc(chain).balanceOf(address(bridge)) - gifts[address(bridge)][token];
    }

    function bridges() external view returns (CctpBridge, CctpBridge) {
        return (fast, standard);
    }

    /// What a bridge has to keep for others on each chain.
    function liabilities(CctpBridge bridge, uint256 chain) external view returns (uint256 sum) {
        if (chain == ARBITRUM) {
            address token = address(usdc(ARBITRUM));
            sum = bridge.owed(coordinator, token) + bridge.owed(address(0xC00E), token);
        }
        for (uint256 i = 0; i < INTENTS; ++i) {
            if (address(bridgeOf(i)) != address(bridge)) continue;
            if (chain == BASE) {
                sum += unspent(i);
            } else {
                (uint256 amount,) = bridge.parked(hashOf(sources[i], destinations[i]));
                sum += amount + bridge.owed(fillerOf(i), destinations[i].token);
            }
        }
    }
}

contract CctpInvariants is CctpTestBase {
    RandomBridgeCalls private calls;

    function setUp() public {
        calls = new RandomBridgeCalls();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(calls);
    }

    /// Each bridge holds exactly what it has to keep: collected and unspent on the source chain; owed
    /// and parked on the destination chain.
    /// forge-config: default.invariant.runs = 48
    function invariant_the_bridges_hold_what_they_have_to_keep() external view {
        (CctpBridge fast_, CctpBridge standard_) = calls.bridges();
        assertEq(calls.holdings(fast_, BASE), calls.liabilities(fast_, BASE));
        assertEq(calls.holdings(fast_, ARBITRUM), calls.liabilities(fast_, ARBITRUM));
        assertEq(calls.holdings(standard_, BASE), calls.liabilities(standard_, BASE));
        assertEq(calls.holdings(standard_, ARBITRUM), calls.liabilities(standard_, ARBITRUM));
    }

    /// A recipient is paid once and exactly, and where an arrival paid somebody, the recipient was.
    function afterInvariant() external view {
        for (uint256 i = 0; i < calls.INTENTS(); ++i) {
            uint256 got = calls.recipientGot(i);
            uint8 arrived = calls.arrivedOf(i);
            assertTrue(got == 0 || got == calls.amountOf(i));
            if (arrived == 1 || arrived == 2 || arrived == 3) assertEq(got, calls.amountOf(i));
            if (arrived != 0) assertTrue(calls.sent(i));
        }
    }
}
