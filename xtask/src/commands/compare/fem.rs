//! Conventional solvers on the unit square and the interval, at equal error and at equal time.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use super::Scope;
pub(super) use super::equal::AUTOMATIC;
use super::equal::note_equal_time;
use super::peer::Peer;
use super::rows::Row;
use super::sample::{Answer, Sample, Side, take_turns};

/// A discretisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Elements {
    degree: usize,
    level: usize,
}

impl Elements {
    /// Quadratic triangles, as in the paper; each level halves them.
    pub(super) const fn p2(level: usize) -> Self {
        Self { degree: 2, level }
    }

    /// Triangles of degree 4, for shapes.
    pub(super) const fn p4(level: usize) -> Self {
        Self { degree: 4, level }
    }

    /// Squares of degree 8, for solutions as smooth as these.
    pub(super) const fn q8(level: usize) -> Self {
        Self { degree: 8, level }
    }

    /// Squares of degree 12.
    pub(super) const fn q12(level: usize) -> Self {
        Self { degree: 12, level }
    }

    fn name(self) -> String {
        let Self { degree, level } = self;
        let shape = if degree <= 4 { "P" } else { "Q" };
        format!("finite elements, {shape}{degree}, level {level}")
    }

    /// The side of this discretisation.
    pub(super) fn side<'a>(self, case: &'a str, truth: &'a Path, peer: &'a Peer) -> Side<'a> {
        Side::peer(self.name(), AUTOMATIC, move |_| {
            let answer: Answer = peer.ask(&json!({
                "case": case, "truth": truth, "degree": self.degree, "level": self.level,
            }))?;
            Ok(answer.into())
        })
    }
}

/// Finite elements of several sizes on one problem.
pub(super) struct Meshes<'a> {
    pub(super) item: &'static str,
    pub(super) case: &'a str,
    pub(super) sizes: &'static [Elements],
    pub(super) truth: &'a Path,
    pub(super) peer: &'a Peer,
}

impl<'a> Meshes<'a> {
    fn side(&self, size: Elements) -> Side<'a> {
        size.side(self.case, self.truth, self.peer)
    }

    /// All sides in turns; then, at equal error, the most accurate elements against ours with their error as
    /// tolerance. The row at equal time is the most accurate one that takes no longer than ours.
    pub(super) fn compare(
        &self,
        mut sides: Vec<Side<'a>>,
        to_tolerance: impl Fn(f64, u64) -> Result<Sample>,
        repeats: usize,
    ) -> Vec<Row> {
        sides.extend(self.sizes.iter().map(|size| self.side(*size)));
        let mut rows = take_turns(self.item, self.case, &sides, repeats);
        let names: Vec<String> = self.sizes.iter().map(|size| size.name()).collect();
        note_equal_time(&mut rows, &names);
        let errors = self.sizes.iter().filter_map(|size| {
            let row = rows.iter().find(|row| row.side == size.name())?;
            Some((*size, row.value_error?.median))
        });
        if let Some((size, error)) = errors.min_by(|a, b| a.1.total_cmp(&b.1)) {
            let case = format!("{}, equal error", self.case);
            let ours = Side::ours(AUTOMATIC, |seed| to_tolerance(error, seed));
            let mut equal = take_turns(self.item, &case, &[ours, self.side(size)], repeats);
            if let Some(row) = equal.first_mut() {
                row.note = format!("tolerance {error:.1e}");
            }
            rows.extend(equal);
        }
        rows
    }
}

/// What Kansa's method is asked.
pub(super) fn kansa_request(case: &str, truth: &Path, scope: &Scope, seed: u64) -> Value {
    // As many as in the paper's baseline in two dimensions.
    let features = scope.pick(300, 900);
    json!({
        "case": case, "truth": truth, "seed": seed, "features": features,
        "interior": 3 * features, "conditions": features / 2,
        "shapes": scope.pick(&[0.5, 1.0, 2.0][..], &[0.25, 0.5, 1.0, 2.0, 4.0][..]),
    })
}

#[cfg(test)]
mod tests {
    use super::{AUTOMATIC, Elements, note_equal_time};
    use crate::commands::compare::rows::Row;
    use crate::commands::compare::sample::Sample;

    #[test]
    fn equal_time_is_the_best_of_those_that_are_not_slower() {
        let row = |side: &str, error, seconds| {
            let sample = Sample {
                value_error: Some(error),
                seconds: Some(seconds),
                ..Sample::default()
            };
            Row::new("linear", "case", side, vec![sample])
        };
        let sizes = [Elements::p2(4), Elements::p2(5), Elements::q8(2)];
        let names = sizes.map(Elements::name);
        let mut rows = vec![
            row(AUTOMATIC, 1e-12, 1.0),
            row(&names[0], 1e-3, 0.1),
            row(&names[1], 1e-4, 0.9),
            row(&names[2], 1e-9, 1.1),
        ];
        note_equal_time(&mut rows, &names);
        let noted =
            |rows: &[Row]| -> Vec<bool> { rows.iter().map(|row| !row.note.is_empty()).collect() };
        assert_eq!(noted(&rows), [false, false, true, false]);
        let mut rows = vec![
            row(AUTOMATIC, 1e-12, 0.01),
            row(&names[0], 1e-3, 0.1),
            row(&names[1], 1e-4, 0.9),
        ];
        note_equal_time(&mut rows, &names);
        assert_eq!(noted(&rows), [false, true, false]);
        assert!(rows[1].note.contains("none"));
    }
}
