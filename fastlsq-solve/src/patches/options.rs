//! What can be chosen, with defaults.

use std::fmt;

use super::{PatchError, PatchProblem};
use crate::control::{Control, gibibytes};
use crate::domain::Domain;

/// The functions that a leaf is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LeafFeatures {
    /// Random waves, frequencies uniform in a ball of the given radius (per half-width of the leaf).
    Waves {
        /// How many are drawn, before compression.
        count: usize,
        /// The radius of the ball.
        bandwidth: f64,
    },
    /// Products of Legendre polynomials up to a total degree.
    Legendre {
        /// The largest total degree.
        degree: u32,
    },
}

impl fmt::Display for LeafFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waves { count, bandwidth } => {
                write!(
                    f,
                    "{count} waves of frequencies up to {bandwidth} per half-width"
                )
            }
            Self::Legendre { degree } => write!(f, "Legendre polynomials up to degree {degree}"),
        }
    }
}

/// Matrices with a row per inner point and a column per function that are in memory while a leaf is made.
const TABLES: f64 = 24.0;
/// Operations per second on the way to it, or somewhat less.
const RATE: f64 = 1e10;

/// Gibibytes that operators and fronts may take where no limit is given; sharp peaks in space take three.
const DEFAULT_GIBIBYTES: u64 = 6;

/// The fewest traces of a leaf in space for each solution in it of the same parity: with 1.07 of them errors were 1e-2,
/// with 1.25 at rounding.
const TRACES: f64 = 1.15;

/// How a leaf is discretised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeafSize {
    /// Its functions.
    pub features: LeafFeatures,
    /// Gauss nodes along a side in the plane; in space, polynomials of lower total degree than this on a side.
    pub side_nodes: usize,
    /// Chebyshev points along each axis inside, where the equation is written down.
    pub inner_points: usize,
}

impl LeafSize {
    /// The default in dimension `dim`: polynomials, which have a lower rounding floor than waves; in space where leaves do not
    /// share their operators, see [`in_space`](Self::in_space).
    #[must_use]
    pub fn for_dim(dim: usize) -> Self {
        match dim {
            1 => Self::legendre(20, 1, 26),
            2 => Self::legendre(18, 14, 20),
            _ => Self::legendre(15, 11, 14),
        }
    }

    /// The default in space for one equation with constant coefficients, whose leaves share their operators, so that large ones
    /// cost little: more functions for a tolerance below 1e-3.
    #[must_use]
    pub fn in_space(tolerance: f64) -> Self {
        if tolerance >= 1e-3 {
            Self::for_dim(3)
        } else {
            Self::legendre(19, 15, 18)
        }
    }

    /// The default where solutions oscillate throughout, as those of Helmholtz's equation do: more functions in fewer
    /// leaves.
    #[must_use]
    pub fn oscillating(dim: usize) -> Self {
        match dim {
            1 => Self::legendre(30, 1, 40),
            2 => Self::legendre(24, 20, 26),
            _ => Self::legendre(15, 11, 14),
        }
    }

    /// Whether there is time and memory for the first leaf.
    pub(super) fn check_limits(
        &self,
        problem: &PatchProblem,
        control: &Control,
    ) -> Result<(), PatchError> {
        let (dim, unknowns) = (problem.dim(), problem.unknowns());
        let functions = match self.features {
            LeafFeatures::Waves { count, .. } => count as f64,
            LeafFeatures::Legendre { degree } => (1..=dim)
                .map(|k| (f64::from(degree) + k as f64) / k as f64)
                .product(),
        };
        let columns = unknowns as f64 * functions;
        let points = (self.inner_points as f64).powi(i32::try_from(dim).unwrap_or(3));
        let entries = points * unknowns as f64 * columns;
        control.allow_bytes(Some((8.0 * TABLES * entries) as usize))?;
        control.allow_seconds(4.0 * entries * columns / RATE)?;
        Ok(())
    }

