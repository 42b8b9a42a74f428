//! Files: what was saved is read back, and nothing else is.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use fastlsq_solve::fastlsq_basis::{
    AxisFunctions, EvolvedBasis, EvolvedSpan, PiecewiseBasis, TensorBasis,
};
use fastlsq_solve::{
    Basis, BoxDomain, DomainExt, FrequencyLaw, InputMap, Interval, MultiquadricBasis, Options,
    PolynomialBasis, SaveError, SinusoidalBasis, Solution, Space, TanhBasis, UnitSampler, problems,
    unknown,
};

use super::exact_basis::ExactBasis;

fn solution() -> Solution {
    let options = Options::new().features(40).bandwidth(3.0).rows(100, 50);
    problems::poisson_2d().problem.solve_with(&options).unwrap()
}

/// Two functions of space and time: joined polynomials on two pieces, then one; products on a rectangle, periodic along y.
fn evolved() -> [Solution; 2] {
    let span = |start: f64, end: f64, space: usize, size: usize| EvolvedSpan {
        start,
        end,
        space,
        times: 4,
        coefficients: (0..4 * size).map(|k| (k as f64 + start).sin()).collect(),
    };
    let line = |breaks: &[f64]| {
        let local = PolynomialBasis::legendre(InputMap::identity(1), 3).unwrap();
        let boxes = breaks.windows(2);
        let boxes = boxes.map(|ends| InputMap::from_box(&ends[..1], &ends[1..]).unwrap());
        Arc::new(PiecewiseBasis::new(Arc::new(local), boxes.collect()).unwrap()) as Arc<dyn Basis>
    };
    let lines = EvolvedBasis::new(
        vec![line(&[0.0, 0.4, 1.0]), line(&[0.0, 1.0])],
        vec![span(0.0, 0.3, 0, 8), span(0.3, 0.5, 1, 4)],
    );
    let axes = [(false, 4), (true, 3)];
    let axes = axes.map(|(circle, count)| AxisFunctions::new((0.0, 1.0), circle, count).unwrap());
    let plane = Arc::new(TensorBasis::new(axes.to_vec()).unwrap());
    let fields = EvolvedBasis::new(vec![plane], vec![span(0.0, 0.5, 0, 12)]);
    let over = |dim: usize, basis: EvolvedBasis| {
        let space = Space::new(dim).with_time();
        let functions = (space, vec![unknown("u")]);
        let report = solution().report().clone();
        let domain = if dim == 1 {
            Interval::unit().over(0.0, 0.5).unwrap()
        } else {
            BoxDomain::unit(2).over(0.0, 0.5).unwrap()
        };
        Solution::from_parts(functions, vec![Arc::new(basis)], vec![1.0], report)
            .and_then(|u| u.on_domain(Arc::new(domain)))
            .unwrap()
    };
    [over(1, lines.unwrap()), over(2, fields.unwrap())]
}

