//! The statement of an eigenproblem, and the search for a space that serves it.

use fastlsq_ops::{Coordinate, Expr, Frame, Operator, Parameter};
use std::sync::Arc;

use super::{Spectrum, Wanted, eigenpairs, on_patches};
use crate::domain::{Domain, PartSelector};
use crate::space::{SpaceBuilder, SpaceCondition, SpaceError};

/// Attempts with bandwidths that grow.
const ATTEMPTS: usize = 9;
/// Growth of the bandwidth from one attempt to the next.
const GROWTH: f64 = 1.4;
/// An attempt that leaves more than this share of the previous error counts as slow: smooth functions leave a hundredth.
const SLOW: f64 = 0.1;
/// The least angle of a re-entrant corner.
const REENTRANT: f64 = std::f64::consts::PI + 1e-6;

/// L u = λ M u with B u = 0 on the boundary, for one unknown.
///
/// ```
/// use fastlsq_solve::space::{Eigenproblem, Wanted};
/// use fastlsq_solve::{Interval, WALLS, laplacian, unknown};
///
/// let u = unknown("u");
/// let spectrum = Eigenproblem::new(Interval::unit(), -laplacian(u))
///     .condition(WALLS, u)
///     .solve(Wanted::Smallest(5))?;
/// for (k, pair) in spectrum.pairs().iter().enumerate() {
///     let exact = (std::f64::consts::PI * (k + 1) as f64).powi(2);
///     assert!((pair.value.re / exact - 1.0).abs() < 1e-12);
/// }
/// # Ok::<(), fastlsq_solve::space::SpaceError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Eigenproblem {
    pub(super) domain: Arc<dyn Domain>,
    pub(super) left: Expr,
    pub(super) mass: Option<Expr>,
    pub(super) conditions: Vec<(PartSelector, Expr)>,
    pub(super) periodic: Vec<Coordinate>,
    pub(super) parameters: Vec<(Parameter, f64)>,
    pub(super) tolerance: f64,
    bandwidth: Option<f64>,
    pub(super) seed: u64,
}

/// The problem as operators.
struct Lowered {
    builder: SpaceBuilder,
    operator: Operator,
    mass: Option<Operator>,
    conditions: Vec<SpaceCondition>,
}

impl Eigenproblem {
    /// L u = λ u on a domain, without conditions so far, to a relative tolerance of 1e-12 in one dimension
    /// and 1e-10 in several.
    pub fn new(domain: impl Domain + 'static, left: impl Into<Expr>) -> Self {
        let tolerance = if domain.dim() == 1 { 1e-12 } else { 1e-10 };
        Self {
            domain: Arc::new(domain),
            left: left.into(),
            mass: None,
            conditions: Vec::new(),
            periodic: Vec::new(),
            parameters: Vec::new(),
            tolerance,
            bandwidth: None,
            seed: 0,
        }
    }

    /// M u on the right, beside λ.
    #[must_use]
    pub fn mass(mut self, mass: impl Into<Expr>) -> Self {
        self.mass = Some(mass.into());
        self
    }

    /// The expression vanishes on a part of the boundary.
    #[must_use]
    pub fn condition(mut self, part: impl Into<PartSelector>, left: impl Into<Expr>) -> Self {
        self.conditions.push((part.into(), left.into()));
        self
    }

    /// Functions are periodic along this coordinate, with the extent of the domain as their period.
    #[must_use]
    pub fn periodic(mut self, along: Coordinate) -> Self {
        self.periodic.push(along);
        self
    }

    /// The value of a parameter.
    #[must_use]
    pub fn parameter(mut self, parameter: impl Into<Parameter>, value: f64) -> Self {
        self.parameters.push((parameter.into(), value));
        self
    }

    /// The relative error that is asked for.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// A fixed bandwidth instead of a search (for a bounding box that is mapped to [−1, 1]^d).
    #[must_use]
    pub fn bandwidth(mut self, bandwidth: f64) -> Self {
        self.bandwidth = Some(bandwidth);
        self
    }

