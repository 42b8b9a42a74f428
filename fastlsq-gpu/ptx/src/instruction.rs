//! Instructions in the form the machine executes.

/// A register, by its place in the thread's register file.
pub(crate) type Register = u32;

/// A value to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Register(Register),
    Constant(u64),
    Special(Special),
}

/// Registers that say where a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Thread(usize),
    Block(usize),
    BlockSize(usize),
    GridSize(usize),
}

/// Where an address points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Global,
    Shared,
}

/// A comparison; floating point ones are false for NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// How the bits of operands are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Unsigned(u32),
    Signed(u32),
    Float64,
}

/// Two operands, one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add(u32),
    Subtract(u32),
    /// The low half of the product.
    MultiplyLow(u32),
    /// 32 bits times 32 bits, unsigned.
    MultiplyWideUnsigned,
    /// 32 bits times 32 bits, signed.
    MultiplyWideSigned,
    And,
    Or,
    Xor,
    ShiftLeft(u32),
    ShiftRightUnsigned(u32),
    ShiftRightSigned(u32),
    FloatAdd,
    FloatSubtract,
    FloatMultiply,
    FloatDivide,
}

/// One operand, one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    /// Moves, and conversions that keep the bits.
    Copy,
    /// Keeps the low bits.
    Truncate(u32),
    /// Repeats the sign of a 32-bit integer.
    SignExtend,
    Not(u32),
    FloatNegate,
    FloatAbsolute,
    FloatSquareRoot,
    /// A double rounded to the nearest single.
    RoundToSingle,
    /// A single as a double.
    WidenSingle,
}

/// What an instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    LoadParameter {
        target: Register,
        index: u32,
    },
    Load {
        space: Space,
        bytes: u32,
        target: Register,
        base: Operand,
        offset: i64,
    },
    Store {
        space: Space,
        bytes: u32,
        base: Operand,
        offset: i64,
        value: Operand,
    },
    AtomicMinimum {
        target: Register,
        base: Operand,
        offset: i64,
        value: Operand,
    },
    Unary {
        what: Unary,
        target: Register,
        a: Operand,
    },
    Binary {
        what: Binary,
        target: Register,
        a: Operand,
        b: Operand,
    },
    FusedMultiplyAdd {
        target: Register,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    /// The low half of a·b + c.
    MultiplyAdd {
        bits: u32,
        target: Register,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    Compare {
        comparison: Comparison,
        kind: Kind,
        target: Register,
        a: Operand,
        b: Operand,
    },
    Select {
        target: Register,
        a: Operand,
        b: Operand,
        condition: Register,
    },
    Branch {
        target: u32,
    },
    Barrier,
    Return,
}

/// An instruction with its guard and its line in the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub(crate) operation: Operation,
    /// Executed only if this predicate has this value.
    pub(crate) guard: Option<(Register, bool)>,
    pub(crate) line: u32,
}
