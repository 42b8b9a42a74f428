//! Damaged and hostile files: none is taken for a solution, and none costs more than its size.

use std::sync::OnceLock;

use fastlsq_newton::{NewtonOptions, NonlinearProblem};
use fastlsq_solve::{
    DomainExt, Interval, LinearProblem, Options, Solution, T, X, exp, laplacian, sin, unknown,
};

use super::call::{Call, word};
use super::random::Random;

/// Sound files: of a sum of waves, and of an evolution.
fn sound() -> &'static [Vec<u8>; 2] {
    static FILES: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    FILES.get_or_init(|| {
        let u = unknown("u");
        let solved = LinearProblem::on(Interval::unit())
            .equation(u.d(X).d(X), exp(X))
            .dirichlet(0.0)
            .solve_with(&Options::new().features(20).bandwidth(2.0));
        let evolved = Interval::unit().over(0.0, 0.1).map(|domain| {
            NonlinearProblem::on(domain)
                .equation(u.d(T), laplacian(u) - u * u)
                .initial_value(sin(std::f64::consts::PI * X))
                .dirichlet(0.0)
                .evolve_with(&NewtonOptions::new().tolerance(1e-3))
        });
        let (mut waves, mut evolution) = (Vec::new(), Vec::new());
        // Nothing but an empty file is left of a failure, which every damage is then measured against.
        let _ = solved.map(|solution| solution.to_writer(&mut waves));
        let _ = evolved.map(|evolved| evolved.map(|u| u.to_writer(&mut evolution)));
        [waves, evolution]
    })
}

/// A file with one damage or several, read.
pub(super) fn run(random: &mut Random, call: &mut Call) -> String {
    let sound = &sound()[random.below(2)];
    let mut file = sound.clone();
    for _ in 0..1 + random.below(3) {
        damage(random, &mut file);
    }
    call.memory = Some(16 * file.len() + (1 << 20));
    let read = call.limited(|| Solution::from_reader(file.as_slice()));
    call.refute(
        read.is_ok() && file != *sound,
        "a damaged file was taken for a solution",
    );
    match read {
        Ok(_) => "sound".to_owned(),
        Err(error) => {
            let _ = error.to_string();
            format!("error {}", word(&error))
        }
    }
}

fn damage(random: &mut Random, file: &mut Vec<u8>) {
    if file.is_empty() {
        return;
    }
    let place = random.below(file.len());
    let length = 1 + random.below(60);
    let end = file.len().min(place + length);
    match random.below(7) {
        0 | 1 => file[place] ^= 1 << random.below(8),
        2 => file.truncate(place),
        3 => drop(file.drain(place..end)),
        4 => {
            let from = random.below(file.len());
            let part = file[from..file.len().min(from + length)].to_vec();
            file.splice(place..end, part);
        }
        5 => {
            let number = random.pick(&[
                "1e999",
                "-1",
                "18446744073709551616",
                "null",
                "[[[[",
                "\"",
                "4294967295",
            ]);
            file.splice(place..end, number.bytes());
        }
        _ => {
            let text = String::from_utf8_lossy(file);
            let key = random.pick(&[
                "checksum", "version", "beta", "basis", "report", "dim", "unknowns", "Evolved",
                "spaces", "spans", "times",
            ]);
            let other = random.pick(&["", "x", "checksum", "beta"]);
            *file = text.replacen(key, other, 1).into_bytes();
        }
    }
}
