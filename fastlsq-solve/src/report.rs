//! What was chosen and why, what it cost, and how good the result is.

use std::fmt;
use std::sync::Arc;

use fastlsq_basis::{FrequencyLaw, Parity};

use crate::control::{Control, Limit};
use crate::options::{FeatureChoice, Options};
use crate::patches::{PatchReport, Patching};
use crate::posed::Posedness;
use crate::problem::ConcreteProblem;
use crate::search::{Candidate, Choices, Features, Found};

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Status {
    /// The estimated error is at or below the tolerance.
    ToleranceMet,
    /// More features no longer help: rounding, or a solution these features cannot resolve.
    Saturated,
    /// The limit on features, time or memory was reached first: this is the best found until then.
    LimitReached,
    /// The progress callback ended the solve: this is the best found until then.
    Cancelled,
    /// Everything was given; nothing was searched for.
    Explicit,
    /// The question has no answer, many answers, or one that rounding spoils: see [`Report::posedness`].
    IllPosed,
}

impl From<Limit> for Status {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Cancelled => Self::Cancelled,
            Limit::Time { .. } | Limit::Memory { .. } => Self::LimitReached,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ToleranceMet => "tolerance met",
            Self::Saturated => "saturated: more features no longer help",
            Self::LimitReached => "limit reached before the tolerance",
            Self::Cancelled => "cancelled; the best so far",
            Self::Explicit => "explicit choices",
            Self::IllPosed => "ill-posed: the question does not have one answer",
        })
    }
}

/// One candidate that was tried.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CandidateReport {
    /// Features for each unknown.
    pub features: usize,
    /// The frequency law in words.
    pub law: String,
    /// Numerical rank.
    pub rank: usize,
    /// Held-out score.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub score: f64,
    /// Time for assembly, solve and judgement.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub seconds: f64,
    /// Time for assembly and solve alone.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub solve_seconds: f64,
}

impl CandidateReport {
    pub(crate) fn of<X>(candidate: &Candidate<X>) -> Self {
        Self {
            features: candidate.bases.first().map_or(0, |basis| basis.len()),
            law: describe_features(&candidate.features),
            rank: candidate.info.rank,
            score: candidate.score.worst,
            seconds: candidate.seconds,
            solve_seconds: candidate.info.seconds.total(),
        }
    }
}

/// How well one equation or condition holds.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BlockReport {
    /// Its name.
    pub label: String,
    /// Its rows.
    pub rows: usize,
    /// The factor on its rows.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub weight: f64,
    /// Relative residual at fresh points: rms(Bu − g) over the size of the terms.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub held_out: f64,
}

/// The record of a linear solve.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// Estimated relative error of u.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub error_estimate: f64,
    /// How well the question was posed, and what to do where it was not.
    #[cfg_attr(feature = "serde", serde(default))]
    pub posedness: Posedness,
    /// The worst relative held-out residual.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub held_out_residual: f64,
    /// Equations and conditions one by one.
    pub blocks: Vec<BlockReport>,
    /// Features for each unknown.
    pub features: usize,
    /// All rows together.
    pub rows: usize,
    /// Numerical rank.
    pub rank: usize,
    /// Estimated condition of the part of the matrix that was kept.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub condition: f64,
    /// The bandwidth along each axis in physical coordinates, where the law has one.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number::list"))]
    pub bandwidths: Vec<f64>,
    /// The frequency law in words.
    pub law: String,
    /// The symmetry that was used, in words.
    pub symmetry: String,
    /// The structure that was found in the data, in words, with the features that each part of it had; empty if none was.
    #[cfg_attr(feature = "serde", serde(default))]
    pub structure: String,
    /// How the choices were made.
    pub choice: String,
    /// The least-squares method, and why.
    pub method: String,
    /// The backend.
    pub backend: String,
    /// Every candidate that was tried.
    #[cfg_attr(feature = "serde", serde(alias = "probes"))]
    pub candidates: Vec<CandidateReport>,
    /// Seconds in all.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub seconds: f64,
    /// Seconds for the winning candidate alone.
    #[cfg_attr(feature = "serde", serde(with = "crate::saved::number"))]
    pub solve_seconds: f64,
    /// Threads of the pool.
    pub threads: usize,
    /// The seed.
    pub seed: u64,
    /// The version of this library.
    pub version: String,
    /// The record of the patches, where the solution lives on them.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub patches: Option<PatchReport>,
    /// The choices as options.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) repeated: Repeated,
}

/// The options that repeat a solve. They are not part of what a report says, so any two compare equal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repeated(Option<Arc<Options>>);

