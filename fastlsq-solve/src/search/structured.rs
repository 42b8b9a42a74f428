//! The search where the data have structure: features of the parts that were found, and of nothing else.
//!
//! In each part of r coordinates or directions, features are spread evenly over a ball. With as many as there are
//! polynomials of degree n in r variables, and the radius K at which the next one is lost,
//! (eK/4(n+1))^{n+3/2} = ε, they resolve to ε what polynomials of degree n do. The degree is that of the data along lines
//! to begin with; then it grows in those parts whose growth the held-out score calls for.

use fastlsq_basis::{Draw, FrequencyLaw, InputMap};

use super::candidate::CandidateMaker;
use super::features::Features;
use super::state::{Search, is_unresolved};
use super::structure::Structure;
use crate::report::Status;

/// Features resolve what the data have along a line up to this.
const SMALLEST: f64 = 1e-14;
/// The lowest degree of functions of one and two variables, and of more.
const LOWEST: [usize; 2] = [10, 4];
/// Degrees beyond that of the data.
const BEYOND: usize = 3;
/// Features of one part to begin with.
const FIRST_FEATURES: usize = 400;
/// Rows are for at least this many features: along a direction few points reach the ends, and they cost little.
const FEWEST_ROWS: usize = 200;
/// In several variables functions of the degree of the data along lines are rare: frequencies may be smaller.
const SEVERAL: f64 = 0.8;
/// The steps in which degrees grow.
const GROWTH: usize = 2;
/// The smallest radius of a ball of frequencies.
const SMALLEST_RADIUS: f64 = 0.5;
/// A candidate must be better by this factor to be worth a level.
const WORTHWHILE: f64 = 1.5;
/// Factors on all frequencies, tried before more features and after.
const SMALLER: f64 = 0.7;
const LARGER: f64 = 1.4;
/// Smaller frequencies must be better by this factor: more features might be better still.
const MUCH_BETTER: f64 = 4.0;
/// With this score what is left is rounding, and features of more variables will not do better.
const RESOLVED: f64 = 1e-10;
/// The levels of this stage have points of their own.
const FIRST_LEVEL: u64 = 300;
/// The most levels.
const MOST_LEVELS: usize = 40;

/// The features of a candidate: the degree of each kind of part, and a factor on all frequencies.
#[derive(Debug, Clone, PartialEq)]
struct Plan {
    /// For each number of directions that occurs: that number, and the degrees beyond those of the parts.
    kinds: Vec<(usize, isize)>,
    scale: f64,
}

struct Stage<'s, 'p> {
    structure: &'s Structure,
    map: &'p InputMap,
    accuracy: f64,
}

impl Stage<'_, '_> {
    fn degree(&self, plan: &Plan, part: usize) -> usize {
        let part = &self.structure.parts[part];
        let rank = part.directions.len();
        let lowest = LOWEST[usize::from(rank > 2)];
        let mut first = (part.degree + BEYOND).max(lowest);
        while first > lowest && polynomials(first, rank) > FIRST_FEATURES {
            first -= 1;
        }
        let kind = plan.kinds.iter().find(|(own, _)| *own == rank);
        let more = kind.map_or(0, |(_, more)| *more);
        first.saturating_add_signed(more).max(2)
    }

    /// The number of features of each part.
    fn counts(&self, plan: &Plan) -> Vec<usize> {
        let parts = self.structure.parts.iter().enumerate();
        parts
            .map(|(k, part)| polynomials(self.degree(plan, k), part.directions.len()))
            .collect()
    }

    fn count(&self, plan: &Plan) -> usize {
        self.counts(plan)
            .iter()
            .fold(0, |sum, n| sum.saturating_add(*n))
    }

    fn law(&self, plan: &Plan) -> FrequencyLaw {
        let counts = self.counts(plan);
        let blocks = self.structure.parts.iter().zip(counts).enumerate();
        let blocks = blocks.map(|(k, (part, count))| {
            let rank = part.directions.len();
            let several = if rank > 1 { SEVERAL } else { 1.0 };
            let radius = self.radius(self.degree(plan, k)) * plan.scale * several;
            // The ball of unit covariance has the radius √(r + 2).
            let sigma = radius / (rank as f64 + 2.0).sqrt();
            let scaled = |a: &Vec<f64>| a.iter().map(|a| sigma * a).collect();
            let directions = part.directions.iter().map(scaled).collect();
            (count as f64, FrequencyLaw::Subspace(directions))
        });
        FrequencyLaw::Blocks(blocks.collect())
    }

    fn radius(&self, degree: usize) -> f64 {
        let functions = degree as f64 + 1.0;
        let radius =
            4.0 * functions / std::f64::consts::E * self.accuracy.powf(1.0 / (functions + 0.5));
        radius.max(SMALLEST_RADIUS)
    }

    /// With fewer features where there would be more than are allowed; `None` if there cannot be so few.
    fn within(&self, mut plan: Plan, limit: usize) -> Option<Plan> {
        while self.count(&plan) > limit {
            let counts = self.counts(&plan);
            let of_kind = |kind: usize| -> usize {
                let parts = self.structure.parts.iter().zip(&counts);
                parts
                    .filter(|(part, _)| part.directions.len() == kind)
                    .map(|(_, count)| *count)
                    .sum()
            };
            let largest = plan
                .kinds
                .iter()
                .map(|(kind, _)| *kind)
                .max_by_key(|kind| of_kind(*kind))?;
            let before = self.count(&plan);
            for (kind, more) in &mut plan.kinds {
                if *kind == largest {
                    *more -= 1;
                }
            }
            if self.count(&plan) == before {
                return None;
            }
        }
        Some(plan)
    }

