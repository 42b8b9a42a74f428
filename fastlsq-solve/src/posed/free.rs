//! What a null function says of the problem that it nearly solves.

use fastlsq_basis::Basis;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::EquationRow;
use ndarray::ArrayView2;

use super::certificate::Certificate;
use crate::SolveError;
use crate::domain::{DomainExt, PartKind};
use crate::problem::{ConcretePlace, ConcreteProblem};
use crate::rows::rms;

/// What was found.
pub(super) enum Finding {
    /// Something is free, and it is known what.
    Free {
        /// What.
        free: String,
        /// What to do.
        advice: String,
    },
    /// Changes grow along time.
    Growth {
        /// In words.
        cause: String,
    },
    /// A solution of the homogeneous problem without a visible reason.
    Homogeneous {
        /// In words.
        free: String,
        /// What to do.
        advice: String,
    },
}

/// Shares below this are taken for zero.
const NEGLIGIBLE: f64 = 1e-2;
/// Growth from the first to the last time above this is the reason for ill-conditioning.
const GROWTH: f64 = 1e2;
/// Points on each part of the boundary.
const PART_POINTS: usize = 60;

/// The number of conditions that involve an unknown on one part of the boundary, and how large v is there.
struct Covered {
    name: String,
    kind: PartKind,
    conditions: usize,
    /// rms of v there over rms of v in the interior.
    share: f64,
}

struct Reader<'a> {
    problem: &'a ConcreteProblem,
    certificate: &'a Certificate,
    points: ArrayView2<'a, f64>,
}

/// Reads a null function.
pub(super) fn describe<'a>(
    problem: &'a ConcreteProblem,
    certificate: &'a Certificate,
    points: ArrayView2<'a, f64>,
) -> Result<Finding, SolveError> {
    let reader = Reader {
        problem,
        certificate,
        points,
    };
    let sizes: Vec<f64> = certificate
        .values
        .iter()
        .map(|values| rms(values.iter().copied()))
        .collect();
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    let taking_part = (0..sizes.len()).filter(|&k| sizes[k] > NEGLIGIBLE * largest);
    let taking_part: Vec<usize> = taking_part.collect();
    for &unknown in &taking_part {
        if let Some(found) = reader.polynomial(unknown, taking_part.len())? {
            return Ok(found);
        }
    }
    for &unknown in &taking_part {
        if let Some(found) = reader.missing(unknown)? {
            return Ok(found);
        }
    }
    let names: Vec<String> = taking_part
        .iter()
        .map(|&k| problem.unknowns[k].to_string())
        .collect();
    Ok(Finding::Homogeneous {
        free: format!(
            "{} determined up to multiples of a function that solves the problem with zero data (an eigenfunction: a resonance)",
            match names.as_slice() {
                [only] => format!("{only} is"),
                several => format!("{} are", several.join(", ")),
            }
        ),
        advice: "change a coefficient, or fix a value at a point with .value_at(…) or ask for Options::least_norm() if the data allow a solution at all".to_owned(),
    })
}

