// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeBase} from "../src/BridgeBase.sol";
import {CctpBase} from "../src/CctpBase.sol";
import {CctpBridge} from "../src/CctpBridge.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Destination, Source} from "../src/Terms.sol";
import {CctpTestBase} from "./CctpTestBase.sol";

/// A transmitter that mints nothing, and says so or not.
contract EmptyTransmitter {
    bool public answer;

    function set(bool answer_) external {
        answer = answer_;
    }

    function usedNonces(bytes32) external pure returns (uint256) {
        return 0;
    }

    function receiveMessage(bytes calldata, bytes calldata) external view returns (bool) {
        return answer;
    }
}

/// A messenger that burns nothing.
contract LazyMessenger {
    fallback() external {}
}

/// What holds where Circle's contracts do not behave as they should: less arrives than was agreed,
/// nothing arrives, nothing is burnt, or the sender of a message can be forged.
contract CctpGuardsTest is CctpTestBase {
    uint256 private constant LESS = AMOUNT - 7;
    Source private source;
    Destination private destination;

    function setUp() public {
        deployContracts();
        (source, destination) = terms(fast);
    }

    function test_less_than_the_amount_is_parked_until_somebody_adds_what_lacks() public {
        deliver(fast, burnAsBridge(fast, LESS), 0);
        assertEq(fast.arrived(hashOf(source, destination)), 4);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), 0);
        vm.prank(stranger);
        vm.expectRevert(
            abi.encodeWithSelector(SettlementBase.TransferFailed.selector, address(fast))
        );
        fast.release(source, destination);
        usdc(ARBITRUM).mint(stranger, 10);
        vm.prank(stranger);
        usdc(ARBITRUM).approve(address(fast), 10);
        vm.prank(stranger);
        fast.release(source, destination);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
        assertEq(usdc(ARBITRUM).balanceOf(stranger), 3);
        assertEq(usdc(ARBITRUM).balanceOf(address(fast)), 0);
        assertEq(fast.owed(coordinator, destination.token), 0);
    }

    /// The recipient's share of another payment is never used for it.
    function test_less_than_the_amount_is_not_made_up_from_what_others_have() public {
        usdc(ARBITRUM).mint(address(fast), AMOUNT);
        deliver(fast, burnAsBridge(fast, LESS), 0);
        assertEq(usdc(ARBITRUM).balanceOf(address(fast)), AMOUNT + LESS);
        vm.expectRevert();
        fast.release(source, destination);
    }

    function test_a_filler_is_repaid_no_more_than_what_arrived() public {
        bytes memory message = burnAsBridge(fast, LESS);
        fillBy(relayer, source, destination, relayer);
        usdc(ARBITRUM).mint(address(fast), AMOUNT);
        deliver(fast, message, 0);
        assertEq(usdc(ARBITRUM).balanceOf(relayer), LESS);
        assertEq(usdc(ARBITRUM).balanceOf(address(fast)), AMOUNT);
        assertEq(fast.owed(coordinator, destination.token), 0);
    }

    function test_a_filler_is_repaid_no_more_than_what_was_parked() public {
        deliver(fast, burnAsBridge(fast, LESS), 0);
        fillBy(relayer, source, destination, relayer);
        usdc(ARBITRUM).mint(address(fast), AMOUNT);
        fast.release(source, destination);
        assertEq(usdc(ARBITRUM).balanceOf(relayer), LESS);
        assertEq(usdc(ARBITRUM).balanceOf(address(fast)), AMOUNT);
    }

    function test_what_the_transmitter_does_not_mint_is_not_delivered() public {
        bytes memory message = paidAndSent(source, destination);
        usdc(ARBITRUM).mint(address(fast), TOTAL);
        vm.etch(address(transmitter), type(EmptyTransmitter).runtimeCode);
        EmptyTransmitter empty = EmptyTransmitter(address(transmitter));
        empty.set(false);
        vm.expectRevert(BridgeBase.BridgeFailed.selector);
        fast.deliver(message, "");
        empty.set(true);
        vm.expectRevert(SettlementBase.NothingToTransfer.selector);
        fast.deliver(message, "");
        assertEq(fast.arrived(hashOf(source, destination)), 0);
    }

    function test_what_the_messenger_does_not_take_is_not_sent() public {
        pay(source, destination);
        vm.etch(address(messenger), type(LazyMessenger).runtimeCode);
        vm.expectRevert(BridgeBase.BridgeFailed.selector);
        fast.startAndBridge(source, destination);
        assertEq(fast.spent(hashOf(source, destination)), 0);
    }

    /// A message of one instance is never about the other's intents.
    function test_the_hook_names_the_instance_that_sent_it() public {
        bytes memory emitted = burnAsBridge(standard, AMOUNT);
        (bytes memory filled, bytes memory attestation) = attest(emitted, FINAL, 0, 0);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        standard.deliver(filled, attestation);
        vm.expectRevert(CctpBase.InvalidMessage.selector);
        fast.deliver(filled, attestation);
    }

    function test_a_hook_with_another_token_is_refused() public {
        destination.token = address(0x70CE);
        bytes memory emitted = burnAsBridge(fast, AMOUNT);
        (bytes memory filled, bytes memory attestation) = attest(emitted, FAST, 0, 0);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        fast.deliver(filled, attestation);
    }

    /// A burn as if a bridge had made it, with any amount.
    function burnAsBridge(CctpBridge bridge, uint256 amount) private returns (bytes memory emitted) {
        on(BASE);
        usdc(BASE).mint(address(bridge), amount);
        vm.prank(address(bridge));
        usdc(BASE).approve(address(messenger), amount);
        bytes32 self = bytes32(uint256(uint160(address(bridge))));
        address token = address(usdc(BASE));
        bytes memory hook = abi.encode(source, destination);
        vm.recordLogs();
        vm.prank(address(bridge));
        messenger.depositForBurnWithHook(amount, 3, self, token, self, 0, FAST, hook);
        emitted = sentMessage();
        on(ARBITRUM);
    }
}
