//! What members can do.

/// What one process of a machine does, and what lies between two of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Operations per second of a process.
    pub flop_rate: f64,
    /// Seconds until a message begins to arrive.
    pub latency: f64,
    /// Bytes per second of a message.
    pub bandwidth: f64,
}

impl Machine {
    /// Seconds for this many operations, numbers and messages, one after the other.
    #[must_use]
    pub fn seconds(&self, flops: f64, numbers: f64, messages: f64) -> f64 {
        let bytes = numbers * size_of::<f64>() as f64;
        flops / self.flop_rate + bytes / self.bandwidth + messages * self.latency
    }
}
