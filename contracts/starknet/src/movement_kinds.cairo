//! Values of `kind` in the event `TokensMoved`.

const START: u8 = 1;
const EXCESS: u8 = 2;
const REFUND: u8 = 3;
const FILL: u8 = 4;
const SETTLE: u8 = 5;
const WITHDRAW: u8 = 6;
