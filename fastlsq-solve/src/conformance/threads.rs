//! A team whose members are threads of one process, to test without starting several.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::team::{Machine, Purpose, Tally, Team, Words, meet};

/// Does the same work as every member of a team of this many threads; returns the answers in the order of their ranks.
///
/// # Panics
/// If a member panics, or if members do not agree: with the message that would end a job.
pub fn as_team<T: Send>(size: usize, work: impl Fn(Arc<dyn Team>) -> T + Sync) -> Vec<T> {
    let hall = Arc::new(Hall::default());
    let one = |rank: usize| {
        let member = Arc::new(Member {
            rank,
            size,
            hall: Arc::clone(&hall),
            tally: Tally::new(),
        });
        let done = catch_unwind(AssertUnwindSafe(|| {
            let answer = work(member.clone());
            meet(member.as_ref(), Purpose::Farewell, 0, [0; 4]);
            answer
        }));
        if done.is_err() {
            hall.close("another member of the team has panicked");
        }
        done
    };
    let answers: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..size)
            .map(|rank| scope.spawn(move || one(rank)))
            .collect();
        threads
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect()
    });
    answers
        .into_iter()
        .map(|answer| match answer.and_then(|done| done) {
            Ok(answer) => answer,
            Err(panic) => resume_unwind(panic),
        })
        .collect()
}

/// Where members meet and leave messages.
#[derive(Debug, Default)]
struct Hall {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Messages by sender and receiver.
    messages: HashMap<(usize, usize), VecDeque<Vec<f64>>>,
    /// How many have come to the meeting that is going on, and the largest words so far.
    present: usize,
    words: Words,
    /// The meetings that are over, and the outcome of the last.
    meetings: u64,
    outcome: Words,
    /// Why everything has ended.
    closed: Option<String>,
}

impl Hall {
    fn enter(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until what is waited for is there.
    fn wait<T>(&self, mut ready: impl FnMut(&mut State) -> Option<T>) -> T {
        let mut state = self.enter();
        loop {
            if let Some(found) = ready(&mut state) {
                return found;
            }
            if let Some(message) = &state.closed {
                let message = message.clone();
                drop(state);
                stop(&message);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close(&self, message: &str) {
        self.enter()
            .closed
            .get_or_insert_with(|| message.to_owned());
        self.changed.notify_all();
    }
}

#[allow(
    clippy::panic,
    reason = "the end of a job of threads is the end of the test"
)]
fn stop(message: &str) -> ! {
    panic!("{message}")
}

#[derive(Debug)]
struct Member {
    rank: usize,
    size: usize,
    hall: Arc<Hall>,
    tally: Tally,
}

impl Team for Member {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn memory(&self) -> usize {
        4 << 30
    }

    /// Slow ones whose messages cost nothing: they share whatever can be shared.
    fn machine(&self) -> Machine {
        Machine {
            flop_rate: 1.0,
            latency: 0.0,
            bandwidth: f64::INFINITY,
        }
    }

    fn send(&self, to: usize, numbers: &[f64]) {
        let mut state = self.hall.enter();
        let queue = state.messages.entry((self.rank, to)).or_default();
        queue.push_back(numbers.to_vec());
        drop(state);
        self.hall.changed.notify_all();
    }

    fn receive(&self, from: usize, numbers: &mut [f64]) {
        let message = self
            .hall
            .wait(|state| state.messages.get_mut(&(from, self.rank))?.pop_front());
        if message.len() != numbers.len() {
            let (sent, asked) = (message.len(), numbers.len());
            self.end(&format!(
                "{sent} numbers were sent where {asked} are received"
            ));
        }
        numbers.copy_from_slice(&message);
        self.tally.received(numbers);
    }

    fn broadcast(&self, from: usize, numbers: &mut [f64]) {
        if self.rank == from {
            for other in (0..self.size).filter(|other| *other != from) {
                self.send(other, numbers);
            }
        } else {
            self.receive(from, numbers);
        }
    }

    fn maximum(&self, words: &mut Words) {
        let mut state = self.hall.enter();
        for (largest, word) in state.words.iter_mut().zip(&*words) {
            *largest = (*largest).max(*word);
        }
        state.present += 1;
        let before = state.meetings;
        if state.present == self.size {
            state.outcome = std::mem::take(&mut state.words);
            state.present = 0;
            state.meetings += 1;
        }
        drop(state);
        self.hall.changed.notify_all();
        *words = self
            .hall
            .wait(|state| (state.meetings > before).then_some(state.outcome));
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn end(&self, message: &str) -> ! {
        self.hall.close(message);
        stop(message)
    }
}
