// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BridgeVm} from "./CctpTestBase.sol";
import {GatewayCommonStandIn, TransferSpec} from "./GatewayFormats.sol";
import {GatewayMinterStandIn as Minter} from "./GatewayMinterStandIn.sol";
import {GatewayWalletStandIn as Wallet} from "./GatewayWalletStandIn.sol";
import {UsdcStandIn} from "./UsdcStandIn.sol";

/// The stand-ins refuse what Circle's contracts refuse, by the same errors. Both chains are one
/// here: Base with the wallet, Arbitrum with the minter.
contract GatewayStandInTest {
    BridgeVm private constant vm =
        BridgeVm(address(uint160(uint256(keccak256("hevm cheat code")))));
    uint32 private constant BASE = 6;
    uint32 private constant ARBITRUM = 3;
    uint256 private constant DELAY = 100;
    uint256 private constant DEPOSIT = 50_000_000;
    uint256 private constant VALUE = 25_000_000;
    uint256 private constant FEE = 11_250;
    uint256 private constant DEPOSITOR_KEY = 0xD;
    uint256 private constant DELEGATE_KEY = 0xDE;
    uint256 private constant CIRCLE_KEY = 0xC1;

    Wallet private wallet;
    Minter private minter;
    UsdcStandIn private source;
    UsdcStandIn private target;
    address private depositor;
    address private delegate;
    address private relayer = address(0x4E1A);
    address private circle = address(0xC14C1E);
    address private other = address(0x07E4);

    function setUp() public {
        (source, target) = (new UsdcStandIn(), new UsdcStandIn());
        (wallet, minter) = (new Wallet(), new Minter());
        (depositor, delegate) = (vm.addr(DEPOSITOR_KEY), vm.addr(DELEGATE_KEY));
        wallet.initialize(BASE, address(source), DELAY, circle);
        minter.initialize(ARBITRUM, address(target), address(wallet), vm.addr(CIRCLE_KEY));
        source.mint(depositor, 10 * DEPOSIT);
        source.mint(other, DEPOSIT);
        vm.roll(1_000);
        vm.prank(depositor);
        source.approve(address(wallet), 10 * DEPOSIT);
        vm.prank(depositor);
        wallet.deposit(address(source), DEPOSIT);
    }

    function test_selectors_and_topics_are_the_published_ones() public view {
        assertTrue(Wallet.deposit.selector == 0x47e7ef24);
        assertTrue(Wallet.depositFor.selector == 0xb3db428b);
        assertTrue(Minter.gatewayMint.selector == 0x9fb01cc5);
        assertTrue(minter.isTransferSpecHashUsed.selector == 0x17580158);
        assertTrue(bytes4(Wallet.Deposited.selector) == 0x4174a943);
        assertTrue(bytes4(Wallet.GatewayBurned.selector) == 0x12ee2719);
        assertTrue(bytes4(Minter.AttestationUsed.selector) == 0xbb312ce0);
        assertTrue(bytes4(Wallet.WithdrawalInitiated.selector) == 0x5f9a5598);
        assertTrue(bytes4(Wallet.WithdrawalCompleted.selector) == 0xb0038220);
    }

    function test_the_packed_spec_has_the_published_places() public view {
        bytes memory spec = pack(specOf());
        assertEq(spec.length, 340);
        assertEq(uint256(wordAt(spec, 272)), VALUE);
        assertTrue(wordAt(spec, 304) == bytes32("salt"));
        assertEq(attestationOf(spec, 1).length, 380);
    }

    function test_an_attestation_mints_the_exact_value_once() public {
        bytes memory spec = pack(specOf());
        mint(attestationOf(spec, 1_010), CIRCLE_KEY, relayer, "");
        assertEq(target.balanceOf(relayer), VALUE);
        assertTrue(minter.isTransferSpecHashUsed(keccak256(spec)));
        bytes4 used = GatewayCommonStandIn.TransferSpecHashUsed.selector;
        bytes memory why = abi.encodeWithSelector(used, keccak256(spec));
        mint(attestationOf(spec, 1_010), CIRCLE_KEY, relayer, why);
        // Also by another attestation of the same spec.
        mint(attestationOf(spec, 2_000), CIRCLE_KEY, relayer, why);
        assertEq(target.balanceOf(relayer), VALUE);
    }

    function test_a_set_mints_all_or_nothing() public {
        TransferSpec memory another = specOf();
        another.salt = "another";
        (bytes memory first, bytes memory second) = (pack(specOf()), pack(another));
        bytes memory head = abi.encodePacked(bytes4(0x1e12db71), uint32(2));
        bytes4 expired = Minter.AttestationExpiredAtIndex.selector;
        bytes memory why = abi.encodeWithSelector(expired, 1, 900, 1_000);
        bytes memory late = attestationOf(second, 900);
        mint(bytes.concat(head, attestationOf(first, 1_010), late), CIRCLE_KEY, relayer, why);
        assertTrue(!minter.isTransferSpecHashUsed(keccak256(first)));
        bytes memory both = bytes.concat(attestationOf(first, 1_010), attestationOf(second, 1_010));
        mint(bytes.concat(head, both), CIRCLE_KEY, relayer, "");
        assertEq(target.balanceOf(relayer), 2 * VALUE);
        bytes memory none = abi.encodePacked(bytes4(0x1e12db71), uint32(0));
        why = abi.encodeWithSelector(Minter.MustHaveAtLeastOneAttestation.selector);
        mint(none, CIRCLE_KEY, relayer, why);
    }

    function test_an_attestation_expires_after_its_block() public {
        bytes memory attestation = attestationOf(pack(specOf()), 1_010);
        vm.roll(1_011);
        bytes4 expired = Minter.AttestationExpiredAtIndex.selector;
        mint(attestation, CIRCLE_KEY, relayer, abi.encodeWithSelector(expired, 0, 1_010, 1_011));
        vm.roll(1_010);
        mint(attestation, CIRCLE_KEY, relayer, "");
    }

    function test_only_the_named_caller_mints() public {
        bytes memory attestation = attestationOf(pack(specOf()), 1_010);
        bytes4 caller = Minter.InvalidAttestationDestinationCallerAtIndex.selector;
        mint(attestation, CIRCLE_KEY, other, abi.encodeWithSelector(caller, 0, relayer, other));
        TransferSpec memory anyone = specOf();
        anyone.destinationCaller = 0;
        mint(attestationOf(pack(anyone), 1_010), CIRCLE_KEY, other, "");
        assertEq(target.balanceOf(relayer), VALUE);
    }

    function test_another_chain_refuses_the_attestation() public {
        TransferSpec memory spec = specOf();
        spec.destinationDomain = 1;
        bytes4 refused = Minter.InvalidAttestationDestinationDomainAtIndex.selector;
        bytes memory why = abi.encodeWithSelector(refused, 0, 1, ARBITRUM);
        mint(attestationOf(pack(spec), 1_010), CIRCLE_KEY, relayer, why);
    }

    function test_another_contract_refuses_the_attestation() public {
        TransferSpec memory spec = specOf();
        spec.destinationContract = word(other);
        bytes4 refused = Minter.InvalidAttestationDestinationContractAtIndex.selector;
        bytes memory why = abi.encodeWithSelector(refused, 0, other, address(minter));
        mint(attestationOf(pack(spec), 1_010), CIRCLE_KEY, relayer, why);
    }

    function test_only_Circle_attests() public {
        bytes memory attestation = attestationOf(pack(specOf()), 1_010);
        bytes memory why = abi.encodeWithSelector(Minter.InvalidAttestationSigner.selector);
        mint(attestation, DEPOSITOR_KEY, relayer, why);
        for (uint256 i = 0; i < attestation.length; i += 13) {
            bytes memory altered = bytes.concat(attestation);
            altered[i] = ~altered[i];
            bytes memory attested = signed(CIRCLE_KEY, attestation);
            vm.prank(relayer);
            vm.expectRevert(why);
            minter.gatewayMint(altered, attested);
        }
        minter.setAttestationSigner(vm.addr(CIRCLE_KEY), false);
        mint(attestation, CIRCLE_KEY, relayer, why);
    }

    function test_denylisted_accounts_neither_mint_nor_are_minted_to() public {
        bytes memory attestation = attestationOf(pack(specOf()), 1_010);
        bytes4 refused = GatewayCommonStandIn.AccountDenylisted.selector;
        minter.denylist(relayer);
        mint(attestation, CIRCLE_KEY, relayer, abi.encodeWithSelector(refused, relayer));
        minter.unDenylist(relayer);
        target.blacklist(relayer);
        string memory blacklisted = "Blacklistable: account is blacklisted";
        bytes memory why = abi.encodeWithSignature("Error(string)", blacklisted);
        mint(attestation, CIRCLE_KEY, relayer, why);
        wallet.denylist(depositor);
        vm.prank(depositor);
        vm.expectRevert(abi.encodeWithSelector(refused, depositor));
        wallet.deposit(address(source), 1);
    }

    function test_nothing_is_minted_while_paused() public {
        minter.pause();
        bytes memory why = abi.encodeWithSelector(GatewayCommonStandIn.EnforcedPause.selector);
        mint(attestationOf(pack(specOf()), 1_010), CIRCLE_KEY, relayer, why);
    }

    function test_a_plain_transfer_credits_nothing() public {
        vm.prank(depositor);
        source.transfer(address(wallet), 7);
        assertEq(wallet.totalBalance(address(source), depositor), DEPOSIT);
        assertEq(source.balanceOf(address(wallet)), DEPOSIT + 7);
    }

    function test_anyone_deposits_for_a_depositor() public {
        vm.prank(other);
        source.approve(address(wallet), 9);
        vm.prank(other);
        wallet.depositFor(address(source), depositor, 9);
        assertEq(wallet.availableBalance(address(source), depositor), DEPOSIT + 9);
        assertEq(wallet.availableBalance(address(source), other), 0);
    }

    function test_deposits_of_nothing_and_of_other_tokens_are_refused() public {
        vm.expectRevert(Wallet.DepositValueMustBePositive.selector);
        wallet.deposit(address(source), 0);
        bytes4 refused = GatewayCommonStandIn.UnsupportedToken.selector;
        vm.expectRevert(abi.encodeWithSelector(refused, address(target)));
        wallet.deposit(address(target), 1);
    }

    function test_the_depositors_intent_burns_value_and_fee_once() public {
        bytes memory intent = intentOf(specOf(), 100_000);
        burn(intent, DEPOSITOR_KEY, FEE, "");
        assertEq(wallet.availableBalance(address(source), depositor), DEPOSIT - VALUE - FEE);
        assertEq(source.balanceOf(circle), FEE);
        bytes4 used = GatewayCommonStandIn.TransferSpecHashUsed.selector;
        bytes memory why = abi.encodeWithSelector(used, keccak256(pack(specOf())));
        burn(intent, DEPOSITOR_KEY, FEE, why);
    }

    function test_no_more_than_the_highest_fee_is_burnt() public {
        bytes4 refused = Wallet.BurnFeeTooHighAtIndex.selector;
        bytes memory why = abi.encodeWithSelector(refused, 0, FEE, FEE + 1);
        burn(intentOf(specOf(), 100_000), DEPOSITOR_KEY, FEE + 1, why);
    }

    function test_an_intent_expires_on_its_source() public {
        vm.roll(2_001);
        bytes4 refused = Wallet.IntentExpiredAtIndex.selector;
        bytes memory why = abi.encodeWithSelector(refused, 0, 2_000, 2_001);
        burn(intentOf(specOf(), 2_000), DEPOSITOR_KEY, FEE, why);
    }

    function test_a_delegate_signs_until_it_is_removed_and_its_older_intents_burn() public {
        TransferSpec memory spec = specOf();
        spec.sourceSigner = word(delegate);
        bytes memory intent = intentOf(spec, 100_000);
        bytes4 refused = Wallet.InvalidIntentSourceSignerAtIndex.selector;
        burn(intent, DELEGATE_KEY, FEE, abi.encodeWithSelector(refused, 0, delegate, delegate));
        vm.prank(depositor);
        wallet.addDelegate(address(source), delegate);
        assertTrue(wallet.isAuthorizedForBalance(address(source), depositor, delegate));
        vm.prank(depositor);
        wallet.removeDelegate(address(source), delegate);
        assertTrue(!wallet.isAuthorizedForBalance(address(source), depositor, delegate));
        burn(intent, DELEGATE_KEY, FEE, "");
        assertEq(wallet.availableBalance(address(source), depositor), DEPOSIT - VALUE - FEE);
    }

    function test_the_way_out_without_Circle_takes_its_time() public {
        vm.startPrank(depositor);
        vm.expectRevert(Wallet.NoWithdrawingBalance.selector);
        wallet.withdraw(address(source));
        vm.expectRevert(Wallet.WithdrawalValueExceedsAvailableBalance.selector);
        wallet.initiateWithdrawal(address(source), DEPOSIT + 1);
        wallet.initiateWithdrawal(address(source), DEPOSIT);
        assertEq(wallet.withdrawalBlock(address(source), depositor), 1_000 + DELAY);
        vm.roll(1_000 + DELAY - 1);
        vm.expectRevert(Wallet.WithdrawalNotYetAvailable.selector);
        wallet.withdraw(address(source));
        assertEq(wallet.withdrawableBalance(address(source), depositor), 0);
        vm.roll(1_000 + DELAY);
        assertEq(wallet.withdrawableBalance(address(source), depositor), DEPOSIT);
        wallet.withdraw(address(source));
        vm.stopPrank();
        assertEq(source.balanceOf(depositor), 10 * DEPOSIT);
        assertEq(wallet.totalBalance(address(source), depositor), 0);
    }

    function test_an_intent_that_was_minted_burns_what_is_being_withdrawn() public {
        vm.prank(depositor);
        wallet.initiateWithdrawal(address(source), DEPOSIT);
        burn(intentOf(specOf(), 100_000), DEPOSITOR_KEY, FEE, "");
        assertEq(wallet.withdrawingBalance(address(source), depositor), DEPOSIT - VALUE - FEE);
    }

    function specOf() private view returns (TransferSpec memory spec) {
        spec.version = 1;
        (spec.sourceDomain, spec.destinationDomain) = (BASE, ARBITRUM);
        spec.sourceContract = word(address(wallet));
        spec.destinationContract = word(address(minter));
        (spec.sourceToken, spec.destinationToken) = (word(address(source)), word(address(target)));
        (spec.sourceDepositor, spec.sourceSigner) = (word(depositor), word(depositor));
        (spec.destinationRecipient, spec.destinationCaller) = (word(relayer), word(relayer));
        (spec.value, spec.salt) = (VALUE, "salt");
    }

    function pack(TransferSpec memory s) private pure returns (bytes memory) {
        bytes memory first = abi.encodePacked(
            bytes4(0xca85def7), s.version, s.sourceDomain, s.destinationDomain, s.sourceContract
        );
        bytes memory second = abi.encodePacked(
            s.destinationContract, s.sourceToken, s.destinationToken, s.sourceDepositor
        );
        bytes memory third = abi.encodePacked(
            s.destinationRecipient, s.sourceSigner, s.destinationCaller, s.value, s.salt
        );
        return bytes.concat(
            first, second, third, bytes4(uint32(s.hookData.length)), s.hookData
        );
    }

    function attestationOf(bytes memory spec, uint256 maxBlockHeight)
        private
        pure
        returns (bytes memory)
    {
        return abi.encodePacked(bytes4(0xff6fb334), maxBlockHeight, uint32(spec.length), spec);
    }

    function intentOf(TransferSpec memory spec, uint256 maxBlockHeight)
        private
        pure
        returns (bytes memory)
    {
        bytes memory packed = pack(spec);
        bytes memory head = abi.encodePacked(bytes4(0x070afbc2), maxBlockHeight, FEE);
        return abi.encodePacked(head, uint32(packed.length), packed);
    }

    function signed(uint256 key, bytes memory attestation) private returns (bytes memory) {
        bytes memory prefix = "\x19Ethereum Signed Message:\n32";
        bytes32 digest = keccak256(abi.encodePacked(prefix, keccak256(attestation)));
        return signature(key, digest);
    }

    function signature(uint256 key, bytes32 digest) private returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function mint(bytes memory attestation, uint256 key, address caller, bytes memory why)
        private
    {
        bytes memory attested = signed(key, attestation);
        vm.prank(caller);
        if (why.length != 0) vm.expectRevert(why);
        minter.gatewayMint(attestation, attested);
    }

    function burn(bytes memory intent, uint256 key, uint256 fee, bytes memory why) private {
        (bytes[] memory intents, bytes[] memory signatures) = (new bytes[](1), new bytes[](1));
        uint256[][] memory fees = new uint256[][](1);
        (intents[0], fees[0]) = (intent, new uint256[](1));
        fees[0][0] = fee;
        signatures[0] = signature(key, wallet.getTypedDataHash(intent));
        if (why.length != 0) vm.expectRevert(why);
        wallet.gatewayBurn(abi.encode(intents, signatures, fees), "");
    }

    function word(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    function wordAt(bytes memory data, uint256 place) private pure returns (bytes32 found) {
        assembly {
            found := mload(add(add(data, 32), place))
        }
    }

    function assertEq(uint256 actual, uint256 expected) private pure {
        require(actual == expected, "numbers differ");
    }

    function assertTrue(bool condition) private pure {
        require(condition, "condition is false");
    }
}
