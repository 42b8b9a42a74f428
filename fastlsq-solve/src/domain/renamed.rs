//! A domain whose coordinates have names of their own.

use super::forward::forward;
use super::{Domain, DomainError};
use fastlsq_ops::Space;
use std::sync::Arc;

/// A domain with other names for its coordinates; its parts keep their names.
///
/// ```
/// use fastlsq_solve::{BoxDomain, Domain, DomainExt};
/// let section = BoxDomain::unit(2).with_coordinates(["r", "z"]);
/// assert_eq!(section.coordinates().names(), ["r", "z"]);
/// ```
#[derive(Clone, Debug)]
pub struct Renamed<D> {
    inner: D,
    space: Space,
}

impl<D: Domain> Renamed<D> {
    /// The domain with these names, as far as there are names.
    pub fn new<'a>(inner: D, names: impl IntoIterator<Item = &'a str>) -> Self {
        let space = inner.coordinates().renamed(names);
        Self { inner, space }
    }
}

impl<D: Domain> Domain for Renamed<D> {
    forward!(|this| this.inner; dim, bounding_box, contains, parts, sample_part, sample_interior, volume, quadrature, outline, corners, holes, regions, undivided, is_unbounded, periodic_pair, at_one_time, reflect);

    fn coordinates(&self) -> Space {
        self.space.clone()
    }

    fn over_times(&self, start: f64, end: f64) -> Option<Result<Arc<dyn Domain>, DomainError>> {
        let names = self.space.names();
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let renamed = move |domain: Arc<dyn Domain>| -> Arc<dyn Domain> {
            Arc::new(Renamed::new(domain, names.iter().map(String::as_str)))
        };
        let moved = self.inner.over_times(start, end)?;
        Some(moved.map(renamed))
    }
}