fn text(u: &Solution) -> String {
    let mut bytes = Vec::new();
    u.to_writer(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(text: &str) -> Result<Solution, SaveError> {
    Solution::from_reader(text.as_bytes())
}

/// The file with the checksum that belongs to its contents.
fn signed(file: &str) -> String {
    let after = |key: &str| file.find(key).unwrap() + key.len();
    let (coordinates, unknowns, report) = (
        after("\"coordinates\":"),
        after("\"unknowns\":"),
        after("\"report\":"),
    );
    let parts = [
        "fastlsq-solution",
        "3",
        &file[coordinates..file.find(",\"unknowns\":").unwrap()],
        &file[unknowns..file.find(",\"report\":").unwrap()],
        &file[report..file.len() - 1],
    ];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let start = after("\"checksum\":\"");
    let end = start + file[start..].find('"').unwrap();
    format!("{}fnv1a64:{hash:016x}{}", &file[..start], &file[end..])
}

/// A file that is removed in the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Self {
        let name = format!("fastlsq-{}-{name}.json", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[test]
fn the_very_same_solution_comes_back() {
    let file = Temporary::new("same");
    let (symmetric, elastic) = (
        problems::poisson_2d()
            .problem
            .solve_with(&Options::new().tolerance(1e-4)),
        problems::elastic_wave_2d()
            .problem
            .solve_with(&Options::new().max_features(60)),
    );
    let [lines, fields] = evolved();
    for u in [
        solution(),
        symmetric.unwrap(),
        elastic.unwrap(),
        lines,
        fields,
    ] {
        u.save(&file.0).unwrap();
        let back = Solution::load(&file.0).unwrap();
        assert_eq!(back.coefficients(), u.coefficients());
        assert_eq!((back.unknowns(), back.space()), (u.unknowns(), u.space()));
        assert_eq!(back.report(), u.report());
        let point = vec![0.37; u.dim()];
        assert_eq!(back.hessian(&point).unwrap(), u.hessian(&point).unwrap());
    }
}

#[test]
fn every_kind_of_basis_comes_back() {
    let points = UnitSampler::halton(1).points(30, 2);
    let bases: [Arc<dyn Basis>; 2] = [
        Arc::new(TanhBasis::builder(2, 30).build().unwrap()),
        Arc::new(MultiquadricBasis::new(points.view(), 0.3).unwrap()),
    ];
    for basis in bases {
        let options = Options::new().basis(basis).rows(100, 50);
        let u = problems::poisson_2d().problem.solve_with(&options).unwrap();
        let back = read(&text(&u)).unwrap();
        assert_eq!(
            back.value(&[0.2, 0.9]).unwrap(),
            u.value(&[0.2, 0.9]).unwrap()
        );
    }
}

#[test]
fn other_programs_can_evaluate_it() {
    let json = |value: &serde_json::Value| value.as_f64().unwrap();
    for options in [
        Options::new().features(40).bandwidth(3.0),
        Options::new().tolerance(1e-4),
    ] {
        let u = problems::poisson_2d().problem.solve_with(&options).unwrap();
        let file: serde_json::Value = serde_json::from_str(&text(&u)).unwrap();
        assert_eq!(
            (&file["format"], &file["version"]),
            (&"fastlsq-solution".into(), &3.into())
        );
        let (own, a) = (&file["unknowns"][0], &file["unknowns"][0]["arrays"]);
        let x = [0.3, 0.8];
        let mut sum = 0.0;
        for (j, beta) in own["beta"].as_array().unwrap().iter().enumerate() {
            let (mut phase, mut factor) = (json(&a["b"][j]), 1.0);
            for k in 0..2 {
                let w = json(&a["W"][j][k]);
                let turned = w * (x[k] - json(&a["center"][k]));
                match a["parity"][k].as_str().unwrap() {
                    "none" => phase += w * x[k],
                    "even" => factor *= turned.cos(),
                    "odd" => factor *= turned.sin(),
                    other => panic!("parity {other}"),
                }
            }
            sum += json(beta) * phase.sin() * factor;
        }
        let value = u.value(&x).unwrap();
        assert!((json(&a["scale"]) * sum - value).abs() < 1e-9 * value.abs());
    }
}

#[test]
fn numbers_of_the_report_that_are_not_finite_survive() {
    let u = solution();
    let mut report = u.report().clone();
    (report.condition, report.error_estimate) = (f64::INFINITY, f64::NAN);
    report.bandwidths = vec![f64::NEG_INFINITY, 0.1];
    let beta = u.coefficients().to_vec();
    let functions = (u.space().clone(), u.unknowns().to_vec());
    let u = Solution::from_parts(functions, u.bases().to_vec(), beta, report).unwrap();
    let back = read(&text(&u)).unwrap();
    assert_eq!(back.report().condition, f64::INFINITY);
    assert!(back.report().error_estimate.is_nan());
    assert_eq!(back.report().bandwidths, [f64::NEG_INFINITY, 0.1]);
}

#[test]
fn every_cut_is_noticed() {
    let [lines, _] = evolved();
    for whole in [text(&solution()), text(&lines)] {
        cuts_are_noticed(&whole);
    }
}

fn cuts_are_noticed(whole: &str) {
    // Without the line break at its end the file is whole.
    for length in (0..whole.trim_end().len()).step_by(97) {
        let cut = Solution::from_reader(&whole.as_bytes()[..length]).unwrap_err();
        let expected = match length {
            0 => matches!(cut, SaveError::Truncated),
            1..30 => matches!(cut, SaveError::Foreign { .. } | SaveError::Truncated),
            _ => matches!(cut, SaveError::Truncated | SaveError::Corrupted { .. }),
        };
        assert!(expected, "{length}: {cut:?}");
    }
}

#[test]
fn every_changed_digit_of_the_unknowns_is_noticed() {
    let [lines, fields] = evolved();
    for u in [solution(), lines, fields] {
        changes_are_noticed(&text(&u));
    }
}

fn changes_are_noticed(whole: &str) {
    let (from, to) = (
        whole.find("\"unknowns\"").unwrap(),
        whole.find("\"report\"").unwrap(),
    );
    for place in (from..to).step_by(41) {
        let mut bytes = whole.as_bytes().to_vec();
        bytes[place] = if bytes[place] == b'7' { b'8' } else { b'7' };
        let changed = String::from_utf8(bytes).unwrap();
        assert!(
            matches!(read(&changed), Err(SaveError::Corrupted { .. })),
            "byte {place}"
        );
    }
    // White space is no damage.
    assert!(read(&whole.replace(",\"", ",\n \"")).is_ok());
}

#[test]
fn a_checksum_that_agrees_does_not_make_contents_sound() {
    let whole = text(&solution());
    let place = whole.find("\"beta\":[").unwrap() + "\"beta\":[".len();
    for (wrong, word) in [
        ("1.0,", "coefficients"),
        ("null,", "null"),
        ("1e999,", "out of range"),
    ] {
        let changed = signed(&format!("{}{wrong}{}", &whole[..place], &whole[place..]));
        let error = read(&changed).unwrap_err();
        assert!(matches!(error, SaveError::Corrupted { .. }), "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
    }
    let none = signed(&format!(
        "{}\"unknowns\":[],{}",
        &whole[..whole.find("\"unknowns\"").unwrap()],
        &whole[whole.find("\"report\"").unwrap()..]
    ));
    let error = read(&none).unwrap_err();
    assert!(matches!(error, SaveError::Corrupted { .. }), "{error}");
}

#[test]
fn foreign_files_and_versions_are_named() {
    for foreign in [
        "hello",
        "{}",
        "[1, 2]",
        "{\"format\":\"else\",\"version\":1}",
        "\u{0}\u{1}",
    ] {
        assert!(
            matches!(read(foreign), Err(SaveError::Foreign { .. })),
            "{foreign:?}"
        );
    }
    let binary = Solution::from_reader(&[0xff_u8, 0xfe, 0x00][..]);
    assert!(matches!(binary, Err(SaveError::Foreign { .. })));
    for version in [0, 1, 2, 99] {
        let newer = text(&solution()).replace("\"version\":3,", &format!("\"version\":{version},"));
        let error = read(&newer).unwrap_err();
        assert!(matches!(error, SaveError::Version { .. }), "{error:?}");
    }
}

#[test]
fn a_failed_save_leaves_the_old_file_and_nothing_else() {
    let directory = std::env::temp_dir().join(format!("fastlsq-{}-dir", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let path = directory.join("u.json");
    fs::write(&path, "old").unwrap();
    let basis = Arc::new(ExactBasis::new(2, |x| x[0]));
    let options = Options::new().basis(basis).rows(20, 20);
    let own = problems::poisson_2d().problem.solve_with(&options).unwrap();
    assert!(matches!(
        own.save(&path),
        Err(SaveError::UnsavableBasis { .. })
    ));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");

    // A directory in the place of the file: renaming fails, and the temporary file goes.
    let error = solution().save(&directory).unwrap_err();
    assert!(matches!(error, SaveError::Io { .. }), "{error:?}");
    solution().save(&path).unwrap();
    let names = fs::read_dir(&directory).unwrap().count();
    assert_eq!(names, 1);
    fs::remove_dir_all(&directory).unwrap();

    assert!(matches!(
        Solution::load("/no/such/file"),
        Err(SaveError::Io { .. })
    ));
    assert!(matches!(
        solution().save("/no/such/directory/u.json"),
        Err(SaveError::Io { .. })
    ));
    assert!(matches!(solution().save("/"), Err(SaveError::Io { .. })));
}

#[test]
fn parts_that_do_not_fit_make_no_solution() {
    let u = solution();
    let make = |names: &[&str], bases: &[Arc<dyn Basis>], beta: &[f64]| {
        let names = names.iter().map(|name| unknown(name)).collect();
        let functions = (u.space().clone(), names);
        Solution::from_parts(functions, bases.to_vec(), beta.to_vec(), u.report().clone())
    };
    let (bases, beta) = (u.bases(), u.coefficients());
    assert!(make(&["u"], bases, beta).is_ok());
    assert!(make(&["u"], bases, &beta[1..]).is_err());
    assert!(make(&[], bases, beta).is_err());
    assert!(make(&[], &[], &[]).is_err());
    assert!(make(&["u"], bases, &[f64::NAN; 40]).is_err());
    let line = SinusoidalBasis::random(1, 5, &FrequencyLaw::Isotropic(1.0), 0).unwrap();
    let mixed: [Arc<dyn Basis>; 2] = [bases[0].clone(), Arc::new(line)];
    assert!(make(&["u", "v"], &mixed, &[0.0; 45]).is_err());
}

/// Damage from a seeded generator: every single-bit flip, cut, repetition and exchange of a byte is noticed, wherever it is.
#[test]
fn no_damage_goes_unnoticed() {
    let [lines, fields] = evolved();
    for u in [solution(), lines, fields] {
        damage_is_noticed(&text(&u));
    }
}

fn damage_is_noticed(whole: &str) {
    assert_eq!(signed(whole), whole);
    let bytes = whole.as_bytes();
    let mut state = 0x5eed_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as usize) % below
    };
    for round in 0..4000 {
        let mut damaged = bytes.to_vec();
        let place = random(bytes.len());
        match round % 4 {
            0 | 1 => damaged[place] ^= 1 << random(8),
            2 => damaged.truncate(place),
            _ => {
                let (from, length) = (random(bytes.len()), 1 + random(40));
                let part = bytes[from..bytes.len().min(from + length)].to_vec();
                damaged.splice(place..bytes.len().min(place + length), part);
            }
        }
        if damaged == bytes {
            continue;
        }
        let read = Solution::from_reader(damaged.as_slice());
        assert!(read.is_err(), "round {round}, place {place}");
    }
    // The keys around the contents, bit by bit.
    let keys = (0..whole.find("\"names\"").unwrap())
        .chain(whole.find("\"report\"").unwrap() - 2..whole.len());
    for place in keys.take(700) {
        for bit in 0..8 {
            let mut damaged = bytes.to_vec();
            damaged[place] ^= 1 << bit;
            assert!(
                Solution::from_reader(damaged.as_slice()).is_err(),
                "byte {place}, bit {bit}"
            );
        }
    }
}

/// Small files that ask for much are refused before anything is built.
#[test]
fn hostile_files_are_refused() {
    let whole = text(&solution());
    let (start, end) = (
        whole.find("\"basis\":").unwrap() + "\"basis\":".len(),
        whole.find(",\"arrays\"").unwrap(),
    );
    let many = |axes: usize, value: f64| format!("{:?}", vec![value; axes]);
    let polynomial = |axes: usize, degree: u32| {
        let (center, half) = (many(axes, 0.0), many(axes, 1.0));
        format!(
            "{{\"Polynomial\":{{\"map\":{{\"center\":{center},\"half\":{half}}},\"family\":\"Monomial\",\"degree\":{degree}}}}}"
        )
    };
    let nested = (0..2000).fold(polynomial(2, 1), |inner, _| {
        format!("{{\"Joined\":{{\"parts\":[{inner}]}}}}")
    });
    let bases = [
        polynomial(60, 5),
        polynomial(60, u32::MAX),
        polynomial(3, 300),
        polynomial(20_000, 1),
        format!(
            "{{\"Joined\":{{\"parts\":[{},{}]}}}}",
            polynomial(60, 5),
            polynomial(60, 5)
        ),
        nested,
        "{\"Sinusoidal\":{\"dim\":18446744073709551615}}".to_owned(),
        "{\"Tanh\":null}".to_owned(),
    ];
    for basis in bases {
        let file = signed(&format!("{}{basis}{}", &whole[..start], &whole[end..]));
        let error = read(&file).unwrap_err();
        assert!(matches!(error, SaveError::Corrupted { .. }), "{error:?}");
    }
}

/// The same of functions of space and time: a space that no span has coefficients for is not built.
#[test]
fn hostile_evolutions_are_refused() {
    let [lines, fields] = evolved();
    let (lines, fields) = (text(&lines), text(&fields));
    let changed = |whole: &str, from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        signed(&whole.replacen(from, to, 1))
    };
    for file in [
        changed(&fields, "\"count\":4", "\"count\":2000"),
        changed(&fields, "\"count\":4", "\"count\":18446744073709551615"),
        changed(&fields, "\"times\":4", "\"times\":18446744073709551615"),
        changed(&lines, "\"degree\":3", "\"degree\":4000000000"),
        changed(&lines, "\"degree\":3", "\"degree\":4"),
        changed(&lines, "\"space\":1", "\"space\":0"),
        changed(&lines, "\"space\":1", "\"space\":9"),
        changed(&lines, "\"start\":0.3", "\"start\":0.2"),
        changed(&lines, "\"end\":0.5", "\"end\":0.3"),
        changed(&lines, "\"beta\":[1.0]", "\"beta\":[]"),
        changed(&lines, "\"beta\":[1.0]", "\"beta\":[1.0,1.0]"),
    ] {
        let error = read(&file).unwrap_err();
        assert!(matches!(error, SaveError::Corrupted { .. }), "{error:?}");
    }
}
