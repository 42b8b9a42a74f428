//! Laws from fields on grids: recovery, correction for noise, systems, gaps, files, bad input.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::time::Duration;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_discovery::datasets::{DataSet, GridDataSet};
use fastlsq_discovery::{
    DiscoveryError, GridData, GridDiscovery, GridLaws, GridLibrary, GridOptions, Limit, Samples,
    Status, Warning, read_npy, read_npz,
};
use ndarray::{Array1, Array2, ArrayD, IxDyn};

const TERMS: [&str; 8] = ["u", "u^2", "u^3", "u_x", "u u_x", "u_xx", "u u_xx", "u_xxx"];

fn line(from: f64, to: f64, count: usize) -> Vec<f64> {
    let last = (count - 1) as f64;
    (0..count)
        .map(|i| from + (to - from) * i as f64 / last)
        .collect()
}

/// A field with an exact formula on its grid, with noise as a share of its rms.
fn on_grid(
    set: &DataSet,
    counts: [usize; 2],
    noise: f64,
    seed: u64,
) -> (Vec<Vec<f64>>, Array2<f64>) {
    let axes: Vec<Vec<f64>> = (0..2)
        .map(|k| line(set.lower[k], set.upper[k], counts[k]))
        .collect();
    let level = noise * set.rms();
    let errors = UnitSampler::independent(seed).normals(counts[0] * counts[1], 1);
    let u = Array2::from_shape_fn((counts[0], counts[1]), |(i, j)| {
        (set.exact)(&[axes[0][i], axes[1][j]]) + level * errors[(i * counts[1] + j, 0)]
    });
    (axes, u)
}

fn discover(axes: &[Vec<f64>], u: &Array2<f64>, terms: &[&str]) -> GridLaws {
    let library = GridLibrary::parse(&["x", "t"], &["u"], terms).unwrap();
    let data = Samples::on_grid(&[&axes[0], &axes[1]], u.view()).unwrap();
    GridDiscovery::new(library, &["u_t"])
        .unwrap()
        .run(&data)
        .unwrap()
}

#[test]
fn laws_with_exact_solutions_come_out_exactly() {
    for (set, terms) in [
        (DataSet::burgers(), vec![("u u_x", -1.0), ("u_xx", 0.1)]),
        (
            DataSet::korteweg_de_vries(),
            vec![("u u_x", -6.0), ("u_xxx", -1.0)],
        ),
        (DataSet::heat(), vec![("u_xx", 0.1)]),
    ] {
        let (axes, u) = on_grid(&set, [120, 100], 0.0, 0);
        let found = discover(&axes, &u, &TERMS);
        let law = &found.laws[0];
        assert_eq!(law.terms.len(), terms.len(), "{}: {law}", set.name);
        for (name, exact) in terms {
            let error = (law.coefficient(name) / exact - 1.0).abs();
            assert!(error < 1e-4, "{} {name}: {error:.1e}", set.name);
        }
        assert_eq!(found.status(), Status::Explained, "{}", found.summary());
    }
}

#[test]
fn noise_does_not_shrink_the_coefficients() {
    let set = DataSet::korteweg_de_vries();
    let (axes, u) = on_grid(&set, [160, 160], 0.2, 3);
    let found = discover(&axes, &u, &TERMS);
    let law = &found.laws[0];
    assert_eq!(law.support(), [4, 7], "{}", found.summary());
    assert!(
        (law.coefficient("u u_x") / -6.0 - 1.0).abs() < 0.05,
        "{law}"
    );
    assert!((law.coefficient("u_xxx") + 1.0).abs() < 0.05, "{law}");
    // The conserved form is the same term with half the coefficient.
    let ratio = law.coefficient("(u^2)_x") / law.coefficient("u u_x");
    assert!((ratio - 0.5).abs() < 1e-12);
    let level = 0.2 * set.rms();
    assert!((found.noise[0][0] / level - 1.0).abs() < 0.1);
    for term in &law.terms {
        assert!(term.interval.0 < term.coefficient && term.coefficient < term.interval.1);
    }
}

