//! Ranks that believe something else of themselves, so that they share more or less than they would.

use std::sync::Arc;

use fastlsq_mpi::fastlsq_solve::team::{Machine, Tally, Team, Words};

/// A team on a machine that is not the one at hand.
#[derive(Debug)]
pub(crate) struct Inclined {
    team: Arc<dyn Team>,
    machine: Machine,
}

impl Inclined {
    /// Operations take long, messages nothing.
    pub(crate) fn to_share(team: Arc<dyn Team>) -> Self {
        let machine = Machine {
            flop_rate: 1.0,
            latency: 0.0,
            bandwidth: f64::INFINITY,
        };
        Self { team, machine }
    }

    /// Messages take for ever.
    pub(crate) fn to_work_alone(team: Arc<dyn Team>) -> Self {
        let machine = Machine {
            flop_rate: f64::INFINITY,
            latency: 1.0,
            bandwidth: 1.0,
        };
        Self { team, machine }
    }
}

impl Team for Inclined {
    fn rank(&self) -> usize {
        self.team.rank()
    }

    fn size(&self) -> usize {
        self.team.size()
    }

    fn memory(&self) -> usize {
        self.team.memory()
    }

    fn machine(&self) -> Machine {
        self.machine
    }

    fn send(&self, to: usize, numbers: &[f64]) {
        self.team.send(to, numbers);
    }

    fn receive(&self, from: usize, numbers: &mut [f64]) {
        self.team.receive(from, numbers);
    }

    fn broadcast(&self, from: usize, numbers: &mut [f64]) {
        self.team.broadcast(from, numbers);
    }

    fn maximum(&self, words: &mut Words) {
        self.team.maximum(words);
    }

    fn tally(&self) -> &Tally {
        self.team.tally()
    }

    fn end(&self, message: &str) -> ! {
        self.team.end(message)
    }
}