    /// The seed of the features.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Grows the bandwidth until the estimates meet the tolerance or stop falling. Where they fall slowly, or the domain
    /// has re-entrant corners, and the domain is a union of boxes, patches take over.
    ///
    /// # Errors
    /// Expressions that are not linear and homogeneous in one unknown or do not fit the domain, conditions
    /// that leave nothing.
    pub fn solve(&self, wanted: Wanted) -> Result<Spectrum, SpaceError> {
        let lowered = self.lowered()?;
        if let Some(bandwidth) = self.bandwidth {
            return lowered.at(bandwidth, wanted);
        }
        let dim = self.domain.dim();
        let count = wanted.count() as f64;
        // Waves of the highest of k eigenfunctions, by Weyl's law, and a few more.
        let weyl = 1.6 * count.powf(1.0 / dim as f64) + 6.0;
        let mut bandwidth = if dim == 1 { weyl + 6.0 } else { weyl };
        let mass = lowered.mass.as_ref();
        let mut patches = on_patches::may_help(self, &lowered.operator, mass);
        let sharp = patches && has_reentrant_corner(self.domain.as_ref());
        let mut last: Option<Spectrum> = None;
        for _ in 0..ATTEMPTS {
            let mut found = match lowered.at(bandwidth, wanted) {
                Err(SpaceError::TooLarge { .. }) if last.is_some() => break,
                other => other?,
            };
            if let Some(last) = &last {
                found.compare(last);
            }
            let enough = found.pairs.len() >= wanted.count();
            let estimate = found.worst_estimate();
            // Beyond the floor of rounding a larger space only adds noise.
            let floor = found.rounding();
            let before = last.as_ref().map(Spectrum::worst_estimate);
            let worse = last.as_ref().is_some_and(|last| {
                last.pairs.len() >= wanted.count() && last.worst_estimate() < estimate
            });
            if !worse {
                last = Some(found);
            }
            if !worse && enough && estimate <= self.tolerance.max(floor) {
                break;
            }
            let slow = before.is_some_and(|before| estimate > SLOW * before);
            if patches && enough && (sharp || slow) {
                let rough = last.as_ref();
                let found = rough.and_then(|r| on_patches::refined(self, mass, wanted, r));
                if let Some(found) = found {
                    return Ok(found);
                }
                patches = false;
            }
            if worse {
                break;
            }
            bandwidth *= GROWTH;
        }
        last.ok_or(SpaceError::Numerical {
            what: "the eigenvalue iteration",
        })
    }

    fn lowered(&self) -> Result<Lowered, SpaceError> {
        let mut unknowns = self.left.unknowns();
        let others = self.mass.iter().chain(self.conditions.iter().map(|c| &c.1));
        for unknown in others.flat_map(Expr::unknowns) {
            if !unknowns.contains(&unknown) {
                unknowns.push(unknown);
            }
        }
        if unknowns.len() != 1 {
            return Err(SpaceError::Unknowns {
                names: unknowns.iter().map(ToString::to_string).collect(),
            });
        }
        let space = self.domain.coordinates();
        let mut builder = SpaceBuilder::new(Arc::clone(&self.domain))
            .tolerance(self.tolerance)
            .seed(self.seed);
        for along in &self.periodic {
            builder = builder.periodic(space.axis_of(*along)?);
        }
        let frame = Frame::new(space, unknowns).with_values(self.parameters.iter().copied());
        let operator = homogeneous(&frame, &self.left)?;
        let mass = self.mass.as_ref().map(|mass| homogeneous(&frame, mass));
        let conditions = self.conditions.iter().map(|(part, left)| {
            let operator = homogeneous(&frame, left)?;
            let label = format!("{left} on {part}");
            Ok(SpaceCondition::new(label, part.clone(), operator))
        });
        Ok(Lowered {
            builder: builder.order(operator.order()),
            mass: mass.transpose()?,
            conditions: conditions.collect::<Result<_, SpaceError>>()?,
            operator,
        })
    }
}

impl Lowered {
    fn at(&self, bandwidth: f64, wanted: Wanted) -> Result<Spectrum, SpaceError> {
        let space = Arc::new(self.builder.space(bandwidth, &self.conditions)?);
        eigenpairs(&space, &self.operator, self.mass.as_ref(), wanted)
    }
}

fn has_reentrant_corner(domain: &dyn Domain) -> bool {
    let mut corners = domain.corners().into_iter();
    corners.any(|corner| corner.angle > REENTRANT)
}

/// The operator of an expression that is linear in the unknown and has no further terms.
fn homogeneous(frame: &Frame, expression: &Expr) -> Result<Operator, SpaceError> {
    let further = frame.lower_scalar(expression)?.source();
    let row = frame.row(expression)?;
    let none = further.is_none_or(|f| f.as_constant() == Some(0.0));
    match row.block(0) {
        Some(operator) if none => Ok(operator.clone()),
        _ => Err(SpaceError::NotHomogeneous {
            expression: expression.to_string(),
        }),
    }
}
