// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SettlementBase} from "./SettlementBase.sol";
import {Transfers} from "./Transfers.sol";

interface IPoolFactory {
    function getPool(address one, address other, uint24 fee) external view returns (address);
}

interface IPool {
    function swap(
        address to,
        bool zeroForOne,
        int256 amount,
        uint160 priceLimit,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1);
}

interface IWrapped {
    function deposit() external payable;
}

/// Buys an exact amount of a token from pools of Uniswap v3, for at most a given amount of another.
/// Only pools of the chain's factory are asked, and each is paid once, when it calls back: what it
/// asked for, from what the order may spend.
abstract contract PoolSwap is SettlementBase {
    struct Order {
        address factory;
        address wrapped; // What the native coin is wrapped into.
        address token; // What is paid in; zero is the native coin.
        uint256 most;
        bytes32 intentHash;
        address caller;
    }

    /// A path is a token, then for each pool its fee and its other token, from what is bought to what
    /// is paid in: as Uniswap's QuoterV2 takes it for exact outputs.
    uint256 private constant TOKEN = 20;
    uint256 private constant HOP = TOKEN + 3;
    uint256 private constant ORDER_LENGTH = 6 * 32;
    /// The ends of the range of a pool's prices: a price does not end a swap, `most` does.
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;
    address private constant NOBODY = address(1);

    /// The pool that may call back now. Not zero between swaps, as that would cost more.
    address private _awaited = NOBODY;
    /// What the last swap paid in.
    uint256 private _paidIn = 1;

    error InvalidPath();
    error NoPool(address tokenOut, uint24 fee, address tokenIn);
    /// The pools ask for more than may be spent.
    error TooDear(uint256 asked);
    error SwapFailed();

    /// Pay what the pool asks for what it has just sent: in its other token, which the next pool of
    /// the path sends to it, or at the path's end this contract.
    function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
        if (msg.sender != _awaited) revert NotAuthorized();
        _awaited = NOBODY;
        Order memory order = abi.decode(data, (Order));
        bytes calldata path = data[ORDER_LENGTH:];
        (address tokenOut,, address tokenIn) = _firstHop(path);
        uint256 asked = uint256(tokenIn < tokenOut ? amount0 : amount1);
        if (path.length > HOP + TOKEN) _buy(order, path[HOP:], asked, msg.sender);
        else _payPool(order, msg.sender, asked);
    }

    /// Buy exactly `output` of a token for this contract; what was paid in for it. Reverts if that
    /// would be more than the order's most.
    function _swap(Order memory order, bytes calldata path, address tokenOut, uint256 output)
        internal
        returns (uint256)
    {
        if (path.length % HOP != TOKEN) revert InvalidPath();
        address last = address(bytes20(path[path.length - TOKEN:]));
        if (
            address(bytes20(path[:TOKEN])) != tokenOut
                || last != (order.token == Transfers.NATIVE ? order.wrapped : order.token)
        ) revert InvalidPath();
        uint256 balanceBefore = Transfers.balanceOf(tokenOut, address(this));
        _buy(order, path, output, address(this));
        // The pools' word and the balance: while they swap, a token of the path can have another
        // intent's deposit collected, which must not pass for what a pool owes.
        if (
            _awaited != NOBODY
                || Transfers.balanceOf(tokenOut, address(this)) != balanceBefore + output
        ) revert SwapFailed();
        return _paidIn;
    }

    /// Have the first pool of a path send exactly `output` of its first token.
    function _buy(Order memory order, bytes calldata path, uint256 output, address to) private {
        (address pool, bool zeroForOne) = _firstPool(order.factory, path);
        _awaited = pool;
        bytes memory data = bytes.concat(abi.encode(order), path);
        (int256 amount0, int256 amount1) = IPool(pool).swap(
            to, zeroForOne, -int256(output), zeroForOne ? LOWEST_PRICE : HIGHEST_PRICE, data
        );
        // A pool that runs out sends less.
        if (uint256(-(zeroForOne ? amount1 : amount0)) != output) revert SwapFailed();
    }

    function _payPool(Order memory order, address pool, uint256 amount) private {
        if (amount > order.most) revert TooDear(amount);
        _paidIn = amount;
        address token = order.token;
        bool native = token == Transfers.NATIVE;
        if (native) token = order.wrapped;
        uint256 balance = Transfers.balanceOf(token, address(this));
        if (native) {
            IWrapped(token).deposit{value: amount}();
            emit TokensMoved(
                order.intentHash, order.caller, SWAP, order.token, address(this), token, amount
            );
        } else {
            balance -= amount;
        }
        if (!Transfers.tryTransfer(token, pool, amount, Transfers.NO_GAS_LIMIT)) {
            revert TransferFailed(pool);
        }
        // More must not leave than is accounted for: others' deposits lie here too.
        if (Transfers.balanceOf(token, address(this)) != balance) revert SwapFailed();
        emit TokensMoved(
            order.intentHash, order.caller, SWAP, token, address(this), pool, amount
        );
    }

    function _firstPool(address factory, bytes calldata path)
        private
        view
        returns (address pool, bool zeroForOne)
    {
        (address tokenOut, uint24 fee, address tokenIn) = _firstHop(path);
        pool = IPoolFactory(factory).getPool(tokenOut, tokenIn, fee);
        if (pool == address(0)) revert NoPool(tokenOut, fee, tokenIn);
        zeroForOne = tokenIn < tokenOut;
    }

    function _firstHop(bytes calldata path)
        private
        pure
        returns (address tokenOut, uint24 fee, address tokenIn)
    {
        tokenOut = address(bytes20(path[:TOKEN]));
        fee = uint24(bytes3(path[TOKEN:HOP]));
        tokenIn = address(bytes20(path[HOP:HOP + TOKEN]));
    }
}
