//! Running a kernel.

use thiserror::Error;

use crate::instruction::{
    Binary, Comparison, Instruction, Kind, Operand, Operation, Space, Special, Unary,
};
use crate::memory::{Memory, MemoryFault, to_word};
use crate::parse::Kernel;

/// Instructions after which a thread is taken to be one that never ends.
const MOST_STEPS: u64 = 1 << 32;

/// Three extents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim(pub [u32; 3]);

impl Dim {
    /// Along the first axis only.
    #[must_use]
    pub fn x(x: u32) -> Self {
        Self([x, 1, 1])
    }

    /// Along two axes.
    #[must_use]
    pub fn xy(x: u32, y: u32) -> Self {
        Self([x, y, 1])
    }

    fn count(self) -> u64 {
        self.0.iter().map(|&n| u64::from(n)).product()
    }

    /// The place of a number that counts along the first axis first.
    fn place(self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.0.map(|n| u64::from(n.max(1)));
        [
            (number % x) as u32,
            (number / x % y) as u32,
            (number / x / y) as u32,
        ]
    }
}

/// In which order blocks, and the threads of a block between two barriers, are run. A sound kernel does
/// not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By rising number.
    Ascending,
    /// By falling number.
    Descending,
    /// Shuffled, from a seed.
    Shuffled(u64),
    /// All threads of a block in turn, a few instructions each; blocks shuffled. From a seed.
    Interleaved(u64),
}

/// How a kernel is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Blocks of the grid.
    pub grid: Dim,
    /// Threads of a block.
    pub block: Dim,
    /// The order they run in.
    pub order: Order,
}

/// What went wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kernel}, line {line} (`{instruction}`), block {block:?}, thread {thread:?}: {cause}")]
pub struct Fault {
    /// The kernel.
    pub kernel: String,
    /// The line of its text.
    pub line: u32,
    /// The instruction there.
    pub instruction: String,
    /// The block of the thread.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
    /// What happened.
    pub cause: Cause,
}

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Cause {
    /// An access to global memory.
    #[error("global memory: {0}")]
    Memory(MemoryFault),
    /// An access outside of shared memory.
    #[error("access to {bytes} bytes at place {place} of {size} bytes of shared memory")]
    Shared {
        /// The place.
        place: u64,
        /// The size of the access.
        bytes: u32,
        /// The size of the block's shared memory.
        size: usize,
    },
    /// Two threads met in shared memory without a barrier between them.
    #[error(
        "place {place} of shared memory is touched by thread {other} too, without a barrier between"
    )]
    Race {
        /// The place.
        place: u64,
        /// The other thread's number.
        other: u32,
    },
    /// Some threads wait at a barrier that others never reach.
    #[error("a barrier that other threads of the block do not reach")]
    Barrier,
    /// Too many steps.
    #[error("a thread that does not end")]
    Endless,
    /// A launch that does not fit the kernel.
    #[error(
        "a launch with {found} parameters of a kernel that has {expected}, or with a grid that is empty or too large"
    )]
    Launch {
        /// Parameters of the kernel.
        expected: usize,
        /// Parameters given.
        found: usize,
    },
}

/// Runs a kernel to the end. Parameters are given as 64 bits each; of shorter ones only the low bits count.
///
/// # Errors
/// The first thing that a device would not survive, or that makes the result depend on chance.
pub fn run(
    kernel: &Kernel,
    launch: Launch,
    parameters: &[u64],
    memory: &mut Memory,
) -> Result<u64, Fault> {
    let threads = launch.block.count();
    let blocks = launch.grid.count();
    let fits = parameters.len() == kernel.parameters.len();
    if !fits || !(1..=1024).contains(&threads) || blocks == 0 {
        return Err(Fault {
            kernel: kernel.name.clone(),
            line: 0,
            instruction: String::new(),
            block: [0; 3],
            thread: [0; 3],
            cause: Cause::Launch {
                expected: kernel.parameters.len(),
                found: parameters.len(),
            },
        });
    }
    let mut random = Random::new(launch.order);
    let mut machine = Block {
        kernel,
        launch,
        parameters,
        threads: Vec::new(),
        registers: vec![0; kernel.registers * threads as usize],
        shared: Vec::new(),
        touched: Vec::new(),
        place: [0; 3],
        steps: 0,
    };
    for number in order(blocks, launch.order, &mut random) {
        machine.place = launch.grid.place(number);
        machine.run(&mut random, memory)?;
    }
    Ok(machine.steps)
}

