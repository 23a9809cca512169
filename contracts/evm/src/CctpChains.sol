// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The chains between which CCTP carries USDC, and Circle's contracts on them; from Circle's
/// developer documentation, compared with its npm package by a test. A new chain is a new version of
/// the contracts that use this.
library CctpChains {
    struct End {
        uint32 domain;
        bool testNetwork;
        address usdc;
    }

    /// TokenMessengerV2 and MessageTransmitterV2 of main and of test networks.
    address internal constant MESSENGER = 0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d;
    address internal constant TRANSMITTER = 0x81D40F21F12A8F0E3252Bccb954D722d4c464B64;
    address internal constant TEST_MESSENGER = 0x8FE6B999Dc680CcFDD5Bf7EB0974218be2542DAA;
    address internal constant TEST_TRANSMITTER = 0xE737e5cEBEEBa77EFE34D4aa090756590b1CE275;

    error UnknownChain(uint256 chain);

    /// The end of a chain by its id. Reverts where CCTP does not carry USDC.
    function find(uint256 chain) internal pure returns (End memory) {
        if (chain == 1) return End(0, false, 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48);
        if (chain == 8453) return End(6, false, 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913);
        if (chain == 42161) return End(3, false, 0xaf88d065e77c8cC2239327C5EDb3A432268e5831);
        if (chain == 10) return End(2, false, 0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85);
        if (chain == 137) return End(7, false, 0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359);
        if (chain == 43114) return End(1, false, 0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E);
        if (chain == 999) return End(19, false, 0xb88339CB7199b77E23DB6E890353E22632Ba630f);
        if (chain == 143) return End(15, false, 0x754704Bc059F8C67012fEd69BC8A327a5aafb603);
        if (chain == 11155111) return End(0, true, 0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238);
        if (chain == 84532) return End(6, true, 0x036CbD53842c5426634e7929541eC2318f3dCF7e);
        if (chain == 421614) return End(3, true, 0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d);
        if (chain == 11155420) return End(2, true, 0x5fd84259d66Cd46123540766Be93DFE6D43130D7);
        if (chain == 43113) return End(1, true, 0x5425890298aed601595a70AB815c96711a31Bc65);
        if (chain == 10143) return End(15, true, 0x534b2f3A21130d7a60830c2Df862319e593943A3);
        revert UnknownChain(chain);
    }

    function messenger(End memory end) internal pure returns (address) {
        return end.testNetwork ? TEST_MESSENGER : MESSENGER;
    }

    function transmitter(End memory end) internal pure returns (address) {
        return end.testNetwork ? TEST_TRANSMITTER : TRANSMITTER;
    }
}
