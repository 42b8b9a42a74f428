//! Predicted and counted costs, and the constants of the machine.

use std::sync::Arc;
use std::time::Instant;

use faer::Mat;
use fastlsq_mpi::Mpi;
use fastlsq_mpi::fastlsq_solve::conformance::joint_front;
use fastlsq_mpi::fastlsq_solve::lsq::{RowsCost, factor};
use fastlsq_mpi::fastlsq_solve::team::{Counts, Team};
use fastlsq_mpi::fastlsq_solve::{
    Backend, BoxDomain, LinearProblem, LsqOptions, Method, Options, TeamBackend, X, Y, laplacian,
    patches::{LeafSize, PatchOptions},
    sin, unknown,
};

use crate::inclined::Inclined;
use crate::say;
use crate::suite::values;

/// Sizes of the comparison.
const ROWS: usize = 60_007;
const FEATURES: usize = 120;

pub(crate) fn costs(mpi: &Mpi) {
    let system = values(ROWS, FEATURES);
    let before = mpi.counts();
    let options = LsqOptions::new().method(Method::RankRevealingQr);
    mpi.factor(&system, &options).unwrap();
    let all = of_all(mpi, before);
    let predicted = RowsCost::new(ROWS, FEATURES, 1, mpi.size());
    let sum = |of: fn(&[f64; 4]) -> f64| all.iter().map(of).sum::<f64>();
    let most = all.iter().map(|c| c[0]).fold(0.0, f64::max);
    say(mpi, "flops, all, predicted", predicted.all_flops);
    say(mpi, "flops, all, counted", sum(|c| c[0]));
    say(mpi, "flops, most, predicted", predicted.most_flops);
    say(mpi, "flops, most, counted", most);
    say(mpi, "messages, predicted", predicted.messages);
    say(mpi, "messages, counted", sum(|c| c[1]));
    say(mpi, "bytes, predicted", predicted.bytes);
    say(mpi, "bytes, counted", sum(|c| c[2]));
    say(mpi, "meetings, counted", all[0][3]);
    assert_eq!(sum(|c| c[1]), predicted.messages as f64);
    assert_eq!(sum(|c| c[2]), predicted.bytes as f64);
    if mpi.size() > 1 {
        assert!((most / predicted.most_flops - 1.0).abs() < 0.05);
    }
}

/// One solve on a grid of patches that all differ, so that no front serves twice; fronts by one rank each, or jointly wherever they
/// can be.
pub(crate) fn patch_costs(mpi: &Mpi, cells: usize, how: &str) {
    let team: Arc<dyn Team> = match how {
        "single" => Arc::new(Inclined::to_work_alone(mpi.as_team())),
        "joint" => Arc::new(Inclined::to_share(mpi.as_team())),
        _ => mpi.as_team(),
    };
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u) + (1.0 + 30.0 * sin(9.0 * X) * Y) * u, 1.0)
        .dirichlet(0.0);
    let before = mpi.counts();
    let patches = PatchOptions::new()
        .first_grid([cells, cells])
        .leaf(LeafSize::for_dim(2))
        .max_rounds(1);
    let options = Options::new().tolerance(1e-5).patches(patches);
    let begin = Instant::now();
    let backend = TeamBackend::new(team);
    let solution = problem.solve_with(&options.backend(backend)).unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    let all = of_all(mpi, before);
    let most = all.iter().map(|c| c[0]).fold(0.0, f64::max);
    let total: f64 = all.iter().map(|c| c[0]).sum();
    let report = solution.report().patches.as_ref().unwrap();
    assert_eq!(report.rounds.len(), 1);
    say(mpi, "leaves", report.leaves);
    say(mpi, "functions of a leaf", report.rank);
    say(mpi, "unknowns", report.skeleton);
    say(mpi, "flops of fronts, all", total);
    say(mpi, "flops of fronts, most", most);
    say(mpi, "messages", all.iter().map(|c| c[1]).sum::<f64>());
    say(mpi, "bytes", all.iter().map(|c| c[2]).sum::<f64>());
    say(mpi, "seconds", seconds);
}

