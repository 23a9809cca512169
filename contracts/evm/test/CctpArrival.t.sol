// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeBase} from "../src/BridgeBase.sol";
import {CctpBase} from "../src/CctpBase.sol";
import {CctpBridge} from "../src/CctpBridge.sol";
import {ParkingBridge} from "../src/ParkingBridge.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Destination, Source} from "../src/Terms.sol";
import {BridgeVm, CctpTestBase} from "./CctpTestBase.sol";

/// The destination chain's end of CctpBridge: who gets what arrives.
contract CctpArrivalTest is CctpTestBase {
    uint8 private constant PAID = 1;
    uint8 private constant REPAID = 2;
    uint8 private constant REPEATED = 3;
    uint8 private constant PARKED = 4;
    uint8 private constant RELEASED = 5;
    uint8 private constant UNPARKED = 6;
    uint256 private constant FEE = 2_501;
    uint256 private constant REST = TOTAL - FEE - AMOUNT;

    function setUp() public {
        deployContracts();
    }

    function test_the_recipient_gets_the_amount_and_the_coordinator_the_rest() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        vm.recordLogs();
        deliver(fast, message, FEE);
        checkArrived(source, destination, PAID, TOTAL - FEE, AMOUNT);
        checkMoney(AMOUNT, 0, REST);
        vm.prank(coordinator);
        fast.withdraw(destination.token, coordinator, REST);
        assertEq(usdc(ARBITRUM).balanceOf(coordinator), REST);
        assertEq(usdc(ARBITRUM).balanceOf(address(fast)), 0);
    }

    function test_a_final_message_of_the_standard_instance_costs_nothing() public {
        (Source memory source, Destination memory destination) = terms(standard);
        deliver(standard, paidAndSent(source, destination), 0);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        assertEq(standard.owed(coordinator, destination.token), TOTAL - AMOUNT);
    }

    function test_a_fast_message_that_had_to_wait_for_finality_is_delivered() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        (bytes memory filled, bytes memory attestation) = attest(message, FINAL, 0, 0);
        fast.deliver(filled, attestation);
        checkMoney(AMOUNT, 0, TOTAL - AMOUNT);
    }

    function test_an_expired_message_is_delivered_once_attested_again() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        vm.roll(100);
        (bytes memory filled, bytes memory attestation) = attestAs("n", message, FAST, FEE, 100);
        vm.expectRevert(bytes("Message expired and must be re-signed"));
        fast.deliver(filled, attestation);
        (filled, attestation) = attestAs("n", message, FINAL, 0, 0);
        fast.deliver(filled, attestation);
        checkMoney(AMOUNT, 0, TOTAL - AMOUNT);
    }

    function test_whoever_paid_the_recipient_is_repaid() public {
        (Source memory source, Destination memory destination) = terms(standard);
        bytes memory message = paidAndSent(source, destination);
        fillBy(relayer, source, destination, address(0x4E9A));
        vm.recordLogs();
        deliver(standard, message, 0);
        checkArrived(source, destination, REPAID, TOTAL, AMOUNT);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        assertEq(usdc(ARBITRUM).balanceOf(address(0x4E9A)), AMOUNT);
        assertEq(standard.owed(coordinator, destination.token), TOTAL - AMOUNT);
    }

    function test_a_payout_after_the_delivery_in_the_same_block_is_refused() public {
        (Source memory source, Destination memory destination) = terms(fast);
        deliver(fast, paidAndSent(source, destination), 0);
        usdc(ARBITRUM).mint(relayer, AMOUNT);
        vm.startPrank(relayer);
        usdc(ARBITRUM).approve(address(filler), AMOUNT);
        bytes32 sourceHash = keccak256(abi.encode(source));
        vm.expectRevert(bytes4(keccak256("AlreadyFilled()")));
        filler.fill(sourceHash, destination.token, recipient, AMOUNT, relayer, NOW);
        vm.stopPrank();
        checkMoney(AMOUNT, 0, TOTAL - AMOUNT);
    }

    function test_a_repayment_that_is_refused_is_owed() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        fillBy(relayer, source, destination, relayer);
        usdc(ARBITRUM).blacklist(relayer);
        deliver(fast, message, FEE);
        assertEq(fast.owed(relayer, destination.token), AMOUNT);
        usdc(ARBITRUM).unBlacklist(relayer);
        vm.prank(relayer);
        fast.withdraw(destination.token, relayer, AMOUNT);
        assertEq(usdc(ARBITRUM).balanceOf(address(fast)), REST);
    }

    function test_a_gift_to_the_recipient_in_the_bridges_name_leaves_all_to_the_coordinator()
        public
    {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        fillBy(stranger, source, destination, address(fast));
        vm.recordLogs();
        deliver(fast, message, FEE);
        checkArrived(source, destination, REPEATED, TOTAL - FEE, 0);
        checkMoney(AMOUNT, 0, TOTAL - FEE);
    }

    function test_a_second_arrival_is_the_coordinators() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        // A reorganised burn that was attested twice has two nonces.
        deliver(fast, message, FEE);
        vm.recordLogs();
        deliver(fast, message, 0);
        checkArrived(source, destination, REPEATED, TOTAL, 0);
        checkMoney(AMOUNT, 0, REST + TOTAL);
        assertEq(fast.arrived(hashOf(source, destination)), PAID);
    }

    function test_a_message_is_delivered_once() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        (bytes memory filled, bytes memory attestation) = attest(message, FAST, FEE, 0);
        fast.deliver(filled, attestation);
        vm.expectRevert(CctpBase.AlreadyDelivered.selector);
        fast.deliver(filled, attestation);
    }

    function test_what_a_blacklisted_recipient_cannot_get_is_parked_and_released() public {
        (Source memory source, Destination memory destination) = parkedPayment();
        assertEq(fast.owed(coordinator, destination.token), 0);
        vm.prank(coordinator);
        vm.expectRevert(
            abi.encodeWithSelector(SettlementBase.TransferFailed.selector, recipient)
        );
        fast.release(source, destination);
        usdc(ARBITRUM).unBlacklist(recipient);
        vm.recordLogs();
        vm.prank(stranger);
        fast.release(source, destination);
        checkArrived(source, destination, RELEASED, TOTAL - FEE, AMOUNT);
        checkMoney(AMOUNT, 0, REST);
        vm.expectRevert(ParkingBridge.NotParked.selector);
        fast.release(source, destination);
    }

    function test_parked_money_repays_whoever_paid_the_recipient_since() public {
        (Source memory source, Destination memory destination) = parkedPayment();
        usdc(ARBITRUM).unBlacklist(recipient);
        fillBy(relayer, source, destination, relayer);
        fast.release(source, destination);
        assertEq(usdc(ARBITRUM).balanceOf(relayer), AMOUNT);
        checkMoney(AMOUNT, 0, REST);
    }

    function test_parked_money_is_owed_to_a_payer_who_refuses_it() public {
        (Source memory source, Destination memory destination) = parkedPayment();
        usdc(ARBITRUM).unBlacklist(recipient);
        fillBy(relayer, source, destination, relayer);
        usdc(ARBITRUM).blacklist(relayer);
        fast.release(source, destination);
        assertEq(fast.owed(relayer, destination.token), AMOUNT);
        assertEq(fast.owed(coordinator, destination.token), REST);
    }

    function test_a_gift_in_the_bridges_name_cannot_lock_parked_money() public {
        (Source memory source, Destination memory destination) = parkedPayment();
        usdc(ARBITRUM).unBlacklist(recipient);
        fillBy(stranger, source, destination, address(fast));
        fast.release(source, destination);
        checkMoney(AMOUNT, 0, TOTAL - FEE);
    }

    function test_only_the_coordinator_unparks_after_a_month() public {
        (Source memory source, Destination memory destination) = parkedPayment();
        vm.warp(NOW + 30 days - 1);
        vm.prank(coordinator);
        vm.expectRevert(BridgeBase.TooEarly.selector);
        fast.unpark(source, destination);
        vm.warp(NOW + 30 days);
        vm.prank(stranger);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        fast.unpark(source, destination);
        vm.recordLogs();
        vm.prank(coordinator);
        fast.unpark(source, destination);
        checkArrived(source, destination, UNPARKED, TOTAL - FEE, 0);
        assertEq(fast.owed(coordinator, destination.token), TOTAL - FEE);
        vm.prank(coordinator);
        vm.expectRevert(ParkingBridge.NotParked.selector);
        fast.unpark(source, destination);
        vm.expectRevert(ParkingBridge.NotParked.selector);
        fast.release(source, destination);
    }

    function test_what_repays_whoever_paid_the_recipient_is_not_unparked() public {
        (Source memory source, Destination memory destination) = parkedPayment();
        usdc(ARBITRUM).unBlacklist(recipient);
        vm.warp(NOW + 30 days);
        fillBy(relayer, source, destination, relayer);
        vm.prank(coordinator);
        vm.expectRevert(ParkingBridge.AlreadyPaid.selector);
        fast.unpark(source, destination);
        fast.release(source, destination);
        assertEq(usdc(ARBITRUM).balanceOf(relayer), AMOUNT);
        checkMoney(AMOUNT, 0, REST);
    }

    function test_a_second_arrival_of_a_parked_payment_is_the_coordinators() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        usdc(ARBITRUM).blacklist(recipient);
        deliver(fast, message, FEE);
        deliver(fast, message, FEE);
        assertEq(fast.owed(coordinator, destination.token), TOTAL - FEE);
        (uint256 amount,) = fast.parked(hashOf(source, destination));
        assertEq(amount, TOTAL - FEE);
    }

    function test_a_payment_that_the_filler_cannot_make_is_parked() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        usdc(ARBITRUM).blacklist(address(filler));
        deliver(fast, message, FEE);
        assertEq(fast.arrived(hashOf(source, destination)), PARKED);
        usdc(ARBITRUM).unBlacklist(address(filler));
        fast.release(source, destination);
        checkMoney(AMOUNT, 0, REST);
    }

    function test_what_arrives_for_a_blacklisted_bridge_waits() public {
        (Source memory source, Destination memory destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        (bytes memory filled, bytes memory attestation) = attest(message, FAST, FEE, 0);
        usdc(ARBITRUM).blacklist(address(fast));
        vm.expectRevert(bytes("Blacklistable: account is blacklisted"));
        fast.deliver(filled, attestation);
        usdc(ARBITRUM).unBlacklist(address(fast));
        fast.deliver(filled, attestation);
        checkMoney(AMOUNT, 0, REST);
    }

    function test_only_its_own_rest_is_withdrawn_by_a_coordinator() public {
        (Source memory source, Destination memory destination) = terms(fast);
        deliver(fast, paidAndSent(source, destination), FEE);
        vm.prank(stranger);
        vm.expectRevert(BridgeBase.ExceedsAvailable.selector);
        fast.withdraw(destination.token, stranger, 1);
        vm.startPrank(coordinator);
        vm.expectRevert(BridgeBase.ExceedsAvailable.selector);
        fast.withdraw(destination.token, coordinator, REST + 1);
        vm.expectRevert(SettlementBase.NothingToTransfer.selector);
        fast.withdraw(destination.token, coordinator, 0);
        fast.withdraw(destination.token, coordinator, REST);
        vm.expectRevert(BridgeBase.ExceedsAvailable.selector);
        fast.withdraw(destination.token, coordinator, 1);
        vm.stopPrank();
    }

    function testFuzz_an_arrival_accounts_for_every_unit(uint64 total, uint64 amount, uint64 fee)
        public
    {
        (Source memory source, Destination memory destination) = terms(fast);
        total = uint64(total % BURN_LIMIT + 1);
        amount = amount % total + 1;
        (source.total, destination.amount) = (total, amount);
        uint256 maxFee = uint256(total) / 500;
        if (total - amount < maxFee) maxFee = total - amount;
        fee = uint64(fee % (maxFee + 1));
        deliver(fast, paidAndSent(source, destination), fee);
        checkMoney(amount, 0, uint256(total) - fee - amount);
    }

    function parkedPayment() private returns (Source memory source, Destination memory destination) {
        (source, destination) = terms(fast);
        bytes memory message = paidAndSent(source, destination);
        usdc(ARBITRUM).blacklist(recipient);
        vm.recordLogs();
        deliver(fast, message, FEE);
        checkArrived(source, destination, PARKED, TOTAL - FEE, 0);
        (uint256 amount, uint256 since) = fast.parked(hashOf(source, destination));
        assertTrue(amount == TOTAL - FEE && since == NOW);
        assertEq(usdc(ARBITRUM).allowance(address(fast), address(filler)), 0);
    }

    /// What the recipient has, and what the fast instance holds: parked and owed to the coordinator.
    function checkMoney(uint256 got, uint256 parked, uint256 owed) private view {
        assertEq(usdc(ARBITRUM).balanceOf(recipient), got);
        assertEq(fast.owed(coordinator, address(usdc(ARBITRUM))), owed);
        assertEq(usdc(ARBITRUM).balanceOf(address(fast)), owed + parked);
    }

    /// The last `Arrived` since `recordLogs`.
    function checkArrived(
        Source memory source,
        Destination memory destination,
        uint8 outcome,
        uint256 got,
        uint256 paid
    ) private {
        BridgeVm.Log[] memory logs = vm.getRecordedLogs();
        BridgeVm.Log memory found = logs[logs.length - 1];
        assertTrue(found.topics[0] == ARRIVED && found.emitter == source.bridger);
        assertTrue(found.topics[1] == hashOf(source, destination));
        assertEq(uint256(found.topics[3]), outcome);
        uint256 credited = outcome == PARKED ? 0 : got - paid;
        bytes memory expected = abi.encode(destination.token, got, paid, credited);
        assertTrue(keccak256(found.data) == keccak256(expected));
    }
}
