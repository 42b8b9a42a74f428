//! Executes PTX, one thread after the other.
//!
//! PTX is the text that a CUDA driver compiles for its device. This interpreter runs the same text on the
//! processor, so that the kernels of `fastlsq-gpu` are tested on machines without a GPU: not a second
//! version of them, but what ships.
//!
//! It covers what the compiler makes of those kernels (integers, f64, conversions from and to f32, global and
//! shared memory, barriers, atomic minima); anything else is an error when the text is parsed, never a guess. It is strict:
//! access outside an allocation, a misaligned access, two threads that touch one place in shared memory
//! without a barrier between them, and a barrier that some threads never reach are all errors that name
//! the instruction, its line and the thread.
//!
//! ```
//! use fastlsq_ptx::{Dim, Launch, Memory, Module, Order};
//! let text = "
//! .version 8.0
//! .target sm_60
//! .address_size 64
//! .visible .entry twice(
//!     .param .u64 twice_param_0
//! )
//! {
//!     .reg .b32 %r<2>;
//!     .reg .f64 %fd<3>;
//!     .reg .b64 %rd<5>;
//!     ld.param.u64 %rd1, [twice_param_0];
//!     mov.u32 %r1, %tid.x;
//!     mul.wide.u32 %rd2, %r1, 8;
//!     add.s64 %rd3, %rd1, %rd2;
//!     ld.global.f64 %fd1, [%rd3];
//!     add.rn.f64 %fd2, %fd1, %fd1;
//!     st.global.f64 [%rd3], %fd2;
//!     ret;
//! }";
//! let module = Module::parse(text)?;
//! let mut memory = Memory::new();
//! let numbers = memory.allocate(24)?;
//! memory.write_f64(numbers, &[1.0, 2.0, 3.0])?;
//! let launch = Launch { grid: Dim::x(1), block: Dim::x(3), order: Order::Descending };
//! let kernel = module.kernel("twice").ok_or("no such kernel")?;
//! fastlsq_ptx::run(kernel, launch, &[numbers], &mut memory)?;
//! assert_eq!(memory.read_f64(numbers, 3)?, [2.0, 4.0, 6.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod instruction;
mod machine;
mod memory;
mod parse;

pub use machine::{Cause, Dim, Fault, Launch, Order, run};
pub use memory::{Memory, MemoryFault};
pub use parse::{Kernel, Module, ParseError};