/// Fronts by one rank and by all, the best of a few times: e unknowns, those that they are tied to, seconds on the clock and
/// seconds of work, without messages, of the busiest rank. What else the machine does affects the first, not the second.
pub(crate) fn fronts(mpi: &Mpi) {
    let team = Inclined::to_share(mpi.as_team());
    let begin = Instant::now();
    for (e, b) in [400, 800, 1600]
        .into_iter()
        .flat_map(|e| [(e, 0), (e, 2 * e)])
    {
        let times = if e > 1000 { 2 } else { 5 };
        let timed = |clock: &dyn Fn() -> f64| {
            let all = (0..times).map(|_| {
                let own = joint_front(&team, e, b, clock).unwrap();
                busiest(mpi, own)
            });
            all.fold([f64::INFINITY; 2], |[a, j], [alone, joint]| {
                [a.min(alone), j.min(joint)]
            })
        };
        let wall = timed(&|| begin.elapsed().as_secs_f64());
        let work = timed(&|| team.work_seconds());
        for (how, place) in [("alone", 0), ("joint", 1)] {
            say(mpi, &format!("{e} {b} {how}"), wall[place]);
            say(mpi, &format!("{e} {b} {how}, work"), work[place]);
        }
    }
}

/// The largest times of any rank.
fn busiest(mpi: &Mpi, own: [f64; 2]) -> [f64; 2] {
    let team = mpi.as_team();
    let of = |rank| {
        let mut times = own;
        team.broadcast(rank, &mut times);
        times
    };
    (0..mpi.size())
        .map(of)
        .fold([0.0; 2], |[a, j], [alone, joint]| {
            [f64::max(a, alone), f64::max(j, joint)]
        })
}

/// What every rank has done since.
fn of_all(mpi: &Mpi, before: Counts) -> Vec<[f64; 4]> {
    let now = mpi.counts();
    let own = [
        now.flops - before.flops,
        now.messages - before.messages,
        now.bytes - before.bytes,
        now.meetings - before.meetings,
    ];
    let team = mpi.as_team();
    let told = |rank| {
        let mut counts = own.map(|count| count as f64);
        team.broadcast(rank, &mut counts);
        counts
    };
    (0..mpi.size()).map(told).collect()
}

/// The best of several measurements: what else the machine does is not a property of it.
pub(crate) fn constants(mpi: &Mpi) {
    let team = mpi.as_team();
    let a = Mat::from_fn(20_000, 300, |i, j| ((i * (j + 1)) as f64).sin());
    let b = Mat::zeros(20_000, 0);
    let options = LsqOptions::new().method(Method::Qr).threads(1);
    let flops = RowsCost::new(20_000, 300, 0, 1).all_flops;
    let seconds = best(5, || {
        let begin = Instant::now();
        factor(&a, b.as_ref(), &options).unwrap();
        begin.elapsed().as_secs_f64()
    });
    say(
        mpi,
        "flop rate of a thread",
        format!("{:.3e}", flops / seconds),
    );
    if mpi.size() > 1 {
        let latency = best(2001, || there_and_back(team.as_ref(), 1) / 2.0);
        let large = 1 << 21;
        let seconds = best(21, || there_and_back(team.as_ref(), large) / 2.0);
        let bandwidth = (8 * large) as f64 / (seconds - latency);
        say(mpi, "latency", format!("{latency:.3e}"));
        say(mpi, "bandwidth", format!("{bandwidth:.3e}"));
    }
}

/// Seconds for this many numbers from rank 0 to rank 1 and back.
fn there_and_back(team: &dyn Team, numbers: usize) -> f64 {
    let mut buffer = vec![1.0; numbers];
    let begin = Instant::now();
    match team.rank() {
        0 => {
            team.send(1, &buffer);
            team.receive(1, &mut buffer);
        }
        1 => {
            team.receive(0, &mut buffer);
            team.send(0, &buffer);
        }
        _ => {}
    }
    begin.elapsed().as_secs_f64()
}

fn best(times: usize, mut measure: impl FnMut() -> f64) -> f64 {
    (0..times).map(|_| measure()).fold(f64::INFINITY, f64::min)
}
