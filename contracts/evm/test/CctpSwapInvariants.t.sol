// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CctpSwapBridge} from "../src/CctpSwapBridge.sol";
import {Destination, Source} from "../src/Terms.sol";
import {BridgeVm} from "./CctpTestBase.sol";
import {SwapTestBase} from "./SwapTestBase.sol";
import {RevertingReceiver, StandardToken} from "./Tokens.sol";

/// Random calls on six intents of both instances, in coins, the token that wraps them and another,
/// while prices move.
contract RandomSwapCalls is SwapTestBase {
    uint256 public constant INTENTS = 6;
    bytes32 private constant SWAPPED =
        keccak256("Swapped(bytes32,address,uint256,address,uint256)");

    Source[] private sources;
    Destination[] private destinations;
    bytes[] private messages;
    uint256[] private intentOf;
    mapping(uint256 => uint256) public paid;
    mapping(uint256 => uint256) public spent;
    mapping(address => mapping(address => uint256)) public gifts; // By bridge and token.

    constructor() {
        deploySwaps();
        address[3] memory tokens = [NATIVE, address(weth), address(dai)];
        for (uint256 i = 0; i < INTENTS; ++i) {
            (Source memory source, Destination memory destination) =
                swapTerms(i < 3 ? swapFast : swapStandard, tokens[i % 3]);
            source.nonce = i;
            source.expiry = NOW + (i % 2 == 0 ? 12 hours : 1000 days);
            // One payer takes no coins: its change waits at the deposit address.
            source.refundTo =
                i == 3 ? address(new RevertingReceiver()) : address(uint160(0xBAC0 + i));
            destination.recipient = address(uint160(0xB0B0 + i));
            sources.push(source);
            destinations.push(destination);
        }
    }

    function pay_(uint256 which, uint8 part) external {
        on(BASE);
        uint256 i = which % INTENTS;
        uint256 amount = part % 3 == 0 ? sources[i].total / (1 + part / 2) : sources[i].total;
        address deposit = depositOf(sources[i], destinations[i]);
        if (sources[i].token == NATIVE) vm.deal(deposit, deposit.balance + amount);
        else StandardToken(sources[i].token).mint(deposit, amount);
        paid[i] += amount;
    }

    function start(uint256 which) external {
        on(BASE);
        vm.prank(stranger);
        factory.start(sources[which % INTENTS], destHash(destinations[which % INTENTS]));
    }

    function startAndBridge(uint256 which, uint256 more, bool far) external {
        on(BASE);
        uint256 i = which % INTENTS;
        bytes memory path = pathOf(sources[i].token);
        if (far) {
            bool other = sources[i].token == address(dai);
            path = abi.encodePacked(
                hop(other ? address(weth) : address(dai), 500),
                uint24(3000),
                other ? address(dai) : address(weth)
            );
        }
        vm.recordLogs();
        swapAs(coordinator, sources[i], destinations[i], AMOUNT + more % 200_000, path);
        BridgeVm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 n = 0; n < logs.length; ++n) {
            if (logs[n].topics[0] == MESSAGE_SENT) {
                messages.push(abi.decode(logs[n].data, (bytes)));
                intentOf.push(i);
            }
            if (logs[n].topics[0] != SWAPPED) continue;
            (, uint256 amount,,) = abi.decode(logs[n].data, (address, uint256, address, uint256));
            spent[i] += amount;
        }
    }

    function giveBack(uint256 which, bool byCoordinator) external {
        on(BASE);
        uint256 i = which % INTENTS;
        vm.prank(byCoordinator ? coordinator : stranger);
        bridgeOf(i).giveBack(sources[i], destHash(destinations[i]));
    }

    function refund(uint256 which) external {
        on(BASE);
        uint256 i = which % INTENTS;
        factory.refund(sources[i], destHash(destinations[i]), sources[i].token);
    }

    function deliver_(uint256 which, uint256 fee, bool denied) external {
        on(ARBITRUM);
        uint256 m = which % messages.length;
        usdc(ARBITRUM).refuse(destinations[intentOf[m]].recipient, denied && fee % 4 == 0);
        bytes32 nonce = keccak256(abi.encode(m));
        (bytes memory filled, bytes memory attestation) =
            attestAs(nonce, messages[m], FINAL, fee % 1_000, 0);
        bridgeOf(intentOf[m]).deliver(filled, attestation);
    }

    function release(uint256 which) external {
        on(ARBITRUM);
        uint256 i = which % INTENTS;
        usdc(ARBITRUM).refuse(destinations[i].recipient, false);
        bridgeOf(i).release(sources[i], destinations[i]);
    }

    function trade(bool ofDai, bool buys, uint256 amount) external {
        on(BASE);
        address token = buys ? address(usdc(BASE)) : ofDai ? address(dai) : address(weth);
        uint256 units = amount % (buys ? 5_000e6 : ofDai ? 5_000e18 : 2e18);
        StandardToken(token).mint(address(maker), units);
        maker.sell(ofDai ? daiPool : wethPool, token, units);
    }

    function gift(bool toFast, uint8 which, uint64 amount) external {
        CctpSwapBridge bridge = toFast ? swapFast : swapStandard;
        address token = [address(weth), address(dai), address(usdc(BASE))][which % 3];
        StandardToken(token).mint(address(bridge), amount);
        gifts[address(bridge)][token] += amount;
    }

    function wait_(uint256 seconds_) external {
        vm.warp(block.timestamp + seconds_ % 2 hours);
    }

    // Queries of the invariants.

    function bridgeOf(uint256 i) public view returns (CctpSwapBridge) {
        return CctpSwapBridge(payable(sources[i].bridger));
    }

    function unspent(uint256 i) public view returns (uint256) {
        bytes32 hash = hashOf(sources[i], destinations[i]);
        return factory.started(hash) && bridgeOf(i).spent(hash) == 0 ? sources[i].total : 0;
    }

    /// Everything that a payer paid and that has not been swapped.
    function payersShare(uint256 i) external view returns (uint256) {
        address token = sources[i].token;
        return held(token, depositOf(sources[i], destinations[i])) + unspent(i)
            + held(token, sources[i].refundTo);
    }

    /// What an instance holds more than it has to keep, in source tokens and on the destination.
    function checkHoldings(CctpSwapBridge bridge) external view {
        address[4] memory tokens = [NATIVE, address(weth), address(dai), address(usdc(BASE))];
        for (uint256 t = 0; t < 4; ++t) {
            uint256 sum = gifts[address(bridge)][tokens[t]];
            for (uint256 i = 0; i < INTENTS; ++i) {
                bool its = sources[i].bridger == address(bridge);
                if (its && sources[i].token == tokens[t]) sum += unspent(i);
            }
            assertEq(held(tokens[t], address(bridge)), sum);
        }
        uint256 owed = bridge.owed(coordinator, address(usdc(ARBITRUM)));
        for (uint256 i = 0; i < INTENTS; ++i) {
            (uint256 amount,) = bridge.parked(hashOf(sources[i], destinations[i]));
            owed += amount;
        }
        assertEq(usdc(ARBITRUM).balanceOf(address(bridge)), owed);
    }

    function bridges() external view returns (CctpSwapBridge, CctpSwapBridge) {
        return (swapFast, swapStandard);
    }

    function checkPaid(uint256 i) external view {
        uint256 got = usdc(ARBITRUM).balanceOf(destinations[i].recipient);
        uint8 arrived = bridgeOf(i).arrived(hashOf(sources[i], destinations[i]));
        assertTrue(got == (arrived == 1 || arrived == 5 ? AMOUNT : 0));
    }
}

contract CctpSwapInvariants is SwapTestBase {
    RandomSwapCalls private calls;

    function setUp() public {
        calls = new RandomSwapCalls();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(calls);
    }

    /// Each instance holds exactly what it has to keep, and each payer's money is where it was, back,
    /// or in a pool.
    /// forge-config: default.invariant.runs = 48
    function invariant_the_swap_bridges_hold_what_they_have_to_keep() external view {
        (CctpSwapBridge fast_, CctpSwapBridge standard_) = calls.bridges();
        calls.checkHoldings(fast_);
        calls.checkHoldings(standard_);
        for (uint256 i = 0; i < calls.INTENTS(); ++i) {
            assertEq(calls.payersShare(i) + calls.spent(i), calls.paid(i));
        }
    }

    /// A recipient is paid once and exactly.
    function afterInvariant() external view {
        for (uint256 i = 0; i < calls.INTENTS(); ++i) calls.checkPaid(i);
    }
}