#[test]
fn systems_of_ordinary_equations_are_found_from_noisy_trajectories() {
    let data = GridDataSet::predator_prey(1000).unwrap();
    let outcome = data.measure(0.02, 1, &GridOptions::new()).unwrap();
    assert!(outcome.right, "{}", outcome.found.summary());
    assert!(outcome.worst < 0.02, "{}", outcome.worst);
    let clean = GridDataSet::lorenz(1000).unwrap();
    let outcome = clean.measure(0.0, 0, &GridOptions::new()).unwrap();
    assert!(
        outcome.right && outcome.worst < 1e-4,
        "{}",
        outcome.found.summary()
    );
}

#[test]
fn several_trajectories_count_as_one_experiment() {
    // u′ = −u + v, v′ = −v − u: each trajectory alone is one decaying spiral.
    let t = line(0.0, 4.0, 300);
    let run = |phase: f64, seed: u64| {
        let noise = UnitSampler::independent(seed).normals(300, 2);
        let part = |shift: f64, k: usize| {
            Array1::from_shape_fn(300, |i| {
                (-t[i]).exp() * (phase + shift - t[i]).sin() + 0.005 * noise[(i, k)]
            })
        };
        let (u, v) = (part(0.0, 0), part(-std::f64::consts::FRAC_PI_2, 1));
        GridData::of_fields(&[&t], &[("u", u.view()), ("v", v.view())]).unwrap()
    };
    let library =
        GridLibrary::parse(&["t"], &["u", "v"], &["u", "v", "u^2", "u v", "v^2"]).unwrap();
    let all = run(0.0, 1)
        .and(run(1.0, 2))
        .unwrap()
        .and(run(2.0, 3))
        .unwrap();
    let found = GridDiscovery::new(library, &["u_t", "v_t"])
        .unwrap()
        .run(&all)
        .unwrap();
    let (first, second) = (&found.laws[0], &found.laws[1]);
    assert_eq!(first.support(), [0, 1], "{}", found.summary());
    assert_eq!(second.support(), [0, 1], "{}", found.summary());
    // u = e^{−t} sin(p − t), v = −e^{−t} cos(p − t): u′ = −u + v, v′ = −v − u.
    assert!(
        (first.coefficient("u") + 1.0).abs() < 0.05 && (first.coefficient("v") - 1.0).abs() < 0.05
    );
    assert!(
        (second.coefficient("u") + 1.0).abs() < 0.05
            && (second.coefficient("v") + 1.0).abs() < 0.05
    );
}

#[test]
fn missing_values_are_bridged_or_left_out() {
    let set = DataSet::burgers();
    let (axes, mut u) = on_grid(&set, [120, 100], 0.01, 5);
    let picks = UnitSampler::independent(7).points(120 * 100, 1);
    for (v, p) in u.iter_mut().zip(picks.iter()) {
        if *p < 0.03 {
            *v = f64::NAN;
        }
    }
    // A dead corner that cannot be bridged.
    u.slice_mut(ndarray::s![..25, ..30]).fill(f64::NAN);
    let data = Samples::on_grid(&[&axes[0], &axes[1]], u.view()).unwrap();
    assert!(data.missing() > 900);
    let found = discover(&axes, &u, &TERMS);
    let law = &found.laws[0];
    assert_eq!(law.support(), [4, 5], "{}", found.summary());
    assert!((law.coefficient("u_xx") - 0.1).abs() < 0.005, "{law}");
}

#[test]
fn an_answer_that_does_not_explain_the_data_says_so_first() {
    // Burgers without its own terms.
    let (axes, u) = on_grid(&DataSet::burgers(), [120, 100], 0.01, 0);
    let found = discover(&axes, &u, &["u", "u^2"]);
    assert_eq!(found.status(), Status::NotExplained, "{}", found.summary());
    assert!(found.summary().starts_with("not explained"));
    assert!(matches!(
        found.laws[0].warnings.last(),
        Some(Warning::Unexplained { .. })
    ));
}

#[test]
fn terms_that_the_data_cannot_tell_apart_are_named() {
    // u = e^{−t} sin x satisfies u_t = −u and u_t = u_xx alike.
    let (x, t) = (line(0.0, 6.0, 80), line(0.0, 2.0, 60));
    let u = Array2::from_shape_fn((80, 60), |(i, j)| (-t[j]).exp() * x[i].sin());
    let found = discover(&[x, t], &u, &["u", "u^2", "u_xx"]);
    assert_eq!(found.status(), Status::Ambiguous, "{}", found.summary());
    let named = found.laws[0].warnings.iter().any(|w| match w {
        Warning::Collinear { terms, .. } => terms.contains(&"u".to_owned()),
        Warning::Rival { .. } => true,
        _ => false,
    });
    assert!(named, "{}", found.summary());
}

