//! Functions of corners and holes that are added to the features automatically, or take their place.
//!
//! Where the boundary of a domain in the plane turns or goes around a hole, solutions of an equation whose leading part is
//! a multiple of the Laplacian contain functions that smooth features cannot follow (see [`crate::corner_functions`] and
//! [`crate::hole_functions`]). They are known in closed form, so that they become columns beside the features. Where the
//! equation is Laplace's or Poisson's they stand alone; otherwise the leading ones are also multiplied by a few
//! smooth features, which carry the terms of lower order.
//!
//! The held-out score decides whether they stay: the same features on the same rows are tried with them and without. Where
//! they solve the equation itself, growing sets of them are tried first (see [`super::particular`]).

use std::sync::Arc;

use fastlsq_basis::{
    Basis, CylinderBasis, Draw, FrequencyLaw, InputMap, JoinedBasis, SinusoidalBasis, Weighted,
};
use fastlsq_ops::Operator;
use ndarray::Array2;

use super::candidate::CandidateMaker;
use super::features::Features;
use super::homes::Surroundings;
use super::linear::LinearMaker;
use crate::SolveError;
use crate::domain::{Corner, Domain, DomainExt};
use crate::options::FeatureChoice;
use crate::problem::{ConcreteEquation, ConcretePlace, ConcreteProblem, is_laplacian};
use crate::singular::{
    bounded_functions, corner_factors, corner_functions, harmonic_polynomials, hole_factors,
    hole_functions, hole_waves, outgoing_waves,
};

/// How many functions of each kind there are.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    /// The largest exponent of a corner function.
    exponent: f64,
    /// Pairs of Laurent terms, or of Bessel functions, around a hole.
    laurent: usize,
    /// The degree of the polynomials, or the order of regular waves.
    degree: usize,
}

/// What stands beside waves.
const BESIDE_WAVES: Numbers = Numbers {
    exponent: 8.0,
    laurent: 16,
    degree: 12,
};
/// What stands in their place at the first level, the growth from level to level, and the last level.
const FIRST: Numbers = Numbers {
    exponent: 4.0,
    laurent: 6,
    degree: 16,
};
const GROWTH: f64 = 1.5;
const LEVELS: usize = 7;
/// The largest exponent of corner functions that are multiplied by smooth features.
const HIGHEST_MULTIPLIED: f64 = 2.5;
/// Pairs of Laurent terms around a hole that are multiplied by smooth features.
const LAURENT_MULTIPLIED: usize = 3;
/// Smooth features that multiply each leading function, and their bandwidth.
const MULTIPLIERS: (usize, f64) = (12, 1.5);
/// Features of the two candidates that are compared, and their bandwidth.
const COMPARED: (usize, f64) = (200, 5.0);
/// Additional functions stay if they improve the score by this factor.
const WORTH_IT: f64 = 2.0;
/// Leading coefficients that differ by less, relative to their size, are equal.
const ISOTROPIC: f64 = 1e-9;
/// Rows of conditions for each function where there are no waves, and rows of equations, which hold anyway.
const ROWS: f64 = 4.0;
const EQUATION_ROWS: usize = 24;

impl Numbers {
    /// Those of a level.
    fn at(level: usize, wave_number: Option<f64>, size: f64) -> Self {
        let factor = GROWTH.powi(i32::try_from(level).unwrap_or(i32::MAX));
        // Orders below k times the size carry the wave; only those beyond it make the error small.
        let waves = wave_number.map_or(0.0, |k| k * size);
        let number = |first: usize| (first as f64 * factor + waves).ceil() as usize;
        Self {
            exponent: FIRST.exponent * factor,
            laurent: number(FIRST.laurent),
            degree: number(FIRST.degree),
        }
    }
}

/// The functions that the domain suggests, if the held-out score is better with them, and those that were asked for.
pub(super) fn choose(maker: &mut LinearMaker<'_>) -> Result<(), SolveError> {
    if !matches!(maker.options.choice, FeatureChoice::Automatic) {
        return Ok(());
    }
    choose_suggested(maker)?;
    if let known @ [_, ..] = maker.options.beside.as_slice() {
        let dim = maker.problem.domain.dim();
        let known = Weighted::functions(known.iter().map(|function| function.factor(dim)))?;
        let standing = maker.beside.take();
        let standing =
            standing.unwrap_or_else(|| Surroundings::plain(maker.problem.unknowns.len()));
        join(maker, standing.with_known(&(Arc::new(known) as _))?);
    }
    Ok(())
}