impl PartialEq for Repeated {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Report {
    /// The record of a function that was not found by a search.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            status: Status::Explicit,
            error_estimate: f64::NAN,
            posedness: Posedness::NotExamined,
            held_out_residual: f64::NAN,
            blocks: Vec::new(),
            features: 0,
            rows: 0,
            rank: 0,
            condition: f64::NAN,
            bandwidths: Vec::new(),
            law: String::new(),
            symmetry: String::new(),
            structure: String::new(),
            choice: String::new(),
            method: String::new(),
            backend: String::new(),
            candidates: Vec::new(),
            seconds: 0.0,
            solve_seconds: 0.0,
            threads: rayon::current_num_threads(),
            seed: 0,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            patches: None,
            repeated: Repeated::default(),
        }
    }

    /// The options with every choice filled in: the same problem, solved with them, gives the same function,
    /// bit for bit, without a search. A nonlinear problem has the same features and rows, and Newton's method begins anew.
    ///
    /// `None` for a function that comes from a file, or was not found by such a solve (an evolution in time). Limits and the
    /// progress callback of the solve are left out, so that they cannot cut it short.
    ///
    /// ```
    /// use fastlsq_solve::{BoxDomain, LinearProblem, X, laplacian, sin, unknown};
    /// let u = unknown("u");
    /// let problem = LinearProblem::on(BoxDomain::unit(2)).equation(-laplacian(u), sin(3.0 * X)).dirichlet(X);
    /// let found = problem.solve_with(&fastlsq_solve::Options::new().tolerance(1e-6))?;
    /// let options = found.report().options().expect("a solve").clone();
    /// let again = problem.solve_with(&options)?;
    /// assert_eq!(found.coefficients(), again.coefficients());
    /// # Ok::<(), fastlsq_solve::SolveError>(())
    /// ```
    #[must_use]
    pub fn options(&self) -> Option<&Options> {
        self.repeated.0.as_deref()
    }

    /// With the options that repeat the solve.
    #[must_use]
    pub fn repeated_by(mut self, mut options: Options) -> Self {
        options.lsq.control = Control::new();
        self.repeated = Repeated(Some(Arc::new(options)));
        self
    }

    /// The record of a finished search.
    #[must_use]
    pub fn of<X>(
        problem: &ConcreteProblem,
        options: &Options,
        found: &Found<X>,
        seconds: f64,
    ) -> Self {
        let best = &found.best;
        let blocks = problem
            .labels()
            .into_iter()
            .enumerate()
            .map(|(index, label)| BlockReport {
                label,
                rows: best.rows.get(index).copied().unwrap_or(0),
                weight: best.weights.get(index).copied().unwrap_or(1.0),
                held_out: best.score.blocks.get(index).copied().unwrap_or(f64::NAN),
            })
            .collect();
        let report = Self {
            status: found.status,
            error_estimate: found.estimate,
            posedness: found.posedness.clone(),
            held_out_residual: best.score.worst,
            blocks,
            features: best.bases.first().map_or(0, |basis| basis.len()),
            rows: best.rows.iter().sum(),
            rank: best.info.rank,
            condition: best.info.condition,
            bandwidths: bandwidths(&best.features),
            law: describe_features(&best.features),
            symmetry: describe_symmetry(&best.features, problem),
            structure: found.structure.clone(),
            choice: found.choice.clone(),
            method: format!("{} ({})", best.info.method, best.info.reason),
            backend: options.backend.name(),
            candidates: found.candidates.clone(),
            seconds,
            solve_seconds: best.seconds,
            threads: rayon::current_num_threads(),
            seed: options.seed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            patches: None,
            repeated: Repeated::default(),
        };
        match best.points {
            Some(points) => report.repeated_by(Options {
                choice: FeatureChoice::Repeated(Arc::new(Choices {
                    features: best.features.clone(),
                    points,
                    ridge: best.ridge,
                })),
                patches: Patching::Never,
                ..options.clone()
            }),
            None => report,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.status)?;
        if self.posedness != Posedness::NotExamined {
            writeln!(f, "  the question: {}", self.posedness)?;
        }
        writeln!(
            f,
            "  estimated relative error {:.1e}, held-out residual {:.1e}",
            self.error_estimate, self.held_out_residual
        )?;
        for block in &self.blocks {
            writeln!(
                f,
                "    {:<24} held out {:.1e}  ({} rows, weight {:.3})",
                block.label, block.held_out, block.rows, block.weight
            )?;
        }
        if let Some(patches) = &self.patches {
            writeln!(f, "  {patches}")?;
        } else {
            writeln!(
                f,
                "  {} features, {} rows, rank {}, condition {:.0e}",
                self.features, self.rows, self.rank, self.condition
            )?;
            writeln!(f, "  frequencies: {}", self.law)?;
        }
        if !self.symmetry.is_empty() {
            writeln!(f, "  symmetry: {}", self.symmetry)?;
        }
        if !self.structure.is_empty() {
            writeln!(f, "  structure: {}", self.structure)?;
        }
        writeln!(f, "  choice: {}", self.choice)?;
        writeln!(f, "  least squares: {}", self.method)?;
        write!(
            f,
            "  {:.3} s in all ({:.3} s for the final solve), {} on {} threads, seed {}",
            self.seconds, self.solve_seconds, self.backend, self.threads, self.seed
        )
    }
}

