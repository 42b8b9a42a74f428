//! Storage: exact round trips, and files that were damaged.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use fastlsq_basis::{
    AxisFunctions, Basis, Draw, EvolvedBasis, EvolvedSpan, FrequencyLaw, InputMap, JoinedBasis,
    MultiquadricBasis, OrthogonalPolynomials, Parity, PolynomialBasis, SavedBasis, SinusoidalBasis,
    SymmetrisedBasis, TanhBasis, TensorBasis, WeightLaw, sampling::UnitSampler,
};
use ndarray::array;
use proptest::prelude::*;
use serde_json::{Value, json};

fn map() -> InputMap {
    InputMap::from_box(&[-0.1, 1.0 / 3.0], &[std::f64::consts::E, 7.7]).unwrap()
}

/// A function of one space axis and time, in two kinds of functions of space.
fn evolved() -> EvolvedBasis {
    let line = PolynomialBasis::legendre(InputMap::from_box(&[-2.0], &[4.0]).unwrap(), 4).unwrap();
    let tanh = TanhBasis::builder(1, 3).build().unwrap();
    let span = |start: f64, end: f64, space: usize, times: usize, size: usize| EvolvedSpan {
        start,
        end,
        space,
        times,
        coefficients: (0..times * size)
            .map(|k| (k as f64 + start).sin())
            .collect(),
    };
    EvolvedBasis::new(
        vec![Arc::new(line), Arc::new(tanh)],
        vec![span(-1.0, 0.25, 0, 8, 5), span(0.25, 6.0, 1, 5, 3)],
    )
    .unwrap()
}

fn tensor() -> TensorBasis {
    let line = AxisFunctions::new((-1.5, 2.0), false, 5).unwrap();
    let circle = AxisFunctions::new((0.0, 1.0 / 3.0), true, 3).unwrap();
    TensorBasis::new(vec![line, circle]).unwrap()
}

fn orthogonal() -> OrthogonalPolynomials {
    let points = UnitSampler::halton(3).points(200, 2);
    OrthogonalPolynomials::new(points.view(), &[0.005; 200], 4).unwrap()
}

