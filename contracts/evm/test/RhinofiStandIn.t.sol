// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {RhinofiStandIn} from "./RhinofiStandIn.sol";
import {TestBase} from "./TestBase.sol";

interface LogVm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function prank(address sender, address origin) external;
}

/// The stand-in has the published selectors and events, and refuses no more than the real contract.
contract RhinofiStandInTest is TestBase {
    RhinofiStandIn private bridge;
    // A quote's number as rhino.fi gives it: 24 hexadecimal digits.
    uint256 private constant COMMITMENT = 0x6ab9b158ad7a6c21e63c0c9c;

    function setUp() public {
        deployContracts();
        bridge = new RhinofiStandIn();
        usdc.mint(relayer, 3 * TOTAL);
        usdt.mint(relayer, TOTAL);
    }

    function approve(address token, uint256 amount) private {
        vm.prank(relayer);
        (bool ok,) =
            token.call(abi.encodeWithSignature("approve(address,uint256)", bridge, amount));
        assertTrue(ok);
    }

    function test_the_selectors_are_the_published_ones() public pure {
        assertTrue(RhinofiStandIn.depositWithId.selector == bytes4(0x2700bbaf));
        assertTrue(RhinofiStandIn.withdrawV2.selector == bytes4(0x9c66c25d));
    }

    function test_a_deposit_takes_what_was_approved_and_reports_the_commitment() public {
        approve(address(usdc), TOTAL);
        LogVm logs = LogVm(address(vm));
        logs.recordLogs();
        logs.prank(relayer, payer);
        bridge.depositWithId(address(usdc), TOTAL, COMMITMENT);
        LogVm.Log[] memory found = logs.getRecordedLogs();
        LogVm.Log memory last = found[found.length - 1];
        assertEq(last.topics.length, 1);
        assertTrue(
            last.topics[0] == 0x1655dc426ee0145d9436d28cfb463fb0e0717ae145566e5e534da64b735e49f3
        );
        bytes memory expected = abi.encode(relayer, payer, address(usdc), TOTAL, COMMITMENT);
        assertTrue(keccak256(last.data) == keccak256(expected));
        assertEq(usdc.balanceOf(address(bridge)), TOTAL);
        assertEq(usdc.allowance(relayer, address(bridge)), 0);
    }

    function test_a_token_that_returns_nothing_is_taken() public {
        approve(address(usdt), TOTAL);
        vm.prank(relayer);
        bridge.depositWithId(address(usdt), TOTAL, COMMITMENT);
        assertEq(usdt.balanceOf(address(bridge)), TOTAL);
    }

    function test_a_deposit_of_more_than_was_approved_is_refused() public {
        approve(address(usdc), TOTAL - 1);
        vm.prank(relayer);
        vm.expectRevert(bytes("TRANSFER_FAILED"));
        bridge.depositWithId(address(usdc), TOTAL, COMMITMENT);
    }

    function test_a_deposit_of_no_token_is_refused() public {
        vm.prank(relayer);
        vm.expectRevert(bytes("BLACKHOLE_NOT_ALLOWED"));
        bridge.depositWithId(address(0), TOTAL, COMMITMENT);
    }

    function test_a_second_deposit_of_a_commitment_is_taken_too() public {
        approve(address(usdc), 2 * TOTAL);
        vm.startPrank(relayer);
        bridge.depositWithId(address(usdc), TOTAL, COMMITMENT);
        vm.warp(NOW + 365 days);
        bridge.depositWithId(address(usdc), TOTAL, COMMITMENT);
        vm.stopPrank();
        assertEq(usdc.balanceOf(address(bridge)), 2 * TOTAL);
    }

    function test_only_rhinofi_pays_out() public {
        usdc.mint(address(bridge), TOTAL);
        vm.prank(stranger);
        vm.expectRevert(bytes("UNAUTHORIZED"));
        bridge.withdrawV2(address(usdc), stranger, TOTAL);
        bridge.authorize(address(this), true);
        LogVm logs = LogVm(address(vm));
        logs.recordLogs();
        bridge.withdrawV2(address(usdc), relayer, OUT);
        LogVm.Log[] memory found = logs.getRecordedLogs();
        assertTrue(
            found[found.length - 1].topics[0]
                == 0xe4f4f1fb3534fe80225d336f6e5a73007dc992e5f6740152bf13ed2a08f3851a
        );
        assertEq(usdc.balanceOf(address(bridge)), TOTAL - OUT);
    }
}
