// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

// Stand-ins of USDC and of Circle's TokenMinterV2 for tests, from Circle's documentation. The file
// compiles alone; CctpStandIn.sol says how its contracts are placed. Nothing in it is access
// controlled but what the minter does: anyone mints, pauses and blacklists.

abstract contract Pausable {
    bool public paused;

    modifier whenNotPaused() {
        require(!paused, "Pausable: paused");
        _;
    }

    function pause() external {
        paused = true;
    }

    function unpause() external {
        paused = false;
    }
}

/// USDC: minted, burnt, paused, and with a blacklist of senders, receivers, spenders and callers.
contract UsdcStandIn is Pausable {
    string public constant name = "USD Coin";
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isBlacklisted;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);

    modifier notBlacklisted(address account) {
        require(!isBlacklisted[account], "Blacklistable: account is blacklisted");
        _;
    }

    function mint(address to, uint256 amount)
        external
        whenNotPaused
        notBlacklisted(msg.sender)
        notBlacklisted(to)
        returns (bool)
    {
        require(to != address(0), "FiatToken: mint to the zero address");
        require(amount > 0, "FiatToken: mint amount not greater than 0");
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
        return true;
    }

    /// Burn of the caller's own balance.
    function burn(uint256 amount) external whenNotPaused notBlacklisted(msg.sender) {
        require(amount > 0, "FiatToken: burn amount not greater than 0");
        require(balanceOf[msg.sender] >= amount, "FiatToken: burn amount exceeds balance");
        totalSupply -= amount;
        balanceOf[msg.sender] -= amount;
        emit Transfer(msg.sender, address(0), amount);
    }

    function approve(address spender, uint256 amount)
        external
        whenNotPaused
        notBlacklisted(msg.sender)
        notBlacklisted(spender)
        returns (bool)
    {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount)
        external
        whenNotPaused
        notBlacklisted(msg.sender)
        notBlacklisted(to)
        returns (bool)
    {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount)
        external
        whenNotPaused
        notBlacklisted(msg.sender)
        notBlacklisted(from)
        notBlacklisted(to)
        returns (bool)
    {
        require(
            allowance[from][msg.sender] >= amount, "ERC20: transfer amount exceeds allowance"
        );
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }

    function blacklist(address account) external {
        isBlacklisted[account] = true;
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external {
        isBlacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    function refuse(address account, bool refused) external {
        isBlacklisted[account] = refused;
    }

    function _move(address from, address to, uint256 amount) private {
        require(to != address(0), "ERC20: transfer to the zero address");
        require(balanceOf[from] >= amount, "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}

/// TokenMinterV2: burns and mints USDC for the messenger.
contract TokenMinterStandIn is Pausable {
    address public localTokenMessenger;
    mapping(address => uint256) public burnLimitsPerMessage;
    mapping(uint32 => mapping(bytes32 => address)) public localToken;
    address public usdc;

    modifier onlyLocalTokenMessenger() {
        require(msg.sender == localTokenMessenger, "Caller not local TokenMessenger");
        _;
    }

    function initialize(address messenger, address usdc_, uint256 burnLimit) external {
        (localTokenMessenger, usdc) = (messenger, usdc_);
        burnLimitsPerMessage[usdc_] = burnLimit;
    }

    function linkTokenPair(uint32 remoteDomain, address remoteToken) external {
        localToken[remoteDomain][bytes32(uint256(uint160(remoteToken)))] = usdc;
    }

    function setBurnLimit(uint256 limit) external {
        burnLimitsPerMessage[usdc] = limit;
    }

    function burn(address token, uint256 amount) external whenNotPaused onlyLocalTokenMessenger {
        require(burnLimitsPerMessage[token] > 0, "Burn token not supported");
        require(amount <= burnLimitsPerMessage[token], "Burn amount exceeds per tx limit");
        UsdcStandIn(token).burn(amount);
    }

    function mint(
        uint32 sourceDomain,
        bytes32 burnToken,
        address recipient,
        uint256 amount,
        address feeRecipient,
        uint256 fee
    ) external whenNotPaused onlyLocalTokenMessenger returns (address token) {
        token = localToken[sourceDomain][burnToken];
        require(token != address(0), "Mint token not supported");
        require(UsdcStandIn(token).mint(recipient, amount), "Mint operation failed");
        if (fee > 0) {
            require(UsdcStandIn(token).mint(feeRecipient, fee), "Second mint operation failed");
        }
    }
}
