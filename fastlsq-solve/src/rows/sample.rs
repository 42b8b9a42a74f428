//! Sampling: from the statement of a problem to blocks of rows.

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_ops::{Field, OperatorError, Sites};
use ndarray::{Array2, Axis, s};

use crate::SolveError;
use crate::control::Control;
use crate::domain::{
    BoundaryPoints, Domain, DomainError, DomainExt, PartSelector, Region, checked_interior,
};
use crate::problem::{ConcreteCondition, ConcretePlace, ConcreteProblem, Imposition};
use crate::system::RowBlock;

/// How many points each equation and each condition gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowCounts {
    /// For each equation.
    pub interior: usize,
    /// For each condition.
    pub conditions: Vec<usize>,
}

impl RowCounts {
    /// The user's numbers, or as many rows as these features (of all unknowns) need times the oversampling.
    ///
    /// Exact conditions are not oversampled: their rows are constraints, of which there must be fewer than features.
    #[must_use]
    pub fn choose(
        problem: &ConcreteProblem,
        explicit: Option<(usize, usize)>,
        features: usize,
        oversampling: f64,
    ) -> Self {
        let equations = problem.equations.len().max(1);
        let conditions = problem.conditions.len().max(1);
        let automatic = |share: f64, blocks: usize| (share * features as f64) as usize / blocks;
        let (interior, each, exactly) = match explicit {
            Some((interior, each)) => (interior, each, each),
            None => (
                automatic(oversampling * INTERIOR_ROWS, equations).max(20),
                automatic(oversampling * CONDITION_ROWS, conditions).max(10),
                automatic(CONDITION_ROWS, conditions).max(10),
            ),
        };
        // On an interval the boundary is a handful of points: repeating them adds nothing.
        let one_dimensional = problem.domain.dim() == 1 && explicit.is_none();
        let points = problem.domain.parts().len().max(1);
        let counts = problem.conditions.iter().map(|condition| {
            let automatic = match condition.place {
                ConcretePlace::Part(_) | ConcretePlace::Identified { .. } if one_dimensional => {
                    points
                }
                ConcretePlace::Opposite { .. } if one_dimensional => 1,
                _ if condition.imposition == Imposition::Exact => exactly,
                _ => each,
            };
            condition.rows.unwrap_or(automatic)
        });
        Self {
            interior,
            conditions: counts.collect(),
        }
    }
}

/// Interior rows for each feature, over all equations.
const INTERIOR_ROWS: f64 = 1.5;
/// Condition rows for each feature, over all conditions.
const CONDITION_ROWS: f64 = 0.8;
/// One in this many rows of a table is held out.
const HELD_OUT_SHARE: usize = 10;
/// Tables shorter than this are used whole, for fitting and for judging.
const SMALLEST_SPLIT_TABLE: usize = 30;

/// Which rows of a table a block takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableShare {
    /// The rows that are fitted.
    Fitted,
    /// The rows that are kept for judging.
    HeldOut,
    /// Both.
    All,
}

/// The blocks of a problem at fresh points: first the equations, then the conditions.
///
/// # Errors
/// A domain that cannot be sampled, tables that do not fit, data that are not finite, a limit that is reached.
pub fn sample_blocks(
    problem: &ConcreteProblem,
    counts: &RowCounts,
    sequence: Sequence,
    seed: u64,
    share: TableShare,
    control: &Control,
) -> Result<Vec<RowBlock>, SolveError> {
    control.allow_bytes(sampling_bytes(problem, counts))?;
    let mut blocks = Vec::new();
    // Equations that hold in the same place share their points.
    let mut drawn: Vec<(Option<&str>, Array2<f64>)> = Vec::new();
    for equation in &problem.equations {
        let region = equation.region.as_ref();
        let name = region.map(|region| region.name.as_str());
        let known = drawn.iter().find(|(own, _)| *own == name);
        let points = match known {
            Some((_, points)) => points.clone(),
            None => {
                let domain = region.map_or(problem.domain.as_ref(), |own| own.domain.as_ref());
                let stream = seed.wrapping_add(REGION_STREAM * drawn.len() as u64);
                let mut sampler = UnitSampler::new(sequence, stream);
                let [points] = in_parts(counts.interior, domain.dim(), control, |count| {
                    checked_interior(domain, count, &mut sampler).map(|points| [points])
                })?;
                drawn.push((name, points.clone()));
                points
            }
        };
        let sites = points.view().into();
        let data = sample(&equation.source, &equation.label, &sites, control)?;
        let operator = equation.operator.clone();
        blocks.push(RowBlock::new(&equation.label, operator, points, data));
    }
    for (index, condition) in problem.conditions.iter().enumerate() {
        let stream = seed.wrapping_add(0x9e37_79b9 * (index as u64 + 1));
        let mut sampler = UnitSampler::new(sequence, stream);
        let count = counts.conditions.get(index).copied().unwrap_or(0);
        let mut block = sample_condition(problem, condition, count, &mut sampler, share, control)?;
        block.exact = condition.imposition == Imposition::Exact;
        blocks.push(block);
    }
    Ok(blocks)
}