fn choose_suggested(maker: &mut LinearMaker<'_>) -> Result<(), SolveError> {
    let Some(suggested) = suggest(maker.problem)? else {
        return Ok(());
    };
    // Where there are no waves they are not compared with any, and where they solve the equation, nothing can replace them.
    let certain = !maker.may_use_waves() || solve_the_equations(maker.problem);
    if !certain && !is_worth_it(maker, &suggested)? {
        return Ok(());
    }
    join(maker, suggested);
    Ok(())
}

/// Puts functions beside the waves. Those of one corner have no parity.
fn join(maker: &mut LinearMaker<'_>, functions: Surroundings) {
    for parity in maker.parity.iter_mut().flatten() {
        *parity = fastlsq_basis::Parity::None;
    }
    maker.beside = Some(functions);
}

/// Whether the same waves do better with functions beside them than without.
fn is_worth_it(maker: &mut LinearMaker<'_>, suggested: &Surroundings) -> Result<bool, SolveError> {
    let features = |beside: Option<Surroundings>| -> Result<Features, SolveError> {
        let bounds = maker.bounding_box()?;
        let dim = bounds.dim();
        Ok(Features::Random {
            count: COMPARED.0,
            law: FrequencyLaw::Isotropic(COMPARED.1),
            map: InputMap::from_box(bounds.lo(), bounds.hi())?,
            parity: vec![vec![fastlsq_basis::Parity::None; dim]; maker.problem.unknowns.len()],
            draw: Draw::Ball,
            seed: maker.options.seed,
            beside,
        })
    };
    let plain = features(maker.beside.clone())?;
    let enriched = features(Some(suggested.clone()))?;
    let columns = COMPARED.0 + suggested.functions();
    let seed = maker.options.seed.wrapping_add(COMPARED_POINTS);
    let blocks = maker.rows(columns, None, seed)?;
    // What keeps a candidate from being solved is for the search to report.
    let (Ok(without), Ok(with)) = (maker.run(plain, &blocks), maker.run(enriched, &blocks)) else {
        return Ok(false);
    };
    Ok(WORTH_IT * with.score.worst < without.score.worst)
}

/// The points of the comparison are those of no candidate.
const COMPARED_POINTS: u64 = 0xC0_12E2;

/// The functions that join the waves of each unknown; `None` if no unknown has any.
fn suggest(problem: &ConcreteProblem) -> Result<Option<Surroundings>, SolveError> {
    if domain_of_waves(problem).is_none() {
        return Ok(None);
    }
    let mut of_unknowns = Vec::with_capacity(problem.unknowns.len());
    let mut places = Places::default();
    for unknown in 0..problem.unknowns.len() {
        let functions = match problem.is_unbounded(unknown) {
            true => without_bounds(problem, unknown, LEVELS / 2)?,
            false => beside_waves(problem, unknown, &mut places)?,
        };
        of_unknowns.push(functions);
    }
    gathered(problem, of_unknowns, |k| problem.is_unbounded(k), &places)
}

/// Solutions of the equations in place of waves, more of them from level to level.
pub(super) fn particular(
    problem: &ConcreteProblem,
    level: usize,
) -> Result<Option<Features>, SolveError> {
    if level >= LEVELS || domain_of_waves(problem).is_none() || !solve_the_equations(problem) {
        return Ok(None);
    }
    let mut of_unknowns = Vec::with_capacity(problem.unknowns.len());
    let mut places = Places::default();
    for unknown in 0..problem.unknowns.len() {
        let functions = match problem.is_unbounded(unknown) {
            true => without_bounds(problem, unknown, level)?,
            false => solutions(problem, unknown, level, &mut places)?,
        };
        if functions.is_none() {
            return Ok(None);
        }
        of_unknowns.push(functions);
    }
    // A plain shape is a matter for waves.
    if places.are_none() && !(0..problem.unknowns.len()).any(|k| problem.is_unbounded(k)) {
        return Ok(None);
    }
    let columns: usize = of_unknowns.iter().flatten().map(Basis::len).sum();
    let each = (ROWS * columns as f64) as usize / problem.conditions.len().max(1);
    let rows = (EQUATION_ROWS, each.max(40));
    let surroundings = gathered(problem, of_unknowns, |_| true, &places)?;
    Ok(surroundings.map(|functions| Features::Particular {
        functions,
        level: level as u64,
        rows,
    }))
}

