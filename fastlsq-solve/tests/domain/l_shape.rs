//! A domain of one's own with the five required methods: the L-shape (−1, 1)² without its upper
//! right quarter.

use super::*;
use fastlsq_solve::domain::{
    BoundaryPart, BoundaryPoints, BoundingBox, DomainError, DomainExt, PartSelector, Sequence,
};

/// Name, end points (the domain on the left) of each edge.
const EDGES: [(&str, [f64; 2], [f64; 2]); 6] = [
    ("bottom", [-1.0, -1.0], [1.0, -1.0]),
    ("right", [1.0, -1.0], [1.0, 0.0]),
    ("notch floor", [1.0, 0.0], [0.0, 0.0]),
    ("notch side", [0.0, 0.0], [0.0, 1.0]),
    ("top", [0.0, 1.0], [-1.0, 1.0]),
    ("left", [-1.0, 1.0], [-1.0, -1.0]),
];

#[derive(Clone, Debug)]
struct LShape;

impl Domain for LShape {
    fn dim(&self) -> usize {
        2
    }

    fn bounding_box(&self) -> Result<BoundingBox, DomainError> {
        BoundingBox::new(&[-1.0, -1.0], &[1.0, 1.0])
    }

    fn contains(&self, x: &[f64]) -> bool {
        x.iter().all(|x| x.abs() <= 1.0) && x.iter().any(|&x| x <= 0.0)
    }

    fn parts(&self) -> Vec<BoundaryPart> {
        EDGES
            .iter()
            .map(|(name, a, b)| BoundaryPart::wall(*name, (b[0] - a[0]).hypot(b[1] - a[1])))
            .collect()
    }

    fn sample_part(
        &self,
        part: usize,
        count: usize,
        sampler: &mut UnitSampler,
    ) -> Result<BoundaryPoints, DomainError> {
        let (_, a, b) = EDGES.get(part).ok_or(DomainError::PartIndex {
            index: part,
            count: EDGES.len(),
        })?;
        let (along, length) = ([b[0] - a[0], b[1] - a[1]], self.parts()[part].measure);
        let unit = sampler.points(count, 1);
        let points = Array2::from_shape_fn((count, 2), |(i, k)| a[k] + along[k] * unit[[i, 0]]);
        let normals = Array2::from_shape_fn((count, 2), |(_, k)| {
            [along[1] / length, -along[0] / length][k]
        });
        Ok(BoundaryPoints { points, normals })
    }
}

#[test]
fn the_defaults_do_the_rest() {
    assert!((LShape.volume().unwrap() - 3.0).abs() < 0.01);
    // The volume is an estimate, so the theorem holds only to that accuracy.
    assert_divergence_theorem(&LShape, 3e-3);
    assert_outward_normals(&LShape);
    assert_inside(&LShape);
    assert_eq!(LShape.reflect(0), None);
    assert!(matches!(
        LShape.periodic_pair(0, 1, &mut UnitSampler::halton(0)),
        Err(DomainError::Unsupported { .. })
    ));
}

#[test]
fn rejection_is_uniform() {
    for mut sampler in samplers(12) {
        for count in [1, 17, 70_000] {
            assert_eq!(
                LShape.sample_interior(count, &mut sampler).unwrap().nrows(),
                count
            );
        }
        let points = LShape.sample_interior(20_000, &mut sampler).unwrap();
        // Three unit squares: E x = (−½ − ½ + ½)/3, E x² = 1/3.
        for axis in 0..2 {
            assert_mean(&points, |x| x[axis], -1.0 / 6.0);
            assert_mean(&points, |x| x[axis].powi(2), 1.0 / 3.0);
            assert_mean(&points, |x| f64::from(x[axis] > 0.0), 1.0 / 3.0);
        }
    }
}

#[test]
fn edges_get_points_by_length_and_by_name() {
    let mut sampler = UnitSampler::halton(1);
    let all = LShape
        .sample_selected(&PartSelector::AllWalls, 800, &mut sampler)
        .unwrap();
    // Length 8 in all, 200 points on the two long edges each, 100 on the others.
    assert_eq!(
        all.points.column(1).iter().filter(|&&y| y == -1.0).count(),
        200
    );
    assert_eq!(
        all.points
            .rows()
            .into_iter()
            .filter(|x| x[1] == 0.0)
            .count(),
        100
    );
    let notch = LShape
        .sample_selected(&"notch side".into(), 5, &mut sampler)
        .unwrap();
    assert!(
        notch
            .normals
            .rows()
            .into_iter()
            .all(|n| n.to_vec() == [1.0, 0.0])
    );
    let error = LShape.select(&"notch".into()).unwrap_err().to_string();
    assert!(error.contains("\"notch side\""), "{error}");
}

#[test]
fn it_can_be_put_over_time() {
    let history = LShape.over(0.0, 2.0).unwrap();
    assert_divergence_theorem(&history, 3e-3);
    assert_outward_normals(&history);
    assert_inside(&history);
    let names: Vec<String> = history.parts().into_iter().map(|part| part.name).collect();
    assert_eq!(names[5..], ["left", "initial", "final"]);

    // Rejection costs the evenness in space and time together, but not that of each.
    let error = |sequence, f: fn(ArrayView1<'_, f64>) -> f64| {
        let squares = (0..16).map(|seed| {
            let mut sampler = UnitSampler::new(sequence, seed);
            let points = history.sample_interior(2000, &mut sampler).unwrap();
            mean(&points, f).0.powi(2)
        });
        (squares.sum::<f64>() / 16.0).sqrt()
    };
    let gain = |f| error(Sequence::Independent, f) / error(Sequence::Halton, f);
    assert!(gain(|x| x[0] + 1.0 / 6.0) > 4.0);
    assert!(gain(|x| x[2] - 1.0) > 20.0);
    assert!(gain(|x| (x[0] + 1.0 / 6.0) * (x[2] - 1.0)) > 0.8);
}

#[test]
fn the_same_seed_gives_the_same_points() {
    for sequence in [Sequence::Independent, Sequence::Halton] {
        let draw = |seed| {
            let mut sampler = UnitSampler::new(sequence, seed);
            LShape
                .over(0.0, 1.0)
                .unwrap()
                .sample_interior(100, &mut sampler)
                .unwrap()
        };
        assert_eq!(draw(4), draw(4));
        assert_ne!(draw(4), draw(5));
    }
}
