// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A token as the standard has it; anyone can mint.
contract Plain {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 units) external {
        balanceOf[to] += units;
    }

    function approve(address spender, uint256 units) external returns (bool) {
        allowance[msg.sender][spender] = units;
        return true;
    }

    function transfer(address to, uint256 units) external virtual returns (bool) {
        _move(msg.sender, to, units);
        return true;
    }

    function transferFrom(address from, address to, uint256 units)
        external
        virtual
        returns (bool)
    {
        allowance[from][msg.sender] -= units;
        _move(from, to, units);
        return true;
    }

    function _move(address from, address to, uint256 units) internal virtual {
        balanceOf[from] -= units;
        balanceOf[to] += units;
    }
}

/// A token that answers nothing, as Tether does.
contract Silent {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 units) external {
        balanceOf[to] += units;
    }

    function approve(address spender, uint256 units) external {
        allowance[msg.sender][spender] = units;
    }

    function transfer(address to, uint256 units) external {
        balanceOf[msg.sender] -= units;
        balanceOf[to] += units;
    }

    function transferFrom(address from, address to, uint256 units) external {
        allowance[from][msg.sender] -= units;
        balanceOf[from] -= units;
        balanceOf[to] += units;
    }
}

/// A token that answers false instead of reverting, and moves nothing.
contract Lying is Plain {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// A token that keeps a hundredth of each transfer.
contract FeeTaking is Plain {
    function _move(address from, address to, uint256 units) internal override {
        balanceOf[from] -= units;
        balanceOf[to] += units - units / 100;
    }
}

/// A token that refuses some receivers, as USDC and USDT do.
contract Blocking is Plain {
    mapping(address => bool) public blocked;

    function block_(address who, bool yes) external {
        blocked[who] = yes;
    }

    function _move(address from, address to, uint256 units) internal override {
        require(!blocked[to], "blocked");
        super._move(from, to, units);
    }
}

/// A token that lets a third party act in the middle of each transfer.
contract Hooked is Plain {
    address public hook;
    bytes public call_;
    bytes4 public seen;
    bool public tried;

    function onTransfer(address to, bytes calldata data) external {
        (hook, call_) = (to, data);
    }

    function _move(address from, address to, uint256 units) internal override {
        super._move(from, to, units);
        if (hook == address(0)) return;
        tried = true;
        (bool ok, bytes memory why) = hook.call(call_);
        seen = ok ? bytes4(0) : bytes4(why);
    }
}

/// A token whose answer to a transfer is megabytes long.
contract Endless is Plain {
    mapping(address => bool) public endless;

    function makeEndless(address to) external {
        endless[to] = true;
    }

    function transfer(address to, uint256 units) external override returns (bool) {
        if (endless[to]) {
            assembly {
                revert(0, 3000000)
            }
        }
        _move(msg.sender, to, units);
        return true;
    }
}

/// Takes no native coin.
contract Refusing {
    bool public open;

    function set(bool now_) external {
        open = now_;
    }

    receive() external payable {
        require(open, "refused");
    }
}

/// Uses up all the gas that it is given.
contract Burning {
    receive() external payable {
        uint256 i;
        while (true) ++i;
    }
}

/// Calls back when it is paid, and remembers what it was answered.
contract Calling {
    address public target;
    bytes public data;
    bool public tried;
    bool public worked;
    bytes4 public why;

    function set(address to, bytes calldata what) external {
        (target, data) = (to, what);
    }

    receive() external payable {
        if (target == address(0)) return;
        tried = true;
        bytes memory answer;
        (worked, answer) = target.call(data);
        if (!worked) why = bytes4(answer);
    }
}

/// Forces the native coin on an address.
contract Forcing {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}