    /// Whether traces tell the solutions of an equation in a leaf apart.
    ///
    /// Among the polynomials of degree p in space that solve Laplace's equation, and among those of degree below n on the
    /// faces, functions that are even or odd along the axes keep apart. With parities a, b, c there are t((p − a − b − c)/2)
    /// solutions, t(q) = (q + 1)(q + 2)/2, and on the faces at right angles to the first axis t((n − 1 − b − c)/2)
    /// traces. Leaves with too few of them have solutions that no neighbour sees.
    pub(super) fn check_traces(&self, dim: usize) -> Result<(), PatchError> {
        let LeafFeatures::Legendre { degree } = self.features else {
            return Ok(());
        };
        let count = |degree: usize, odd: usize| match degree.checked_sub(odd) {
            Some(rest) => ((rest / 2 + 1) * (rest / 2 + 2) / 2) as f64,
            None => 0.0,
        };
        let top = self.side_nodes.saturating_sub(1);
        let enough = |odd: usize| {
            // With this many odd axes: faces across an odd axis, and across an even one.
            let across_odd = odd as f64 * count(top, odd.saturating_sub(1));
            let across_even = (3 - odd) as f64 * count(top, odd);
            across_odd + across_even >= TRACES * count(degree as usize, odd)
        };
        if dim < 3 || (0..=3).all(enough) {
            return Ok(());
        }
        Err(PatchError::Option {
            option: "side_nodes",
            value: self.side_nodes as f64,
            requirement: "too few to tell the solutions in a leaf apart; in space, take an odd degree from 13 and four less",
        })
    }

    /// Polynomials up to this total degree, nodes along each axis of a side, points along each axis inside.
    #[must_use]
    pub fn legendre(degree: u32, side_nodes: usize, inner_points: usize) -> Self {
        Self {
            features: LeafFeatures::Legendre { degree },
            side_nodes,
            inner_points,
        }
    }

    /// Random waves in place of polynomials, of about the same resolution.
    #[must_use]
    pub fn waves_for_dim(dim: usize) -> Self {
        let (count, bandwidth, side_nodes, inner_points) = match dim {
            1 => (60, 8.0, 1, 26),
            2 => (240, 6.0, 12, 18),
            _ => (1300, 4.5, 9, 13),
        };
        Self {
            features: LeafFeatures::Waves { count, bandwidth },
            side_nodes,
            inner_points,
        }
    }
}

/// What may be chosen; the default is [`PatchOptions::new`].
#[derive(Debug, Clone, PartialEq)]
pub struct PatchOptions {
    /// The error that is asked for, relative to the size of u in L2. Default 1e-9.
    pub tolerance: f64,
    /// Cells that each box is cut into along each axis before anything is solved. Default: chosen by the sources for one linear
    /// equation with constant coefficients in space, by the wave length where solutions oscillate, one elsewhere.
    pub first_grid: Vec<usize>,
    /// The discretisation of a leaf. Default: by dimension; in space also by the tolerance, see [`LeafSize::in_space`].
    pub leaf: Option<LeafSize>,
    /// The most halvings of a root cell. Default 36.
    pub max_depth: u32,
    /// The most leaves. Default 20 000.
    pub max_leaves: usize,
    /// The most solves. Default 60.
    pub max_rounds: usize,
    /// Limits of time and memory (default: none, and 6 GiB for operators and fronts), and the progress callback. No further
    /// solve is begun once the time is up.
    pub control: Control,
    /// Leaves with an indicator above this share of the largest are split. Default 0.1.
    pub share: f64,
    /// The seed of random features and check points.
    pub seed: u64,
}

/// Whether patches may take the place of one sum of waves in a solve, whose tolerance, seed and limits they then keep.
#[derive(Debug, Clone, PartialEq)]
pub enum Patching {
    /// Where one sum of waves does not meet the tolerance, and at once where the domain has re-entrant corners. In space, where
    /// they take their time, only where waves leave an error above 1e-6, and never in Newton's method.
    WhenNeeded(PatchOptions),
    /// In any case.
    Always(PatchOptions),
    /// Never.
    Never,
}

impl Patching {
    /// Whether they were asked for.
    #[doc(hidden)]
    #[must_use]
    pub fn is_asked_for(&self) -> bool {
        matches!(self, Self::Always(_))
    }

