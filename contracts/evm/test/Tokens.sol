// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A standard ERC-20 token that anyone can mint.
contract StandardToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount)
        external
        virtual
        returns (bool)
    {
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// A token whose transfers return nothing, like USDT.
contract NoReturnToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// A token that returns false instead of reverting, and moves nothing.
contract FalseReturnToken is StandardToken {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// A token that takes a fee of 1 % from each transfer.
contract FeeOnTransferToken is StandardToken {
    function _move(address from, address to, uint256 amount) internal override {
        balanceOf[from] -= amount;
        balanceOf[to] += amount - amount / 100;
    }
}

/// A token with a deny list of receivers, like USDC and USDT.
contract DenyListToken is StandardToken {
    mapping(address => bool) public blocked;

    function block_(address account, bool denied) external {
        blocked[account] = denied;
    }

    function _move(address from, address to, uint256 amount) internal override {
        require(!blocked[to], "blocked");
        super._move(from, to, amount);
    }
}

/// A token that calls a third party during each transfer.
contract CallbackToken is StandardToken {
    address public hook;
    bytes public call_;
    bytes4 public revertSelector;
    bool public tried;

    function onTransfer(address to, bytes calldata data) external {
        (hook, call_) = (to, data);
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        if (hook == address(0)) return;
        tried = true;
        (bool ok, bytes memory revertData) = hook.call(call_);
        revertSelector = ok ? bytes4(0) : bytes4(revertData);
    }
}

/// A token whose transfers return megabytes of data.
contract HugeReturnToken is StandardToken {
    mapping(address => bool) public endless;

    function makeEndless(address to) external {
        endless[to] = true;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        if (endless[to]) {
            assembly {
                revert(0, 3000000)
            }
        }
        _move(msg.sender, to, amount);
        return true;
    }
}

/// A receiver that refuses native coins until it is opened.
contract RevertingReceiver {
    bool public open;

    function set(bool open_) external {
        open = open_;
    }

    receive() external payable {
        require(open, "refused");
    }
}

/// A receiver that burns all gas.
contract GasBurningReceiver {
    receive() external payable {
        uint256 i;
        while (true) ++i;
    }
}

/// A receiver that calls a contract when it is paid, and records the result.
contract ReentrantReceiver {
    address public target;
    bytes public data;
    bool public tried;
    bool public worked;
    bytes4 public revertSelector;

    function set(address to, bytes calldata callData) external {
        (target, data) = (to, callData);
    }

    receive() external payable {
        if (target == address(0)) return;
        tried = true;
        bytes memory result;
        (worked, result) = target.call(data);
        if (!worked) revertSelector = bytes4(result);
    }
}

/// Forces native coins on an address.
contract ForcedSender {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}
