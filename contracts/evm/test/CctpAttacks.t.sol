// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeBase} from "../src/BridgeBase.sol";
import {CctpBase} from "../src/CctpBase.sol";
import {CctpBridge} from "../src/CctpBridge.sol";
import {CctpChains} from "../src/CctpChains.sol";
import {SettlementBase} from "../src/SettlementBase.sol";
import {Destination, Source} from "../src/Terms.sol";
import {CctpTestBase} from "./CctpTestBase.sol";
import {CallbackToken, ReentrantReceiver} from "./Tokens.sol";
import {UsdcStandIn} from "./UsdcStandIn.sol";

/// The recipient of a message of somebody who wants it to pass for one of Circle's messenger.
contract ForgingHandler {
    UsdcStandIn private immutable TOKEN;
    address private immutable GIFT_TO;

    constructor(UsdcStandIn token, address giftTo) {
        (TOKEN, GIFT_TO) = (token, giftTo);
    }

    function handleReceiveFinalizedMessage(uint32, bytes32, uint32, bytes calldata)
        external
        returns (bool)
    {
        // A unit, so that something arrives.
        TOKEN.mint(GIFT_TO, 1);
        return true;
    }
}

/// What strangers try with CctpBridge. Each of these was possible, or nearly, in some earlier design.
contract CctpAttacksTest is CctpTestBase {
    bytes private message;
    bytes private attestation;
    Source private paidSource;
    Destination private paidDestination;

    error Tried(bool worked, uint8 outcome, uint256 got);

    /// A payment that was sent and attested, and waits on the destination chain.
    function setUp() public {
        deployContracts();
        (Source memory source, Destination memory destination) = terms(fast);
        (paidSource, paidDestination) = (source, destination);
        bytes memory emitted = paidAndSent(source, destination);
        (message, attestation) = attest(emitted, FAST, 1_000, 0);
    }

    function test_a_strangers_burn_with_our_hook_delivers_nothing() public {
        on(BASE);
        usdc(BASE).mint(stranger, 1);
        bytes memory hook = abi.encode(paidSource, paidDestination);
        vm.startPrank(stranger);
        usdc(BASE).approve(address(messenger), 1);
        vm.recordLogs();
        messenger.depositForBurnWithHook(
            1, 3, word(address(fast)), address(usdc(BASE)), word(address(fast)), 0, FINAL, hook
        );
        vm.stopPrank();
        refuseMessage(sentMessage(), CctpBase.InvalidMessage.selector);
        deliversStill();
    }

    function test_a_forged_body_through_the_transmitter_delivers_nothing() public {
        ForgingHandler handler = new ForgingHandler(usdc(ARBITRUM), address(fast));
        bytes memory forged = forgedBody();
        refuseMessage(sendRaw(word(address(handler)), forged), CctpBase.InvalidMessage.selector);
        deliversStill();
    }

    function test_a_forged_body_for_the_messenger_is_not_the_messengers() public {
        bytes memory emitted = sendRaw(word(address(messenger)), forgedBody());
        on(ARBITRUM);
        (bytes memory filled, bytes memory signed) = attest(emitted, FINAL, 0, 0);
        vm.expectRevert(bytes("Remote TokenMessenger unsupported"));
        fast.deliver(filled, signed);
        deliversStill();
    }

    /// Where somebody is able to forge a sender, they cannot pass for the payment's source chain.
    function test_a_burn_on_a_chain_outside_the_table_delivers_nothing() public {
        address[] memory none = new address[](0);
        vm.chainId(130);
        transmitter.initialize(10, none, 2);
        minter.initialize(address(messenger), address(usdc(BASE)), BURN_LIMIT);
        messenger.addRemoteDomain(10);
        usdc(BASE).mint(address(fast), 1);
        bytes memory hook = abi.encode(paidSource, paidDestination);
        vm.startPrank(address(fast));
        usdc(BASE).approve(address(messenger), 1);
        vm.recordLogs();
        messenger.depositForBurnWithHook(
            1, 3, word(address(fast)), address(usdc(BASE)), word(address(fast)), 0, FINAL, hook
        );
        vm.stopPrank();
        bytes memory emitted = sentMessage();
        on(ARBITRUM);
        minter.linkTokenPair(10, address(usdc(BASE)));
        refuseMessage(emitted, CctpBase.InvalidMessage.selector);
        deliversStill();
    }

    function test_a_message_is_of_one_chain_and_one_instance() public {
        vm.chainId(10);
        vm.expectRevert(SettlementBase.InvalidTerms.selector);
        fast.deliver(message, attestation);
        on(ARBITRUM);
        vm.expectRevert(CctpBase.InvalidMessage.selector);
        standard.deliver(message, attestation);
        vm.chainId(56);
        vm.expectRevert(abi.encodeWithSelector(CctpChains.UnknownChain.selector, 56));
        fast.deliver(message, attestation);
        deliversStill();
    }

    function test_only_the_bridge_receives_its_messages() public {
        vm.prank(stranger);
        vm.expectRevert(bytes("Invalid caller for message"));
        transmitter.receiveMessage(message, attestation);
        deliversStill();
    }

    function test_malformed_messages_are_refused() public {
        bytes memory longer = bytes.concat(message, hex"00");
        bytes memory shorter = new bytes(376);
        for (uint256 i = 0; i < 376; ++i) shorter[i] = message[i];
        bytes[4] memory wrong = [longer, shorter, bytes(""), new bytes(message.length)];
        for (uint256 i = 0; i < wrong.length; ++i) {
            vm.expectRevert(CctpBase.InvalidMessage.selector);
            fast.deliver(wrong[i], attestation);
        }
        // A word of the hook that is no address.
        bytes memory dirty = bytes.concat(message);
        dirty[376 + 2 * 32] = 0x01;
        vm.expectRevert();
        fast.deliver(dirty, signatures(dirty));
        deliversStill();
    }

    /// The filler is locked while it pays; what a token of the attacker's calls from there must not
    /// be taken for a refusal of the recipient.
    function test_a_delivery_inside_a_payout_does_not_park_a_good_recipient() public {
        CallbackToken hostile = new CallbackToken();
        hostile.onTransfer(address(fast), abi.encodeCall(fast.deliver, (message, attestation)));
        hostile.mint(stranger, 1);
        vm.startPrank(stranger);
        hostile.approve(address(filler), 1);
        filler.fill("", address(hostile), address(0xBAD), 1, stranger, NOW);
        vm.stopPrank();
        assertTrue(hostile.tried());
        assertTrue(hostile.revertSelector() == BridgeBase.BridgeFailed.selector);
        deliversStill();
    }

    function test_a_delivery_inside_a_payout_of_coins_does_not_park_it_either() public {
        ReentrantReceiver hostile = new ReentrantReceiver();
        hostile.set(address(fast), abi.encodeCall(fast.deliver, (message, attestation)));
        vm.deal(stranger, 1);
        vm.prank(stranger);
        filler.fill{value: 1}("", address(0), address(hostile), 1, stranger, NOW);
        assertEq(fast.arrived(hashOf(paidSource, paidDestination)), 0);
        deliversStill();
    }

    function test_a_hostile_token_cannot_reenter_the_bridge() public {
        CallbackToken hostile = new CallbackToken();
        on(BASE);
        Source memory source = paidSource;
        (source.token, source.coordinator) = (address(hostile), stranger);
        hostile.mint(factory.depositAddress(hashOf(source, paidDestination)), TOTAL);
        factory.start(source, destHash(paidDestination));
        hostile.onTransfer(
            address(fast), abi.encodeCall(fast.giveBack, (source, destHash(paidDestination)))
        );
        vm.prank(stranger);
        fast.giveBack(source, destHash(paidDestination));
        assertTrue(hostile.tried());
        assertTrue(hostile.revertSelector() == SettlementBase.ReentrantCall.selector);
        assertEq(hostile.balanceOf(address(fast)), 0);
    }

    function test_changed_terms_are_another_payment() public {
        on(BASE);
        for (uint256 field = 0; field < 6; ++field) {
            (Source memory source, Destination memory destination) = terms(fast);
            source.nonce = 100;
            pay(source, destination);
            if (field == 0) source.refundTo = stranger;
            if (field == 1) source.coordinator = stranger;
            if (field == 2) source.expiry += 1;
            if (field == 3) destination.recipient = stranger;
            if (field == 4) destination.amount -= 1;
            if (field == 5) source.total = destination.amount;
            vm.prank(stranger);
            vm.expectRevert();
            fast.startAndBridge(source, destination);
            vm.warp(EXPIRY);
            vm.prank(stranger);
            vm.expectRevert();
            fast.giveBack(source, destHash(destination));
            vm.warp(NOW);
        }
    }

    function test_the_money_of_two_intents_is_not_mixed() public {
        on(BASE);
        (Source memory first, Destination memory destination) = terms(fast);
        (Source memory second,) = terms(fast);
        (first.nonce, second.nonce, second.total) = (101, 102, AMOUNT);
        pay(first, destination);
        pay(second, destination);
        factory.start(first, destHash(destination));
        factory.start(second, destHash(destination));
        send(second, destination);
        assertEq(usdc(BASE).balanceOf(address(fast)), TOTAL);
        vm.expectRevert(BridgeBase.AlreadySent.selector);
        fast.startAndBridge(second, destination);
        vm.warp(EXPIRY);
        fast.giveBack(first, destHash(destination));
        assertEq(usdc(BASE).balanceOf(refundTo), TOTAL);
        assertEq(usdc(BASE).balanceOf(address(fast)), 0);
    }

    /// An estimate finds the least gas with which the call succeeds: with it, the recipient is paid.
    function test_a_delivery_with_any_gas_limit_reverts_or_pays() public {
        uint256 paid;
        for (uint256 gas_ = 60_000; gas_ <= 400_000; gas_ += 1_000) {
            (bool worked, uint8 outcome, uint256 got) = tryWith(gas_);
            assertTrue(worked == (outcome == 1) && got == (worked ? AMOUNT : 0));
            if (worked) ++paid;
        }
        assertTrue(paid > 50);
    }

    function test_with_any_gas_limit_a_filler_is_repaid_or_the_delivery_reverts() public {
        fillBy(relayer, paidSource, paidDestination, relayer);
        for (uint256 gas_ = 60_000; gas_ <= 400_000; gas_ += 1_000) {
            (bool worked, uint8 outcome,) = tryWith(gas_);
            assertTrue(worked == (outcome == 2));
        }
        assertEq(fast.owed(relayer, paidDestination.token), 0);
    }

    function attempt(uint256 gas_) external {
        bool worked;
        try fast.deliver{gas: gas_}(message, attestation) {
            worked = true;
        } catch {}
        address payee = fast.arrived(hashOf(paidSource, paidDestination)) == 2 ? relayer : recipient;
        revert Tried(
            worked,
            fast.arrived(hashOf(paidSource, paidDestination)),
            usdc(ARBITRUM).balanceOf(payee)
        );
    }

    /// Deliver with so much gas, as the first call of a transaction, and undo it.
    function tryWith(uint256 gas_) private returns (bool worked, uint8 outcome, uint256 got) {
        try this.attempt(gas_) {}
        catch (bytes memory reason) {
            assembly ("memory-safe") {
                worked := mload(add(reason, 36))
                outcome := mload(add(reason, 68))
                got := mload(add(reason, 100))
            }
        }
    }

    function forgedBody() private view returns (bytes memory) {
        bytes32 bridge = word(address(fast));
        bytes memory body = abi.encodePacked(
            uint32(1), word(paidSource.token), bridge, TOTAL, bridge, uint256(0), new bytes(64)
        );
        return bytes.concat(body, abi.encode(paidSource, paidDestination));
    }

    function sendRaw(bytes32 to, bytes memory body) private returns (bytes memory) {
        on(BASE);
        vm.recordLogs();
        vm.prank(stranger);
        transmitter.sendMessage(3, to, word(address(fast)), FINAL, body);
        return sentMessage();
    }

    function refuseMessage(bytes memory emitted, bytes4 why) private {
        on(ARBITRUM);
        (bytes memory filled, bytes memory signed) = attest(emitted, FINAL, 0, 0);
        vm.prank(stranger);
        vm.expectRevert(why);
        fast.deliver(filled, signed);
    }

    /// The real delivery works as if nothing had been tried.
    function deliversStill() private {
        on(ARBITRUM);
        assertEq(fast.arrived(hashOf(paidSource, paidDestination)), 0);
        fast.deliver(message, attestation);
        assertEq(fast.arrived(hashOf(paidSource, paidDestination)), 1);
        assertEq(usdc(ARBITRUM).balanceOf(recipient), AMOUNT);
    }

    function word(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
