//! The job as one rank sees it.

use std::cell::RefCell;
use std::fmt;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fastlsq_solve::control::available_memory;
use fastlsq_solve::team::{Counts, Machine, Purpose, Tally, Team, Words, fingerprint, meet};
use fastlsq_solve::{Backend, Factored, LsqOptions, SolveError, System, TeamBackend};
use ferrompi::{Communicator, ReduceOp, ThreadLevel};

use crate::{MpiError, departure};

/// The backend of a rank: all ranks of the job share the work of every solve that it is given to.
///
/// Cheap to clone; all are of the same job.
#[derive(Debug, Clone)]
pub struct Mpi {
    job: Arc<Job>,
    backend: TeamBackend,
}

impl Mpi {
    /// All ranks of the job. The first call starts MPI, on all ranks; the thread that made it should be the main one, because MPI
    /// ends when that thread does.
    ///
    /// Unless `RAYON_NUM_THREADS` is set, the ranks of a node share its cores.
    ///
    /// # Errors
    /// MPI does not start, or allows calls from the main thread only. Ranks of different versions end the job.
    pub fn world() -> Result<Self, MpiError> {
        Self::world_as(env!("CARGO_PKG_VERSION"), available_memory())
    }

    /// As [`world`](Self::world), as if this were another version on a node with this much memory: to test what becomes of
    /// that.
    ///
    /// # Errors
    /// As [`world`](Self::world).
    #[doc(hidden)]
    pub fn world_as(version: &str, memory: usize) -> Result<Self, MpiError> {
        static JOB: OnceLock<Result<Arc<Job>, MpiError>> = OnceLock::new();
        let job = JOB.get_or_init(|| Job::start(version, memory)).clone()?;
        Ok(Self {
            backend: TeamBackend::new(job.clone()),
            job,
        })
    }

    /// The number of this rank, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.job.rank
    }

    /// How many ranks there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.job.size
    }

    /// What this rank has done so far: operations of shared factorisations, messages and bytes that came in, meetings.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.job.tally.counts()
    }

    /// The ranks as a team, for work of one's own.
    #[must_use]
    pub fn as_team(&self) -> Arc<dyn Team> {
        self.job.clone()
    }
}

impl Backend for Mpi {
    fn name(&self) -> String {
        format!("mpi, rank {} of {}", self.job.rank, self.job.size)
    }

    fn takes_written_rows(&self) -> bool {
        self.backend.takes_written_rows()
    }

    fn team(&self) -> Option<&Arc<dyn Team>> {
        self.backend.team()
    }

    fn factor(
        &self,
        system: &System,
        options: &LsqOptions,
    ) -> Result<Box<dyn Factored>, SolveError> {
        self.backend.factor(system, options)
    }
}

/// The most numbers of one MPI message: before its version 4, MPI counts in 32 bits.
const LONGEST: usize = 1 << 30;

/// One rank.
struct Job {
    world: Communicator,
    rank: usize,
    size: usize,
    memory: usize,
    machine: Machine,
    tally: Tally,
}

/// A core, and what it takes to pass numbers on to another process, packing and copies included: fitted to the work of
/// fronts that two ranks factored (AVX-512). Bare messages between two processes reach 2e9 bytes a second.
const CORE: Machine = Machine {
    flop_rate: 3e10,
    latency: 4e-7,
    bandwidth: 5e8,
};
/// Seconds until a message from another node begins to arrive, from a data sheet. Its bytes take no longer than the copies, which
/// are the work of one core.
const LATENCY_OF_NETWORKS: f64 = 2e-6;

