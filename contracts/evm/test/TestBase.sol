// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Escrow} from "../src/Escrow.sol";
import {Filler} from "../src/Filler.sol";
import {IntentFactory} from "../src/IntentFactory.sol";
import {Source} from "../src/Terms.sol";
import {DenyListToken, FeeOnTransferToken, NoReturnToken, StandardToken} from "./Tokens.sol";

interface Vm {
    function prank(address) external;
    function startPrank(address) external;
    function stopPrank() external;
    function warp(uint256) external;
    function chainId(uint256) external;
    function deal(address, uint256) external;
    function expectRevert(bytes4) external;
    function expectRevert(bytes calldata) external;
    function expectRevert() external;
}

/// The setup of every test: contracts, tokens, accounts, and one intent.
abstract contract TestBase {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    uint256 internal constant TOTAL = 25_000_000;
    uint256 internal constant OUT = 24_900_000;
    uint256 internal constant NOW = 1_800_000_000;
    uint256 internal constant EXPIRY = NOW + 1 hours;

    IntentFactory internal factory;
    Escrow internal escrow;
    Filler internal filler;
    StandardToken internal usdc;
    NoReturnToken internal usdt;
    FeeOnTransferToken internal fee;
    DenyListToken internal blocking;

    address internal payer = address(0xA11CE);
    address internal refundTo = address(0xBACC);
    address internal recipient = address(0xB0B);
    address internal relayer = address(0x4E1A);
    address internal treasury = address(0x7EA5);
    address internal coordinator = address(0xC00D);
    address internal stranger = address(0x5747);

    function deployContracts() internal {
        vm.warp(NOW);
        factory = new IntentFactory(0xff);
        escrow = new Escrow(address(factory));
        filler = new Filler();
        usdc = new StandardToken();
        usdt = new NoReturnToken();
        fee = new FeeOnTransferToken();
        blocking = new DenyListToken();
    }

    function terms(address token) internal view returns (Source memory) {
        return
            Source(block.chainid, 7, token, TOTAL, address(escrow), refundTo, coordinator, EXPIRY);
    }

    function destHash(address token) internal view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, token, recipient, OUT));
    }

    function sourceHash(Source memory source) internal pure returns (bytes32) {
        return keccak256(abi.encode(source));
    }

    function intentHashOf(Source memory source, bytes32 dest) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(sourceHash(source), dest));
    }

    function depositAddressOf(Source memory source) internal view returns (address) {
        return factory.depositAddress(intentHashOf(source, destHash(source.token)));
    }

    /// Send `amount` to the deposit address.
    function deposit(Source memory source, uint256 amount) internal {
        mint(source.token, depositAddressOf(source), amount);
    }

    function mint(address token, address to, uint256 amount) internal {
        if (token == address(0)) vm.deal(to, to.balance + amount);
        else StandardToken(token).mint(to, amount);
    }

    function balanceOf(address token, address owner) internal view returns (uint256) {
        return token == address(0) ? owner.balance : StandardToken(token).balanceOf(owner);
    }

    function start(Source memory source) internal {
        factory.start(source, destHash(source.token));
    }

    function refund(Source memory source, address token) internal {
        factory.refund(source, destHash(source.token), token);
    }

    function payouts(address first, uint256 amount, address second, uint256 more)
        internal
        pure
        returns (Escrow.Payout[] memory result)
    {
        result = new Escrow.Payout[](more == 0 ? 1 : 2);
        result[0] = Escrow.Payout(first, amount);
        if (more != 0) result[1] = Escrow.Payout(second, more);
    }

    function assertEq(uint256 actual, uint256 expected) internal pure {
        require(actual == expected, "numbers differ");
    }

    function assertTrue(bool condition) internal pure {
        require(condition, "condition is false");
    }
}
