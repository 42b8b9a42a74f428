//! What a shared factorisation costs: operations, bytes and messages, before anything is done.
//!
//! M rows, N columns and k right-hand sides on P processes. The rows are S streams ([`RowsCost::streams`]); a process reduces
//! its S/P of them, and triangles are merged over log₂ P levels:
//!
//! | | on the longest path | in all |
//! |---|---|---|
//! | reduction | (2N² + 4Nk) M/P − ⅔N³ S/P | P times that |
//! | merges | (⅔N³ + 2N²k)(S/P − 1 + log₂ P) | (⅔N³ + 2N²k)(S − 1) |
//! | rank | 4/3 N³, on all processes | P times that |
//! | messages of 8(N(N+1)/2 + Nk + k) bytes | 2 log₂ P | 2(P − 1) |
//! | meetings of 64 bytes | 2 | 2 |
//!
//! So sharing pays as long as M/P is several times N: beyond P ≈ 3M/(N log₂ P) the merges and the rank, which are not
//! shared, take longer than the rows.

use super::streamed::Layout;
use crate::team::{Machine, Plan};

/// The costs of factoring rows that are shared, to leading order; messages and bytes are exact.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RowsCost {
    /// Streams that the rows are cut into: no more processes than these take part.
    pub streams: usize,
    /// Operations of reductions and merges on the process with the most.
    pub most_flops: f64,
    /// Operations of reductions and merges, on all processes together.
    pub all_flops: f64,
    /// Operations that every process does: the rank of the triangle.
    pub common_flops: f64,
    /// Messages with numbers.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Messages one after the other on the longest path, there and back.
    pub steps: u32,
}

impl RowsCost {
    /// Of `rows`×`columns` numbers with this many right-hand sides on this many processes.
    #[must_use]
    pub fn new(rows: usize, columns: usize, right_hand_sides: usize, processes: usize) -> Self {
        let layout = Layout::new(rows, columns);
        let plan = Plan::new(layout.streams, processes);
        let (n, k) = (columns as f64, right_hand_sides as f64);
        let merge = 2.0 / 3.0 * n.powi(3) + 2.0 * n * n * k;
        let mut own = vec![0.0; processes.max(1)];
        for part in plan.parts() {
            let m = (layout.cut(rows, part.to) - layout.cut(rows, part.from)) as f64;
            let streams = (part.to - part.from) as f64;
            own[part.owner] += m * (2.0 * n * n + 4.0 * n * k) - streams * 2.0 / 3.0 * n.powi(3)
                + (streams - 1.0) * merge;
        }
        let mut up = 0;
        for &[left, right] in plan.merges() {
            own[plan.owner(left)] += merge;
            up += u64::from(plan.owner(left) != plan.owner(right));
        }
        let messages = up + processes.max(1) as u64 - 1;
        let numbers = columns * (columns + 1) / 2 + (columns + 1) * right_hand_sides;
        let taking_part = processes.clamp(1, layout.streams);
        Self {
            streams: layout.streams,
            most_flops: own.iter().copied().fold(0.0, f64::max),
            all_flops: own.iter().sum(),
            common_flops: 4.0 / 3.0 * n.powi(3),
            messages,
            bytes: messages * (numbers * size_of::<f64>()) as u64,
            steps: taking_part.next_power_of_two().ilog2()
                + processes.max(1).next_power_of_two().ilog2(),
        }
    }

    /// Seconds on a machine.
    #[must_use]
    pub fn seconds(&self, machine: &Machine) -> f64 {
        let each = self.bytes as f64 / (self.messages as f64).max(1.0);
        let message = machine.latency + each / machine.bandwidth;
        let meeting = f64::from(self.steps) * machine.latency;
        let work = (self.most_flops + self.common_flops) / machine.flop_rate;
        work + f64::from(self.steps) * message + 2.0 * meeting
    }
}
