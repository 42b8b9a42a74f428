//! What several items need: work that several rows share, figures by name, and names for curves.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::{Result, anyhow};

use crate::commands::reproduce::figure::{Look, Series};
use crate::commands::reproduce::results::Run;

/// Work behind several rows, done by the first job that asks for it.
pub(super) struct Shared<T>(Rc<OnceCell<Result<T, String>>>);

impl<T> Shared<T> {
    /// Not yet done.
    pub(super) fn new() -> Self {
        Self(Rc::new(OnceCell::new()))
    }

    /// The outcome; a failure is the failure of every row.
    pub(super) fn get(&self, work: impl FnOnce() -> Result<T>) -> Result<&T> {
        let outcome = self
            .0
            .get_or_init(|| work().map_err(|error| format!("{error:#}")));
        outcome.as_ref().map_err(|reason| anyhow!("{reason}"))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

/// Figures by name; those that are not finite, which the file cannot hold, are left out.
pub(super) fn named<const N: usize>(figures: [(&str, f64); N]) -> BTreeMap<String, f64> {
    let finite = figures.into_iter().filter(|(_, value)| value.is_finite());
    finite
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// A curve; one without a label is not in the legend.
pub(super) fn curve(label: &str, points: Vec<(f64, f64)>, look: Look) -> Series {
    Series {
        label: label.to_owned(),
        points,
        look,
    }
}

/// Histories by name.
pub(super) fn lists<const N: usize>(named: [(&str, Vec<f64>); N]) -> BTreeMap<String, Vec<f64>> {
    named.map(|(name, values)| (name.to_owned(), values)).into()
}

/// One coordinate of many points.
pub(super) fn coordinates(points: &[[f64; 2]], axis: usize) -> Vec<f64> {
    points.iter().map(|point| point[axis]).collect()
}

/// Two histories of a run as points.
pub(super) fn pairs(run: &Run, x: &str, y: &str) -> Vec<(f64, f64)> {
    let list = |name: &str| run.series.get(name).into_iter().flatten().copied();
    list(x).zip(list(y)).collect()
}

/// Lines as histories: their points one after the other, and the number of points of each.
pub(super) fn keep_lines(name: &str, lines: &[Vec<[f64; 2]>]) -> BTreeMap<String, Vec<f64>> {
    let points: Vec<[f64; 2]> = lines.iter().flatten().copied().collect();
    let lengths = lines.iter().map(|line| line.len() as f64).collect();
    [
        (format!("{name}_length"), lengths),
        (format!("{name}_x"), coordinates(&points, 0)),
        (format!("{name}_y"), coordinates(&points, 1)),
    ]
    .into()
}

/// The lines of a run that were kept under this name, as curves of which one is in the legend.
pub(super) fn kept_lines(run: &Run, name: &str, label: &str, look: Look) -> Vec<Series> {
    let points = pairs(run, &format!("{name}_x"), &format!("{name}_y"));
    let mut rest = points.as_slice();
    let mut series = Vec::new();
    let lengths = run.series.get(&format!("{name}_length"));
    for length in lengths.into_iter().flatten() {
        let Some((line, others)) = rest.split_at_checked(*length as usize) else {
            break;
        };
        let label = if series.is_empty() { label } else { "" };
        series.push(curve(label, line.to_vec(), look));
        rest = others;
    }
    series
}

#[cfg(test)]
mod tests {
    use super::{Shared, keep_lines, kept_lines, named};
    use crate::commands::reproduce::figure::Look;
    use crate::commands::reproduce::results::Run;
    use anyhow::anyhow;

    #[test]
    fn work_is_done_once_and_fails_for_all() {
        let shared = Shared::new();
        assert_eq!(shared.clone().get(|| Ok(3)).ok(), Some(&3));
        assert_eq!(shared.get(|| Ok(4)).ok(), Some(&3));
        let failing = Shared::<i32>::new();
        assert!(failing.get(|| Err(anyhow!("no such thing"))).is_err());
        let again = failing.get(|| Ok(1)).unwrap_err();
        assert_eq!(again.to_string(), "no such thing");
    }

    #[test]
    fn lines_are_kept_as_they_are() {
        let lines = [vec![[0.0, 1.0], [2.0, 3.0]], vec![[4.0, 5.0]]];
        let run = Run {
            series: keep_lines("line", &lines),
            ..Run::default()
        };
        let kept = kept_lines(&run, "line", "level", Look::Stroke(0));
        assert_eq!(kept[0].points, [(0.0, 1.0), (2.0, 3.0)]);
        assert_eq!(kept[1].points, [(4.0, 5.0)]);
        assert_eq!(
            (kept[0].label.as_str(), kept[1].label.as_str()),
            ("level", "")
        );
        assert!(kept_lines(&run, "other", "level", Look::Stroke(0)).is_empty());
    }

    #[test]
    fn figures_are_finite() {
        let figures = named([("a", 1.0), ("b", f64::INFINITY), ("c", f64::NAN)]);
        assert_eq!(figures.keys().collect::<Vec<_>>(), ["a"]);
    }
}
