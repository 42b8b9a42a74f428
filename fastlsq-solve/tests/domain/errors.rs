//! Each kind of wrong request.

use super::*;
use fastlsq_solve::domain::{
    Ball, BoundaryPart, BoundaryPoints, BoundingBox, BoxDomain, DomainError, DomainExt, Interval,
    PartSelector,
};

#[test]
fn improper_boxes() {
    assert_eq!(BoxDomain::new(&[], &[]), Err(DomainError::ZeroDimension));
    assert_eq!(
        BoxDomain::new(&[0.0], &[1.0, 2.0]),
        Err(DomainError::CornerMismatch { lo: 1, hi: 2 })
    );
    assert_eq!(
        BoxDomain::new(&[0.0, 1.0], &[1.0, 1.0]),
        Err(DomainError::EmptyExtent {
            axis: 1,
            lo: 1.0,
            hi: 1.0
        })
    );
    assert_eq!(
        Interval::new(2.0, 1.0),
        Err(DomainError::EmptyExtent {
            axis: 0,
            lo: 2.0,
            hi: 1.0
        })
    );
    for (lo, hi) in [
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
        (f64::NEG_INFINITY, 0.0),
        (-1e308, 1e308),
    ] {
        assert!(matches!(
            Interval::new(lo, hi),
            Err(DomainError::NonFinite { axis: 0, .. })
        ));
    }
    let message = Interval::new(2.0, 1.0).unwrap_err().to_string();
    assert!(message.contains("from 2 to 1"), "{message}");
}

#[test]
fn improper_balls() {
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            Ball::new(&[0.0], radius),
            Err(DomainError::BadRadius { .. })
        ));
    }
    assert_eq!(Ball::new(&[], 1.0), Err(DomainError::ZeroDimension));
    assert!(matches!(
        Ball::new(&[0.0, f64::NAN], 1.0),
        Err(DomainError::NonFinite {
            what: "the centre",
            axis: 1,
            ..
        })
    ));
    assert!(matches!(
        Ball::new(&[1e20], 1.0),
        Err(DomainError::EmptyExtent { .. })
    ));
    assert!(matches!(
        Ball::new(&[1.7e308], 1e308),
        Err(DomainError::NonFinite { .. })
    ));
}

#[test]
fn improper_times() {
    assert_eq!(
        BoxDomain::unit(2).over(1.0, 1.0).unwrap_err(),
        DomainError::EmptyExtent {
            axis: 2,
            lo: 1.0,
            hi: 1.0
        }
    );
    assert!(matches!(
        Interval::unit().over(0.0, f64::NAN),
        Err(DomainError::NonFinite { .. })
    ));
    let twice = Interval::unit().over(0.0, 1.0).unwrap().over(0.0, 1.0);
    assert!(matches!(twice, Err(DomainError::Unsupported { .. })));
}

#[test]
fn no_axes_is_an_error_at_use() {
    let mut sampler = UnitSampler::independent(0);
    let domains: [&dyn Domain; 2] = [&BoxDomain::unit(0), &Ball::unit(0)];
    for domain in domains {
        assert_eq!(domain.dim(), 0);
        assert!(!domain.contains(&[]));
        assert!(domain.parts().is_empty());
        assert_eq!(domain.reflect(0), None);
        assert_eq!(domain.bounding_box(), Err(DomainError::ZeroDimension));
        assert_eq!(domain.volume(), Err(DomainError::ZeroDimension));
        assert_eq!(
            domain.sample_interior(1, &mut sampler),
            Err(DomainError::ZeroDimension)
        );
        assert_eq!(
            domain.sample_part(0, 1, &mut sampler),
            Err(DomainError::ZeroDimension)
        );
        assert!(domain.periodic_pair(0, 1, &mut sampler).is_err());
        assert!(
            domain
                .sample_selected(&PartSelector::AllWalls, 1, &mut sampler)
                .is_err()
        );
    }
    assert_eq!(
        BoxDomain::unit(0).over(0.0, 1.0).unwrap_err(),
        DomainError::ZeroDimension
    );
    assert_eq!(
        Ball::unit(0).over(0.0, 1.0).unwrap_err(),
        DomainError::ZeroDimension
    );
}

#[test]
fn unknown_parts_are_answered_with_the_known_ones() {
    let mut sampler = UnitSampler::independent(0);
    let square = BoxDomain::unit(2);
    let error = square
        .sample_selected(&"top".into(), 4, &mut sampler)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "no boundary part is named \"top\": the parts are \"x=lo\", \"x=hi\", \"y=lo\", \"y=hi\""
    );
    let error = square.select(&PartSelector::Initial).unwrap_err();
    assert!(matches!(error, DomainError::NothingSelected { .. }));
    assert!(error.to_string().contains("`over(t0, t1)`"), "{error}");
    assert!(square.select(&PartSelector::Final).is_err());

    let too_large = DomainError::PartIndex { index: 4, count: 4 };
    assert_eq!(square.sample_part(4, 1, &mut sampler), Err(too_large));
    let too_large = DomainError::PartIndex {
        index: usize::MAX,
        count: 1,
    };
    assert_eq!(
        Ball::unit(2).sample_part(usize::MAX, 1, &mut sampler),
        Err(too_large)
    );
    let rod = Interval::unit().over(0.0, 1.0).unwrap();
    let too_large = DomainError::PartIndex { index: 4, count: 4 };
    assert_eq!(rod.sample_part(4, 1, &mut sampler), Err(too_large));
}