/// The law in physical coordinates, as words.
fn describe_features(features: &Features) -> String {
    match features {
        Features::Given(_) => "a given basis".to_owned(),
        Features::Particular { functions, .. } => {
            format!("solutions of the equation: {}", functions.words())
        }
        Features::Symmetric {
            radii,
            map,
            classes,
            ..
        } => {
            let radii = radii.iter().enumerate().map(|(class, radius)| {
                let axis = classes.iter().position(|own| *own == class).unwrap_or(0);
                format!("{:.3}", radius / map.half()[axis])
            });
            let radii: Vec<String> = radii.collect();
            format!("products of waves up to {}", radii.join(", "))
        }
        Features::Random {
            law, map, beside, ..
        } => {
            let law = describe_law(law, map.half());
            match beside {
                Some(own) if !own.words().is_empty() => format!("{law}, with {}", own.words()),
                _ => law,
            }
        }
    }
}

fn describe_law(law: &FrequencyLaw, half: &[f64]) -> String {
    match law {
        FrequencyLaw::Isotropic(_) | FrequencyLaw::PerAxis(_) => {
            let sigmas: Vec<String> = physical(law, half)
                .iter()
                .map(|s| format!("{s:.3}"))
                .collect();
            if sigmas.windows(2).all(|pair| pair[0] == pair[1]) {
                format!("σ = {}", sigmas.first().map_or("", String::as_str))
            } else {
                format!("σ = ({})", sigmas.join(", "))
            }
        }
        FrequencyLaw::Cholesky(lower) => format!("covariance with factor {lower:.3?}"),
        FrequencyLaw::Subspace(directions) => match directions.len() {
            1 => "one direction".to_owned(),
            n => format!("{n} directions"),
        },
        FrequencyLaw::Blocks(blocks) => {
            let mut parts: Vec<(String, usize)> = Vec::new();
            for (_, law) in blocks {
                let words = describe_law(law, half);
                match parts.last_mut() {
                    Some((last, times)) if *last == words => *times += 1,
                    _ => parts.push((words, 1)),
                }
            }
            let words = parts.into_iter().map(|(words, times)| match times {
                1 => words,
                _ => format!("{times} × {words}"),
            });
            words.collect::<Vec<_>>().join(" | ")
        }
        FrequencyLaw::LowOrder { order, law } => {
            format!("at most {order} coordinates, {}", describe_law(law, half))
        }
    }
}

/// The bandwidth of each axis in physical coordinates; empty for laws without one.
fn bandwidths(features: &Features) -> Vec<f64> {
    match features {
        Features::Given(_) | Features::Symmetric { .. } | Features::Particular { .. } => Vec::new(),
        Features::Random { law, map, .. } => physical(law, map.half()),
    }
}

fn physical(law: &FrequencyLaw, half: &[f64]) -> Vec<f64> {
    match law {
        FrequencyLaw::Isotropic(sigma) => half.iter().map(|h| sigma / h).collect(),
        FrequencyLaw::PerAxis(sigmas) => sigmas.iter().zip(half).map(|(s, h)| s / h).collect(),
        FrequencyLaw::LowOrder { law, .. } => physical(law, half),
        FrequencyLaw::Blocks(blocks) => blocks
            .first()
            .map(|(_, law)| physical(law, half))
            .unwrap_or_default(),
        FrequencyLaw::Cholesky(_) | FrequencyLaw::Subspace(_) => Vec::new(),
    }
}

/// Which unknowns are even or odd along which coordinates.
fn describe_symmetry(features: &Features, problem: &ConcreteProblem) -> String {
    let (Features::Random { parity, .. } | Features::Symmetric { parity, .. }) = features else {
        return String::new();
    };
    let mut words = Vec::new();
    let coordinates = problem.space.names();
    if let Features::Symmetric { classes, .. } = features {
        let number = classes.iter().max().map_or(0, |last| last + 1);
        for class in 0..number {
            let members = coordinates
                .iter()
                .zip(classes)
                .filter(|(_, own)| **own == class);
            let members: Vec<&str> = members.map(|(name, _)| *name).collect();
            if members.len() > 1 {
                words.push(format!("{} can be exchanged", members.join(", ")));
            }
        }
    }
    for (name, parity) in problem.unknowns.iter().zip(parity) {
        for (kind, word) in [(Parity::Even, "even"), (Parity::Odd, "odd")] {
            let along = coordinates.iter().zip(parity).filter(|(_, p)| **p == kind);
            let along: Vec<&str> = along.map(|(coordinate, _)| *coordinate).collect();
            if !along.is_empty() {
                words.push(format!("{name} {word} in {}", along.join(", ")));
            }
        }
    }
    words.join("; ")
}
