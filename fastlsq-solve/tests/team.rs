//! Several members solve what one would, to the same bits; and whatever goes wrong on one of them is known to all.
#![allow(clippy::unwrap_used)]

use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::time::Duration;

use faer::Mat;
use fastlsq_solve::conformance::{CHECKS, as_team};
use fastlsq_solve::lsq::{Method, RowsCost};
use fastlsq_solve::patches::{FrontCost, PatchOptions};
use fastlsq_solve::team::Team;
use fastlsq_solve::{
    Backend, BoxDomain, CpuBackend, EquationRow, FrequencyLaw, LinearProblem, LsqOptions, Options,
    RowBlock, RowSource, SinusoidalBasis, System, TeamBackend, UnitSampler, X, Y, given, laplacian,
    sin, unknown,
};
use proptest::prelude::*;

/// Rows of values at points of the unit square.
fn system(rows: usize, features: usize, shift: f64) -> System {
    let law = FrequencyLaw::Isotropic(12.0);
    let basis = SinusoidalBasis::random(2, features, &law, 3).unwrap();
    let points = UnitSampler::halton(1).points(rows, 2);
    let wave = points.rows().into_iter();
    let data = wave.map(|x| (3.0 * x[0]).sin() * x[1] + shift).collect();
    let block = RowBlock::new("values", EquationRow::value(2, 0, 1), points, data);
    System::new(vec![Arc::new(basis)], vec![block]).unwrap()
}

fn same_bits(a: &Mat<f64>, b: &Mat<f64>) -> bool {
    let shapes = (a.nrows(), a.ncols()) == (b.nrows(), b.ncols());
    shapes
        && (0..a.ncols())
            .all(|j| (0..a.nrows()).all(|i| a[(i, j)].to_bits() == b[(i, j)].to_bits()))
}

fn relative(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (a - b).norm_l2() / b.norm_l2()
}

#[test]
fn teams_pass_the_suite_of_backends() {
    for size in 1..=4 {
        as_team(size, |team| {
            let backend = TeamBackend::new(team);
            for (name, check) in CHECKS {
                check(&backend).unwrap_or_else(|violation| panic!("{name}: {violation}"));
            }
        });
    }
}

#[test]
fn any_number_of_members_gives_the_bits_of_one() {
    for method in [Method::Auto, Method::Qr, Method::Svd, Method::Sketch] {
        let options = LsqOptions::new().method(method);
        let system = system(33_001, 40, 0.0);
        let alone = CpuBackend.factor(&system, &options).unwrap();
        let expected = alone.solution().unwrap();
        for size in [1, 2, 3, 5, 8, 19] {
            for x in as_team(size, |team| {
                let factored = TeamBackend::new(team).factor(&system, &options).unwrap();
                assert_eq!(factored.info().rank, alone.info().rank);
                factored.solution().unwrap()
            }) {
                assert!(same_bits(&x, &expected), "{method}, {size} members");
            }
        }
    }
}

#[test]
fn other_right_hand_sides_and_adjoints_go_through_the_tree() {
    let keep = LsqOptions::new()
        .keep_q(true)
        .method(Method::RankRevealingQr);
    let system = system(9_001, 30, 0.0);
    let (m, n) = (system.nrows(), system.ncols());
    let b = Mat::from_fn(m, 3, |i, j| ((i * (j + 2)) as f64).sin());
    let v = Mat::from_fn(n, 2, |i, j| ((i + 7 * j) as f64).cos());
    let alone = CpuBackend.factor(&system, &keep).unwrap();
    let expected = (
        alone.solve(b.as_ref()).unwrap(),
        alone.adjoint(v.as_ref()).unwrap(),
    );
    for size in [2, 3, 7] {
        let answers = as_team(size, |team| {
            let factored = TeamBackend::new(team).factor(&system, &keep).unwrap();
            (
                factored.solve(b.as_ref()).unwrap(),
                factored.adjoint(v.as_ref()).unwrap(),
            )
        });
        for (x, w) in &answers {
            assert!(relative(x, &expected.0) < 1e-12 && relative(w, &expected.1) < 1e-12);
            assert!(same_bits(x, &answers[0].0) && same_bits(w, &answers[0].1));
        }
    }
}