#[test]
fn scales_far_apart_do_no_harm() {
    // The same Burgers field in other units: lengths × 1e-5, values × 1e6, times × 1e3.
    let (axes, u) = on_grid(&DataSet::burgers(), [120, 100], 0.01, 2);
    let (length, value, time) = (1e-5, 1e6, 1e3);
    let scaled: Vec<Vec<f64>> = vec![
        axes[0].iter().map(|x| length * x).collect(),
        axes[1].iter().map(|t| time * t).collect(),
    ];
    let plain = discover(&axes, &u, &TERMS);
    let other = discover(&scaled, &u.mapv(|v| value * v), &TERMS);
    assert_eq!(plain.laws[0].support(), other.laws[0].support());
    for (name, unit) in [
        ("u u_x", length / (time * value)),
        ("u_xx", length * length / time),
    ] {
        let ratio = other.laws[0].coefficient(name) / (unit * plain.laws[0].coefficient(name));
        assert!((ratio - 1.0).abs() < 1e-6, "{name}: {ratio}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (axes, u) = on_grid(&DataSet::burgers(), [90, 80], 0.05, 1);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| discover(&axes, &u, &TERMS).summary())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn bad_grids_are_refused_by_axis_or_field() {
    let (x, t) = (line(0.0, 1.0, 40), line(0.0, 1.0, 30));
    let u = Array2::from_shape_fn((40, 30), |(i, j)| (x[i] + t[j]).sin());
    let mut back = x.clone();
    back.swap(3, 4);
    assert!(matches!(
        Samples::on_grid(&[&back, &t], u.view()),
        Err(DiscoveryError::Axis {
            axis: 0,
            index: 4,
            ..
        })
    ));
    assert!(matches!(
        Samples::on_grid(&[&t, &x], u.view()),
        Err(DiscoveryError::FieldShape { ref field, .. }) if field == "u"
    ));
    assert!(matches!(
        Samples::on_grid(&[&x], u.view()),
        Err(DiscoveryError::FieldShape { .. })
    ));
    assert!(matches!(
        Samples::on_grid(&[&x, &t[..9]], u.slice(ndarray::s![.., ..9])),
        Err(DiscoveryError::ShortRecord {
            axis: 1,
            found: 9,
            ..
        })
    ));
    let pair = |v: &Array2<f64>| {
        GridData::of_fields(&[&x, &t], &[("u", u.view()), ("v", v.view())]).unwrap_err()
    };
    assert!(matches!(
        pair(&Array2::from_elem((40, 30), 2.0)),
        DiscoveryError::ConstantField { ref field, .. } if field == "v"
    ));
    assert!(matches!(
        pair(&Array2::from_elem((40, 30), f64::NAN)),
        DiscoveryError::AllMissing { ref field } if field == "v"
    ));
    assert!(matches!(
        pair(&u.mapv(|v| 1e90 * v)),
        DiscoveryError::FieldScale { ref field, .. } if field == "v"
    ));
    let data = Samples::on_grid(
        &[&x.iter().map(|x| 1e200 * x).collect::<Vec<_>>(), &t],
        u.view(),
    );
    let library = GridLibrary::parse(&["x", "t"], &["u"], &["u", "u_x"]).unwrap();
    let discovery = GridDiscovery::new(library, &["u_t"]).unwrap();
    assert!(matches!(
        discovery.run(&data.unwrap()),
        Err(DiscoveryError::Units { ref culprit, .. }) if culprit == "axis x"
    ));
    let mut infinite = u.clone();
    infinite[(0, 7)] = f64::INFINITY;
    assert!(matches!(
        pair(&infinite),
        DiscoveryError::InfiniteField { index: 7, .. }
    ));
}

#[test]
fn bad_questions_are_refused() {
    let (x, t) = (line(0.0, 1.0, 40), line(0.0, 1.0, 30));
    let u = Array2::from_shape_fn((40, 30), |(i, j)| (3.0 * x[i] + t[j]).sin());
    let data = Samples::on_grid(&[&x, &t], u.view()).unwrap();
    let library = || GridLibrary::parse(&["x", "t"], &["u"], &["u", "u_x"]).unwrap();
    for target in ["u", "u^2", "u_x"] {
        assert!(
            GridDiscovery::new(library(), &[target]).is_err(),
            "{target}"
        );
    }
    assert!(matches!(
        data.scattered("w"),
        Err(DiscoveryError::NoField { ref field, .. }) if field == "w"
    ));
    let empty = GridLibrary::new(&["x", "t"], &["u"]).unwrap();
    assert!(matches!(
        GridDiscovery::new(empty, &["u_t"]),
        Err(DiscoveryError::EmptyDictionary { .. })
    ));
    let other = GridLibrary::parse(&["x", "t"], &["w"], &["w"]).unwrap();
    assert!(matches!(
        GridDiscovery::new(other, &["w_t"]).unwrap().run(&data),
        Err(DiscoveryError::OtherTrajectory { .. })
    ));
    let run = |options: GridOptions| {
        GridDiscovery::new(library(), &["u_t"])
            .unwrap()
            .with(options)
            .run(&data)
    };
    for options in [
        GridOptions::new().largest(0),
        GridOptions::new().half_widths(&[9]),
        GridOptions::new().half_widths(&[9, 7]),
        GridOptions::new().noise(&[0.1, 0.1]),
        GridOptions::new().noise(&[f64::NAN]),
    ] {
        assert!(matches!(run(options), Err(DiscoveryError::Setting { .. })));
    }
    for half_widths in [[19, 14], [usize::MAX; 2], [9, 1 << 40]] {
        assert!(matches!(
            run(GridOptions::new().half_widths(&half_widths)),
            Err(DiscoveryError::TooFewWindows { .. })
        ));
    }
    assert!(matches!(
        GridDiscovery::new(library(), &[]),
        Err(DiscoveryError::Setting { .. })
    ));
    let negative = library().with_function("log u", "", |u| u[0].ln()).unwrap();
    assert!(matches!(
        GridDiscovery::new(negative, &["u_t"]).unwrap().run(&data),
        Err(DiscoveryError::TermNotFinite { ref name, .. }) if name == "log u"
    ));
}

#[test]
fn functions_of_the_fields_are_terms_too() {
    // u′ = sin u: tan(u/2) = tan(u₀/2) eᵗ.
    let t = line(0.0, 8.0, 400);
    let u = Array1::from_shape_fn(400, |i| 2.0 * (0.02 * t[i].exp()).atan());
    let library = GridLibrary::parse(&["t"], &["u"], &["1", "u", "u^2", "u^3"])
        .unwrap()
        .with_function("sin u", "", |u| u[0].sin())
        .unwrap();
    let data = Samples::on_grid(&[&t], u.view()).unwrap();
    let found = GridDiscovery::new(library, &["u_t"])
        .unwrap()
        .run(&data)
        .unwrap();
    assert_eq!(
        found.to_string(),
        "u_t = 1.00 `sin u`",
        "{}",
        found.summary()
    );
}

#[test]
fn files_give_the_same_data_as_arrays() {
    let directory = std::env::temp_dir().join(format!("fastlsq-grids-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let (x, t) = (line(0.0, 1.0, 24), line(0.0, 2.0, 21));
    let u = Array2::from_shape_fn((24, 21), |(i, j)| (3.0 * x[i] + t[j]).sin());
    let direct = Samples::on_grid(&[&x, &t], u.view()).unwrap();

    let mut table = String::from("t, u, x\n");
    for (j, t) in t.iter().enumerate() {
        for (i, x) in x.iter().enumerate() {
            table += &format!("{t}, {}, {x}\n", u[(i, j)]);
        }
    }
    let csv = directory.join("data.csv");
    std::fs::write(&csv, &table).unwrap();
    assert_eq!(
        GridData::from_csv(&csv, &["x", "t"], &["u"]).unwrap(),
        direct
    );
    assert!(matches!(
        GridData::from_csv(&csv, &["x", "t"], &["v"]),
        Err(DiscoveryError::File { .. })
    ));
    std::fs::write(&csv, "x,t,u\n0,0,apple\n").unwrap();
    assert!(matches!(
        GridData::from_csv(&csv, &["x", "t"], &["u"]),
        Err(DiscoveryError::File { ref reason, .. }) if reason.contains("line 2")
    ));

    for (text, said) in [
        ("x,t,u\n0,0,1\n,1,2\n", "line 3: the coordinate x"),
        ("x,t,u\n0,0,1\n0,1,2\n0,0,3\n", "lines 2 and 4"),
        ("x;t;u\n0;0;1\n", "commas"),
    ] {
        std::fs::write(&csv, text).unwrap();
        assert!(
            matches!(
                GridData::from_csv(&csv, &["x", "t"], &["u"]),
                Err(DiscoveryError::File { ref reason, .. }) if reason.contains(said)
            ),
            "{text}"
        );
    }

    // Fortran order, single precision and a whole archive.
    let float: Vec<u8> = npy(
        "<f4",
        true,
        "(2, 3)",
        &[1.0_f32, 4.0, 2.0, 5.0, 3.0, 6.0]
            .map(f32::to_le_bytes)
            .concat(),
    );
    let path = directory.join("small.npy");
    std::fs::write(&path, float).unwrap();
    let expected =
        ArrayD::from_shape_vec(IxDyn(&[2, 3]), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    assert_eq!(read_npy(&path).unwrap(), expected);
    std::fs::write(&path, npy("<c16", false, "(1,)", &[0; 16])).unwrap();
    assert!(matches!(read_npy(&path), Err(DiscoveryError::File { .. })));
    assert!(matches!(
        read_npz(directory.join("absent.npz")),
        Err(DiscoveryError::File { .. })
    ));
    let archive = directory.join("data.npz");
    let mut writer = zip::ZipWriter::new(std::fs::File::create(&archive).unwrap());
    let bytes =
        |values: &[f64]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    let flat: Vec<f64> = u.iter().copied().collect();
    for (name, shape, values) in [
        ("x", "(24,)", &x),
        ("t", "(21,)", &t),
        ("u", "(24, 21)", &flat),
    ] {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(format!("{name}.npy"), options).unwrap();
        std::io::Write::write_all(&mut writer, &npy("<f8", false, shape, &bytes(values))).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(
        GridData::from_npz(&archive, &["x", "t"], &["u"]).unwrap(),
        direct
    );
    assert!(matches!(
        GridData::from_npz(&archive, &["x", "y"], &["u"]),
        Err(DiscoveryError::File { ref reason, .. }) if reason.contains("no array y")
    ));
    std::fs::remove_dir_all(&directory).unwrap();
}

/// A `.npy` file, version 1.0.
fn npy(kind: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    let magic: &[u8] = b"\x93NUMPY\x01\x00";
    [magic, &length, header.as_bytes(), data].concat()
}

#[test]
fn a_limit_ends_a_search_with_what_it_has() {
    let (axes, u) = on_grid(&DataSet::burgers(), [120, 100], 0.05, 1);
    let data = Samples::on_grid(&[&axes[0], &axes[1]], u.view()).unwrap();
    let run = |options: GridOptions| {
        let library = GridLibrary::parse(&["x", "t"], &["u"], &TERMS).unwrap();
        let discovery = GridDiscovery::new(library, &["u_t"]).unwrap();
        discovery.with(options).run(&data)
    };
    // Before there is a law.
    let none = run(GridOptions::new().time_limit(Duration::ZERO));
    assert!(matches!(
        none,
        Err(DiscoveryError::Stopped(Limit::Time { .. }))
    ));
    let little = run(GridOptions::new().memory_limit(1 << 20));
    assert!(matches!(
        little,
        Err(DiscoveryError::Stopped(Limit::Memory { .. }))
    ));
    // After it: whenever the callback says stop there is an error or a law, and in the end the law of all.
    let whole = run(GridOptions::new()).unwrap();
    assert_eq!(whole.stopped, None);
    let mut calls = 1;
    loop {
        let mut left = calls;
        let stop = GridOptions::new().progress(move |_| {
            left -= 1;
            match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        match run(stop) {
            Err(error) => assert_eq!(error.limit(), Some(Limit::Cancelled)),
            Ok(found) if found.stopped.is_some() => {
                assert!(found.summary().contains("cancelled"));
            }
            Ok(found) => {
                assert_eq!(found.laws[0].support(), whole.laws[0].support());
                break;
            }
        }
        calls = calls * 3 / 2 + 1;
    }
}

#[test]
fn a_function_that_the_law_does_not_hold_is_not_taken() {
    // Clean data: the error of the quadrature may look like any term.
    let (axes, u) = on_grid(&DataSet::burgers(), [120, 100], 0.0, 0);
    let data = Samples::on_grid(&[&axes[0], &axes[1]], u.view()).unwrap();
    let library = GridLibrary::parse(&["x", "t"], &["u"], &TERMS)
        .unwrap()
        .with_function("sin u", "", |u| u[0].sin())
        .unwrap();
    let found = GridDiscovery::new(library, &["u_t"])
        .unwrap()
        .run(&data)
        .unwrap();
    assert_eq!(found.laws[0].support(), [4, 5], "{}", found.summary());
}

#[test]
fn a_wave_that_only_travels_leaves_a_doubt() {
    // The soliton solves both u_t = −u_x and the Korteweg–de Vries equation.
    let (x, t) = (line(-10.0, 20.0, 160), line(0.0, 10.0, 120));
    let soliton = |s: f64| 3.0 / (0.5 * s).cosh().powi(2);
    let u = Array2::from_shape_fn((160, 120), |(i, j)| soliton(x[i] - t[j]));
    let library =
        GridLibrary::parse(&["x", "t"], &["u"], &["u", "u_x", "u u_x", "u_xx", "u_xxx"]).unwrap();
    let laws = GridDiscovery::new(library, &["u_t"])
        .unwrap()
        .run(&Samples::on_grid(&[&x, &t], u.view()).unwrap())
        .unwrap();
    assert_eq!(laws.status(), Status::Ambiguous, "{}", laws.summary());
    assert!(laws.laws[0].warnings.iter().any(
        |w| matches!(w, Warning::TravellingWave { velocity, .. } if (velocity[0] - 1.0).abs() < 1e-3)
    ));
}

#[test]
fn fields_named_as_coordinates_elsewhere_stand_in_laws_as_they_are() {
    let t = line(0.0, 6.0, 300);
    let (x, y): (Vec<f64>, Vec<f64>) = t.iter().map(|t| (t.cos(), -t.sin())).unzip();
    let (x, y) = (Array1::from(x), Array1::from(y));
    let data = GridData::of_fields(&[&t], &[("x", x.view()), ("y", y.view())]).unwrap();
    let library = GridLibrary::parse(&["t"], &["x", "y"], &["x", "y", "x y"]).unwrap();
    let laws = GridDiscovery::new(library, &["x_t", "y_t"])
        .unwrap()
        .run(&data)
        .unwrap();
    assert_eq!(laws.to_string(), "x_t = 1.00 y\ny_t = −1.00 x");
    assert!(
        laws.laws[0]
            .rivals
            .iter()
            .all(|(law, _)| !law.contains('`'))
    );
    // As an equation, they must not be taken for coordinates.
    assert_eq!(laws.laws[1].equation().terms().len(), 2);
}

#[test]
fn noise_alone_is_explained_by_nothing() {
    let t = line(0.0, 10.0, 400);
    for seed in 0..3 {
        let noise = UnitSampler::independent(seed).normals(400, 2);
        let (u, v) = (noise.column(0), noise.column(1));
        let data = GridData::of_fields(&[&t], &[("u", u), ("v", v)]).unwrap();
        let library = GridLibrary::polynomial(&["t"], &["u", "v"], 2).unwrap();
        let laws = GridDiscovery::new(library, &["u_t", "v_t"])
            .unwrap()
            .run(&data)
            .unwrap();
        let text = laws.summary();
        assert!(text.starts_with("not explained"), "{text}");
        assert!(!text.contains("leaves 0 %"), "{text}");
    }
}

#[test]
fn records_with_too_little_left_are_refused() {
    let (x, t) = (line(0.0, 1.0, 40), line(0.0, 1.0, 60));
    let mut u = Array2::from_shape_fn((40, 60), |(i, j)| (3.0 * x[i] + 5.0 * t[j]).sin());
    // Every value at most times is missing.
    u.slice_mut(ndarray::s![.., 12..]).fill(f64::NAN);
    let data = Samples::on_grid(&[&x, &t], u.view()).unwrap();
    let library = GridLibrary::parse(&["x", "t"], &["u"], &["u", "u_x"]).unwrap();
    let error = GridDiscovery::new(library, &["u_t"])
        .unwrap()
        .run(&data)
        .unwrap_err();
    assert!(
        matches!(error, DiscoveryError::TooFewWindows { .. }),
        "{error}"
    );
}