fn gathered(
    problem: &ConcreteProblem,
    functions: Vec<Option<Arc<dyn Basis>>>,
    alone: impl Fn(usize) -> bool,
    places: &Places,
) -> Result<Option<Surroundings>, SolveError> {
    let most = functions.iter().flatten().map(Basis::len).max();
    let Some(most) = most else {
        return Ok(None);
    };
    let words = format!("{most} functions{}", places.words());
    let surroundings = Surroundings::of(problem)?;
    let surroundings = surroundings.unwrap_or_else(|| Surroundings::plain(problem.unknowns.len()));
    Ok(Some(surroundings.with_functions(functions, alone, words)))
}

/// What the functions belong to.
#[derive(Debug, Default)]
struct Places {
    corners: usize,
    holes: usize,
}

impl Places {
    fn are_none(&self) -> bool {
        self.corners + self.holes == 0
    }

    fn words(&self) -> String {
        let count = |number: usize, one: &str, many: &str| match number {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {many}")),
        };
        let places = [
            count(self.corners, "corner", "corners"),
            count(self.holes, "hole", "holes"),
        ];
        let places: Vec<String> = places.into_iter().flatten().collect();
        match places.as_slice() {
            [] => String::new(),
            places => format!(" of {}", places.join(" and ")),
        }
    }
}

/// The domain, if it is one of the plane without time.
fn domain_of_waves(problem: &ConcreteProblem) -> Option<&dyn Domain> {
    let domain = problem.domain.as_ref();
    (domain.dim() == 2 && domain.time_axis().is_none()).then_some(domain)
}

/// Where an unknown lives.
fn home(problem: &ConcreteProblem, unknown: usize) -> &dyn Domain {
    match problem.homes.get(unknown) {
        Some(Some(region)) => region.domain.as_ref(),
        _ => problem.domain.as_ref(),
    }
}

/// Whether every equation is Laplace's or Helmholtz' for one unknown, with nothing on the right.
fn solve_the_equations(problem: &ConcreteProblem) -> bool {
    let known = |unknown: usize| {
        let equation = problem.equation_of(unknown);
        let operator = problem.operator_of(unknown);
        let laplacian = operator.is_some_and(is_laplacian);
        equation.is_some_and(is_homogeneous)
            && (laplacian || problem.wave_number(unknown).is_some())
    };
    let unknowns = problem.unknowns.len();
    problem.equations.len() == unknowns && (0..unknowns).all(known)
}

fn is_homogeneous(equation: &ConcreteEquation) -> bool {
    let origin = Array2::zeros((1, 2));
    let value = || equation.source.evaluate(&origin).ok();
    equation.source.is_constant() && value().is_some_and(|values| values == [0.0])
}

fn joined(parts: Vec<Arc<dyn Basis>>) -> Result<Option<Arc<dyn Basis>>, SolveError> {
    Ok(match parts.len() {
        0 => None,
        _ => Some(Arc::new(JoinedBasis::new(parts)?)),
    })
}