impl Job {
    fn start(version: &str, memory: usize) -> Result<Arc<Self>, MpiError> {
        let said = |error: ferrompi::Error| MpiError::Start {
            reason: error.to_string(),
        };
        let mpi = ferrompi::Mpi::init_thread(ThreadLevel::Serialized).map_err(said)?;
        if mpi.thread_level() < ThreadLevel::Serialized {
            return Err(MpiError::Threads);
        }
        // Messages of the program's own do not get in the way of these.
        let world = mpi.world().duplicate().map_err(said)?;
        let neighbours = count(world.split_shared().map_err(said)?.size());
        let mut job = Self {
            rank: count(world.rank()),
            size: count(world.size()),
            memory: 0,
            machine: CORE,
            world,
            tally: Tally::new(),
        };
        let launched = launched().unwrap_or(job.size);
        if launched != job.size {
            return Err(MpiError::OtherMpi { launched });
        }
        let greeting = fingerprint(version.bytes().map(u64::from));
        let own = (memory / neighbours.max(1)) as u64;
        share_cores(neighbours);
        let threads = rayon::current_num_threads() as u64;
        // The largest complement is that of the least.
        let own = [!own, !threads, !(neighbours as u64), 0];
        let [memory, threads, neighbours, _] = meet(&job, Purpose::Greeting, greeting, own);
        let least = |word: u64| usize::try_from(!word).unwrap_or(usize::MAX);
        job.memory = least(memory);
        job.machine = Machine {
            flop_rate: least(threads) as f64 * CORE.flop_rate,
            latency: match least(neighbours) == job.size {
                true => CORE.latency,
                false => LATENCY_OF_NETWORKS,
            },
            ..CORE
        };
        let job = Arc::new(job);
        let end = End {
            job: Arc::clone(&job),
            panicked: watch_panics(),
            _mpi: mpi,
        };
        END.set(Some(end));
        departure::watch(job.rank);
        Ok(job)
    }

    /// The answer of a call that cannot fail without ending the job.
    fn sure<T>(&self, done: Result<T, ferrompi::Error>) -> T {
        match done {
            Ok(answer) => answer,
            Err(error) => self.end(&format!("a message was lost: {error}")),
        }
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("rank", &self.rank)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

fn count(number: i32) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// The number of processes that the launcher says it has started.
fn launched() -> Option<usize> {
    let names = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];
    let said = names.iter().find_map(|name| std::env::var(name).ok())?;
    said.parse().ok()
}

fn rank_number(rank: usize) -> i32 {
    i32::try_from(rank).unwrap_or(i32::MAX)
}

/// The ranks of a node share its cores, unless the user has said how many threads there are to be.
fn share_cores(neighbours: usize) {
    if std::env::var_os("RAYON_NUM_THREADS").is_none() {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = (cores / neighbours.max(1)).max(1);
        // A pool that is there already stays.
        let _ = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global();
    }
}

impl Team for Job {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn memory(&self) -> usize {
        self.memory
    }

    fn machine(&self) -> Machine {
        self.machine
    }

    fn send(&self, to: usize, numbers: &[f64]) {
        for part in numbers.chunks(LONGEST) {
            self.sure(self.world.send(part, rank_number(to), 0));
        }
    }

    fn receive(&self, from: usize, numbers: &mut [f64]) {
        for part in numbers.chunks_mut(LONGEST) {
            self.sure(self.world.recv(part, rank_number(from), 0));
        }
        self.tally.received(numbers);
    }

    fn broadcast(&self, from: usize, numbers: &mut [f64]) {
        if self.size > 1 {
            for part in numbers.chunks_mut(LONGEST) {
                self.sure(self.world.broadcast(part, rank_number(from)));
            }
            if self.rank != from {
                self.tally.received(numbers);
            }
        }
    }

    fn maximum(&self, words: &mut Words) {
        self.sure(self.world.allreduce_inplace(words, ReduceOp::Max));
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn end(&self, message: &str) -> ! {
        if self.rank != 0 {
            // Where all come to the same end, rank 0 says it for all before this is over.
            std::thread::sleep(Duration::from_secs(1));
        }
        eprintln!("fastlsq-mpi: {message}");
        departure::allow();
        self.world.abort(1)
    }
}

thread_local! {
    /// What happens at the end of the thread that started MPI.
    static END: RefCell<Option<End>> = const { RefCell::new(None) };
}

/// The end of a rank: it takes leave of the others, and MPI is finalised.
struct End {
    job: Arc<Job>,
    panicked: &'static AtomicBool,
    /// Finalises MPI when it is dropped, after the farewell.
    _mpi: ferrompi::Mpi,
}

impl Drop for End {
    fn drop(&mut self) {
        if self.panicked.load(Ordering::Relaxed) {
            // The others may be waiting for a message that will never be sent.
            let rank = self.job.rank;
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(10));
                eprintln!(
                    "fastlsq-mpi: rank {rank} has panicked while others wait for it; the job ends here"
                );
                std::process::abort();
            });
        }
        meet(self.job.as_ref(), Purpose::Farewell, 0, [0; 4]);
        departure::allow();
    }
}

/// Takes note of panics, in addition to what is done about them otherwise.
fn watch_panics() -> &'static AtomicBool {
    static PANICKED: AtomicBool = AtomicBool::new(false);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |information| {
        PANICKED.store(true, Ordering::Relaxed);
        before(information);
    }));
    &PANICKED
}
