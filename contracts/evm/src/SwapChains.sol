// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The chains of `CctpChains` on which Uniswap v3 is deployed, its factory there and the token that
/// wraps the native coin; from its npm package `sdk-core` 7.19.4. A test compares the factories with
/// the package and the tokens with the package and our catalogue. A new chain is a new version of
/// the contracts that use this.
library SwapChains {
    struct End {
        address factory;
        address wrapped;
    }

    /// The factory of the first deployments.
    address internal constant FACTORY = 0x1F98431c8aD98523631AE4a59f267346ea31F984;
    /// Wrapped ether on chains of the OP Stack.
    address internal constant WETH = 0x4200000000000000000000000000000000000006;

    error NoSwaps(uint256 chain);

    /// The end of a chain by its id. Reverts where this version does not know Uniswap v3.
    function find(uint256 chain) internal pure returns (End memory) {
        if (chain == 1) return End(FACTORY, 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2);
        if (chain == 8453) return End(0x33128a8fC17869897dcE68Ed026d694621f6FDfD, WETH);
        if (chain == 42161) return End(FACTORY, 0x82aF49447D8a07e3bd95BD0d56f35241523fBab1);
        if (chain == 10) return End(FACTORY, WETH);
        if (chain == 137) return End(FACTORY, 0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270);
        if (chain == 43114) {
            return End(
                0x740b1c1de25031C31FF4fC9A62f554A55cdC1baD,
                0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7
            );
        }
        if (chain == 143) {
            return End(
                0x204FAca1764B154221e35c0d20aBb3c525710498,
                0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A
            );
        }
        if (chain == 11155111) {
            return End(
                0x0227628f3F023bb0B980b67D528571c95c6DaC1c,
                0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14
            );
        }
        if (chain == 84532) return End(0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24, WETH);
        if (chain == 421614) {
            return End(
                0x248AB79Bbb9bC29bB72f7Cd42F17e054Fc40188e,
                0x980B62Da83eFf3D4576C647993b0c1D7faf17c73
            );
        }
        if (chain == 11155420) return End(0x8CE191193D15ea94e11d327b4c7ad8bbE520f6aF, WETH);
        revert NoSwaps(chain);
    }
}
