// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IntentFactory} from "../src/IntentFactory.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Source} from "../src/Terms.sol";
import {TestBase} from "./TestBase.sol";
import {GasBurningReceiver, RevertingReceiver} from "./Tokens.sol";

contract RefundTest is TestBase {
    function setUp() public {
        deployContracts();
    }

    function test_everything_is_refunded_after_expiry() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL - 1);
        vm.warp(EXPIRY);
        vm.prank(stranger);
        refund(source, address(usdc));
        assertEq(usdc.balanceOf(refundTo), TOTAL - 1);
        deposit(source, 4);
        refund(source, address(usdc));
        assertEq(usdc.balanceOf(refundTo), TOTAL + 3);
    }

    function test_a_late_deposit_is_refunded_at_once_after_the_start() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        vm.expectRevert(IntentFactory.TooEarly.selector);
        this.refund_(source, address(usdc));
        start(source);
        deposit(source, 77);
        refund(source, address(usdc));
        assertEq(usdc.balanceOf(refundTo), 77);
    }

    function test_other_tokens_are_refunded_at_any_time_and_the_payment_continues() public {
        Source memory source = terms(address(usdc));
        mint(address(usdt), depositAddressOf(source), 5);
        mint(address(0), depositAddressOf(source), 6);
        refund(source, address(usdt));
        refund(source, address(0));
        assertEq(usdt.balanceOf(refundTo), 5);
        assertEq(refundTo.balance, 6);
        deposit(source, TOTAL);
        start(source);
        assertEq(usdc.balanceOf(address(escrow)), TOTAL);
    }

    function test_an_empty_address_is_not_refunded() public {
        vm.warp(EXPIRY);
        vm.expectRevert(SettlementBase.NothingToTransfer.selector);
        this.refund_(terms(address(usdc)), address(usdc));
    }

    function test_a_deployed_deposit_address_still_accepts_native_coins() public {
        Source memory source = terms(address(0));
        deposit(source, TOTAL);
        start(source);
        vm.deal(payer, 3);
        vm.prank(payer);
        (bool ok,) = depositAddressOf(source).call{value: 3}("");
        assertTrue(ok);
        refund(source, address(0));
        assertEq(refundTo.balance, 3);
    }

    function test_on_another_chain_only_the_coordinator_and_its_agents_refund() public {
        Source memory source = terms(address(usdc));
        address account = depositAddressOf(source);
        bytes32 dest = destHash(address(usdc));
        vm.chainId(10);
        usdc.mint(account, 50);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        factory.refund(source, dest, address(usdc));
        vm.prank(coordinator);
        factory.refund(source, dest, address(usdc));
        assertEq(usdc.balanceOf(refundTo), 50);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        usdc.mint(account, 1);
        vm.prank(relayer);
        factory.refund(source, dest, address(usdc));
        assertEq(usdc.balanceOf(refundTo), 51);
    }

    function test_a_refund_that_is_refused_reverts_with_the_receiver() public {
        Source memory source = terms(address(blocking));
        blocking.block_(refundTo, true);
        deposit(source, 9);
        vm.warp(EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(SettlementBase.TransferFailed.selector, refundTo));
        this.refund_(source, address(blocking));
        assertEq(blocking.balanceOf(depositAddressOf(source)), 9);
    }

    function test_only_the_coordinator_redirects_and_only_after_the_delay() public {
        Source memory source = terms(address(blocking));
        blocking.block_(refundTo, true);
        deposit(source, 9);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        this.redirect_(source, stranger);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        vm.prank(relayer);
        vm.expectRevert(SettlementBase.NotAuthorized.selector);
        factory.redirect(source, destHash(address(blocking)), address(blocking), stranger);
        vm.warp(EXPIRY + 3 days - 1);
        redirect(source, stranger, IntentFactory.TooEarly.selector);
        vm.warp(EXPIRY + 3 days);
        redirect(source, stranger, 0);
        assertEq(blocking.balanceOf(stranger), 9);
    }

    function test_a_redirect_pays_the_refund_address_while_it_accepts() public {
        Source memory source = terms(address(0));
        RevertingReceiver refusing = new RevertingReceiver();
        source.refundTo = address(refusing);
        deposit(source, 9);
        vm.warp(EXPIRY + 3 days);
        refusing.set(true);
        redirect(source, stranger, 0);
        assertEq(stranger.balance, 0);
        assertEq(address(refusing).balance, 9);
        deposit(source, 2);
        refusing.set(false);
        redirect(source, stranger, 0);
        assertEq(stranger.balance, 2);
    }

    function test_too_little_gas_does_not_count_as_a_refusal() public {
        Source memory source = terms(address(usdc));
        deposit(source, 9);
        vm.warp(EXPIRY + 3 days);
        bytes32 dest = destHash(address(usdc));
        for (uint256 gas_ = 60_000; gas_ < 1_200_000; gas_ += 20_000) {
            vm.prank(coordinator);
            try factory.redirect{gas: gas_}(source, dest, address(usdc), stranger) {
                break;
            } catch {}
        }
        assertEq(usdc.balanceOf(stranger), 0);
        assertEq(usdc.balanceOf(refundTo), 9);
    }

    function test_a_receiver_that_burns_all_gas_counts_as_refusing() public {
        Source memory source = terms(address(0));
        source.refundTo = address(new GasBurningReceiver());
        deposit(source, 9);
        vm.warp(EXPIRY + 3 days);
        redirect(source, stranger, 0);
        assertEq(stranger.balance, 9);
    }

    function redirect(Source memory source, address to, bytes4 expectedError) private {
        bytes32 dest = destHash(source.token);
        vm.prank(coordinator);
        if (expectedError != 0) vm.expectRevert(expectedError);
        factory.redirect{gas: 1_200_000}(source, dest, source.token, to);
    }

    function redirect_(Source memory source, address to) external {
        factory.redirect(source, destHash(source.token), source.token, to);
    }

    function refund_(Source memory source, address token) external {
        refund(source, token);
    }
}
