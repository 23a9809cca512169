// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
}

interface IPoolOfTests {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function mint(address owner, int24 lower, int24 upper, uint128 liquidity, bytes calldata data)
        external
        returns (uint256 amount0, uint256 amount1);
    function swap(
        address to,
        bool zeroForOne,
        int256 amount,
        uint160 priceLimit,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1);
}

/// The token that wraps the native coin, without a constructor: to be placed at its address. Tests
/// mint it without coins too.
contract WrappedStandIn {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function deposit() external payable {
        mint(msg.sender, msg.value);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        return true;
    }

    function mint(address to, uint256 amount) public {
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function move(address from, address to, uint256 amount) private {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}

/// Gives pools of Uniswap v3 their liquidity and trades in them, with tokens that tests give it.
contract MarketMaker {
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    function provide(IPoolOfTests pool, int24 lower, int24 upper, uint128 liquidity) external {
        pool.mint(address(this), lower, upper, liquidity, "");
    }

    /// Sell this much of one token for the other, whatever it brings: the price moves.
    function sell(IPoolOfTests pool, address token, uint256 amount) external {
        bool zeroForOne = token == pool.token0();
        uint160 limit = zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE;
        pool.swap(address(this), zeroForOne, int256(amount), limit, "");
    }

    function uniswapV3MintCallback(uint256 owed0, uint256 owed1, bytes calldata) external {
        pay(IPoolOfTests(msg.sender).token0(), owed0);
        pay(IPoolOfTests(msg.sender).token1(), owed1);
    }

    function uniswapV3SwapCallback(int256 owed0, int256 owed1, bytes calldata) external {
        if (owed0 > 0) pay(IPoolOfTests(msg.sender).token0(), uint256(owed0));
        if (owed1 > 0) pay(IPoolOfTests(msg.sender).token1(), uint256(owed1));
    }

    function pay(address token, uint256 amount) private {
        if (amount > 0) IToken(token).transfer(msg.sender, amount);
    }
}
