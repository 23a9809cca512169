// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DepositAddress} from "../src/DepositAddress.sol";
import {IntentFactory} from "../src/IntentFactory.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Source} from "../src/Terms.sol";
import {TestBase} from "./TestBase.sol";
import {
    CallbackToken,
    FalseReturnToken,
    ForcedSender,
    GasBurningReceiver,
    HugeReturnToken,
    ReentrantReceiver,
    RevertingReceiver,
    StandardToken
} from "./Tokens.sol";

contract FactoryTest is TestBase {
    function setUp() public {
        deployContracts();
    }

    function test_the_exact_total_is_collected() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        vm.prank(stranger);
        start(source);
        assertEq(usdc.balanceOf(address(escrow)), TOTAL);
        assertEq(usdc.balanceOf(depositAddressOf(source)), 0);
        assertTrue(factory.started(intentHashOf(source, destHash(address(usdc)))));
    }

    function test_excess_is_returned() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL + 3);
        start(source);
        assertEq(usdc.balanceOf(address(escrow)), TOTAL);
        assertEq(usdc.balanceOf(refundTo), 3);
    }

    function test_native_coins_are_collected_and_excess_is_returned() public {
        Source memory source = terms(address(0));
        deposit(source, TOTAL + 9);
        start(source);
        assertEq(address(escrow).balance, TOTAL);
        assertEq(refundTo.balance, 9);
    }

    function test_a_token_that_returns_nothing_is_collected_and_refunded() public {
        Source memory source = terms(address(usdt));
        deposit(source, TOTAL + 1);
        start(source);
        assertEq(usdt.balanceOf(address(escrow)), TOTAL);
        assertEq(usdt.balanceOf(refundTo), 1);
        deposit(source, 5);
        refund(source, address(usdt));
        assertEq(usdt.balanceOf(refundTo), 6);
    }

    function test_a_token_that_returns_false_is_not_collected() public {
        FalseReturnToken lying = new FalseReturnToken();
        Source memory source = terms(address(lying));
        deposit(source, TOTAL);
        vm.expectRevert(
            abi.encodeWithSelector(SettlementBase.TransferFailed.selector, address(escrow))
        );
        this.start_(source);
    }

    function test_a_fee_on_transfer_token_is_not_collected_but_refunded() public {
        Source memory source = terms(address(fee));
        deposit(source, TOTAL);
        vm.expectRevert(
            abi.encodeWithSelector(SettlementBase.ReceivedLess.selector, address(escrow))
        );
        this.start_(source);
        vm.warp(EXPIRY);
        refund(source, address(fee));
        assertEq(fee.balanceOf(refundTo), TOTAL - TOTAL / 100);
    }

    function test_an_address_without_code_is_not_a_token() public {
        Source memory source = terms(address(0xdead));
        vm.expectRevert();
        this.start_(source);
    }

    function test_too_little_is_not_collected() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL - 1);
        vm.expectRevert(
            abi.encodeWithSelector(IntentFactory.InsufficientDeposit.selector, TOTAL - 1, TOTAL)
        );
        this.start_(source);
    }

    function test_nothing_is_started_twice() public {
        Source memory source = terms(address(usdc));
        deposit(source, 2 * TOTAL);
        start(source);
        deposit(source, TOTAL);
        vm.expectRevert(IntentFactory.AlreadyStarted.selector);
        this.start_(source);
        assertEq(usdc.balanceOf(address(escrow)), TOTAL);
    }

    function test_nothing_is_started_at_expiry_or_later() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        vm.warp(EXPIRY);
        vm.expectRevert(IntentFactory.Expired.selector);
        this.start_(source);
        vm.warp(EXPIRY - 1);
        vm.expectRevert(IntentFactory.TooEarly.selector);
        this.refund_(source, address(usdc));
        start(source);
    }

    function test_nothing_is_started_on_another_chain() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        source.chain = 10;
        vm.expectRevert(SettlementBase.WrongChain.selector);
        this.start_(source);
    }

    function test_other_terms_have_another_address() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL);
        source.bridger = stranger;
        vm.expectRevert(
            abi.encodeWithSelector(IntentFactory.InsufficientDeposit.selector, 0, TOTAL)
        );
        this.start_(source);
    }

    function test_an_intent_with_a_total_of_zero_is_not_started() public {
        Source memory source = terms(address(usdc));
        source.total = 0;
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        this.start_(source);
    }

    function test_a_refund_address_on_a_deny_list_does_not_block_the_start() public {
        Source memory source = terms(address(blocking));
        blocking.block_(refundTo, true);
        deposit(source, TOTAL + 5);
        start(source);
        assertEq(blocking.balanceOf(address(escrow)), TOTAL);
        assertEq(blocking.balanceOf(depositAddressOf(source)), 5);
        blocking.block_(refundTo, false);
        refund(source, address(blocking));
        assertEq(blocking.balanceOf(refundTo), 5);
    }

    function test_a_refund_address_that_reverts_or_burns_gas_does_not_block_the_start() public {
        address[2] memory bad =
            [address(new RevertingReceiver()), address(new GasBurningReceiver())];
        for (uint256 i = 0; i < 2; ++i) {
            Source memory source = terms(address(0));
            source.refundTo = bad[i];
            deposit(source, TOTAL + 5);
            uint256 before = gasleft();
            factory.start{gas: 900_000}(source, destHash(address(0)));
            assertTrue(before - gasleft() < 650_000);
            assertEq(depositAddressOf(source).balance, 5);
        }
        assertEq(address(escrow).balance, 2 * TOTAL);
    }

    function test_a_token_that_returns_a_megabyte_does_not_block_the_start() public {
        HugeReturnToken endless = new HugeReturnToken();
        Source memory source = terms(address(endless));
        endless.makeEndless(refundTo);
        deposit(source, TOTAL + 5);
        bytes32 dest = destHash(address(endless));
        uint256 before = gasleft();
        factory.start{gas: 20_000_000}(source, dest);
        assertTrue(before - gasleft() < 650_000);
        assertEq(endless.balanceOf(address(escrow)), TOTAL);
    }

    function test_a_receiver_cannot_reenter() public {
        ReentrantReceiver calling = new ReentrantReceiver();
        Source memory source = terms(address(0));
        source.refundTo = address(calling);
        deposit(source, TOTAL + 5);
        bytes32 dest = destHash(address(0));
        calling.set(address(factory), abi.encodeCall(factory.refund, (source, dest, address(0))));
        start(source);
        assertTrue(calling.tried() && !calling.worked());
        assertTrue(calling.revertSelector() == SettlementBase.ReentrantCall.selector);
    }

    function test_a_token_with_callbacks_cannot_reenter() public {
        CallbackToken hooked = new CallbackToken();
        Source memory source = terms(address(hooked));
        deposit(source, TOTAL + 5);
        bytes memory again = abi.encodeCall(factory.start, (source, destHash(address(hooked))));
        hooked.onTransfer(address(factory), again);
        start(source);
        assertTrue(hooked.tried());
        assertTrue(hooked.revertSelector() == SettlementBase.ReentrantCall.selector);
        assertEq(hooked.balanceOf(address(escrow)), TOTAL);
    }

    function test_several_are_started_at_once_all_or_none() public {
        Source[] memory sources = new Source[](3);
        bytes32[] memory dests = new bytes32[](3);
        for (uint256 i = 0; i < 3; ++i) {
            sources[i] = terms(address(usdc));
            sources[i].nonce = i;
            dests[i] = destHash(address(usdc));
            if (i < 2) deposit(sources[i], TOTAL);
        }
        vm.expectRevert(
            abi.encodeWithSelector(IntentFactory.InsufficientDeposit.selector, 0, TOTAL)
        );
        factory.startMany(sources, dests);
        deposit(sources[2], TOTAL);
        factory.startMany(sources, dests);
        assertEq(usdc.balanceOf(address(escrow)), 3 * TOTAL);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        factory.startMany(sources, new bytes32[](2));
    }

    function test_forced_coins_are_refunded() public {
        Source memory source = terms(address(usdc));
        address payable account = payable(depositAddressOf(source));
        vm.deal(address(this), 10);
        new ForcedSender{value: 10}(account);
        deposit(source, TOTAL);
        start(source);
        refund(source, address(0));
        assertEq(refundTo.balance, 10);
        assertEq(usdc.balanceOf(address(escrow)), TOTAL);
    }

    function test_only_the_factory_controls_a_deposit_address() public {
        Source memory source = terms(address(usdc));
        deposit(source, TOTAL + 1);
        start(source);
        DepositAddress account = DepositAddress(payable(depositAddressOf(source)));
        vm.expectRevert(DepositAddress.NotAuthorized.selector);
        account.pay(address(usdc), stranger, 1, 1);
        DepositAddress implementation = DepositAddress(payable(factory.IMPLEMENTATION()));
        vm.expectRevert(DepositAddress.NotAuthorized.selector);
        implementation.pay(address(usdc), stranger, 1, 1);
    }

    function test_the_factory_is_not_deployed_with_a_wrong_create2_prefix() public {
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        new IntentFactory(0x41);
    }

    function testFuzz_every_unit_is_accounted_for(
        uint96 amount,
        uint96 more,
        uint32 later,
        bool native
    ) public {
        Source memory source = terms(native ? address(0) : address(usdc));
        deposit(source, amount);
        vm.warp(NOW + later % 2 hours);
        bool due = amount >= TOTAL && block.timestamp < EXPIRY;
        try this.start_(source) {
            assertTrue(due);
        } catch {
            assertTrue(!due);
        }
        deposit(source, more);
        vm.warp(EXPIRY);
        if (balanceOf(source.token, depositAddressOf(source)) != 0) refund(source, source.token);
        assertEq(balanceOf(source.token, address(escrow)), due ? TOTAL : 0);
        assertEq(balanceOf(source.token, refundTo), uint256(amount) + more - (due ? TOTAL : 0));
    }

    function testFuzz_each_term_changes_the_address(uint8 field, uint256 change) public view {
        Source memory source = terms(address(usdc));
        address first = depositAddressOf(source);
        change = change == 0 ? 1 : change;
        uint256 which = field % 8;
        uint256 offset = which * 32;
        uint256 most = which == 2 || (which >= 4 && which <= 6) ? type(uint160).max : change;
        if (change > most) change = change % most + 1;
        bytes32 dest = destHash(address(usdc));
        assembly {
            mstore(add(source, offset), xor(mload(add(source, offset)), change))
        }
        assertTrue(factory.depositAddress(intentHashOf(source, dest)) != first);
        assertTrue(factory.intentHash(source, dest) == intentHashOf(source, dest));
    }

    function start_(Source memory source) external {
        start(source);
    }

    function refund_(Source memory source, address token) external {
        refund(source, token);
    }
}
