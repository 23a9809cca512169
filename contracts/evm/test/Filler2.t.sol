// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Filler2} from "../src/Filler2.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {TestBase} from "./TestBase.sol";
import {
    CallbackToken,
    FalseReturnToken,
    GasBurningReceiver,
    NoReturnToken,
    ReentrantReceiver,
    StandardToken
} from "./Tokens.sol";

contract Filler2Test is TestBase {
    Filler2 private filler2;
    bytes32 private constant SOURCE_HASH = keccak256("terms of another chain");
    address private repayTo = address(0x4E9A);

    function setUp() public {
        deployContracts();
        filler2 = new Filler2();
        vm.deal(relayer, 10 * OUT);
    }

    function test_a_recipient_is_paid_once_and_who_is_repaid_is_remembered() public {
        prepare(address(usdc), 2 * OUT);
        assertEq(uint160(filler2.repayTo(hashOf(address(usdc), OUT))), 0);
        fill(address(usdc), OUT, 0, 0);
        assertEq(usdc.balanceOf(recipient), OUT);
        assertTrue(filler2.repayTo(hashOf(address(usdc), OUT)) == repayTo);
        fill(address(usdc), OUT, 0, Filler2.AlreadyFilled.selector);
        assertEq(usdc.balanceOf(recipient), OUT);
    }

    function test_nothing_is_paid_after_the_time_that_was_given() public {
        prepare(address(usdc), OUT);
        vm.warp(NOW + 1);
        fill(address(usdc), OUT, 0, Filler2.Expired.selector);
        vm.warp(NOW);
        fill(address(usdc), OUT, 0, 0);
    }

    function test_somebody_must_be_repaid() public {
        prepare(address(usdc), OUT);
        repayTo = address(0);
        fill(address(usdc), OUT, 0, SettlementBase.InvalidTerms.selector);
        repayTo = relayer;
        fill(address(usdc), 0, 0, SettlementBase.InvalidTerms.selector);
        recipient = address(0);
        fill(address(usdc), OUT, 0, SettlementBase.InvalidTerms.selector);
    }

    function test_other_terms_mark_another_intent() public {
        prepare(address(usdc), 3 * OUT);
        fill(address(usdc), OUT - 1, 0, 0);
        vm.chainId(10);
        fill(address(usdc), OUT, 0, 0);
        vm.chainId(31337);
        assertTrue(filler2.repayTo(hashOf(address(usdc), OUT)) == address(0));
        fill(address(usdc), OUT, 0, 0);
    }

    function test_coins_are_paid_by_exact_value() public {
        fill(address(0), OUT, OUT - 1, Filler2.WrongValue.selector);
        fill(address(0), OUT, OUT + 1, Filler2.WrongValue.selector);
        fill(address(0), OUT, OUT, 0);
        assertEq(recipient.balance, OUT);
        prepare(address(usdc), OUT);
        fill(address(usdc), OUT, 1, Filler2.WrongValue.selector);
    }

    function test_tokens_that_pay_less_or_refuse_mark_nothing() public {
        prepare(address(fee), OUT);
        fill(address(fee), OUT, 0, SettlementBase.ReceivedLess.selector);
        FalseReturnToken refusing = new FalseReturnToken();
        prepare(address(refusing), OUT);
        fill(address(refusing), OUT, 0, SettlementBase.TransferFailed.selector);
        prepare(address(blocking), OUT);
        blocking.block_(recipient, true);
        fill(address(blocking), OUT, 0, SettlementBase.TransferFailed.selector);
        assertTrue(filler2.repayTo(hashOf(address(blocking), OUT)) == address(0));
        prepare(address(usdt), OUT);
        fill(address(usdt), OUT, 0, 0);
    }

    function test_nobody_pays_with_anothers_allowance() public {
        prepare(address(usdc), OUT);
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(SettlementBase.TransferFailed.selector, recipient)
        );
        filler2.fill(SOURCE_HASH, address(usdc), recipient, OUT, stranger, NOW);
    }

    function test_a_receiver_of_coins_costs_at_most_its_limit() public {
        recipient = address(new GasBurningReceiver());
        uint256 before = gasleft();
        fill(address(0), OUT, OUT, SettlementBase.TransferFailed.selector);
        assertTrue(before - gasleft() < 450_000);
    }

    function test_neither_receivers_nor_tokens_reenter() public {
        ReentrantReceiver receiver = new ReentrantReceiver();
        recipient = address(receiver);
        receiver.set(address(filler2), callOf(address(0), OUT));
        fill(address(0), OUT, OUT, 0);
        assertTrue(receiver.revertSelector() == SettlementBase.ReentrantCall.selector);
        CallbackToken hostile = new CallbackToken();
        prepare(address(hostile), OUT);
        hostile.onTransfer(address(filler2), callOf(address(hostile), OUT));
        fill(address(hostile), OUT, 0, 0);
        assertTrue(hostile.revertSelector() == SettlementBase.ReentrantCall.selector);
    }

    function test_a_payment_to_oneself_marks_the_intent() public {
        recipient = relayer;
        prepare(address(usdc), OUT);
        fill(address(usdc), OUT, 0, 0);
        assertTrue(filler2.repayTo(hashOf(address(usdc), OUT)) == repayTo);
    }

    function test_many_markers_are_read_at_once() public {
        prepare(address(usdc), OUT);
        fill(address(usdc), OUT, 0, 0);
        bytes32[] memory hashes = new bytes32[](2);
        hashes[1] = hashOf(address(usdc), OUT);
        bool[] memory filled = filler2.executed(hashes);
        assertTrue(!filled[0] && filled[1]);
    }

    function testFuzz_a_payout_marks_what_it_paid(uint96 amount, address to, address repaid)
        public
    {
        if (amount == 0 || to == address(0) || to == relayer || repaid == address(0)) return;
        (recipient, repayTo) = (to, repaid);
        prepare(address(usdc), amount);
        uint256 before = usdc.balanceOf(to);
        fill(address(usdc), amount, 0, 0);
        assertEq(usdc.balanceOf(to), before + amount);
        assertTrue(filler2.repayTo(hashOf(address(usdc), amount)) == repaid);
        assertEq(usdc.balanceOf(address(filler2)), 0);
    }

    function prepare(address token, uint256 amount) private {
        StandardToken(token).mint(relayer, amount);
        vm.prank(relayer);
        NoReturnToken(token).approve(address(filler2), type(uint256).max);
    }

    function fill(address token, uint256 amount, uint256 value, bytes4 why) private {
        vm.prank(relayer);
        bool named = why == SettlementBase.ReceivedLess.selector
            || why == SettlementBase.TransferFailed.selector;
        if (named) vm.expectRevert(abi.encodeWithSelector(why, recipient));
        else if (why != 0) vm.expectRevert(why);
        filler2.fill{value: value}(SOURCE_HASH, token, recipient, amount, repayTo, NOW);
    }

    function callOf(address token, uint256 amount) private view returns (bytes memory) {
        return abi.encodeCall(
            filler2.fill, (SOURCE_HASH, token, recipient, amount, repayTo, NOW)
        );
    }

    function hashOf(address token, uint256 amount) private view returns (bytes32) {
        bytes32 dest = keccak256(abi.encode(block.chainid, token, recipient, amount));
        return keccak256(abi.encodePacked(SOURCE_HASH, dest));
    }
}
