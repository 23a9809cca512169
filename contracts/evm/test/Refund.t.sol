// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Guarded} from "../src/Guarded.sol";
import {IntentFactory} from "../src/IntentFactory.sol";
import {Source} from "../src/Terms.sol";
import {Cheats} from "./Cheats.sol";
import {Burning, Refusing} from "./Tokens.sol";

contract RefundTest is Cheats {
    function setUp() public {
        prepare();
    }

    function test_everything_goes_back_after_expiry() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL - 1);
        vm.warp(EXPIRY);
        vm.prank(stranger);
        refund(source, address(usdc));
        same(usdc.balanceOf(refundTo), TOTAL - 1);
        deposit(source, 4);
        refund(source, address(usdc));
        same(usdc.balanceOf(refundTo), TOTAL + 3);
    }

    function test_a_late_deposit_goes_back_at_once_when_it_was_started() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        vm.expectRevert(IntentFactory.TooEarly.selector);
        this.refund_(source, address(usdc));
        start(source);
        deposit(source, 77);
        refund(source, address(usdc));
        same(usdc.balanceOf(refundTo), 77);
    }

    function test_foreign_money_goes_back_at_any_time_and_the_payment_goes_on() public {
        Source memory source = terms(address(usdc));
        give(address(usdt), addressOf(source), 5);
        give(address(0), addressOf(source), 6);
        refund(source, address(usdt));
        refund(source, address(0));
        same(usdt.balanceOf(refundTo), 5);
        same(refundTo.balance, 6);
        deposit(source, TOTAL);
        start(source);
        same(usdc.balanceOf(address(escrow)), TOTAL);
    }

    function test_nothing_is_not_refunded() public {
        vm.warp(EXPIRY);
        vm.expectRevert(Guarded.NothingLeft.selector);
        this.refund_(terms(address(usdc)), address(usdc));
    }

    function test_a_deployed_deposit_address_still_takes_the_native_coin() public {
        Source memory source = terms(address(0));
        deposit(source, TOTAL);
        start(source);
        vm.deal(payer, 3);
        vm.prank(payer);
        (bool ok,) = addressOf(source).call{value: 3}("");
        yes(ok);
        refund(source, address(0));
        same(refundTo.balance, 3);
    }

    function test_on_another_chain_only_the_coordinator_gives_back() public {
        Source memory source = terms(address(usdc));
        address place = addressOf(source);
        bytes32 dest = destHash(address(usdc));
        vm.chainId(10);
        usdc.mint(place, 50);
        vm.expectRevert(Guarded.NotAllowed.selector);
        factory.refund(source, dest, address(usdc));
        vm.prank(coordinator);
        factory.refund(source, dest, address(usdc));
        same(usdc.balanceOf(refundTo), 50);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        usdc.mint(place, 1);
        vm.prank(relayer);
        factory.refund(source, dest, address(usdc));
        same(usdc.balanceOf(refundTo), 51);
    }

    function test_an_address_that_refuses_is_told_and_the_money_stays() public {
        Source memory source = terms(address(blocking));
        blocking.block_(refundTo, true);
        deposit(source, 9);
        vm.warp(EXPIRY);
        vm.expectRevert(abi.encodeWithSelector(Guarded.Refused.selector, refundTo));
        this.refund_(source, address(blocking));
        same(blocking.balanceOf(addressOf(source)), 9);
    }

    function test_another_address_only_by_the_coordinator_and_only_after_the_grace() public {
        Source memory source = terms(address(blocking));
        blocking.block_(refundTo, true);
        deposit(source, 9);
        vm.expectRevert(Guarded.NotAllowed.selector);
        this.redirect_(source, stranger);
        vm.prank(coordinator);
        factory.setAgent(relayer, true);
        vm.prank(relayer);
        vm.expectRevert(Guarded.NotAllowed.selector);
        factory.redirect(source, destHash(address(blocking)), address(blocking), stranger);
        vm.warp(EXPIRY + 3 days - 1);
        redirect(source, stranger, IntentFactory.TooEarly.selector);
        vm.warp(EXPIRY + 3 days);
        redirect(source, stranger, 0);
        same(blocking.balanceOf(stranger), 9);
    }

    function test_another_address_gets_nothing_while_the_first_accepts() public {
        Source memory source = terms(address(0));
        Refusing refusing = new Refusing();
        source.refundTo = address(refusing);
        deposit(source, 9);
        vm.warp(EXPIRY + 3 days);
        refusing.set(true);
        redirect(source, stranger, 0);
        same(stranger.balance, 0);
        same(address(refusing).balance, 9);
        deposit(source, 2);
        refusing.set(false);
        redirect(source, stranger, 0);
        same(stranger.balance, 2);
    }

    function test_want_of_gas_is_no_refusal() public {
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
        same(usdc.balanceOf(stranger), 0);
        same(usdc.balanceOf(refundTo), 9);
    }

    function test_an_address_that_burns_all_gas_counts_as_refusing() public {
        Source memory source = terms(address(0));
        source.refundTo = address(new Burning());
        deposit(source, 9);
        vm.warp(EXPIRY + 3 days);
        redirect(source, stranger, 0);
        same(stranger.balance, 9);
    }

    function redirect(Source memory source, address to, bytes4 refusal) private {
        bytes32 dest = destHash(source.token);
        vm.prank(coordinator);
        if (refusal != 0) vm.expectRevert(refusal);
        factory.redirect{gas: 1_200_000}(source, dest, source.token, to);
    }

    function redirect_(Source memory source, address to) external {
        factory.redirect(source, destHash(source.token), source.token, to);
    }

    function refund_(Source memory source, address token) external {
        refund(source, token);
    }
}