/// Bytes that the points and data of these rows take while they are sampled.
fn sampling_bytes(problem: &ConcreteProblem, counts: &RowCounts) -> Option<usize> {
    let dim = problem.domain.dim();
    let equations = problem.equations.len();
    // Points as they come and where they are put, then a copy with data for each equation.
    let interior = if equations == 0 { 0 } else { counts.interior };
    let mut numbers = interior.checked_mul(2 * dim + equations * (dim + 1))?;
    for &count in &counts.conditions {
        // Points, normals or partners, twice, and data.
        numbers = numbers.checked_add(count.checked_mul(4 * dim + 2)?)?;
    }
    numbers.checked_mul(size_of::<f64>())
}

/// Regions have points of their own.
const REGION_STREAM: u64 = 0x2_6e91;
/// Rows that are sampled at once: more come in parts, so that the call can be stopped between them.
const PART: usize = 1 << 16;
/// Points at which data are evaluated at once, likewise.
const DATA_PART: usize = 1 << 12;

/// `count` rows of `draw`, in parts if they are many.
fn in_parts<const N: usize>(
    count: usize,
    dim: usize,
    control: &Control,
    mut draw: impl FnMut(usize) -> Result<[Array2<f64>; N], DomainError>,
) -> Result<[Array2<f64>; N], SolveError> {
    control.check()?;
    if count <= PART {
        return Ok(draw(count)?);
    }
    let mut all = [(); N].map(|()| Array2::zeros((count, dim)));
    for start in (0..count).step_by(PART) {
        control.check()?;
        let end = count.min(start + PART);
        for (all, part) in all.iter_mut().zip(draw(end - start)?) {
            if part.dim() != (end - start, dim) {
                return Err(SolveError::from(DomainError::WrongShape {
                    what: "a sample of the domain",
                    rows: end - start,
                    columns: dim,
                    got_rows: part.nrows(),
                    got_columns: part.ncols(),
                }));
            }
            all.slice_mut(s![start..end, ..]).assign(&part);
        }
    }
    Ok(all)
}

/// Data at points; the first value that is not finite is an error.
pub(crate) fn sample(
    data: &Field,
    label: &str,
    sites: &Sites<'_>,
    control: &Control,
) -> Result<Vec<f64>, SolveError> {
    let evaluate = |sites: &Sites<'_>| {
        data.evaluate(sites).map_err(|error| match error {
            OperatorError::FieldValue { value, point, .. } => SolveError::DataNotFinite {
                label: label.to_owned(),
                point,
                value,
            },
            other => other.into(),
        })
    };
    if sites.len() <= DATA_PART {
        return evaluate(sites);
    }
    let mut values = Vec::with_capacity(sites.len());
    for start in (0..sites.len()).step_by(DATA_PART) {
        control.check()?;
        let count = DATA_PART.min(sites.len() - start);
        values.extend(evaluate(&sites.block(start, count))?);
    }
    Ok(values)
}

fn sample_condition(
    problem: &ConcreteProblem,
    condition: &ConcreteCondition,
    count: usize,
    sampler: &mut UnitSampler,
    share: TableShare,
    control: &Control,
) -> Result<RowBlock, SolveError> {
    let (domain, dim) = (&problem.domain, problem.domain.dim());
    let (label, operator) = (&condition.label, condition.operator.clone());
    match &condition.place {
        ConcretePlace::Part(part) => {
            let homes = homes_of(problem, condition);
            let [points, normals] = in_parts(count, dim, control, |count| {
                let sampled = if homes.is_empty() {
                    domain.sample_selected(part, count, sampler)?
                } else {
                    where_they_live(domain.as_ref(), part, &homes, count, sampler)?
                };
                Ok([sampled.points, sampled.normals])
            })?;
            let sites = Sites::new(points.view()).with_normals(normals.view());
            let data = sample(&condition.data, label, &sites, control)?;
            let mut block = RowBlock::new(label, operator, points, data);
            block.normals = Some(normals);
            Ok(block)
        }
        ConcretePlace::Opposite { axis } => {
            let [lower, upper] = in_parts(count, dim, control, |count| {
                let (lower, upper) = domain.periodic_pair(*axis, count, sampler)?;
                Ok([lower, upper])
            })?;
            // r(x) + B u agrees on both faces: so does what the unknowns do not determine.
            let mut data = sample(&condition.data, label, &lower.view().into(), control)?;
            let opposite = sample(&condition.data, label, &upper.view().into(), control)?;
            data.iter_mut()
                .zip(opposite)
                .for_each(|(d, other)| *d -= other);
            let mut block = RowBlock::new(label, operator, lower, data);
            block.partners = Some(upper);
            Ok(block)
        }
        ConcretePlace::Identified { part, motion } => {
            let [points, normals] = in_parts(count, dim, control, |count| {
                let sampled = domain.sample_selected(part, count, sampler)?;
                Ok([sampled.points, sampled.normals])
            })?;
            let images = motion.applied(&points, true);
            let turned = motion.applied(&normals, false);
            let here = Sites::new(points.view()).with_normals(normals.view());
            let there = Sites::new(images.view()).with_normals(turned.view());
            let mut data = sample(&condition.data, label, &here, control)?;
            let opposite = sample(&condition.data, label, &there, control)?;
            data.iter_mut()
                .zip(opposite)
                .for_each(|(d, other)| *d -= other);
            let mut block = RowBlock::new(label, operator, points, data);
            (block.normals, block.partners) = (Some(normals), Some(images));
            block.partner_normals = Some(turned);
            Ok(block)
        }
        ConcretePlace::Points { points, values } => {
            table_block(problem, condition, points, values, share, control)
        }
    }
}

