//! The device, its memory, and everything that was made and not yet given back.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use fastlsq_ptx::{Memory, Module};

use crate::compiler::Program;
use crate::settings::Settings;

/// Error codes of the driver.
pub(crate) mod code {
    pub(crate) const SUCCESS: u32 = 0;
    pub(crate) const INVALID_VALUE: u32 = 1;
    pub(crate) const OUT_OF_MEMORY: u32 = 2;
    pub(crate) const NOT_INITIALIZED: u32 = 3;
    pub(crate) const NO_DEVICE: u32 = 100;
    pub(crate) const INVALID_DEVICE: u32 = 101;
    pub(crate) const INVALID_CONTEXT: u32 = 201;
    pub(crate) const NO_BINARY_FOR_GPU: u32 = 209;
    pub(crate) const INVALID_PTX: u32 = 218;
    pub(crate) const UNSUPPORTED_PTX: u32 = 222;
    pub(crate) const INVALID_HANDLE: u32 = 400;
    pub(crate) const NOT_FOUND: u32 = 500;
    pub(crate) const ILLEGAL_ADDRESS: u32 = 700;
    pub(crate) const LAUNCH_FAILED: u32 = 719;
}

thread_local! {
    /// Whether the device's context is current on this thread.
    static CURRENT: Cell<bool> = const { Cell::new(false) };
}

/// The context's handle.
pub(crate) const CONTEXT: usize = 0xc0;

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) module: usize,
    pub(crate) name: String,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) settings: Settings,
    pub(crate) initialised: bool,
    pub(crate) memory: Memory,
    /// For each allocation the stream with work on it that nobody has waited for.
    pending: BTreeMap<u64, usize>,
    pub(crate) contexts: usize,
    pub(crate) streams: Vec<usize>,
    pub(crate) modules: BTreeMap<usize, Module>,
    pub(crate) functions: BTreeMap<usize, Function>,
    /// Programs of the run-time compiler.
    pub(crate) programs: BTreeMap<usize, Program>,
    /// Handles of the libraries, with their streams.
    pub(crate) handles: BTreeMap<usize, usize>,
    next_handle: usize,
    pub(crate) launches: u64,
    pub(crate) calls: u64,
    pub(crate) fail_at: Option<u64>,
    /// Whether the call that was told to fail was one that makes the context current.
    pub(crate) failed_while_entering: bool,
    of_function: u64,
    pub(crate) violations: u64,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(|| {
    Mutex::new(State {
        settings: Settings::from_environment(),
        initialised: false,
        memory: Memory::new(),
        pending: BTreeMap::new(),
        contexts: 0,
        streams: Vec::new(),
        modules: BTreeMap::new(),
        functions: BTreeMap::new(),
        programs: BTreeMap::new(),
        handles: BTreeMap::new(),
        next_handle: 0x1000,
        launches: 0,
        calls: 0,
        fail_at: None,
        failed_while_entering: false,
        of_function: 0,
        violations: 0,
    })
});

pub(crate) fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn set_current(current: bool) {
    CURRENT.with(|cell| cell.set(current));
}

/// The result of a call: `Err` holds the code that it returns.
pub(crate) type CallResult = Result<(), u32>;

pub(crate) fn finish(outcome: CallResult) -> u32 {
    outcome.err().unwrap_or(code::SUCCESS)
}

impl State {
    /// Begins a call that can fail: counts it, and fails if that was asked for. `failure` is the code of a
    /// failure at a number.
    pub(crate) fn call(&mut self, name: &str, failure: u32) -> CallResult {
        self.calls += 1;
        if self.fail_at == Some(self.calls) {
            self.failed_while_entering = name == "cuCtxSetCurrent";
            return Err(failure);
        }
        if let Some((function, code, before)) = &self.settings.fail
            && function == name
        {
            self.of_function += 1;
            if self.of_function > *before {
                return Err(*code);
            }
        }
        Ok(())
    }

    /// As `call`, for what needs the context.
    pub(crate) fn call_in_context(&mut self, name: &str, failure: u32) -> CallResult {
        self.call(name, failure)?;
        self.require_context(name)
    }

    pub(crate) fn require_context(&mut self, name: &str) -> CallResult {
        if CURRENT.with(Cell::get) && self.contexts > 0 {
            Ok(())
        } else {
            self.violation(&format!("{name} without a current context"));
            Err(code::INVALID_CONTEXT)
        }
    }

    /// Notes something that a device would not survive or not notice.
    pub(crate) fn violation(&mut self, what: &str) {
        self.violations += 1;
        eprintln!("emulated device: {what}");
    }

    pub(crate) fn has_seed(&self, name: &str) -> bool {
        self.settings.seed.as_deref() == Some(name)
    }

    pub(crate) fn new_handle(&mut self) -> usize {
        self.next_handle += 0x10;
        self.next_handle
    }

    /// Work of a stream on the allocation of an address; another stream's work there must have been waited
    /// for.
    pub(crate) fn touch(&mut self, address: u64, stream: usize, what: &str) -> CallResult {
        let allocation = address >> 36;
        match self.pending.insert(allocation, stream) {
            Some(other) if other != stream => {
                self.violation(&format!(
                    "{what} on stream {stream:#x} uses memory that stream {other:#x} still works on"
                ));
                Err(code::LAUNCH_FAILED)
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn waited_for(&mut self, stream: usize) {
        self.pending.retain(|_, own| *own != stream);
    }

    pub(crate) fn require_stream(&mut self, stream: usize, what: &str) -> CallResult {
        if self.streams.contains(&stream) {
            Ok(())
        } else {
            self.violation(&format!("{what} on a stream that does not exist"));
            Err(code::INVALID_HANDLE)
        }
    }

    /// Everything that has not been given back.
    pub(crate) fn live(&self) -> u64 {
        let objects = self.memory.live()
            + self.contexts
            + self.streams.len()
            + self.modules.len()
            + self.programs.len()
            + self.handles.len();
        objects as u64
    }
}