#[test]
fn members_without_rows_and_small_systems_are_served() {
    // One stream only: the rows of all members; and fewer rows than features.
    for (rows, features) in [(1, 3), (20, 60), (500, 7), (3_000, 11)] {
        let system = system(rows, features, 0.0);
        let expected = CpuBackend
            .factor(&system, &LsqOptions::new())
            .unwrap()
            .solution()
            .unwrap();
        for x in as_team(6, |team| {
            let factored = TeamBackend::new(team)
                .factor(&system, &LsqOptions::new())
                .unwrap();
            factored.solution().unwrap()
        }) {
            assert!(same_bits(&x, &expected));
        }
    }
}

#[test]
fn triangles_travel_packed_once_up_the_tree_and_once_down() {
    let system = system(33_001, 40, 0.0);
    let options = LsqOptions::new().method(Method::Qr);
    for size in [2_u64, 4, 8] {
        let counts = as_team(usize::try_from(size).unwrap(), |team: Arc<dyn Team>| {
            TeamBackend::new(Arc::clone(&team))
                .factor(&system, &options)
                .unwrap();
            team.tally().counts()
        });
        let messages: u64 = counts.iter().map(|c| c.messages).sum();
        let bytes: u64 = counts.iter().map(|c| c.bytes).sum();
        // Each of the others sends one triangle, and receives one.
        assert_eq!(messages, 2 * (size - 1));
        assert_eq!(bytes, messages * 8 * (40 * 41 / 2 + 40 + 1));
    }
}

#[test]
fn costs_are_as_predicted() {
    let system = system(33_001, 40, 0.0);
    let options = LsqOptions::new().method(Method::Qr);
    for size in 1..=8 {
        let counts = as_team(size, |team: Arc<dyn Team>| {
            TeamBackend::new(Arc::clone(&team))
                .factor(&system, &options)
                .unwrap();
            team.tally().counts()
        });
        let predicted = RowsCost::new(33_001, 40, 1, size);
        let sum = |of: fn(&fastlsq_solve::team::Counts) -> u64| counts.iter().map(of).sum::<u64>();
        assert_eq!(sum(|c| c.messages), predicted.messages, "{size}");
        assert_eq!(sum(|c| c.bytes), predicted.bytes, "{size}");
        if size > 1 {
            let all = sum(|c| c.flops) as f64 / predicted.all_flops;
            let most = counts.iter().map(|c| c.flops).max().unwrap() as f64;
            let most = most / predicted.most_flops;
            assert!(
                (all - 1.0).abs() < 0.04 && (most - 1.0).abs() < 0.04,
                "{size}: {all} {most}"
            );
        }
    }
}

#[test]
fn patches_are_divided_by_subtree() {
    let u = unknown("u");
    let shape = fastlsq_solve::problems::local::l_shape();
    let corner = LinearProblem::on(shape.unwrap())
        .equation(-laplacian(u), 1.0)
        .dirichlet(0.0);
    let vary = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u) + (1.0 + 30.0 * X * Y) * u, 1.0)
        .dirichlet(0.0);
    let options = Options::new().tolerance(1e-7);
    for problem in [corner, vary] {
        let alone = problem.solve_with(&options).unwrap();
        assert!(alone.report().patches.is_some());
        for size in [2, 3, 4] {
            let answers = as_team(size, |team: Arc<dyn Team>| {
                let options = options.clone().backend(TeamBackend::new(Arc::clone(&team)));
                let solution = problem.solve_with(&options).unwrap();
                let values =
                    [[0.3, 0.4], [0.9, 0.5], [0.71, 0.93]].map(|x| solution.value(&x).unwrap());
                let leaves = solution.report().patches.as_ref().unwrap().leaves;
                (values, leaves, team.tally().counts().flops)
            });
            for (values, leaves, flops) in &answers {
                assert_eq!(values.map(f64::to_bits), answers[0].0.map(f64::to_bits));
                assert_eq!(*leaves, alone.report().patches.as_ref().unwrap().leaves);
                assert!(*flops > 0);
                for (value, x) in values.iter().zip([[0.3, 0.4], [0.9, 0.5], [0.71, 0.93]]) {
                    let expected = alone.value(&x).unwrap();
                    assert!((value - expected).abs() <= 1e-12 * expected.abs());
                }
            }
        }
    }
}