impl Reader<'_> {
    fn name(&self, unknown: usize) -> String {
        self.problem.unknowns[unknown].to_string()
    }

    fn bases(&self) -> Vec<&dyn Basis> {
        self.certificate.bases.iter().map(AsRef::as_ref).collect()
    }

    /// Constants, functions of some coordinates only, linear functions.
    fn polynomial(&self, unknown: usize, among: usize) -> Result<Option<Finding>, SolveError> {
        let values = &self.certificate.values[unknown];
        let size = rms(values.iter().copied());
        let dim = self.points.ncols();
        let bounds = self.problem.domain.bounding_box()?;
        let (bases, unknowns) = (self.bases(), self.problem.unknowns.len());
        let mut varies = Vec::new();
        let scale = self.raw_size(unknown)?;
        for axis in 0..dim {
            let half = 0.5 * (bounds.hi()[axis] - bounds.lo()[axis]);
            let row = EquationRow::slope(dim, axis, unknown, unknowns);
            let slopes = row.apply(&bases, &self.certificate.beta, self.points)?;
            if rms(slopes.into_iter()) * half > NEGLIGIBLE * scale {
                varies.push(axis);
            }
        }
        let name = self.name(unknown);
        if varies.is_empty() {
            return Ok(Some(Finding::Free {
                free: format!("{name} is determined up to a constant"),
                advice: "fix a value at a point with .value_at(…) or its mean with .mean(…), or ask for Options::least_norm()".to_owned(),
            }));
        }
        if self.is_linear(values, size) {
            let several = if among > 1 {
                " (together with other unknowns: a rigid motion, perhaps)"
            } else {
                ""
            };
            return Ok(Some(Finding::Free {
                free: format!("{name} is determined up to a linear function{several}"),
                advice: "fix values at points with .value_at(…), or ask for Options::least_norm()"
                    .to_owned(),
            }));
        }
        let space = &self.problem.space;
        // A function of time alone: what a pressure lacks.
        if space.has_time() && varies == [dim - 1] {
            let time = space
                .names()
                .last()
                .map_or_else(String::new, ToString::to_string);
            return Ok(Some(Finding::Free {
                free: format!("{name} is determined up to a function of {time}"),
                advice: "fix its mean with .mean(…)".to_owned(),
            }));
        }
        Ok(None)
    }

    /// The size of v itself, not divided by the unknown's.
    fn raw_size(&self, unknown: usize) -> Result<f64, SolveError> {
        let row = EquationRow::value(self.points.ncols(), unknown, self.problem.unknowns.len());
        let values = row.apply(&self.bases(), &self.certificate.beta, self.points)?;
        Ok(rms(values.into_iter()))
    }

    /// Whether v is a₀ + a·x at the value points, by least squares.
    fn is_linear(&self, values: &[f64], size: f64) -> bool {
        let (rows, columns) = (self.points.nrows(), self.points.ncols() + 1);
        let a = faer::Mat::from_fn(rows, columns, |i, j| match j {
            0 => 1.0,
            _ => self.points[(i, j - 1)],
        });
        let b = faer::Mat::from_fn(rows, 1, |i, _| values[i]);
        let fit = crate::lsq::factor(&a, b.as_ref(), &crate::lsq::LsqOptions::new());
        let rest = fit.map_or(f64::INFINITY, |fit| fit.residual_norms()[0]);
        rest <= NEGLIGIBLE * size * (rows as f64).sqrt()
    }

    /// Parts of the boundary with their conditions on an unknown.
    fn covered(&self, unknown: usize) -> Result<Vec<Covered>, SolveError> {
        let domain = self.problem.domain.as_ref();
        let parts = domain.parts();
        let mut counts = vec![0; parts.len()];
        for condition in &self.problem.conditions {
            let speaks = condition.statement.jets().any(|jet| jet.unknown == unknown);
            if !speaks {
                continue;
            }
            match &condition.place {
                ConcretePlace::Part(selector) => {
                    for index in domain.select(selector)? {
                        counts[index] += 1;
                    }
                }
                ConcretePlace::Opposite { axis } => {
                    for upper in [false, true] {
                        let name = domain.face(*axis, upper);
                        let index = parts
                            .iter()
                            .position(|part| name.as_ref() == Ok(&part.name));
                        if let Some(index) = index {
                            counts[index] += 1;
                        }
                    }
                }
                ConcretePlace::Identified { part, .. } => {
                    for index in domain.select(part)? {
                        counts[index] += 1;
                    }
                }
                ConcretePlace::Points { .. } => {}
            }
        }
        let size = self.raw_size(unknown)?;
        let row = EquationRow::value(domain.dim(), unknown, self.problem.unknowns.len());
        let mut covered = Vec::with_capacity(parts.len());
        for (index, (part, conditions)) in parts.into_iter().zip(counts).enumerate() {
            let mut sampler = UnitSampler::halton(index as u64);
            let sampled = domain.sample_part(index, PART_POINTS, &mut sampler)?;
            let values = row.apply(&self.bases(), &self.certificate.beta, &sampled.points)?;
            covered.push(Covered {
                name: part.name,
                kind: part.kind,
                conditions,
                share: rms(values.into_iter()) / size,
            });
        }
        Ok(covered)
    }

    /// Parts of the boundary where conditions are missing.
    fn missing(&self, unknown: usize) -> Result<Option<Finding>, SolveError> {
        let name = self.name(unknown);
        let covered = self.covered(unknown)?;
        let dim = self.problem.space.dim();
        let has_time = self.problem.space.has_time();
        let time = if has_time { dim.checked_sub(1) } else { None };
        // Orders of the equations along each axis.
        let order = |axis: usize| {
            let equations = self.problem.equations.iter();
            let jets = equations.flat_map(|e| e.statement.jets());
            let own = jets.filter(|jet| jet.unknown == unknown);
            let orders = own.filter_map(|jet| jet.action.derivative.orders().get(axis).copied());
            orders.max().unwrap_or(0) as usize
        };
        let in_space = (0..dim)
            .filter(|axis| Some(*axis) != time)
            .map(order)
            .max()
            .unwrap_or(0);
        let in_time = time.map_or(0, order);
        let of = |kind: PartKind| covered.iter().filter(move |part| part.kind == kind);
        let nobody: Vec<&str> = of(PartKind::Wall)
            .chain(of(PartKind::Interface))
            .filter(|part| part.conditions == 0 && part.share > NEGLIGIBLE)
            .map(|part| part.name.as_str())
            .collect();
        let conditions_at_first: usize = of(PartKind::Initial).map(|part| part.conditions).sum();
        let conditions_at_last: usize = of(PartKind::Final).map(|part| part.conditions).sum();
        let share = |kind: PartKind| of(kind).map(|part| part.share).fold(0.0, f64::max);
        if in_time > 0 && conditions_at_first == 0 && conditions_at_last == 0 {
            return Ok(Some(Finding::Free {
                free: format!("{name} has no condition at the initial time"),
                advice: "give its initial value with .initial_value(…)".to_owned(),
            }));
        }
        if in_space > 0 && !nobody.is_empty() {
            return Ok(Some(Finding::Free {
                free: format!("{name} has no condition on {}", nobody.join(", ")),
                advice: "give one there with .condition(…)".to_owned(),
            }));
        }
        if conditions_at_first + conditions_at_last < in_time {
            return Ok(Some(Finding::Free {
                free: format!(
                    "the equation is of order {in_time} in time, and {name} has {conditions_at_first} condition at the initial time"
                ),
                advice: "give its time derivative there too, with .initial_velocity(…)".to_owned(),
            }));
        }
        let growth = share(PartKind::Final) / share(PartKind::Initial);
        if has_time && in_time == 1 && (conditions_at_last > 0 || growth > GROWTH) {
            return Ok(Some(Finding::Growth {
                cause: if conditions_at_last > 0 {
                    "the equation is followed backwards from its final value".to_owned()
                } else {
                    format!("small changes grow in time (at least {growth:.0e}-fold until the end)")
                },
            }));
        }
        let fewest = of(PartKind::Wall)
            .map(|part| part.conditions)
            .min()
            .unwrap_or(0);
        let needed = in_space.div_ceil(2);
        if in_time == 0 && fewest < needed && fewest > 0 {
            return Ok(Some(Finding::Free {
                free: format!(
                    "an equation of order {in_space} in space takes {needed} conditions on every wall, and {name} has {fewest}"
                ),
                advice: "give the others with .condition(…) or .neumann(…)".to_owned(),
            }));
        }
        Ok(None)
    }
}