/// The numbers below `count` in the order asked for.
fn order(count: u64, order: Order, random: &mut Random) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    match order {
        Order::Ascending => {}
        Order::Descending => numbers.reverse(),
        Order::Shuffled(_) | Order::Interleaved(_) => {
            for i in (1..numbers.len()).rev() {
                numbers.swap(i, random.below(i as u64 + 1) as usize);
            }
        }
    }
    numbers
}

/// A small generator of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn new(order: Order) -> Self {
        match order {
            Order::Ascending | Order::Descending => Self(0),
            Order::Shuffled(seed) | Order::Interleaved(seed) => Self(seed),
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Waiting,
    Done,
}

struct Thread {
    next: u32,
    state: State,
}

/// Who touched a word of shared memory since the last barrier.
#[derive(Clone, Copy, Default)]
struct Touched {
    written_by: Option<u32>,
    read_by: Option<u32>,
    /// More than one thread has read it.
    read_by_several: bool,
}

struct Block<'a> {
    kernel: &'a Kernel,
    launch: Launch,
    parameters: &'a [u64],
    threads: Vec<Thread>,
    registers: Vec<u64>,
    shared: Vec<u8>,
    touched: Vec<Touched>,
    place: [u32; 3],
    steps: u64,
}

impl Block<'_> {
    fn run(&mut self, random: &mut Random, memory: &mut Memory) -> Result<(), Fault> {
        let count = self.launch.block.count();
        self.threads = (0..count)
            .map(|_| Thread {
                next: 0,
                state: State::Running,
            })
            .collect();
        self.registers.fill(0x7ff8_dead_dead_dead);
        self.shared = vec![0xff; self.kernel.shared_bytes];
        loop {
            self.touched = vec![Touched::default(); self.kernel.shared_bytes.div_ceil(4)];
            let mut turn: Vec<usize> = order(count, self.launch.order, random)
                .into_iter()
                .map(|number| number as usize)
                .collect();
            if let Order::Interleaved(_) = self.launch.order {
                while !turn.is_empty() {
                    for &thread in &turn {
                        let steps = 1 + random.below(7);
                        self.advance(thread, steps, memory)?;
                    }
                    turn.retain(|&thread| self.threads[thread].state == State::Running);
                }
            } else {
                for thread in turn {
                    self.advance(thread, u64::MAX, memory)?;
                }
            }
            let waiting = |thread: &Thread| thread.state == State::Waiting;
            match self.threads.iter().position(waiting) {
                None => return Ok(()),
                Some(first) => {
                    // Every thread of the block must be at the same barrier.
                    let barrier = self.threads[first].next;
                    let together = |t: &Thread| waiting(t) && t.next == barrier;
                    if !self.threads.iter().all(together) {
                        return Err(self.fault(first, barrier.saturating_sub(1), Cause::Barrier));
                    }
                }
            }
            for thread in &mut self.threads {
                thread.state = State::Running;
            }
        }
    }

    fn fault(&self, thread: usize, place: u32, cause: Cause) -> Fault {
        let line = self
            .kernel
            .code
            .get(place as usize)
            .map_or(0, |instruction| instruction.line);
        let text = self.kernel.text.get((line as usize).saturating_sub(1));
        let words: Vec<&str> = text.map_or(Vec::new(), |t| t.split_whitespace().collect());
        Fault {
            kernel: self.kernel.name.clone(),
            line,
            instruction: words.join(" "),
            block: self.place,
            thread: self.launch.block.place(thread as u64),
            cause,
        }
    }

    /// Runs a thread until it waits, ends, or has made this many steps.
    fn advance(&mut self, thread: usize, steps: u64, memory: &mut Memory) -> Result<(), Fault> {
        let mut made = 0;
        while made < steps && self.threads[thread].state == State::Running {
            let place = self.threads[thread].next;
            let Some(instruction) = self.kernel.code.get(place as usize).copied() else {
                self.threads[thread].state = State::Done;
                break;
            };
            self.threads[thread].next = place + 1;
            made += 1;
            if let Err(cause) = self.step(thread, instruction, memory) {
                return Err(self.fault(thread, place, cause));
            }
            if made > MOST_STEPS {
                return Err(self.fault(thread, place, Cause::Endless));
            }
        }
        self.steps += made;
        Ok(())
    }

    #[inline]
    fn get(&self, thread: usize, operand: Operand) -> u64 {
        match operand {
            Operand::Register(register) => {
                self.registers[thread * self.kernel.registers + register as usize]
            }
            Operand::Constant(value) => value,
            Operand::Special(special) => u64::from(match special {
                Special::Thread(axis) => self.launch.block.place(thread as u64)[axis],
                Special::Block(axis) => self.place[axis],
                Special::BlockSize(axis) => self.launch.block.0[axis],
                Special::GridSize(axis) => self.launch.grid.0[axis],
            }),
        }
    }

    #[inline]
    fn set(&mut self, thread: usize, register: u32, value: u64) {
        self.registers[thread * self.kernel.registers + register as usize] = value;
    }

    #[inline]
    fn step(
        &mut self,
        thread: usize,
        instruction: Instruction,
        memory: &mut Memory,
    ) -> Result<(), Cause> {
        if let Some((predicate, wanted)) = instruction.guard
            && (self.get(thread, Operand::Register(predicate)) != 0) != wanted
        {
            return Ok(());
        }
        match instruction.operation {
            Operation::LoadParameter { target, index } => {
                let bytes = self.kernel.parameters[index as usize];
                let value = low_bits(self.parameters[index as usize], 8 * bytes);
                self.set(thread, target, value);
            }
            Operation::Load {
                space,
                bytes,
                target,
                base,
                offset,
            } => {
                let address = self.get(thread, base).wrapping_add_signed(offset);
                let value = match space {
                    Space::Global => memory.load(address, bytes).map_err(Cause::Memory)?,
                    Space::Shared => self.load_shared(thread, address, bytes)?,
                };
                self.set(thread, target, value);
            }
            Operation::Store {
                space,
                bytes,
                base,
                offset,
                value,
            } => {
                let address = self.get(thread, base).wrapping_add_signed(offset);
                let value = self.get(thread, value);
                match space {
                    Space::Global => {
                        memory.store(address, bytes, value).map_err(Cause::Memory)?;
                    }
                    Space::Shared => self.store_shared(thread, address, bytes, value)?,
                }
            }
            Operation::AtomicMinimum {
                target,
                base,
                offset,
                value,
            } => {
                let address = self.get(thread, base).wrapping_add_signed(offset);
                let old = memory.load(address, 8).map_err(Cause::Memory)?;
                let new = old.min(self.get(thread, value));
                memory.store(address, 8, new).map_err(Cause::Memory)?;
                self.set(thread, target, old);
            }
            Operation::Unary { what, target, a } => {
                let value = unary(what, self.get(thread, a));
                self.set(thread, target, value);
            }
            Operation::Binary { what, target, a, b } => {
                let value = binary(what, self.get(thread, a), self.get(thread, b));
                self.set(thread, target, value);
            }
            Operation::FusedMultiplyAdd { target, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|operand| f64::from_bits(self.get(thread, operand)));
                self.set(thread, target, fused(a, b, c).to_bits());
            }
            Operation::MultiplyAdd {
                bits,
                target,
                a,
                b,
                c,
            } => {
                let [a, b, c] = [a, b, c].map(|operand| self.get(thread, operand));
                let value = a.wrapping_mul(b).wrapping_add(c);
                self.set(thread, target, low_bits(value, bits));
            }
            Operation::Compare {
                comparison,
                kind,
                target,
                a,
                b,
            } => {
                let holds = compare(comparison, kind, self.get(thread, a), self.get(thread, b));
                self.set(thread, target, u64::from(holds));
            }
            Operation::Select {
                target,
                a,
                b,
                condition,
            } => {
                let chosen = match self.get(thread, Operand::Register(condition)) {
                    0 => b,
                    _ => a,
                };
                let value = self.get(thread, chosen);
                self.set(thread, target, value);
            }
            Operation::Branch { target } => self.threads[thread].next = target,
            Operation::Barrier => self.threads[thread].state = State::Waiting,
            Operation::Return => self.threads[thread].state = State::Done,
        }
        Ok(())
    }

    /// The words of shared memory that an access touches.
    fn shared_words(&self, place: u64, bytes: u32) -> Result<std::ops::Range<usize>, Cause> {
        let size = self.shared.len();
        let inside = place
            .checked_add(u64::from(bytes))
            .is_some_and(|end| end <= size as u64);
        if !inside || !place.is_multiple_of(u64::from(bytes)) {
            return Err(Cause::Shared { place, bytes, size });
        }
        Ok(place as usize / 4..(place as usize + bytes as usize) / 4)
    }

    fn load_shared(&mut self, thread: usize, place: u64, bytes: u32) -> Result<u64, Cause> {
        let own = thread as u32;
        for word in self.shared_words(place, bytes)? {
            let touched = &mut self.touched[word];
            if let Some(other) = touched.written_by.filter(|&other| other != own) {
                return Err(Cause::Race { place, other });
            }
            touched.read_by_several |= touched.read_by.is_some_and(|other| other != own);
            touched.read_by = Some(own);
        }
        let start = place as usize;
        Ok(to_word(&self.shared[start..start + bytes as usize]))
    }

    fn store_shared(
        &mut self,
        thread: usize,
        place: u64,
        bytes: u32,
        value: u64,
    ) -> Result<(), Cause> {
        let own = thread as u32;
        for word in self.shared_words(place, bytes)? {
            let touched = &mut self.touched[word];
            let reader = touched
                .read_by
                .filter(|&other| other != own || touched.read_by_several);
            if let Some(other) = touched.written_by.filter(|&other| other != own).or(reader) {
                return Err(Cause::Race { place, other });
            }
            touched.written_by = Some(own);
        }
        let start = place as usize;
        self.shared[start..start + bytes as usize]
            .copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
        Ok(())
    }
}

