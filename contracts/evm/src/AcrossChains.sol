// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The EVM chains between which Across carries tokens, its SpokePool on each, and the tokens; from
/// its npm packages `contracts` 5.0.27 and `constants` 3.1.127. A test compares the pools with the
/// package and the tokens with our catalogue. A new chain is a new version of the contracts that use
/// this.
library AcrossChains {
    /// Of the tokens, those in the same place belong together; a chain without one has zero there.
    struct End {
        address pool;
        address usdc;
        address usdt;
        address weth;
        address wbtc;
        address dai;
    }

    error UnknownChain(uint256 chain);

    /// The end of a chain by its id. Reverts where this version does not know Across.
    function find(uint256 chain) internal pure returns (End memory end) {
        if (chain == 1) {
            end.pool = 0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5;
            end.usdc = 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48;
            end.usdt = 0xdAC17F958D2ee523a2206206994597C13D831ec7;
            end.weth = 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2;
            end.wbtc = 0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599;
            end.dai = 0x6B175474E89094C44Da98b954EedeAC495271d0F;
        } else if (chain == 8453) {
            end.pool = 0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64;
            end.usdc = 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913;
            end.usdt = 0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2;
            end.weth = 0x4200000000000000000000000000000000000006;
            end.dai = 0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb;
        } else if (chain == 42161) {
            end.pool = 0xe35e9842fceaCA96570B734083f4a58e8F7C5f2A;
            end.usdc = 0xaf88d065e77c8cC2239327C5EDb3A432268e5831;
            end.usdt = 0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9;
            end.weth = 0x82aF49447D8a07e3bd95BD0d56f35241523fBab1;
            end.wbtc = 0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f;
            end.dai = 0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1;
        } else if (chain == 10) {
            end.pool = 0x6f26Bf09B1C792e3228e5467807a900A503c0281;
            end.usdc = 0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85;
            end.usdt = 0x94b008aA00579c1307B0EF2c499aD98a8ce58e58;
            end.weth = 0x4200000000000000000000000000000000000006;
            end.wbtc = 0x68f180fcCe6836688e9084f035309E29Bf0A2095;
            end.dai = 0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1;
        } else if (chain == 137) {
            end.pool = 0x9295ee1d8C5b022Be115A2AD3c30C72E34e7F096;
            end.usdc = 0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359;
            end.usdt = 0xc2132D05D31c914a87C6611C10748AEb04B58e8F;
            end.weth = 0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619;
            end.wbtc = 0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6;
            end.dai = 0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063;
        } else if (chain == 43114) {
            end.pool = 0xFE9D541c92E4e90437C7152A00244886dE37a658;
            end.usdc = 0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E;
            end.usdt = 0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7;
        } else if (chain == 56) {
            end.pool = 0x4e8E101924eDE233C13e2D8622DC8aED2872d505;
            end.usdc = 0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d; // 18 decimals.
            end.usdt = 0x55d398326f99059fF775485246999027B3197955; // 18 decimals.
            end.weth = 0x2170Ed0880ac9A755fd29B2688956BD959F933F8;
        } else if (chain == 999) {
            end.pool = 0x35E63eA3eb0fb7A3bc543C71FB66412e1F6B0E04;
            end.usdc = 0xb88339CB7199b77E23DB6E890353E22632Ba630f;
            end.usdt = 0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb;
        } else if (chain == 143) {
            end.pool = 0xd2ecb3afe598b746F8123CaE365a598DA831A449;
            end.usdc = 0x754704Bc059F8C67012fEd69BC8A327a5aafb603;
            end.usdt = 0xe7cd86e13AC4309349F30B3435a9d337750fC82D;
            end.weth = 0xEE8c0E9f1BFFb4Eb878d8f15f368A02a35481242;
            end.wbtc = 0x0555E30da8f98308EdB960aa94C0Db47230d2B9c;
        } else if (chain == 1135) {
            end.pool = 0x9552a0a6624A23B848060AE5901659CDDa1f83f8;
            end.usdt = 0x05D032ac25d322df992303dCa074EE7392C117b9;
            end.weth = 0x4200000000000000000000000000000000000006;
            end.wbtc = 0x03C7054BCB39f7b2e5B2c7AcB37583e32D70Cfa3;
        } else {
            return findTest(chain);
        }
    }

    /// The end of a test network. No pool of one network carries to the other, so a mistaken pair
    /// is refunded, but only by a service that test networks lack: it is refused.
    function findTest(uint256 chain) internal pure returns (End memory end) {
        if (chain == 11155111) {
            end.pool = 0x5ef6C01E11889d86803e0B23e3cB3F9E9d97B662;
            end.usdc = 0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238;
            end.weth = 0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14;
        } else if (chain == 84532) {
            end.pool = 0x82B564983aE7274c86695917BBf8C99ECb6F0F8F;
            end.usdc = 0x036CbD53842c5426634e7929541eC2318f3dCF7e;
            end.weth = 0x4200000000000000000000000000000000000006;
        } else if (chain == 421614) {
            end.pool = 0x7E63A5f1a8F0B4d0934B2f2327DAED3F6bb2ee75;
            end.usdc = 0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d;
            end.weth = 0x980B62Da83eFf3D4576C647993b0c1D7faf17c73;
        } else if (chain == 11155420) {
            end.pool = 0x4e8E101924eDE233C13e2D8622DC8aED2872d505;
            end.usdc = 0x5fd84259d66Cd46123540766Be93DFE6D43130D7;
            end.weth = 0x4200000000000000000000000000000000000006;
        } else {
            revert UnknownChain(chain);
        }
    }

    /// Whether Across carries one token to the other: they are the same one on their chains.
    function isPair(uint256 from, address token, uint256 to, address other)
        internal
        pure
        returns (bool)
    {
        if (isTest(from) != isTest(to) || token == address(0) || other == address(0)) return false;
        End memory here = find(from);
        End memory there = find(to);
        return (token == here.usdc && other == there.usdc)
            || (token == here.usdt && other == there.usdt)
            || (token == here.weth && other == there.weth)
            || (token == here.wbtc && other == there.wbtc)
            || (token == here.dai && other == there.dai);
    }

    function isTest(uint256 chain) private pure returns (bool) {
        return chain == 11155111 || chain == 84532 || chain == 421614 || chain == 11155420;
    }
}
