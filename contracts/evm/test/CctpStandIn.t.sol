// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CctpTestBase} from "./CctpTestBase.sol";

/// The stand-ins refuse what Circle's contracts refuse, in their words.
contract CctpStandInTest is CctpTestBase {
    address private burner = address(0xB12);
    bytes private hook = hex"c0ffee";
    uint256 private constant FEE = 5;

    function setUp() public {
        deployContracts();
        usdc(BASE).mint(burner, 3 * BURN_LIMIT);
        vm.prank(burner);
        usdc(BASE).approve(address(messenger), type(uint256).max);
    }

    function test_a_burn_without_a_hook_has_the_published_format() public {
        bytes memory message = burn(100, 10);
        assertEq(message.length, 376);
        bytes memory head = abi.encodePacked(uint32(1), uint32(6), uint32(3), bytes32(0));
        head = abi.encodePacked(head, word(address(messenger)), word(address(messenger)));
        head = abi.encodePacked(head, word(relayer), FAST, uint32(0));
        bytes memory body = abi.encodePacked(uint32(1), word(address(usdc(BASE))), word(recipient));
        body = abi.encodePacked(body, uint256(100), word(burner), uint256(10), new bytes(64));
        assertTrue(keccak256(message) == keccak256(abi.encodePacked(head, body)));
    }

    function test_a_message_mints_the_amount_without_the_fee_once() public {
        (bytes memory message, bytes memory attestation) = attest(burn(100, 10), FAST, FEE, 0);
        receive_(message, attestation, "");
        assertEq(usdc(ARBITRUM).balanceOf(recipient), 95);
        assertEq(usdc(ARBITRUM).balanceOf(circle), 5);
        receive_(message, attestation, "Nonce already used");
    }

    function test_a_message_attested_once_final_costs_nothing() public {
        (bytes memory message, bytes memory attestation) = attest(burn(100, 10), FINAL, FEE, 0);
        receive_(message, attestation, "");
        assertEq(usdc(ARBITRUM).balanceOf(recipient), 100);
    }

    function test_an_expired_message_is_attested_again_with_the_same_nonce() public {
        bytes memory message = burn(100, 10);
        vm.roll(50);
        (bytes memory filled, bytes memory attestation) = attestAs("n", message, FAST, FEE, 50);
        receive_(filled, attestation, "Message expired and must be re-signed");
        assertEq(transmitter.usedNonces("n"), 0);
        (filled, attestation) = attestAs("n", message, FINAL, 0, 0);
        receive_(filled, attestation, "");
        assertEq(transmitter.usedNonces("n"), 1);
    }

    function test_only_the_destination_caller_receives() public {
        (bytes memory message, bytes memory attestation) = attest(burn(100, 10), FINAL, 0, 0);
        vm.expectRevert(bytes("Invalid caller for message"));
        transmitter.receiveMessage(message, attestation);
    }

    function test_a_blacklisted_recipient_leaves_the_nonce_unused() public {
        (bytes memory message, bytes memory attestation) =
            attestAs("n", burn(100, 10), FINAL, 0, 0);
        usdc(ARBITRUM).blacklist(recipient);
        receive_(message, attestation, "Blacklistable: account is blacklisted");
        assertEq(transmitter.usedNonces("n"), 0);
    }

    function test_attestations_need_both_attesters_in_order() public {
        (bytes memory message, bytes memory attestation) = attest(burn(100, 10), FINAL, 0, 0);
        bytes memory one = slice(attestation, 0);
        bytes memory other = slice(attestation, 65);
        receive_(message, one, "Invalid attestation length");
        receive_(message, bytes.concat(attestation, one), "Invalid attestation length");
        receive_(message, bytes.concat(other, one), "Invalid signature order or dupe");
        receive_(message, bytes.concat(one, one), "Invalid signature order or dupe");
        transmitter.setAttester(vm.addr(attesterKey(0)), false);
        receive_(message, attestation, "Invalid signature: not attester");
    }

    function test_no_altered_byte_is_received() public {
        (bytes memory message, bytes memory attestation) = attest(burn(100, 10), FINAL, 0, 0);
        for (uint256 i = 0; i < message.length; i += 7) {
            bytes memory altered = bytes.concat(message);
            altered[i] = ~altered[i];
            vm.prank(relayer);
            try transmitter.receiveMessage(altered, attestation) {
                assertTrue(false);
            } catch {}
        }
        receive_(message, attestation, "");
    }

    function test_the_emitted_message_itself_is_not_what_was_signed() public {
        bytes memory emitted = burn(100, 10);
        (, bytes memory attestation) = attest(emitted, FINAL, 0, 0);
        vm.prank(relayer);
        vm.expectRevert();
        transmitter.receiveMessage(emitted, attestation);
    }

    function test_a_message_for_another_chain_is_refused() public {
        (bytes memory message, bytes memory attestation) = attest(burn(100, 10), FINAL, 0, 0);
        on(BASE);
        vm.prank(relayer);
        vm.expectRevert(bytes("Invalid destination domain"));
        transmitter.receiveMessage(message, attestation);
    }

    function test_a_message_that_claims_to_be_the_messengers_is_refused() public {
        on(BASE);
        vm.recordLogs();
        vm.prank(stranger);
        transmitter.sendMessage(3, word(address(messenger)), 0, FINAL, new bytes(228));
        (bytes memory message, bytes memory attestation) = attest(sentMessage(), FINAL, 0, 0);
        on(ARBITRUM);
        receive_(message, attestation, "Remote TokenMessenger unsupported");
    }

    function test_burns_are_refused_as_circle_refuses_them() public {
        burnRefused(0, 0, recipient, 3, "Amount must be nonzero");
        burnRefused(100, 100, recipient, 3, "Max fee must be less than amount");
        burnRefused(100, 10, address(0), 3, "Mint recipient must be nonzero");
        burnRefused(100, 10, recipient, 99, "No TokenMessenger for domain");
        burnRefused(BURN_LIMIT + 1, 10, recipient, 3, "Burn amount exceeds per tx limit");
        messenger.setMinFee(10_000);
        assertEq(messenger.getMinFeeAmount(100_000), 100);
        burnRefused(100_000, 99, recipient, 3, "Insufficient max fee");
        messenger.setMinFee(0);
        hook = "";
        burnRefused(100, 10, recipient, 3, "Hook data is empty");
        hook = hex"01";
        messenger.denylist(burner);
        burnRefused(100, 10, recipient, 3, "Denylistable: account is on denylist");
        messenger.unDenylist(burner);
        minter.setBurnLimit(0);
        burnRefused(100, 10, recipient, 3, "Burn token not supported");
        minter.setBurnLimit(BURN_LIMIT);
        usdc(BASE).blacklist(burner);
        burnRefused(100, 10, recipient, 3, "Blacklistable: account is blacklisted");
    }

    function test_a_pause_stops_burns_and_mints() public {
        (bytes memory message, bytes memory attestation) = attest(burn(100, 10), FINAL, 0, 0);
        transmitter.pause();
        receive_(message, attestation, "Pausable: paused");
        burnRefused(100, 10, recipient, 3, "Pausable: paused");
        transmitter.unpause();
        minter.pause();
        receive_(message, attestation, "Pausable: paused");
        burnRefused(100, 10, recipient, 3, "Pausable: paused");
        minter.unpause();
        receive_(message, attestation, "");
    }

    /// Burn on Base towards Arbitrum, where only the relayer receives.
    function burn(uint256 amount, uint256 maxFee)
        private
        returns (bytes memory message)
    {
        on(BASE);
        bytes32 caller = word(relayer);
        vm.recordLogs();
        vm.prank(burner);
        messenger.depositForBurn(
            amount, 3, word(recipient), address(usdc(BASE)), caller, maxFee, FAST
        );
        message = sentMessage();
        on(ARBITRUM);
    }

    function burnRefused(
        uint256 amount,
        uint256 maxFee,
        address to,
        uint32 domain,
        bytes memory why
    ) private {
        address token = address(usdc(BASE));
        vm.prank(burner);
        vm.expectRevert(why);
        messenger.depositForBurnWithHook(amount, domain, word(to), token, 0, maxFee, FAST, hook);
    }

    function receive_(bytes memory message, bytes memory attestation, bytes memory why) private {
        vm.prank(relayer);
        if (why.length != 0) vm.expectRevert(why);
        transmitter.receiveMessage(message, attestation);
    }

    function slice(bytes memory data, uint256 from) private pure returns (bytes memory part) {
        part = new bytes(65);
        for (uint256 i = 0; i < 65; ++i) part[i] = data[from + i];
    }

    function word(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}
