//! What several items need: work that several rows share, figures by name, and names for curves.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use anyhow::{Result, anyhow};

use crate::commands::reproduce::figure::{Look, Series};

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

#[cfg(test)]
mod tests {
    use super::{Shared, named};
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
    fn figures_are_finite() {
        let figures = named([("a", 1.0), ("b", f64::INFINITY), ("c", f64::NAN)]);
        assert_eq!(figures.keys().collect::<Vec<_>>(), ["a"]);
    }
}