/// Solutions of Laplace's or Helmholtz' equation in the home of an unknown.
fn solutions(
    problem: &ConcreteProblem,
    unknown: usize,
    level: usize,
    places: &mut Places,
) -> Result<Option<Arc<dyn Basis>>, SolveError> {
    let domain = home(problem, unknown);
    let bounds = domain.bounding_box()?;
    let wave_number = problem.wave_number(unknown);
    let half: Vec<f64> = bounds.extents().map(|width| 0.5 * width).collect();
    let size = half[0].hypot(half[1]);
    let numbers = Numbers::at(level, wave_number, size);
    let holes = domain.holes().len();
    let corners = if is_plain(problem, domain)? {
        0
    } else {
        domain.corners().len()
    };
    places.holes += holes;
    let mut parts: Vec<Arc<dyn Basis>> = Vec::new();
    match wave_number {
        None => {
            let mut add = |basis: Option<Weighted>| {
                parts.extend(basis.map(|basis| Arc::new(basis) as Arc<dyn Basis>));
            };
            if corners > 0 {
                places.corners += corners;
                let mixed = |corner: &Corner| is_mixed(problem, corner);
                add(corner_functions(domain, numbers.exponent, mixed)?);
            }
            add(hole_functions(domain, numbers.laurent)?);
            add(harmonic_polynomials(domain, numbers.degree)?);
        }
        // Fractional orders, which corners would need, have no functions here.
        Some(_) if corners > 0 => return Ok(None),
        Some(k) => {
            let waves = hole_waves(domain, k, numbers.laurent)?;
            parts.extend(
                waves
                    .into_iter()
                    .map(|waves| Arc::new(waves) as Arc<dyn Basis>),
            );
            let (lo, hi) = (bounds.lo(), bounds.hi());
            let center = [0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1])];
            parts.push(Arc::new(CylinderBasis::regular(
                center,
                k,
                numbers.degree,
                size,
            )?));
        }
    }
    joined(parts)
}

/// Functions that solve the equation of an unknown outside of an obstacle, and behave at infinity as they must.
fn without_bounds(
    problem: &ConcreteProblem,
    unknown: usize,
    level: usize,
) -> Result<Option<Arc<dyn Basis>>, SolveError> {
    let domain = home(problem, unknown);
    let Some(k) = problem.wave_number(unknown) else {
        let numbers = Numbers::at(level, None, 0.0);
        return Ok(match bounded_functions(domain, numbers.laurent)? {
            Some(basis) => Some(Arc::new(basis)),
            None => None,
        });
    };
    let Some(pair) = problem.outgoing.iter().find(|pair| pair.contains(&unknown)) else {
        return Ok(None);
    };
    let largest = domain
        .holes()
        .iter()
        .map(|hole| hole.radius)
        .fold(0.0, f64::max);
    let numbers = Numbers::at(level, Some(k), largest);
    let waves = outgoing_waves(domain, k, numbers.laurent)?;
    let imaginary = usize::from(pair[1] == unknown);
    let parts = waves.into_iter().map(|pair| {
        let [real, other] = pair;
        Arc::new(if imaginary == 0 { real } else { other }) as Arc<dyn Basis>
    });
    joined(parts.collect())
}

/// The functions of corners and holes of an unknown's home beside its waves, for one second-order equation with an isotropic
/// leading part.
fn beside_waves(
    problem: &ConcreteProblem,
    unknown: usize,
    places: &mut Places,
) -> Result<Option<Arc<dyn Basis>>, SolveError> {
    let domain = home(problem, unknown);
    let Some(operator) = problem.operator_of(unknown) else {
        return Ok(None);
    };
    let (corners, holes) = (domain.corners(), domain.holes());
    if (corners.is_empty() && holes.is_empty()) || is_plain(problem, domain)? {
        return Ok(None);
    }
    let mut at: Vec<[f64; 2]> = corners.iter().map(|corner| corner.position).collect();
    at.extend(holes.iter().map(|hole| hole.center));
    if !is_isotropic(operator, &at) {
        return Ok(None);
    }
    let mixed = |corner: &Corner| is_mixed(problem, corner);
    let mut parts: Vec<Arc<dyn Basis>> = Vec::new();
    let mut add = |basis: Option<Weighted>| {
        parts.extend(basis.map(|basis| Arc::new(basis) as Arc<dyn Basis>));
    };
    let numbers = BESIDE_WAVES;
    add(corner_functions(domain, numbers.exponent, mixed)?);
    add(hole_functions(domain, numbers.laurent)?);
    if is_laplacian(operator) {
        add(harmonic_polynomials(domain, numbers.degree)?);
    } else {
        let mut factors = corner_factors(domain, HIGHEST_MULTIPLIED, mixed)?;
        factors.extend(hole_factors(domain, LAURENT_MULTIPLIED)?);
        if !factors.is_empty() {
            let bounds = domain.bounding_box()?;
            let smooth = SinusoidalBasis::builder(2, MULTIPLIERS.0)
                .law(FrequencyLaw::Isotropic(MULTIPLIERS.1))
                .draw(Draw::Ball)
                .map(InputMap::from_box(bounds.lo(), bounds.hi())?)
                .build()?;
            add(Some(Weighted::new(factors, Arc::new(smooth))?));
        }
        if let Some(k) = problem.wave_number(unknown) {
            let waves = hole_waves(domain, k, numbers.laurent)?;
            parts.extend(
                waves
                    .into_iter()
                    .map(|waves| Arc::new(waves) as Arc<dyn Basis>),
            );
        }
    }
    places.corners += corners.len();
    places.holes += holes.len();
    joined(parts)
}

