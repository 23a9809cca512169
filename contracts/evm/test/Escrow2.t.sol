// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Escrow2} from "../src/Escrow2.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Source} from "../src/Terms.sol";
import {TestBase} from "./TestBase.sol";
import {CallbackToken, ReentrantReceiver, RevertingReceiver} from "./Tokens.sol";

contract Escrow2Test is TestBase {
    Escrow2 private vault;
    address private agent = address(0xA6E7);
    uint256 private constant RECLAIM_AT = EXPIRY + 24 hours;

    function setUp() public {
        deployContracts();
        vault = new Escrow2(address(factory));
        vm.prank(coordinator);
        factory.setAgent(agent, true);
    }

    function test_the_coordinator_pays_out_once_to_anyone() public {
        Source memory source = started(address(usdc));
        settle(coordinator, source, relayer, OUT, treasury, 60_000);
        assertEq(usdc.balanceOf(relayer), OUT);
        assertEq(usdc.balanceOf(treasury), 60_000);
        assertEq(vault.retained(coordinator, address(usdc)), TOTAL - OUT - 60_000);
        settleRefused(coordinator, source, relayer, 1, Escrow2.AlreadySettled.selector);
        vm.prank(coordinator);
        vault.withdraw(address(usdc), treasury, TOTAL - OUT - 60_000);
        assertEq(usdc.balanceOf(address(vault)), 0);
    }

    function test_an_agent_pays_the_payees_of_its_coordinator_and_nobody_else() public {
        Source memory source = started(address(usdc));
        refuseAgent(source, relayer);
        refuseAgent(source, agent);
        vm.prank(coordinator);
        vault.setPayee(relayer, true);
        // One of two payees is not enough.
        Escrow2.Payout[] memory list = payoutsOf(relayer, OUT, stranger, 1);
        vm.prank(agent);
        vm.expectRevert(abi.encodeWithSelector(Escrow2.NotAPayee.selector, stranger));
        vault.settle(source, destHash(address(usdc)), list);
        settle(agent, source, relayer, OUT, address(0), 0);
        assertEq(usdc.balanceOf(relayer), OUT);
    }

    function test_a_payee_that_was_removed_is_none() public {
        Source memory source = started(address(usdc));
        vm.prank(coordinator);
        vault.setPayee(relayer, true);
        vm.prank(coordinator);
        vault.setPayee(relayer, false);
        refuseAgent(source, relayer);
    }

    function test_nobody_registers_payees_for_another() public {
        Source memory source = started(address(usdc));
        vm.prank(agent);
        vault.setPayee(agent, true);
        vm.prank(stranger);
        vault.setPayee(agent, true);
        refuseAgent(source, agent);
    }

    function test_an_agent_returns_a_deposit_to_its_deposit_address() public {
        Source memory source = started(address(usdc));
        address deposit = depositAddressOf(source);
        settle(agent, source, deposit, TOTAL, address(0), 0);
        refund(source, address(usdc));
        assertEq(usdc.balanceOf(refundTo), TOTAL);
    }

    function test_an_agent_cannot_return_it_to_the_deposit_address_of_another_intent() public {
        Source memory source = started(address(usdc));
        Source memory other = source;
        other.nonce = 99;
        address elsewhere = depositAddressOf(other);
        (source) = started(address(usdt));
        refuseAgent(source, elsewhere);
    }

    function test_what_an_agent_does_not_pay_out_is_the_coordinators() public {
        Source memory source = started(address(usdc));
        vm.prank(agent);
        vault.settle(source, destHash(address(usdc)), new Escrow2.Payout[](0));
        assertEq(vault.retained(coordinator, address(usdc)), TOTAL);
        vm.prank(agent);
        vm.expectRevert(Escrow2.ExceedsAvailable.selector);
        vault.withdraw(address(usdc), agent, 1);
    }

    function test_anyone_reclaims_a_day_after_expiry() public {
        Source memory source = started(address(usdc));
        reclaimRefused(coordinator, source, Escrow2.TooEarly.selector);
        vm.warp(EXPIRY);
        reclaimRefused(stranger, source, Escrow2.TooEarly.selector);
        vm.warp(RECLAIM_AT - 1);
        reclaimRefused(stranger, source, Escrow2.TooEarly.selector);
        vm.warp(RECLAIM_AT);
        reclaim(stranger, source);
        assertEq(usdc.balanceOf(refundTo), TOTAL);
        assertEq(usdc.balanceOf(address(vault)), 0);
        reclaimRefused(stranger, source, Escrow2.AlreadyReclaimed.selector);
        settleRefused(coordinator, source, relayer, 1, Escrow2.AlreadyReclaimed.selector);
    }

    function test_a_settled_deposit_is_not_reclaimed() public {
        Source memory source = started(address(usdc));
        settle(coordinator, source, relayer, 1, address(0), 0);
        vm.warp(RECLAIM_AT);
        usdc.mint(address(vault), TOTAL);
        reclaimRefused(stranger, source, Escrow2.AlreadySettled.selector);
    }

    function test_only_what_was_collected_is_reclaimed() public {
        started(address(usdc));
        Source memory source = vaultTerms(address(usdc));
        source.nonce = 8;
        deposit(source, TOTAL);
        vm.warp(RECLAIM_AT);
        reclaimRefused(stranger, source, Escrow2.NotStarted.selector);
        source.bridger = address(escrow);
        reclaimRefused(stranger, source, SettlementBase.InvalidTerms.selector);
        source.chain = 10;
        reclaimRefused(stranger, source, SettlementBase.WrongChain.selector);
        source = vaultTerms(address(usdc));
        source.expiry = 0; // Other terms, which nobody paid.
        reclaimRefused(stranger, source, Escrow2.NotStarted.selector);
        source.expiry = type(uint256).max;
        reclaimRefused(stranger, source, Escrow2.NotStarted.selector);
    }

    function test_a_refund_that_is_refused_stays_at_the_deposit_address() public {
        Source memory source = started(address(blocking));
        blocking.block_(refundTo, true);
        vm.warp(RECLAIM_AT);
        reclaim(stranger, source);
        assertEq(blocking.balanceOf(depositAddressOf(source)), TOTAL);
        blocking.block_(refundTo, false);
        refund(source, address(blocking));
        assertEq(blocking.balanceOf(refundTo), TOTAL);
    }

    function test_coins_are_reclaimed_also_where_the_payer_refuses_them() public {
        refundTo = address(new RevertingReceiver());
        Source memory source = started(address(0));
        vm.warp(RECLAIM_AT);
        reclaim(stranger, source);
        assertEq(depositAddressOf(source).balance, TOTAL);
        RevertingReceiver(payable(refundTo)).set(true);
        refund(source, address(0));
        assertEq(refundTo.balance, TOTAL);
    }

    function test_only_the_coordinator_and_its_agents_settle() public {
        Source memory source = started(address(usdc));
        settleRefused(stranger, source, stranger, TOTAL, SettlementBase.NotAuthorized.selector);
        vm.prank(stranger);
        factory.setAgent(stranger, true);
        settleRefused(stranger, source, stranger, TOTAL, SettlementBase.NotAuthorized.selector);
    }

    function test_payouts_cannot_exceed_the_total() public {
        Source memory source = started(address(usdc));
        usdc.mint(address(vault), TOTAL);
        settleRefused(coordinator, source, relayer, TOTAL + 1, Escrow2.ExceedsAvailable.selector);
        bytes4 nothing = SettlementBase.NothingToTransfer.selector;
        settleRefused(coordinator, source, relayer, 0, nothing);
    }

    function test_neither_receivers_nor_tokens_reenter() public {
        ReentrantReceiver receiver = new ReentrantReceiver();
        refundTo = address(receiver);
        Source memory source = started(address(0));
        bytes32 dest = destHash(address(0));
        receiver.set(address(vault), abi.encodeCall(vault.reclaim, (source, dest)));
        vm.warp(RECLAIM_AT);
        reclaim(stranger, source);
        assertTrue(receiver.revertSelector() == SettlementBase.ReentrantCall.selector);
        vm.warp(NOW);
        CallbackToken hostile = new CallbackToken();
        source = started(address(hostile));
        dest = destHash(address(hostile));
        hostile.onTransfer(address(vault), abi.encodeCall(vault.reclaim, (source, dest)));
        vm.warp(RECLAIM_AT);
        reclaim(stranger, source);
        assertTrue(hostile.revertSelector() == SettlementBase.ReentrantCall.selector);
        assertEq(hostile.balanceOf(refundTo), TOTAL);
    }

    function test_states_are_read_at_once() public {
        Source memory settled = started(address(usdc));
        Source memory reclaimed = started(address(usdt));
        settle(coordinator, settled, relayer, 1, address(0), 0);
        vm.warp(RECLAIM_AT);
        reclaim(stranger, reclaimed);
        bytes32[] memory hashes = new bytes32[](3);
        hashes[1] = intentHashOf(settled, destHash(address(usdc)));
        hashes[2] = intentHashOf(reclaimed, destHash(address(usdt)));
        uint8[] memory states = vault.statesOf(hashes);
        assertTrue(states[0] == 0 && states[1] == 1 && states[2] == 2);
        bool[] memory executed = vault.executed(hashes);
        assertTrue(!executed[0] && executed[1] && !executed[2]);
    }

    function testFuzz_payouts_and_reclaims_account_for_every_unit(
        uint96 first,
        uint96 second,
        bool late
    ) public {
        Source memory source = started(address(usdc));
        first = uint96(first % TOTAL + 1);
        second = uint96(second % (TOTAL - first + 1));
        if (late) {
            vm.warp(RECLAIM_AT);
            reclaim(stranger, source);
            assertEq(usdc.balanceOf(refundTo), TOTAL);
            assertEq(usdc.balanceOf(address(vault)), 0);
        } else {
            settle(coordinator, source, relayer, first, treasury, second);
            uint256 rest = TOTAL - first - second;
            assertEq(usdc.balanceOf(address(vault)), rest);
            assertEq(vault.retained(coordinator, address(usdc)), rest);
        }
    }

    function vaultTerms(address token) private view returns (Source memory source) {
        source = terms(token);
        source.bridger = address(vault);
        source.refundTo = refundTo;
    }

    function started(address token) private returns (Source memory source) {
        source = vaultTerms(token);
        deposit(source, TOTAL);
        start(source);
    }

    function payoutsOf(address first, uint256 amount, address second, uint256 more)
        private
        pure
        returns (Escrow2.Payout[] memory list)
    {
        list = new Escrow2.Payout[](more == 0 ? 1 : 2);
        list[0] = Escrow2.Payout(first, amount);
        if (more != 0) list[1] = Escrow2.Payout(second, more);
    }

    function settle(
        address caller,
        Source memory source,
        address first,
        uint256 amount,
        address second,
        uint256 more
    ) private {
        Escrow2.Payout[] memory list = payoutsOf(first, amount, second, more);
        vm.prank(caller);
        vault.settle(source, destHash(source.token), list);
    }

    function settleRefused(
        address caller,
        Source memory source,
        address to,
        uint256 amount,
        bytes4 why
    ) private {
        vm.prank(caller);
        vm.expectRevert(why);
        vault.settle(source, destHash(source.token), payoutsOf(to, amount, to, 0));
    }

    function refuseAgent(Source memory source, address to) private {
        vm.prank(agent);
        vm.expectRevert(abi.encodeWithSelector(Escrow2.NotAPayee.selector, to));
        vault.settle(source, destHash(source.token), payoutsOf(to, TOTAL, to, 0));
    }

    function reclaim(address caller, Source memory source) private {
        vm.prank(caller);
        vault.reclaim(source, destHash(source.token));
    }

    function reclaimRefused(address caller, Source memory source, bytes4 why) private {
        vm.prank(caller);
        vm.expectRevert(why);
        vault.reclaim(source, destHash(source.token));
    }
}