#[test]
fn unsupported_periodicity() {
    let mut sampler = UnitSampler::independent(0);
    let disc = Ball::unit(2);
    assert!(matches!(
        disc.periodic_pair(0, 1, &mut sampler),
        Err(DomainError::Unsupported { .. })
    ));
    assert!(matches!(
        disc.over(0.0, 1.0)
            .unwrap()
            .periodic_pair(0, 1, &mut sampler),
        Err(DomainError::Unsupported { .. })
    ));
    let too_large = DomainError::AxisIndex { axis: 2, dim: 2 };
    assert_eq!(
        BoxDomain::unit(2).periodic_pair(2, 1, &mut sampler),
        Err(too_large.clone())
    );
    let rod = Interval::unit().over(0.0, 1.0).unwrap();
    assert_eq!(rod.periodic_pair(2, 1, &mut sampler), Err(too_large));
}

#[test]
fn absurd_counts() {
    let mut sampler = UnitSampler::independent(0);
    let domains: [&dyn Domain; 3] = [
        &BoxDomain::unit(2),
        &Ball::unit(2),
        &Interval::unit().over(0.0, 1.0).unwrap(),
    ];
    for domain in domains {
        for count in [usize::MAX, usize::MAX / 2, usize::MAX / 16] {
            let too_many = |error| matches!(error, DomainError::TooManyPoints { .. });
            assert!(too_many(
                domain.sample_interior(count, &mut sampler).unwrap_err()
            ));
            for part in 0..domain.parts().len() {
                assert!(too_many(
                    domain.sample_part(part, count, &mut sampler).unwrap_err()
                ));
            }
            let everything = PartSelector::Everything;
            let error = domain
                .sample_selected(&everything, count, &mut sampler)
                .unwrap_err();
            assert!(too_many(error));
        }
    }
}

#[test]
fn points_of_another_dimension_are_outside() {
    assert!(!BoxDomain::unit(2).contains(&[0.5]));
    assert!(!Ball::unit(2).contains(&[0.0, 0.0, 0.0]));
    assert!(!Ball::unit(2).contains(&[f64::NAN, 0.0]));
    assert!(!BoxDomain::unit(1).contains(&[f64::NAN]));
    assert!(!Interval::unit().over(0.0, 1.0).unwrap().contains(&[]));
}

/// A domain that gets everything wrong.
#[derive(Debug)]
struct Broken {
    dim: usize,
    measure: f64,
}

impl Domain for Broken {
    fn dim(&self) -> usize {
        self.dim
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        BoundingBox::new(&[0.0, 0.0], &[1.0, 1.0])
    }

    fn contains(&self, _: &[f64]) -> bool {
        false
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        vec![
            BoundaryPart::wall("a", self.measure),
            BoundaryPart::wall("b", 1.0),
        ]
    }

    fn sample_part(
        &self,
        _: usize,
        count: usize,
        _: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        Ok(BoundaryPoints {
            points: Array2::zeros((count, 2)),
            normals: Array2::zeros((count + 1, 2)),
        })
    }
}

#[test]
fn broken_domains_are_errors_not_panics() {
    let mut sampler = UnitSampler::halton(0);
    let never = Broken {
        dim: 2,
        measure: 1.0,
    };
    assert!(matches!(
        never.sample_interior(10, &mut sampler),
        Err(DomainError::HopelessRejection { accepted: 0, .. })
    ));
    assert_eq!(never.volume(), Ok(0.0));
    assert_eq!(
        never.sample_interior(0, &mut sampler).unwrap().dim(),
        (0, 2)
    );
    let walls = PartSelector::AllWalls;
    assert!(matches!(
        never.sample_selected(&walls, 10, &mut sampler),
        Err(DomainError::WrongShape { got_rows: 6, .. })
    ));
    assert!(matches!(
        never
            .over(0.0, 1.0)
            .unwrap()
            .sample_part(0, 4, &mut sampler),
        Err(DomainError::WrongShape { .. })
    ));
    let flat = Broken {
        dim: 3,
        measure: f64::NAN,
    };
    assert!(matches!(
        flat.sample_interior(1, &mut sampler),
        Err(DomainError::WrongShape {
            columns: 3,
            got_columns: 2,
            ..
        })
    ));
    assert!(matches!(
        flat.sample_selected(&walls, 1, &mut sampler),
        Err(DomainError::BadMeasure { .. })
    ));
    assert!(matches!(
        flat.over(0.0, 1.0),
        Err(DomainError::WrongShape { .. })
    ));
}
