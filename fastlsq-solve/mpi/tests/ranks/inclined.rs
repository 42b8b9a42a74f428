//! Ranks that believe something else about themselves, so that they share more or less than they would, and that know how long
//! they have spent in messages.

use std::sync::{Arc, Mutex};

use fastlsq_mpi::fastlsq_solve::team::{Machine, Tally, Team, Words};

/// A team on a machine that is not the one at hand.
#[derive(Debug)]
pub(crate) struct Inclined {
    team: Arc<dyn Team>,
    machine: Machine,
    /// Processor seconds in messages.
    in_messages: Mutex<f64>,
}

impl Inclined {
    fn new(team: Arc<dyn Team>, machine: Machine) -> Self {
        Self {
            team,
            machine,
            in_messages: Mutex::new(0.0),
        }
    }

    /// Seconds that the threads of this process have had a processor, without those in messages.
    pub(crate) fn work_seconds(&self) -> f64 {
        processor_seconds() - *self.in_messages.lock().unwrap()
    }

    fn message(&self, call: impl FnOnce(&dyn Team)) {
        let begin = processor_seconds();
        call(self.team.as_ref());
        *self.in_messages.lock().unwrap() += processor_seconds() - begin;
    }

    /// Operations take long, messages nothing.
    pub(crate) fn to_share(team: Arc<dyn Team>) -> Self {
        let machine = Machine {
            flop_rate: 1.0,
            latency: 0.0,
            bandwidth: f64::INFINITY,
        };
        Self::new(team, machine)
    }

    /// Messages take for ever.
    pub(crate) fn to_work_alone(team: Arc<dyn Team>) -> Self {
        let machine = Machine {
            flop_rate: f64::INFINITY,
            latency: 1.0,
            bandwidth: 1.0,
        };
        Self::new(team, machine)
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
        self.message(|team| team.send(to, numbers));
    }

    fn receive(&self, from: usize, numbers: &mut [f64]) {
        self.message(|team| team.receive(from, numbers));
    }

    fn broadcast(&self, from: usize, numbers: &mut [f64]) {
        self.message(|team| team.broadcast(from, numbers));
    }

    fn maximum(&self, words: &mut Words) {
        self.message(|team| team.maximum(words));
    }

    fn tally(&self) -> &Tally {
        self.team.tally()
    }

    fn end(&self, message: &str) -> ! {
        self.team.end(message)
    }
}

/// Seconds that the threads of this process have had a processor.
fn processor_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanoseconds = tasks.flatten().filter_map(|task| {
        let times = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        times.split_whitespace().next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() * 1e-9
}
