//! The processors of several processes.

use std::sync::Arc;

use faer::Mat;

use super::cpu::factor_system;
use super::{Backend, Factored};
use crate::SolveError;
use crate::lsq::{LsqOptions, RowSource};
use crate::system::System;
use crate::team::{Purpose, Team, fingerprint};

/// All members of a [`Team`] factor the same system at the same time, each its share of the rows.
///
/// The result is that of [`CpuBackend`](crate::CpuBackend), to the last bit, on every member: rows are cut into streams by
/// their number alone, and the members share out the streams (a small system is one stream, which all of them reduce). New
/// right-hand sides and adjoints go through the same tree. Normal equations are formed by every member on its own.
///
/// In the options of a solve it also makes the leading member's clock that of all (see [`control`](crate::control)).
#[derive(Debug, Clone)]
pub struct TeamBackend {
    team: Arc<dyn Team>,
}

impl TeamBackend {
    /// The backend of this member.
    #[must_use]
    pub fn new(team: Arc<dyn Team>) -> Self {
        Self { team }
    }
}

impl Backend for TeamBackend {
    fn name(&self) -> String {
        match self.team.size() {
            1 => "cpu, one process".to_owned(),
            size => format!("cpu, {size} processes"),
        }
    }

    fn takes_written_rows(&self) -> bool {
        true
    }

    fn team(&self) -> Option<&Arc<dyn Team>> {
        Some(&self.team)
    }

    fn factor(
        &self,
        system: &System,
        options: &LsqOptions,
    ) -> Result<Box<dyn Factored>, SolveError> {
        let control = options
            .control
            .clone()
            .shared_by(Some(Arc::clone(&self.team)));
        let options = LsqOptions {
            control: control.started(),
            ..options.clone()
        };
        let print = fingerprint_of(system, &options);
        options.control.agree(Purpose::Factor, print, 0);
        factor_system(system, &options, true)
    }
}

/// Tells systems and options apart: by sizes, points, data, some rows as they come out, and what is asked of the solver.
///
/// Rows come out differently on processors that compute differently. The members would part ways sooner or later, and are told
/// so at once.
fn fingerprint_of(system: &System, options: &LsqOptions) -> u64 {
    let (m, n) = (system.nrows(), system.ncols());
    let bits = |x: f64| x.to_bits();
    let rhs = system.right_hand_side();
    let data = fingerprint((0..rhs.nrows()).map(|i| bits(rhs[(i, 0)])));
    let points = system.blocks().iter().map(|block| {
        let weights = block.row_weights.iter().flatten();
        fingerprint(block.points.iter().chain(weights).copied().map(bits))
    });
    let mut sample = Mat::zeros(1, n);
    let rows = [0, m / 2, m.saturating_sub(1)].map(|row| {
        // What cannot be written is reported by the factorisation.
        let written = system.write_rows(row, sample.as_mut()).is_ok();
        fingerprint((0..n).map(|j| if written { bits(sample[(0, j)]) } else { 0 }))
    });
    let method = format!("{:?}", options.method);
    let asked = method.bytes().map(u64::from).chain([
        options.threshold.map_or(0, bits),
        bits(options.ridge),
        u64::from(options.equilibrate),
        u64::from(options.minimum_norm),
        u64::from(options.keep_q),
        options.control.memory().map_or(0, |bytes| bytes as u64),
    ]);
    fingerprint(
        [m as u64, n as u64, data]
            .into_iter()
            .chain(points)
            .chain(rows)
            .chain(asked),
    )
}