#[test]
fn shared_patches_solve_for_other_data_and_transposed() {
    let u = unknown("u");
    let shape = || fastlsq_solve::problems::local::l_shape().unwrap();
    let given = LinearProblem::on(shape())
        .equation(-laplacian(u), 1.0)
        .dirichlet(X);
    // A constant is left free, and a mean says which: the last front is bordered.
    let free = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), sin(2.0 * PI * X) * Y)
        .neumann(0.0)
        .mean(1.0);
    let options = Options::new()
        .tolerance(1e-5)
        .patches(PatchOptions::new().max_rounds(2));
    for problem in [given, free] {
        let solved = |options: &Options| {
            let kept = problem.factor_with(options).unwrap();
            let (rows, columns) = (kept.factored().info().rows, kept.factored().info().cols);
            let b = Mat::from_fn(rows, 2, |i, j| ((i * (j + 3)) as f64).sin());
            let v = Mat::from_fn(columns, 2, |i, j| ((i + 7 * j) as f64).cos());
            let forth = kept.factored().solve(b.as_ref()).unwrap();
            let back = kept.factored().adjoint(v.as_ref()).unwrap();
            (forth, back)
        };
        let alone = solved(&options);
        for size in [2, 3] {
            let answers = as_team(size, |team| {
                solved(&options.clone().backend(TeamBackend::new(team)))
            });
            for own in &answers {
                assert!(same_bits(&own.0, &answers[0].0) && same_bits(&own.1, &answers[0].1));
                assert!(relative(&own.0, &alone.0) < 1e-11, "{size}");
                assert!(relative(&own.1, &alone.1) < 1e-11, "{size}");
            }
        }
    }
}

#[test]
fn a_failure_on_one_member_is_that_of_all() {
    let law = FrequencyLaw::Isotropic(12.0);
    let basis = Arc::new(SinusoidalBasis::random(2, 20, &law, 3).unwrap());
    let points = UnitSampler::halton(1).points(30_000, 2);
    let bad = points[[29_000, 0]];
    let field = given("spoilt", move |x| if x[0] == bad { f64::NAN } else { 1.0 });
    let frame = fastlsq_solve::Frame::new(fastlsq_solve::Space::new(2), vec![unknown("u")]);
    let row = frame.row(field * unknown("u")).unwrap();
    let block = RowBlock::new("bad", row, points, vec![0.0; 30_000]);
    let system = System::new(vec![basis], vec![block]).unwrap();
    let alone = CpuBackend
        .factor(&system, &LsqOptions::new())
        .unwrap_err()
        .to_string();
    for error in as_team(3, |team| {
        let failed = TeamBackend::new(team).factor(&system, &LsqOptions::new());
        failed.unwrap_err().to_string()
    }) {
        assert_eq!(error, alone);
    }
}

