// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CctpBridge} from "../src/CctpBridge.sol";
import {CctpSwapBridge} from "../src/CctpSwapBridge.sol";
import {SwapChains} from "../src/SwapChains.sol";
import {Destination, Source} from "../src/Terms.sol";
import {CctpTestBase} from "./CctpTestBase.sol";
import {IPoolOfTests, MarketMaker, WrappedStandIn} from "./SwapStandIns.sol";
import {StandardToken} from "./Tokens.sol";

/// The parts of Uniswap v3 that tests call; its code is that of the npm packages.
interface IUniswapFactory {
    function createPool(address one, address other, uint24 fee) external returns (address);
    function getPool(address one, address other, uint24 fee) external view returns (address);
}

interface IUniswapPool is IPoolOfTests {
    function initialize(uint160 sqrtPriceX96) external;
}

interface IQuoter {
    function quoteExactOutput(bytes calldata path, uint256 output)
        external
        returns (uint256 input, uint160[] memory, uint32[] memory, uint256);
}

/// The two chains of CCTP with the real Uniswap v3 on the source chain: pools of the wrapped coin at
/// 3,000 USDC and of a token like DAI at one.
abstract contract SwapTestBase is CctpTestBase {
    string private constant NPM = "../../build/npm/uniswap-v3-";
    uint256 internal constant OUTPUT = 25_010_000;
    uint256 internal constant DAI_TOTAL = 25.2e18;
    uint256 internal constant COIN_TOTAL = 0.0085e18;
    address internal constant NATIVE = address(0);

    CctpSwapBridge internal swapFast;
    CctpSwapBridge internal swapStandard;
    MarketMaker internal maker;
    IQuoter internal quoter;
    StandardToken internal dai;
    WrappedStandIn internal weth;
    IUniswapPool internal daiPool;
    IUniswapPool internal wethPool;

    function deploySwaps() internal {
        deployContracts();
        swapFast = new CctpSwapBridge(address(factory), address(filler), FAST);
        swapStandard = new CctpSwapBridge(address(factory), address(filler), FINAL);
        SwapChains.End memory end = SwapChains.find(BASE);
        construct(end.factory, artifact("core-1.0.1/artifacts/contracts/", "UniswapV3Factory"));
        quoter = IQuoter(address(0x900735));
        bytes memory code = artifact("periphery-1.4.4/artifacts/contracts/lens/", "QuoterV2");
        bytes memory arguments = abi.encode(end.factory, end.wrapped);
        construct(address(quoter), bytes.concat(code, arguments));
        vm.etch(end.wrapped, type(WrappedStandIn).runtimeCode);
        weth = WrappedStandIn(end.wrapped);
        dai = new StandardToken();
        maker = new MarketMaker();
        daiPool = makePool(address(dai), 1_000_000e18, address(usdc(BASE)), 1_000_000e6, 500);
        wethPool = makePool(address(weth), 1_000e18, address(usdc(BASE)), 3_000_000e6, 500);
        makePool(address(weth), 1_000e18, address(dai), 3_000_000e18, 3000);
    }

    /// A pool with these amounts over all prices; its price is their ratio.
    function makePool(address one, uint256 ofOne, address other, uint256 ofOther, uint24 fee)
        internal
        returns (IUniswapPool pool)
    {
        pool = emptyPool(one, ofOne, other, ofOther, fee);
        StandardToken(one).mint(address(maker), ofOne + ofOne / 1000);
        StandardToken(other).mint(address(maker), ofOther + ofOther / 1000);
        int24 last = fee == 500 ? int24(887270) : int24(887220);
        maker.provide(pool, -last, last, uint128(sqrt(ofOne * ofOther)));
    }

    /// A pool with a price and without liquidity.
    function emptyPool(address one, uint256 ofOne, address other, uint256 ofOther, uint24 fee)
        internal
        returns (IUniswapPool pool)
    {
        IUniswapFactory uniswap = IUniswapFactory(SwapChains.find(BASE).factory);
        pool = IUniswapPool(uniswap.createPool(one, other, fee));
        if (one > other) (ofOne, ofOther) = (ofOther, ofOne);
        pool.initialize(uint160(sqrt((ofOther << 128) / ofOne) << 32));
    }

    function swapTerms(CctpSwapBridge bridge, address token)
        internal
        view
        returns (Source memory source, Destination memory destination)
    {
        (source, destination) = terms(CctpBridge(address(bridge)));
        source.token = token;
        source.total = token == NATIVE || token == address(weth) ? COIN_TOTAL : DAI_TOTAL;
    }

    /// The path by which tests swap a token unless they are about paths.
    function pathOf(address token) internal view returns (bytes memory) {
        return hop(token == NATIVE ? address(weth) : token, 500);
    }

    function hop(address token, uint24 fee) internal pure returns (bytes memory) {
        return abi.encodePacked(address(usdc(BASE)), fee, token);
    }

    /// Deposit the exact total of any token.
    function payIn(Source memory source, Destination memory destination) internal {
        address deposit = depositOf(source, destination);
        if (source.token == NATIVE) vm.deal(deposit, deposit.balance + source.total);
        else StandardToken(source.token).mint(deposit, source.total);
    }

    function swapAs(
        address caller,
        Source memory source,
        Destination memory destination,
        uint256 output,
        bytes memory path
    ) internal {
        vm.prank(caller);
        CctpSwapBridge(payable(source.bridger)).startAndBridge(source, destination, output, path);
    }

    /// Pay, start, swap and burn on the source chain; the message that the chain emits.
    function paidAndSwapped(Source memory source, Destination memory destination)
        internal
        returns (bytes memory message)
    {
        on(BASE);
        payIn(source, destination);
        vm.recordLogs();
        swapAs(coordinator, source, destination, OUTPUT, pathOf(source.token));
        return sentMessage();
    }

    function swapRefused(
        Source memory source,
        Destination memory destination,
        uint256 output,
        bytes memory path,
        bytes memory why
    ) internal {
        vm.prank(coordinator);
        vm.expectRevert(why);
        CctpSwapBridge(payable(source.bridger)).startAndBridge(source, destination, output, path);
        assertEq(swapFast.spent(hashOf(source, destination)), 0);
    }

    function selector(bytes4 name) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(name);
    }

    /// What Uniswap's own quoter says that an output costs.
    function quoted(bytes memory path, uint256 output) internal returns (uint256 input) {
        (input,,,) = quoter.quoteExactOutput(path, output);
    }

    function held(address token, address owner) internal view returns (uint256) {
        return token == NATIVE ? owner.balance : StandardToken(token).balanceOf(owner);
    }

    /// Leave at an address what a creation code leaves: it runs there as a call.
    function construct(address to, bytes memory creation) private {
        vm.etch(to, creation);
        (bool ok, bytes memory runtime) = to.call("");
        require(ok, "not constructed");
        vm.etch(to, runtime);
    }

    function artifact(string memory folder, string memory name)
        private
        view
        returns (bytes memory)
    {
        string memory json =
            vm.readFile(string.concat(NPM, folder, name, ".sol/", name, ".json"));
        return vm.parseJsonBytes(json, ".bytecode");
    }

    function sqrt(uint256 x) internal pure returns (uint256 root) {
        root = x;
        for (uint256 next = x / 2 + 1; next < root; next = (next + x / next) / 2) root = next;
    }
}
