//! Ranks that do what they should not: the job has to end, with a message.

use std::process::exit;

use fastlsq_mpi::Mpi;
use fastlsq_mpi::fastlsq_solve::{
    Backend, Frame, FrequencyLaw, LsqOptions, RowBlock, SinusoidalBasis, Space, System,
    UnitSampler, given, unknown,
};

use crate::suite::values;

pub(crate) fn fail(how: &str) {
    // Before MPI has started, only the launcher's word tells which rank this is.
    let place = std::env::var("OMPI_COMM_WORLD_RANK").or_else(|_| std::env::var("PMI_RANK"));
    let odd = place.as_deref() == Ok("1");
    let version = if odd && how == "version" {
        "0.0.0"
    } else {
        env!("CARGO_PKG_VERSION")
    };
    let memory = if odd && how == "memory" {
        1 << 20
    } else {
        8 << 30
    };
    let mpi = Mpi::world_as(version, memory).unwrap();
    assert_eq!(odd, mpi.rank() == 1);
    match how {
        // In the middle of its rows, while the others reduce theirs; also as if all were well.
        "exit" | "leave" => {
            let status = i32::from(how == "exit");
            let system = leaving(odd.then_some(status), mpi.size());
            drop(mpi.factor(&system, &LsqOptions::new()));
        }
        "early" if odd => return,
        "panic" if odd => panic!("a rank that panics"),
        "problem" => drop(mpi.factor(&values(if odd { 501 } else { 500 }, 20), &LsqOptions::new())),
        "abort" if odd => std::process::abort(),
        "memory" => {
            // The least that any rank has is the limit of all.
            let refused = mpi.factor(&values(4_000, 800), &LsqOptions::new());
            println!("refused\t{}", refused.map(|_| ()).unwrap_err());
            return;
        }
        _ => {}
    }
    for _ in 0..3 {
        drop(mpi.factor(&values(5_000, 20), &LsqOptions::new()));
    }
    println!("survived\t{}", mpi.rank());
}

/// Rows that rank 1 of `ranks`, which exits with this status, does not live to write.
fn leaving(status: Option<i32>, ranks: usize) -> System {
    let law = FrequencyLaw::Isotropic(8.0);
    let basis = SinusoidalBasis::random(2, 20, &law, 3).unwrap();
    let rows = 40_000;
    let points = UnitSampler::halton(1).points(rows, 2);
    // Inside its share, and none of those that all ranks look at.
    let fatal = points[[14 * rows / (10 * ranks), 0]];
    let field = given("fatal", move |x| match status {
        Some(status) if x[0] == fatal => exit(status),
        _ => 1.0,
    });
    let row = Frame::new(Space::new(2), vec![unknown("u")])
        .row(field * unknown("u"))
        .unwrap();
    let block = RowBlock::new("fatal", row, points, vec![1.0; rows]);
    System::new(vec![std::sync::Arc::new(basis)], vec![block]).unwrap()
}
