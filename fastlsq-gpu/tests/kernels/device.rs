//! Launching a kernel of the text as the backend does.

use fastlsq_ptx::{Dim, Launch, Memory, Module, Order};

/// Memory and kernels.
pub(crate) struct Device<'a> {
    pub(crate) module: &'a Module,
    pub(crate) memory: Memory,
    pub(crate) order: Order,
}

impl<'a> Device<'a> {
    pub(crate) fn new(module: &'a Module, order: Order) -> Self {
        Self {
            module,
            memory: Memory::new(),
            order,
        }
    }

    /// Doubles on the device; an address that must not be touched for none.
    pub(crate) fn doubles(&mut self, values: &[f64]) -> Result<u64, String> {
        if values.is_empty() {
            return Ok(0);
        }
        let address = self.memory.allocate(8 * values.len()).map_err(text)?;
        self.memory.write_f64(address, values).map_err(text)?;
        Ok(address)
    }

    /// Bytes on the device.
    pub(crate) fn bytes(&mut self, values: &[u8]) -> Result<u64, String> {
        if values.is_empty() {
            return Ok(0);
        }
        let address = self.memory.allocate(values.len()).map_err(text)?;
        let target = self.memory.bytes_mut(address, values.len()).map_err(text)?;
        target.copy_from_slice(values);
        Ok(address)
    }

    pub(crate) fn integers(&mut self, values: &[u32]) -> Result<u64, String> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.bytes(&bytes)
    }

    /// Memory full of NaN.
    pub(crate) fn poisoned(&mut self, count: usize) -> Result<u64, String> {
        self.memory.allocate(8 * count.max(1)).map_err(text)
    }

    /// One thread per row in blocks of 128, columns over the second axis.
    pub(crate) fn launch(
        &mut self,
        kernel: &str,
        rows: usize,
        column_blocks: usize,
        parameters: &[u64],
    ) -> Result<u64, String> {
        let kernel = self.module.kernel(kernel).ok_or("no such kernel")?;
        let launch = Launch {
            grid: Dim::xy(rows.div_ceil(128) as u32, column_blocks as u32),
            block: Dim::x(128),
            order: self.order,
        };
        fastlsq_ptx::run(kernel, launch, parameters, &mut self.memory).map_err(text)
    }

    pub(crate) fn read(&self, address: u64, count: usize) -> Result<Vec<f64>, String> {
        self.memory.read_f64(address, count).map_err(text)
    }
}

pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Fails with a message unless something holds.
pub(crate) fn require(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Numbers between −1 and 1 that look random.
pub(crate) fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let sampler = fastlsq_basis::sampling::UnitSampler::independent(seed);
    let mut sampler = sampler;
    sampler
        .points(count, 1)
        .iter()
        .map(|x| 2.0 * x - 1.0)
        .collect()
}
