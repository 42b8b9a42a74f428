//! Methods of domains that ask another domain.

/// Inside an implementation of [`Domain`](super::Domain): `forward!(|this| this.inner; dim, contains)` makes these methods ask
/// `inner`; `everything` makes all of them ask it.
macro_rules! forward {
    (|$this:ident| $inner:expr; everything) => {
        $crate::domain::forward::forward!(|$this| $inner; dim, bounding_box, contains, parts, sample_part,
            sample_interior, volume, coordinates, quadrature, outline, corners, holes, regions, undivided,
            is_unbounded, periodic_pair, over_times, at_one_time, reflect);
    };
    (|$this:ident| $inner:expr; $($method:ident),+) => {
        $($crate::domain::forward::forward!(@$method $this $inner);)+
    };
    (@dim $this:ident $inner:expr) => {
        fn dim(&self) -> usize {
            let $this = self;
            $inner.dim()
        }
    };
    (@bounding_box $this:ident $inner:expr) => {
        fn bounding_box(&self) -> Result<$crate::domain::BoundingBox, $crate::domain::DomainError> {
            let $this = self;
            $inner.bounding_box()
        }
    };
    (@contains $this:ident $inner:expr) => {
        fn contains(&self, point: &[f64]) -> bool {
            let $this = self;
            $inner.contains(point)
        }
    };
    (@parts $this:ident $inner:expr) => {
        fn parts(&self) -> Vec<$crate::domain::BoundaryPart> {
            let $this = self;
            $inner.parts()
        }
    };
    (@sample_part $this:ident $inner:expr) => {
        fn sample_part(
            &self,
            part: usize,
            count: usize,
            sampler: &mut fastlsq_basis::sampling::UnitSampler,
        ) -> Result<$crate::domain::BoundaryPoints, $crate::domain::DomainError> {
            let $this = self;
            $inner.sample_part(part, count, sampler)
        }
    };
    (@sample_interior $this:ident $inner:expr) => {
        fn sample_interior(
            &self,
            count: usize,
            sampler: &mut fastlsq_basis::sampling::UnitSampler,
        ) -> Result<ndarray::Array2<f64>, $crate::domain::DomainError> {
            let $this = self;
            $inner.sample_interior(count, sampler)
        }
    };
    (@volume $this:ident $inner:expr) => {
        fn volume(&self) -> Result<f64, $crate::domain::DomainError> {
            let $this = self;
            $inner.volume()
        }
    };
    (@coordinates $this:ident $inner:expr) => {
        fn coordinates(&self) -> fastlsq_ops::Space {
            let $this = self;
            $inner.coordinates()
        }
    };
    (@quadrature $this:ident $inner:expr) => {
        fn quadrature(
            &self,
            count: usize,
        ) -> Result<$crate::domain::Quadrature, $crate::domain::DomainError> {
            let $this = self;
            $inner.quadrature(count)
        }
    };
    (@outline $this:ident $inner:expr) => {
        fn outline(&self) -> Option<$crate::domain::Outline> {
            let $this = self;
            $inner.outline()
        }
    };
    (@corners $this:ident $inner:expr) => {
        fn corners(&self) -> Vec<$crate::domain::Corner> {
            let $this = self;
            $inner.corners()
        }
    };
    (@holes $this:ident $inner:expr) => {
        fn holes(&self) -> Vec<$crate::domain::Hole> {
            let $this = self;
            $inner.holes()
        }
    };
    (@regions $this:ident $inner:expr) => {
        fn regions(&self) -> Vec<$crate::domain::Region> {
            let $this = self;
            $inner.regions()
        }
    };
    (@undivided $this:ident $inner:expr) => {
        fn undivided(&self) -> Option<std::sync::Arc<dyn $crate::domain::Domain>> {
            let $this = self;
            $inner.undivided()
        }
    };
    (@is_unbounded $this:ident $inner:expr) => {
        fn is_unbounded(&self) -> bool {
            let $this = self;
            $inner.is_unbounded()
        }
    };
    (@periodic_pair $this:ident $inner:expr) => {
        fn periodic_pair(
            &self,
            axis: usize,
            count: usize,
            sampler: &mut fastlsq_basis::sampling::UnitSampler,
        ) -> Result<(ndarray::Array2<f64>, ndarray::Array2<f64>), $crate::domain::DomainError> {
            let $this = self;
            $inner.periodic_pair(axis, count, sampler)
        }
    };
    (@over_times $this:ident $inner:expr) => {
        fn over_times(
            &self,
            start: f64,
            end: f64,
        ) -> Option<Result<std::sync::Arc<dyn $crate::domain::Domain>, $crate::domain::DomainError>> {
            let $this = self;
            $inner.over_times(start, end)
        }
    };
    (@at_one_time $this:ident $inner:expr) => {
        fn at_one_time(&self) -> Option<std::sync::Arc<dyn $crate::domain::Domain>> {
            let $this = self;
            $inner.at_one_time()
        }
    };
    (@reflect $this:ident $inner:expr) => {
        fn reflect(&self, axis: usize) -> Option<f64> {
            let $this = self;
            $inner.reflect(axis)
        }
    };
}

pub(super) use forward;