/// Whether a domain fills its bounding box, and no kind of condition ends in the middle of a side.
fn is_plain(problem: &ConcreteProblem, domain: &dyn Domain) -> Result<bool, SolveError> {
    let volume = domain.bounding_box()?.volume();
    let fills = (domain.volume()? - volume).abs() <= 1e-12 * volume;
    let straight = |corner: &&Corner| (corner.angle - std::f64::consts::PI).abs() < STRAIGHT;
    let mixed = |corner: &Corner| is_mixed(problem, corner);
    let corners = domain.corners();
    let changes = corners.iter().filter(straight).any(mixed);
    Ok(domain.holes().is_empty() && fills && !changes)
}

/// Angles that differ from π by less are those of a straight side.
const STRAIGHT: f64 = 1e-6;

/// Whether the second-order part is a multiple of the Laplacian at these places, and nothing is of higher order.
fn is_isotropic(operator: &Operator, places: &[[f64; 2]]) -> bool {
    if operator.order() != 2 {
        return false;
    }
    let points = Array2::from_shape_fn((places.len(), 2), |(i, k)| places[i][k]);
    // The coefficients of u_xx, u_xy, u_yy at each place.
    let mut leading = vec![[0.0; 3]; places.len()];
    for term in operator.terms() {
        if !term.action().is_derivative() {
            return false;
        }
        let orders = term.action().derivative.orders();
        let [along_x, along_y] = orders else {
            return false;
        };
        if along_x + along_y != 2 {
            continue;
        }
        let Ok(values) = term.coefficient().evaluate(&points) else {
            return false;
        };
        for (leading, value) in leading.iter_mut().zip(values) {
            leading[*along_y as usize] += value;
        }
    }
    leading.iter().all(|[xx, xy, yy]| {
        let size = xx.abs().max(yy.abs());
        size > 0.0 && (xx - yy).abs() <= ISOTROPIC * size && xy.abs() <= ISOTROPIC * size
    })
}

/// Whether a value is given on one side of a corner and a derivative on the other.
fn is_mixed(problem: &ConcreteProblem, corner: &Corner) -> bool {
    let [arriving, leaving] = &corner.parts;
    let order = |name: &String| highest_order(problem, name);
    match (order(arriving), order(leaving)) {
        (Some(a), Some(b)) => (a == 0) != (b == 0),
        _ => false,
    }
}

/// The order of the condition on a part of the boundary.
fn highest_order(problem: &ConcreteProblem, part: &str) -> Option<u32> {
    let names: Vec<String> = problem.domain.parts().into_iter().map(|p| p.name).collect();
    let on_part = |place: &ConcretePlace| match place {
        ConcretePlace::Part(selector) => problem.domain.select(selector).is_ok_and(|chosen| {
            chosen
                .iter()
                .any(|&k| names.get(k).is_some_and(|n| n == part))
        }),
        ConcretePlace::Opposite { .. }
        | ConcretePlace::Points { .. }
        | ConcretePlace::Identified { .. } => false,
    };
    let conditions = problem.conditions.iter();
    conditions
        .filter(|condition| on_part(&condition.place))
        .map(|condition| condition.operator.order())
        .max()
}