    fn grown(&self, plan: &Plan, kind: Option<usize>) -> Plan {
        let mut plan = plan.clone();
        for (own, more) in &mut plan.kinds {
            if kind.is_none_or(|kind| kind == *own) {
                *more += GROWTH as isize;
            }
        }
        plan
    }

    /// What was found, and how many features each kind of part has.
    fn words(&self, plan: &Plan) -> String {
        let counts = self.counts(plan);
        let kinds = plan.kinds.iter().map(|(kind, _)| {
            let parts = self.structure.parts.iter().zip(&counts);
            let own: Vec<usize> = parts
                .filter(|(part, _)| part.directions.len() == *kind)
                .map(|(_, count)| *count)
                .collect();
            let total: usize = own.iter().sum();
            let of = match kind {
                1 => "one variable".to_owned(),
                n => format!("{n} variables"),
            };
            match own.len() {
                1 => format!("{total} features of {of}"),
                n => format!("{total} features of {of} in {n} parts"),
            }
        });
        let kinds: Vec<String> = kinds.collect();
        format!("{} ({})", self.structure.words, kinds.join(", "))
    }
}

/// The number of polynomials of this degree in this many variables.
fn polynomials(degree: usize, variables: usize) -> usize {
    let mut number = 1.0f64;
    for k in 1..=variables {
        number *= (degree + k) as f64 / k as f64;
    }
    number.round().min(1e9) as usize
}

/// Searches with features of the parts that were found. `None`: they are not good enough, and the search goes on without them.
pub(super) fn run<W: CandidateMaker>(
    search: &mut Search<'_, W>,
    structure: &Structure,
    map: &InputMap,
) -> Result<Option<Status>, W::Error> {
    let accuracy = (0.01 * search.options().tolerance).clamp(SMALLEST, 1e-4);
    let stage = Stage {
        structure,
        map,
        accuracy,
    };
    let mut kinds: Vec<(usize, isize)> = structure
        .parts
        .iter()
        .map(|part| (part.directions.len(), 0))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    let first = Plan { kinds, scale: 1.0 };
    let limit = search.limit();
    let Some(mut plan) = stage.within(first, limit) else {
        return Ok(None);
    };
    let mut level = FIRST_LEVEL;
    let mut score = attempt(search, &stage, &plan, level)?;
    for _ in 0..MOST_LEVELS {
        search.say(stage.words(&plan));
        if let Some(status) = search.settled_closely()? {
            return Ok(Some(status));
        }
        level += 1;
        let Some((better, reached)) = next(search, &stage, &plan, score, level)? else {
            let resolved = score < RESOLVED && search.are_dependent();
            return Ok(resolved.then_some(Status::Saturated));
        };
        (plan, score) = (better, reached);
    }
    Ok(None)
}

/// The best way on from a plan: more features in one kind of parts, in all, or other bandwidths.
fn next<W: CandidateMaker>(
    search: &mut Search<'_, W>,
    stage: &Stage<'_, '_>,
    plan: &Plan,
    score: f64,
    level: u64,
) -> Result<Option<(Plan, f64)>, W::Error> {
    let limit = search.limit();
    let kinds = plan
        .kinds
        .iter()
        .map(|(kind, _)| stage.grown(plan, Some(*kind)));
    let single: Vec<Plan> = kinds.filter(|plan| stage.count(plan) <= limit).collect();
    let mut all = vec![stage.grown(plan, None)];
    all.retain(|plan| stage.count(plan) <= limit && !single.contains(plan));
    let scaled = |factor: f64| {
        let scale = factor * plan.scale;
        vec![Plan {
            scale,
            ..plan.clone()
        }]
    };
    let steps = [
        (scaled(SMALLER), MUCH_BETTER),
        (single, WORTHWHILE),
        (all, WORTHWHILE),
        (scaled(LARGER), WORTHWHILE),
    ];
    let mut tried: Option<(Plan, f64)> = None;
    for (candidates, wanted) in steps {
        let mut best: Option<(Plan, f64)> = None;
        for candidate in candidates {
            if search.is_over() {
                break;
            }
            let reached = attempt(search, stage, &candidate, level)?;
            if best.as_ref().is_none_or(|(_, best)| reached < *best) {
                best = Some((candidate, reached));
            }
        }
        // What was tried before may still be the best.
        let best = match (best, tried) {
            (Some(best), Some(tried)) if tried.1 < best.1 => Some(tried),
            (best, tried) => best.or(tried),
        };
        if let Some((better, reached)) = &best
            && wanted * reached < score
        {
            return Ok(Some((better.clone(), *reached)));
        }
        tried = best;
        // What resolves nothing with the degrees of the data will not with more.
        if is_unresolved(score) {
            break;
        }
    }
    Ok(None)
}

/// The score of a plan, on as many rows as it needs.
fn attempt<W: CandidateMaker>(
    search: &mut Search<'_, W>,
    stage: &Stage<'_, '_>,
    plan: &Plan,
    level: u64,
) -> Result<f64, W::Error> {
    let count = stage.count(plan);
    let features = Features::Random {
        count,
        law: stage.law(plan),
        map: stage.map.clone(),
        parity: search.maker.parity().to_vec(),
        draw: Draw::Ball,
        seed: search.options().seed.wrapping_add(level),
        beside: search.maker.beside().cloned(),
    };
    loop {
        let rows = search.independent(count).max(FEWEST_ROWS);
        let blocks = search.rows_for(rows, level)?;
        let score = search.consider(features.clone(), &blocks)?;
        if search.is_over() || !search.more_rows() {
            return Ok(score);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::polynomials;

    #[test]
    fn polynomials_are_counted() {
        assert_eq!(polynomials(10, 1), 11);
        assert_eq!(polynomials(19, 2), 210);
        assert_eq!(polynomials(3, 3), 20);
        assert_eq!(polynomials(5, 0), 1);
    }
}