#[test]
fn the_leader_alone_is_asked_and_its_word_counts_for_all() {
    let u = unknown("u");
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u), sin(30.0 * X) * Y)
        .dirichlet(0.0);
    let reports = as_team(3, |team| {
        let leads = team.rank() == 0;
        let mut calls = 0;
        let options = Options::new()
            .backend(TeamBackend::new(team))
            .progress(move |now| {
                assert!(leads);
                calls += usize::from(now.best_score.is_some());
                if calls < 3 {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        let solution = problem.solve_with(&options).unwrap();
        (
            solution.report().status,
            solution.value(&[0.3, 0.4]).unwrap().to_bits(),
        )
    });
    assert_eq!(reports[0].0, fastlsq_solve::Status::Cancelled);
    assert!(reports.iter().all(|report| *report == reports[0]));
    // A clock that has run out is that of the leader, whatever the others' say.
    for error in as_team(2, |team| {
        let limit = Duration::from_nanos(1);
        let options = Options::new()
            .backend(TeamBackend::new(team))
            .time_limit(limit);
        problem
            .solve_with(&options)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    }) {
        assert!(error.contains("time limit"), "{error}");
    }
}

#[test]
fn a_whole_solve_has_the_bits_of_one_process() {
    let u = unknown("u");
    let exact = sin(3.0 * X) * sin(2.0 * Y + 1.0);
    let problem = LinearProblem::on(BoxDomain::unit(2))
        .equation(
            laplacian(u) + 4.0 * u,
            laplacian(exact.clone()) + 4.0 * exact.clone(),
        )
        .dirichlet(exact);
    let options = Options::new().rows(20_000, 4_000).features(120);
    let at = [0.37, 0.81];
    let expected = problem.solve_with(&options).unwrap().value(&at).unwrap();
    for value in as_team(3, |team| {
        let options = options.clone().backend(TeamBackend::new(team));
        problem.solve_with(&options).unwrap().value(&at).unwrap()
    }) {
        assert_eq!(value.to_bits(), expected.to_bits());
    }
}

fn message_of(
    work: impl Fn(Arc<dyn Team>) + Sync + std::panic::UnwindSafe + std::panic::RefUnwindSafe,
) -> String {
    let panic = catch_unwind(|| as_team(3, &work)).map(|_| ()).unwrap_err();
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn members_that_differ_end_the_job_with_a_message() {
    let message = message_of(|team| {
        let shift = if team.rank() == 1 { 1e-9 } else { 0.0 };
        let _ = TeamBackend::new(team).factor(&system(50, 5, shift), &LsqOptions::new());
    });
    assert!(
        message.contains("not all members state the same problem: ranks 0, 2"),
        "{message}"
    );
    let message = message_of(|team| {
        if team.rank() != 2 {
            let _ = TeamBackend::new(team).factor(&system(50, 5, 0.0), &LsqOptions::new());
        }
    });
    assert!(
        message.contains("ranks 0, 1 began to factor a system; rank 2 ended"),
        "{message}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Rows that divide into streams and members in any way, fewer rows than features among them.
    #[test]
    fn sizes_at_random_on_any_number_of_members_give_the_answer_of_one(
        rows in prop_oneof![1_usize..60, 1_000_usize..20_000],
        features in 1_usize..40,
        size in 1_usize..10,
        keep_q in any::<bool>(),
    ) {
        let system = system(rows, features, 0.0);
        let options = LsqOptions::new().keep_q(keep_q);
        let alone = CpuBackend.factor(&system, &options).unwrap();
        let expected = alone.solution().unwrap();
        let other = Mat::from_fn(rows, 2, |i, j| ((i * (j + 3)) as f64).cos());
        let other_expected = keep_q.then(|| alone.solve(other.as_ref()).unwrap());
        for (x, y) in as_team(size, |team| {
            let factored = TeamBackend::new(team).factor(&system, &options).unwrap();
            let other = keep_q.then(|| factored.solve(other.as_ref()).unwrap());
            (factored.solution().unwrap(), other)
        }) {
            prop_assert!(same_bits(&x, &expected));
            if let (Some(y), Some(expected)) = (&y, &other_expected) {
                prop_assert!((y - expected).norm_l2() <= 1e-12 * expected.norm_l2());
            }
        }
    }
}

/// Two halves of a grid are two subtrees: what one member does not do is done by the other. All that they do not share evenly is
/// the front on the cut, with 14 unknowns on the side of a patch: a small one is the work of one member, a large one of both.
#[test]
fn two_members_share_the_fronts_of_a_grid_evenly() {
    let u = unknown("u");
    let vary = LinearProblem::on(BoxDomain::unit(2))
        .equation(-laplacian(u) + (1.0 + 30.0 * X * Y * Y) * u, 1.0)
        .dirichlet(0.0);
    for cells in [8, 16] {
        let patches = PatchOptions::new().first_grid([cells, cells]).max_rounds(1);
        let options = Options::new().tolerance(1e-6).patches(patches);
        let value = |options: &Options| {
            let solution = vary.solve_with(options).unwrap();
            solution.value(&[0.3, 0.4]).unwrap()
        };
        let alone = value(&options);
        let flops = as_team(2, |team: Arc<dyn Team>| {
            let options = options.clone().backend(TeamBackend::new(Arc::clone(&team)));
            assert!((value(&options) / alone - 1.0).abs() < 1e-12);
            team.tally().counts().flops as f64
        });
        let members = if cells == 8 { 1 } else { 2 };
        let cut = FrontCost::new(cells * 14, 0, members);
        let apart = 2.0 * cut.most_flops - cut.all_flops;
        let difference = (flops[0] - flops[1]).abs() - apart;
        assert!(
            difference.abs() < 1e-3 * cut.all_flops,
            "{cells}: {flops:?}"
        );
    }
}