/// The regions of the unknowns that a condition involves.
fn homes_of<'a>(problem: &'a ConcreteProblem, condition: &ConcreteCondition) -> Vec<&'a Region> {
    let blocks = condition.operator.blocks().iter();
    let homes = blocks.filter_map(|(unknown, _)| problem.homes.get(*unknown)?.as_ref());
    homes.collect()
}

/// Points of a part of the boundary that all of these regions reach.
fn where_they_live(
    domain: &dyn Domain,
    part: &PartSelector,
    homes: &[&Region],
    count: usize,
    sampler: &mut UnitSampler,
) -> Result<BoundaryPoints, DomainError> {
    let lives = |x: &[f64]| homes.iter().all(|home| home.reaches(x));
    let mut wanted = count;
    loop {
        let sampled = domain.sample_selected(part, wanted, sampler)?;
        let points = sampled.points.rows().into_iter().enumerate();
        let mut rows: Vec<usize> = points
            .filter(|(_, x)| lives(&x.to_vec()))
            .map(|(i, _)| i)
            .collect();
        if rows.len() < count && wanted < MOST_TRIED.saturating_mul(count.max(1)) {
            wanted = wanted.saturating_mul(2);
            continue;
        }
        if rows.is_empty() && count > 0 {
            return Err(DomainError::UnreachedPart {
                part: part.to_string(),
            });
        }
        // Evenly over what there is: the points of a part follow each other.
        rows = (0..count).map(|i| rows[i * rows.len() / count]).collect();
        return Ok(BoundaryPoints {
            points: sampled.points.select(Axis(0), &rows),
            normals: sampled.normals.select(Axis(0), &rows),
        });
    }
}

/// At most this many times more points of a part are tried than are wanted where its unknowns live.
const MOST_TRIED: usize = 64;

fn table_block(
    problem: &ConcreteProblem,
    condition: &ConcreteCondition,
    points: &Array2<f64>,
    values: &[f64],
    share: TableShare,
    control: &Control,
) -> Result<RowBlock, SolveError> {
    let label = &condition.label;
    let deviations = condition.deviations.as_deref();
    let wrong = |what, expected, found| SolveError::Table {
        label: label.clone(),
        what,
        expected,
        found,
    };
    if points.ncols() != problem.domain.dim() {
        return Err(wrong(
            "coordinates per point",
            problem.domain.dim(),
            points.ncols(),
        ));
    }
    if values.len() != points.nrows() {
        return Err(wrong("values", points.nrows(), values.len()));
    }
    if let Some(sigmas) = deviations {
        if sigmas.len() != points.nrows() {
            return Err(wrong("standard deviations", points.nrows(), sigmas.len()));
        }
        if let Some(&sigma) = sigmas.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
            return Err(SolveError::Option {
                option: "standard deviation",
                value: sigma,
                requirement: "standard deviations must be positive and finite",
            });
        }
    }
    let rows: Vec<usize> = (0..points.nrows())
        .filter(|i| {
            points.nrows() < SMALLEST_SPLIT_TABLE
                || share == TableShare::All
                || (i % HELD_OUT_SHARE == HELD_OUT_SHARE / 2) == (share == TableShare::HeldOut)
        })
        .collect();
    let chosen = points.select(Axis(0), &rows);
    // B u + r has these values: B u has them less r.
    let mut data = sample(&condition.data, label, &chosen.view().into(), control)?;
    data.iter_mut()
        .zip(&rows)
        .for_each(|(d, &i)| *d += values[i]);
    let mut block = RowBlock::new(label, condition.operator.clone(), chosen, data);
    block.row_weights = deviations.map(|sigmas| rows.iter().map(|&i| 1.0 / sigmas[i]).collect());
    Ok(block)
}
