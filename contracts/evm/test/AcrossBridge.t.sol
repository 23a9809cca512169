// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AcrossChains} from "../src/AcrossChains.sol";
import {BridgeBase} from "../src/BridgeBase.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Destination, Source} from "../src/Terms.sol";
import {AcrossTestBase, Pool} from "./AcrossTestBase.sol";
import {BridgeVm} from "./CctpTestBase.sol";

/// AcrossBridge on the real SpokePool: payments, and what leads back.
contract AcrossBridgeTest is AcrossTestBase {
    bytes32 private constant SENT = keccak256("Sent(bytes32,address,address,uint256,bytes32)");

    function setUp() public {
        deployContracts();
    }

    function test_the_total_is_deposited_towards_the_bridge_for_the_deposit_address() public {
        (Source memory source, Destination memory destination) = terms();
        Pool.Relay memory relay = paidAndSent(source, destination);
        assertTrue(relay.depositor == word(depositOf(source, destination)));
        assertTrue(relay.recipient == word(address(bridge)));
        assertTrue(relay.inputToken == word(token(BASE)));
        assertTrue(relay.outputToken == word(token(ARBITRUM)));
        assertTrue(relay.inputAmount == TOTAL && relay.outputAmount == OUTPUT);
        assertTrue(relay.exclusiveRelayer == 0 && relay.exclusivityDeadline == 0);
        assertEq(relay.fillDeadline, NOW + 2 hours);
        assertTrue(keccak256(relay.message) == keccak256(abi.encode(source, destination)));
        assertEq(usdc(BASE).balanceOf(address(pool(BASE))), TOTAL);
        assertEq(usdc(BASE).allowance(address(bridge), address(pool(BASE))), 0);
    }

    function test_the_deposit_id_is_known_before_it_is_signed() public {
        (Source memory source, Destination memory destination) = terms();
        pay(source, destination);
        bytes32 id = keccak256(
            abi.encodePacked(
                address(bridge),
                word(depositOf(source, destination)),
                hashOf(source, destination)
            )
        );
        vm.recordLogs();
        vm.prank(coordinator);
        bridge.startAndBridge(source, destination, OUTPUT);
        BridgeVm.Log[] memory logs = vm.getRecordedLogs();
        assertEq(relayOf(logs, BASE).depositId, uint256(id));
        BridgeVm.Log memory last = logs[logs.length - 1];
        assertTrue(last.topics[0] == SENT);
        assertTrue(keccak256(last.data) == keccak256(abi.encode(token(BASE), TOTAL, id)));
    }

    function test_a_pool_with_a_shorter_buffer_sets_the_deadline() public {
        setPool(BASE, deployPool(3600, 600));
        (Source memory source, Destination memory destination) = terms();
        assertEq(paidAndSent(source, destination).fillDeadline, NOW + 600);
    }

    function test_a_fill_pays_the_recipient_and_credits_the_rest() public {
        (Source memory source, Destination memory destination) = terms();
        fill(paidAndSent(source, destination));
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        assertEq(bridge.owed(coordinator, token(ARBITRUM)), OUTPUT - AMOUNT);
        assertEq(bridge.arrived(hashOf(source, destination)), 1);
        vm.prank(coordinator);
        bridge.withdraw(token(ARBITRUM), coordinator, OUTPUT - AMOUNT);
        assertEq(usdc(ARBITRUM).balanceOf(address(bridge)), 0);
    }

    function test_the_surplus_of_a_slow_fill_is_the_coordinators() public {
        (Source memory source, Destination memory destination) = terms();
        Pool.Relay memory relay = paidAndSent(source, destination);
        slowFill(relay, OUTPUT + 5_000);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        assertEq(bridge.owed(coordinator, token(ARBITRUM)), OUTPUT + 5_000 - AMOUNT);
    }

    function test_a_slow_fill_below_the_amount_is_refused() public {
        (Source memory source, Destination memory destination) = terms();
        Pool.Relay memory relay = paidAndSent(source, destination);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        this.slowFill(relay, AMOUNT - 1);
        assertEq(bridge.arrived(hashOf(source, destination)), 0);
    }

    function test_an_expired_deposit_is_refunded_to_the_payer_by_anyone() public {
        (Source memory source, Destination memory destination) = terms();
        paidAndSent(source, destination);
        vm.warp(NOW + 3 hours);
        refundDepositor(depositOf(source, destination), TOTAL);
        vm.prank(stranger);
        factory.refund(source, destHash(destination), token(BASE));
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
        vm.expectRevert(BridgeBase.AlreadySent.selector);
        bridge.giveBack(source, destHash(destination));
    }

    function test_a_refused_recipient_stops_the_fill_and_the_payer_is_refunded() public {
        (Source memory source, Destination memory destination) = terms();
        Pool.Relay memory relay = paidAndSent(source, destination);
        usdc(ARBITRUM).blacklist(recipient);
        prepareRelayer(relay);
        vm.prank(relayer);
        vm.expectRevert(
            abi.encodeWithSelector(SettlementBase.TransferFailed.selector, recipient)
        );
        pool(ARBITRUM).fillRelay(relay, BASE, word(relayer));
        assertEq(usdc(ARBITRUM).balanceOf(relayer), OUTPUT);
        vm.warp(NOW + 3 hours);
        refundDepositor(depositOf(source, destination), TOTAL);
        factory.refund(source, destHash(destination), token(BASE));
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
    }

    function test_only_the_coordinator_and_its_agents_choose_the_output() public {
        (Source memory source, Destination memory destination) = terms();
        pay(source, destination);
        vm.prank(stranger);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        bridge.startAndBridge(source, destination, AMOUNT);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        vm.prank(relayer);
        bridge.startAndBridge(source, destination, AMOUNT);
        vm.prank(coordinator);
        vm.expectRevert(BridgeBase.AlreadySent.selector);
        bridge.startAndBridge(source, destination, AMOUNT);
    }

    function test_a_deposit_that_a_stranger_started_is_sent_all_the_same() public {
        (Source memory source, Destination memory destination) = terms();
        pay(source, destination);
        vm.prank(stranger);
        factory.start(source, destHash(destination));
        vm.prank(coordinator);
        bridge.startAndBridge(source, destination, OUTPUT);
        assertEq(usdc(BASE).balanceOf(address(bridge)), 0);
    }

    function test_what_was_collected_and_not_sent_is_given_back() public {
        (Source memory source, Destination memory destination) = terms();
        pay(source, destination);
        factory.start(source, destHash(destination));
        vm.prank(stranger);
        vm.expectRevert(BridgeBase.TooEarly.selector);
        bridge.giveBack(source, destHash(destination));
        vm.warp(EXPIRY);
        vm.prank(coordinator);
        vm.expectRevert(BridgeBase.Expired.selector);
        bridge.startAndBridge(source, destination, OUTPUT);
        vm.prank(stranger);
        bridge.giveBack(source, destHash(destination));
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
    }

    function test_a_paused_pool_leaves_the_deposit_where_it_is() public {
        (Source memory source, Destination memory destination) = terms();
        pay(source, destination);
        pool(BASE).pauseDeposits(true);
        vm.prank(coordinator);
        vm.expectRevert(bytes4(keccak256("DepositsArePaused()")));
        bridge.startAndBridge(source, destination, OUTPUT);
        assertEq(usdc(BASE).balanceOf(depositOf(source, destination)), TOTAL);
    }

    function test_terms_that_the_bridge_cannot_keep_are_refused() public {
        (Source memory source, Destination memory destination) = terms();
        refused(source, destination, AMOUNT - 1);
        source.refundTo = address(0);
        refused(source, destination, OUTPUT);
        (source, destination) = terms();
        destination.token = AcrossChains.find(ARBITRUM).usdt;
        refused(source, destination, OUTPUT);
        (source, destination) = terms();
        (destination.chain, destination.token) = (84532, AcrossChains.find(84532).usdc);
        refused(source, destination, OUTPUT);
        (source, destination) = terms();
        source.token = AcrossChains.find(BASE).wbtc; // Zero: Base has none.
        destination.token = AcrossChains.find(ARBITRUM).wbtc;
        refused(source, destination, OUTPUT);
        (source, destination) = terms();
        (destination.chain, destination.token) = (BASE, token(BASE));
        refused(source, destination, OUTPUT);
        (source, destination) = terms();
        destination.recipient = address(bridge);
        refused(source, destination, OUTPUT);
    }

    function test_an_unknown_chain_is_refused() public {
        (Source memory source, Destination memory destination) = terms();
        destination.chain = 100;
        vm.prank(coordinator);
        vm.expectRevert(abi.encodeWithSelector(AcrossChains.UnknownChain.selector, 100));
        bridge.startAndBridge(source, destination, OUTPUT);
    }

    function testFuzz_a_fill_accounts_for_every_unit(uint64 total, uint64 amount, uint64 more)
        public
    {
        (Source memory source, Destination memory destination) = terms();
        source.total = uint256(total) + 1;
        destination.amount = uint256(amount) + 1;
        uint256 output = destination.amount + more;
        pay(source, destination);
        vm.recordLogs();
        vm.prank(coordinator);
        bridge.startAndBridge(source, destination, output);
        Pool.Relay memory relay = relayOf(vm.getRecordedLogs(), BASE);
        assertEq(relay.inputAmount, source.total);
        vm.chainId(ARBITRUM);
        fill(relay);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), destination.amount);
        assertEq(bridge.owed(coordinator, token(ARBITRUM)), more);
        assertEq(usdc(ARBITRUM).balanceOf(address(bridge)), more);
    }

    function slowFill(Pool.Relay memory relay, uint256 output) public {
        pool(ARBITRUM).requestSlowFill(relay);
        Pool.SlowFill memory leaf = Pool.SlowFill(relay, ARBITRUM, output);
        usdc(ARBITRUM).mint(address(pool(ARBITRUM)), output);
        pool(ARBITRUM).relayRootBundle(0, keccak256(abi.encode(leaf)));
        pool(ARBITRUM).executeSlowRelayLeaf(leaf, 0, new bytes32[](0));
    }

    function refused(Source memory source, Destination memory destination, uint256 output) private {
        if (source.token == token(BASE)) pay(source, destination);
        vm.prank(coordinator);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        bridge.startAndBridge(source, destination, output);
    }
}