    /// Why one sum of waves need not be tried on a domain, if it need not; where patches may help there.
    #[doc(hidden)]
    #[must_use]
    pub fn at_once(&self, domain: &dyn Domain, may_help: bool) -> Option<&'static str> {
        if self.is_asked_for() {
            return Some("they were asked for");
        }
        let straight = std::f64::consts::PI + 1e-6;
        let corners = || domain.corners();
        let reentrant = may_help && corners().iter().any(|corner| corner.angle > straight);
        reentrant.then_some("the domain has re-entrant corners")
    }
}

impl Default for Patching {
    fn default() -> Self {
        Self::WhenNeeded(PatchOptions::new())
    }
}

impl From<PatchOptions> for Patching {
    fn from(options: PatchOptions) -> Self {
        Self::Always(options)
    }
}

impl Default for PatchOptions {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            first_grid: Vec::new(),
            leaf: None,
            max_depth: 36,
            max_leaves: 20_000,
            max_rounds: 60,
            control: Control::new(),
            share: 0.1,
            seed: 0,
        }
    }
}

impl PatchOptions {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the error that is asked for.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Sets the first grid, one number for each axis.
    #[must_use]
    pub fn first_grid(mut self, cells: impl Into<Vec<usize>>) -> Self {
        self.first_grid = cells.into();
        self
    }

    /// Sets the discretisation of a leaf.
    #[must_use]
    pub fn leaf(mut self, leaf: LeafSize) -> Self {
        self.leaf = Some(leaf);
        self
    }

    /// Sets the number of solves; one means no refinement.
    #[must_use]
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.max_rounds = rounds;
        self
    }

    /// Sets how many times a first cell may be halved.
    #[must_use]
    pub fn max_depth(mut self, depth: u32) -> Self {
        self.max_depth = depth;
        self
    }

    /// Sets the limits of time and memory.
    #[must_use]
    pub fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    /// Sets the number of leaves.
    #[must_use]
    pub fn max_leaves(mut self, leaves: usize) -> Self {
        self.max_leaves = leaves;
        self
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The most bytes for operators and fronts.
    pub(super) fn memory(&self) -> usize {
        self.control
            .memory()
            .unwrap_or(gibibytes(DEFAULT_GIBIBYTES))
    }

    pub(super) fn validate(&self) -> Result<(), PatchError> {
        let check = |option, value: f64, sound: bool, requirement| {
            if sound {
                Ok(())
            } else {
                Err(PatchError::Option {
                    option,
                    value,
                    requirement,
                })
            }
        };
        check(
            "tolerance",
            self.tolerance,
            self.tolerance > 0.0 && self.tolerance < 1.0,
            "it must lie between 0 and 1",
        )?;
        check(
            "share",
            self.share,
            self.share > 0.0 && self.share <= 1.0,
            "it must be above 0 and at most 1",
        )?;
        check(
            "max_rounds",
            self.max_rounds as f64,
            self.max_rounds > 0,
            "at least one solve is needed",
        )?;
        check(
            "max_depth",
            f64::from(self.max_depth),
            self.max_depth <= 39,
            "the lattice has room for 39 halvings",
        )?;
        let Some(leaf) = self.leaf else {
            return Ok(());
        };
        check(
            "side_nodes",
            leaf.side_nodes as f64,
            (1..=60).contains(&leaf.side_nodes),
            "from 1 to 60 nodes",
        )?;
        check(
            "inner_points",
            leaf.inner_points as f64,
            (3..=100).contains(&leaf.inner_points),
            "from 3 to 100 points along an axis",
        )?;
        match leaf.features {
            LeafFeatures::Waves { count, bandwidth } => {
                check(
                    "bandwidth",
                    bandwidth,
                    bandwidth > 0.0 && bandwidth.is_finite(),
                    "it must be positive",
                )?;
                check(
                    "count",
                    count as f64,
                    (3..=20_000).contains(&count),
                    "from 3 to 20 000 waves",
                )
            }
            LeafFeatures::Legendre { degree } => check(
                "degree",
                f64::from(degree),
                (2..=60).contains(&degree),
                "from 2 to 60",
            ),
        }
    }
}