fn all_kinds(seed: u64) -> Vec<Arc<dyn Basis>> {
    let mixed = FrequencyLaw::Blocks(vec![
        (0.3, FrequencyLaw::Cholesky(vec![0.1, -0.7, 1.0 / 3.0])),
        (
            0.7,
            FrequencyLaw::low_order_mix(&FrequencyLaw::PerAxis(vec![1.0, 0.2])),
        ),
    ]);
    let waves = SinusoidalBasis::builder(2, 20)
        .law(mixed)
        .seed(seed)
        .draw(Draw::Orthogonal)
        .map(map())
        .parity([Parity::Odd, Parity::None])
        .build()
        .unwrap();
    let waves = Arc::new(waves);
    let tanh = TanhBasis::builder(2, 7)
        .weights(WeightLaw::Gaussian(2.0))
        .seed(seed)
        .map(map())
        .normalised(true)
        .build()
        .unwrap();
    let tanh = Arc::new(tanh);
    let centers = array![[0.1, 0.2], [1.0 / 3.0, 1e-17], [-4.0, 1e30]];
    let radial = Arc::new(MultiquadricBasis::with_map(centers.view(), 0.7, map()).unwrap());
    let polynomial = Arc::new(PolynomialBasis::legendre(map(), 3).unwrap());
    let joined = Arc::new(
        JoinedBasis::new([
            waves.clone() as Arc<dyn Basis>,
            polynomial.clone(),
            tanh.clone(),
        ])
        .unwrap(),
    );
    let even = SymmetrisedBasis::new(joined.clone(), &[Parity::Even; 2], &[0.1, 0.2]).unwrap();
    vec![
        Arc::new(waves.select(&[3, 1, 19]).unwrap()),
        waves,
        tanh,
        radial,
        polynomial,
        joined,
        Arc::new(even),
        Arc::new(evolved()),
        Arc::new(tensor()),
        Arc::new(orthogonal()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn a_round_trip_through_json_is_exact(seed: u64) {
        for basis in all_kinds(seed) {
            let saved = basis.to_saved().unwrap();
            let text = serde_json::to_string(&saved).unwrap();
            let read: SavedBasis = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&read, &saved);
            prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
            let copy = read.into_basis();
            for x in [[0.3, 0.4], [-1.0, 5.0], [0.1, 0.2]] {
                let bits = |b: &dyn Basis| -> Vec<u64> {
                    let values = b.value_at(&x).unwrap().into_iter();
                    values.chain(b.laplacian_at(&x).unwrap()).map(f64::to_bits).collect()
                };
                prop_assert_eq!(bits(&*copy), bits(&*basis));
            }
        }
    }
}

fn reads(value: &Value) -> bool {
    serde_json::from_value::<SavedBasis>(value.clone()).is_ok()
}

/// Every array in the value, by its JSON pointer.
fn arrays(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            found.push(at.to_owned());
            for (k, item) in items.iter().enumerate() {
                arrays(item, &format!("{at}/{k}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                arrays(field, &format!("{at}/{name}"), found);
            }
        }
        _ => {}
    }
}

/// A file in which any list of numbers has lost, gained or spoilt an entry is refused, or at least
/// gives a basis that answers without panicking.
#[test]
fn damaged_files_are_refused() {
    for basis in all_kinds(5) {
        let sound = serde_json::to_value(basis.to_saved().unwrap()).unwrap();
        assert!(reads(&sound));
        let mut lists = Vec::new();
        arrays(&sound, "", &mut lists);
        assert!(!lists.is_empty());
        for list in lists {
            let with = |change: &dyn Fn(&mut Vec<Value>)| {
                let mut damaged = sound.clone();
                if let Some(Value::Array(items)) = damaged.pointer_mut(&list) {
                    change(items);
                }
                damaged
            };
            let numbers = sound
                .pointer(&list)
                .and_then(Value::as_array)
                .is_some_and(|items| items.iter().all(Value::is_number));
            let shorter = with(&|items| drop(items.pop()));
            let longer = with(&|items| items.push(items[0].clone()));
            let empty = with(&Vec::clear);
            let null = with(&|items| items[0] = Value::Null);
            assert!(!reads(&null), "{list}");
            assert!(!reads(&empty), "{list}");
            if numbers {
                assert!(!reads(&shorter), "{list}");
                assert!(!reads(&longer), "{list}");
            }
            for damaged in [shorter, longer] {
                if let Ok(saved) = serde_json::from_value::<SavedBasis>(damaged) {
                    let basis = saved.into_basis();
                    let _ = basis.laplacian_at(&vec![0.5; basis.dim()]);
                }
            }
        }
        let mut unknown = sound.clone();
        for field in unknown.as_object_mut().unwrap().values_mut() {
            field
                .as_object_mut()
                .unwrap()
                .insert("extra".into(), json!(1));
        }
        assert!(!reads(&unknown));
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    let set = |basis: &dyn Basis, pointer: &str, to: Value| {
        let mut value = serde_json::to_value(basis.to_saved().unwrap()).unwrap();
        *value.pointer_mut(pointer).unwrap() = to;
        reads(&value)
    };
    let waves = SinusoidalBasis::random(2, 3, &FrequencyLaw::Isotropic(1.0), 0).unwrap();
    assert!(set(&waves, "/Sinusoidal/law/Isotropic", json!(2.5)));
    assert!(!set(&waves, "/Sinusoidal/law/Isotropic", json!(-1.0)));
    assert!(!set(&waves, "/Sinusoidal/law", json!({"PerAxis": [1.0]})));
    assert!(!set(&waves, "/Sinusoidal/dim", json!(3)));
    assert!(!set(&waves, "/Sinusoidal/dim", json!(0)));
    assert!(!set(&waves, "/Sinusoidal/normalised_by", json!(0)));
    assert!(!set(&waves, "/Sinusoidal/parity", json!(["Even"])));
    assert!(!set(&waves, "/Sinusoidal/map/half/0", json!(0.0)));
    assert!(!set(&waves, "/Sinusoidal/map/half/0", json!(-1.0)));
    // 1e999 reads as an infinity or not at all.
    let text = serde_json::to_string(&waves.to_saved().unwrap()).unwrap();
    let huge = text.replacen("\"phases\":[", "\"phases\":[1e999,", 1);
    assert!(serde_json::from_str::<SavedBasis>(&huge).is_err());

    let radial = MultiquadricBasis::new(array![[0.0, 1.0]].view(), 0.5).unwrap();
    for shape in [0.0, -1.0] {
        assert!(!set(&radial, "/Multiquadric/shape", json!(shape)));
    }
    let polynomial = PolynomialBasis::monomials(map(), 2).unwrap();
    assert!(!set(
        &polynomial,
        "/Polynomial/degree",
        json!(4_000_000_000_u32)
    ));
    let tanh = Arc::new(TanhBasis::builder(2, 3).build().unwrap());
    let odd = SymmetrisedBasis::new(tanh.clone(), &[Parity::Odd, Parity::None], &[0.0; 2]).unwrap();
    assert!(!set(&odd, "/Symmetrised/center", json!([0.0])));
    assert!(!set(&odd, "/Symmetrised/parity", json!(["Odd"])));
    for (pointer, wrong) in [
        ("/Evolved/spans/1/start", json!(0.2)),
        ("/Evolved/spans/1/end", json!(0.25)),
        ("/Evolved/spans/0/space", json!(1)),
        ("/Evolved/spans/0/space", json!(2)),
        ("/Evolved/spans/0/times", json!(4)),
        ("/Evolved/spans/0/times", json!(0)),
        ("/Evolved/spans/0/times", json!(usize::MAX)),
    ] {
        assert!(
            !set(&evolved(), pointer, wrong.clone()),
            "{pointer} {wrong}"
        );
    }
    for (pointer, wrong) in [
        ("/Tensor/axes/0/hi", json!(-1.5)),
        ("/Tensor/axes/0/count", json!(0)),
        ("/Tensor/axes/0/count", json!(5000)),
        ("/Tensor/axes/1/count", json!(4)),
    ] {
        assert!(!set(&tensor(), pointer, wrong.clone()), "{pointer} {wrong}");
    }
    for (pointer, wrong) in [
        ("/Orthogonal/degree", json!(5)),
        ("/Orthogonal/degree", json!(4_000_000_000_u32)),
        ("/Orthogonal/steps/3/axis", json!(2)),
        ("/Orthogonal/steps/3/from", json!(4)),
        ("/Orthogonal/steps/3/start", json!(2)),
        ("/Orthogonal/steps/3/norm", json!(0.0)),
    ] {
        assert!(
            !set(&orthogonal(), pointer, wrong.clone()),
            "{pointer} {wrong}"
        );
    }
    // Of degree 0 there is one polynomial, whatever the number of axes that a file claims.
    let points = ndarray::array![[0.0, 0.5], [0.5, 0.0]];
    let constant = OrthogonalPolynomials::new(points.view(), &[1.0, 1.0], 0).unwrap();
    assert!(!set(&constant, "/Orthogonal/dim", json!(u64::MAX)));
    let line = Arc::new(TanhBasis::builder(1, 3).build().unwrap());
    let line = serde_json::to_value(line.to_saved().unwrap()).unwrap();
    let joined = JoinedBasis::new([tanh.clone() as Arc<dyn Basis>, tanh]).unwrap();
    assert!(!set(&joined, "/Joined/parts/1", line));
}

/// A basis of another crate, which cannot be saved.
#[derive(Debug)]
struct Foreign;

impl Basis for Foreign {
    fn dim(&self) -> usize {
        2
    }

    fn len(&self) -> usize {
        1
    }

    fn write_rows(
        &self,
        _: ndarray::ArrayView2<'_, f64>,
        _: &fastlsq_basis::Form<'_>,
        mut out: faer::MatMut<'_, f64>,
    ) -> Result<(), fastlsq_basis::BasisError> {
        out.fill(1.0);
        Ok(())
    }
}

#[test]
fn what_cannot_be_saved_says_so() {
    let foreign: Arc<dyn Basis> = Arc::new(Foreign);
    assert_eq!(foreign.to_saved(), None);
    let polynomial = Arc::new(PolynomialBasis::monomials(map(), 1).unwrap());
    let joined = JoinedBasis::new([polynomial as Arc<dyn Basis>, foreign.clone()]).unwrap();
    assert_eq!(joined.to_saved(), None);
    let even = SymmetrisedBasis::new(foreign, &[Parity::Even; 2], &[0.0; 2]).unwrap();
    assert_eq!(even.to_saved(), None);
}