#[inline]
fn low_bits(value: u64, bits: u32) -> u64 {
    if bits >= 64 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

#[inline]
fn sign_extended(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    (value << unused) as i64 >> unused
}

/// a·b + c with one rounding, by the processor's instruction where it has one.
#[inline]
fn fused(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

#[inline]
fn unary(what: Unary, a: u64) -> u64 {
    let float = f64::from_bits(a);
    match what {
        Unary::Copy => a,
        Unary::Truncate(bits) => low_bits(a, bits),
        Unary::SignExtend => sign_extended(a, 32) as u64,
        Unary::Not(bits) => low_bits(!a, bits),
        Unary::FloatNegate => (-float).to_bits(),
        Unary::FloatAbsolute => float.abs().to_bits(),
        Unary::FloatSquareRoot => float.sqrt().to_bits(),
        Unary::RoundToSingle => u64::from((float as f32).to_bits()),
        Unary::WidenSingle => f64::from(f32::from_bits(low_bits(a, 32) as u32)).to_bits(),
    }
}

#[inline]
fn binary(what: Binary, a: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    // A shift by the width or more gives zero, or the sign.
    let shift = |bits: u32| low_bits(b, 32).min(u64::from(bits)) as u32;
    match what {
        Binary::Add(bits) => low_bits(a.wrapping_add(b), bits),
        Binary::Subtract(bits) => low_bits(a.wrapping_sub(b), bits),
        Binary::MultiplyLow(bits) => low_bits(a.wrapping_mul(b), bits),
        Binary::MultiplyWideUnsigned => low_bits(a, 32) * low_bits(b, 32),
        Binary::MultiplyWideSigned => {
            sign_extended(a, 32).wrapping_mul(sign_extended(b, 32)) as u64
        }
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft(bits) => low_bits(a.checked_shl(shift(bits)).unwrap_or(0), bits),
        Binary::ShiftRightUnsigned(bits) => low_bits(a, bits).checked_shr(shift(bits)).unwrap_or(0),
        Binary::ShiftRightSigned(bits) => {
            low_bits((sign_extended(a, bits) >> shift(bits).min(63)) as u64, bits)
        }
        Binary::FloatAdd => (x + y).to_bits(),
        Binary::FloatSubtract => (x - y).to_bits(),
        Binary::FloatMultiply => (x * y).to_bits(),
        Binary::FloatDivide => (x / y).to_bits(),
    }
}

#[inline]
fn compare(comparison: Comparison, kind: Kind, a: u64, b: u64) -> bool {
    fn holds<T: PartialOrd + Copy>(comparison: Comparison, a: T, b: T) -> bool {
        match comparison {
            Comparison::Equal => a == b,
            Comparison::NotEqual => a != b,
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterOrEqual => a >= b,
        }
    }
    match kind {
        Kind::Unsigned(bits) => holds(comparison, low_bits(a, bits), low_bits(b, bits)),
        Kind::Signed(bits) => holds(comparison, sign_extended(a, bits), sign_extended(b, bits)),
        Kind::Float64 => holds(comparison, f64::from_bits(a), f64::from_bits(b)),
    }
}
