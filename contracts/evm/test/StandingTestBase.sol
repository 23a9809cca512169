// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StandingFactory, StandingTerms, TokenRule} from "../src/StandingFactory.sol";
import {Source, Terms} from "../src/Terms.sol";
import {TestBase} from "./TestBase.sol";

/// The setup of the tests of standing addresses: one that takes `usdc`, `usdt`, `fee` and
/// `blocking` at par.
abstract contract StandingTestBase is TestBase {
    uint256 internal constant MINIMUM = 20_000_000;
    uint256 internal constant FEE_BPS = 100;

    StandingFactory internal standing;
    address internal recovery = address(0x4EC0);
    address internal agent = address(0xA6E2);

    function deployStanding() internal {
        deployContracts();
        standing = new StandingFactory(address(factory));
        vm.prank(coordinator);
        factory.setAgent(agent, true);
    }

    function standingTerms() internal view returns (StandingTerms memory terms_) {
        address[4] memory accepted =
            [address(usdc), address(usdt), address(fee), address(blocking)];
        terms_.chain = block.chainid;
        terms_.nonce = 1;
        terms_.recovery = recovery;
        terms_.coordinator = coordinator;
        terms_.destinationChain = 42161;
        terms_.destinationToken = uint256(uint160(address(usdc)));
        terms_.recipient = uint256(uint160(recipient));
        terms_.maxFeeBps = FEE_BPS;
        terms_.tokens = new TokenRule[](4);
        for (uint256 i = 0; i < 4; ++i) terms_.tokens[i] = TokenRule(accepted[i], MINIMUM, 1e18);
        terms_.bridgers = new address[](1);
        terms_.bridgers[0] = address(escrow);
    }

    function at(StandingTerms memory terms_) internal view returns (address) {
        return standing.standingAddress(keccak256(abi.encode(terms_)));
    }

    /// An intent that a deposit of `total` may be forwarded to.
    function intentOf(address token, uint256 total) internal view returns (Source memory) {
        return Source(
            block.chainid, 7, token, total, address(escrow), recovery, coordinator, EXPIRY
        );
    }

    /// The hash of the destination terms, as a payment of these terms has it.
    function destination(StandingTerms memory terms_, uint256 amount)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(
            abi.encode(
                terms_.destinationChain, terms_.destinationToken, terms_.recipient, amount
            )
        );
    }

    function addressOf(Source memory source, uint256 amount) internal view returns (address) {
        bytes32 hash = intentHashOf(source, destination(standingTerms(), amount));
        return factory.depositAddress(hash);
    }

    function least(uint256 total) internal pure returns (uint256) {
        return total - total * FEE_BPS / 10_000 - MINIMUM / 10;
    }
}
