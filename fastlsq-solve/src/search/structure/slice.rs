//! The data of a problem as functions of coordinates in [−1, 1]: sources in the interior, values and slopes on faces.

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use fastlsq_ops::{EquationRow, Field, Sites};
use ndarray::{Array2, Axis};

use crate::control::Control;
use crate::domain::{BoundingBox, Domain, DomainExt};
use crate::problem::{ConcretePlace, ConcreteProblem};

/// Pairs of points between which differences are taken.
const PAIRS: usize = 5;
/// Points at which the size of data is measured.
const SIZED: usize = 32;
/// Relative to the size of the data, smaller differences are rounding.
const ROUNDING: f64 = 4e-13;
/// Data below this share of what the operator makes of u are rounding altogether.
const NOTHING: f64 = 1e-14;
/// The most faces that are looked at: a set of coordinates shows on every face across another one.
const FACES: usize = 6;
/// Shares of the half-widths of the bounding box that a cube inside the domain may have, in the order in which they are tried.
const REACHES: [f64; 5] = [1.0, 0.7, 0.5, 0.35, 0.25];
/// Points that must lie inside before a cube does.
const INSIDE: usize = 200;

/// Something that is given, as a function of y ∈ [−1, 1]^d; on a face it does not depend on one of them.
#[derive(Debug)]
pub(super) struct Slice<'a> {
    data: &'a Field,
    frame: &'a Frame<'a>,
    /// The axis across the face, and whether the face is the upper one.
    pub(super) face: Option<(usize, bool)>,
    /// Whether the data are those of derivatives across the face, so that all they depend on acts together with that axis.
    pub(super) across: bool,
    /// Differences up to this size are rounding.
    pub(super) rounding: f64,
    here: Array2<f64>,
    there: Array2<f64>,
}

/// The cube on which data are looked at: x = centre + half · y.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    centre: Vec<f64>,
    half: Vec<f64>,
    /// Data may be expensive: the call can be stopped between two looks at them.
    control: &'a Control,
}

impl<'a> Frame<'a> {
    /// The largest cube about the centre of the bounding box that lies in the domain, as far as points tell; and whether it
    /// is the whole domain.
    pub(super) fn of(
        domain: &dyn Domain,
        bounds: &BoundingBox,
        control: &'a Control,
    ) -> Option<(Self, bool)> {
        let volume = bounds.volume();
        let whole = (domain.volume().ok()? - volume).abs() <= 1e-12 * volume;
        let sides = || bounds.lo().iter().zip(bounds.hi());
        let centre: Vec<f64> = sides().map(|(lo, hi)| 0.5 * lo + 0.5 * hi).collect();
        let mut sampler = UnitSampler::new(Sequence::Independent, SEED);
        let unit = sampler.points(INSIDE, bounds.dim());
        let frames = REACHES.into_iter().map(|reach| Self {
            centre: centre.clone(),
            half: sides().map(|(lo, hi)| 0.5 * reach * (hi - lo)).collect(),
            control,
        });
        let mut inside = frames.filter(|frame| {
            let points = frame.points(&unit.mapv(|t| 2.0 * t - 1.0));
            let mut rows = points.rows().into_iter();
            rows.all(|x| domain.contains(&x.to_vec()))
        });
        inside.next().map(|frame| (frame, whole))
    }

    fn points(&self, y: &Array2<f64>) -> Array2<f64> {
        let mut points = y.clone();
        for (k, mut column) in points.axis_iter_mut(Axis(1)).enumerate() {
            column.mapv_inplace(|y| self.centre[k] + self.half[k] * y);
        }
        points
    }
}

/// The seed of everything that is drawn here: what is found does not depend on that of the solve.
pub(super) const SEED: u64 = 0x57_2c7;

impl<'a> Slice<'a> {
    /// `None` for data that tell nothing (constants, unless they are slopes across a face), and for data that cannot be
    /// evaluated everywhere.
    fn new(
        data: &'a Field,
        frame: &'a Frame<'a>,
        face: Option<(usize, bool)>,
        across: bool,
        nothing: f64,
    ) -> Option<Self> {
        let dim = frame.centre.len();
        let mut sampler = UnitSampler::new(Sequence::Independent, SEED);
        let mut points = |count| sampler.points(count, dim).mapv(|t| 2.0 * t - 1.0);
        let (here, there) = (points(PAIRS), points(PAIRS));
        let mut slice = Self {
            data,
            frame,
            face,
            across,
            rounding: 0.0,
            here,
            there,
        };
        let values = slice.values(points(SIZED))?;
        let largest = values.iter().fold(0.0f64, |size, v| size.max(v.abs()));
        slice.rounding = (ROUNDING * largest).max(nothing);
        let first = values.first()?;
        let varies = values.iter().any(|v| (v - first).abs() > slice.rounding);
        (varies || across && largest > 0.0).then_some(slice)
    }

    /// The size of the data, as measured.
    fn size(&self) -> f64 {
        self.rounding / ROUNDING
    }

    pub(super) fn dim(&self) -> usize {
        self.frame.centre.len()
    }

    /// Whether a function of these coordinates shows here in full.
    pub(super) fn shows(&self, axes: &[usize]) -> bool {
        self.face.is_none_or(|(across, _)| !axes.contains(&across))
    }

    /// The values at points y, one row each; `None` if one is not finite.
    pub(super) fn values(&self, mut y: Array2<f64>) -> Option<Vec<f64>> {
        self.frame.control.check().ok()?;
        let Some((axis, upper)) = self.face else {
            let points = self.frame.points(&y);
            return self.data.evaluate(Sites::new(points.view())).ok();
        };
        let side = if upper { 1.0 } else { -1.0 };
        y.column_mut(axis).fill(side);
        let points = self.frame.points(&y);
        let normals = Array2::from_shape_fn(y.dim(), |(_, k)| if k == axis { side } else { 0.0 });
        let sites = Sites::new(points.view()).with_normals(normals.view());
        self.data.evaluate(sites).ok()
    }

    /// Whether these sets of coordinates act together: their mixed difference
    /// Σ_M (−1)^{|M|} h(y with the sets of M moved) does not vanish.
    pub(super) fn acts_together(&self, sets: &[&[usize]]) -> Option<bool> {
        if self.differs(sets)? {
            return Some(true);
        }
        if let (true, Some((axis, _))) = (self.across, self.face)
            && sets.iter().any(|set| set.contains(&axis))
        {
            let others = sets.iter().filter(|set| !set.contains(&axis)).copied();
            return self.differs(&others.collect::<Vec<_>>());
        }
        Some(false)
    }

    fn differs(&self, sets: &[&[usize]]) -> Option<bool> {
        let corners = 1usize << sets.len();
        let mut y = Array2::zeros((PAIRS * corners, self.dim()));
        for (row, mut y) in y.rows_mut().into_iter().enumerate() {
            let (pair, corner) = (row / corners, row % corners);
            y.assign(&self.here.row(pair));
            for (k, set) in sets.iter().enumerate() {
                if corner >> k & 1 == 1 {
                    set.iter()
                        .for_each(|&axis| y[axis] = self.there[(pair, axis)]);
                }
            }
        }
        let values = self.values(y)?;
        let sign = |corner: usize| {
            if corner.count_ones().is_multiple_of(2) {
                1.0
            } else {
                -1.0
            }
        };
        let difference = |values: &[f64]| -> f64 {
            let signed = values.iter().enumerate().map(|(k, v)| sign(k) * v);
            signed.sum::<f64>()
        };
        let limit = self.rounding * (corners as f64).sqrt();
        Some(
            values
                .chunks(corners)
                .any(|own| difference(own).abs() > limit),
        )
    }
}

/// All data that tell of u, and whether the values of u itself are among them.
pub(super) fn slices<'a>(
    problem: &'a ConcreteProblem,
    frame: &'a Frame<'a>,
    whole: bool,
) -> Vec<Slice<'a>> {
    let mut slices = Vec::new();
    if whole {
        faces(problem, frame, &mut slices);
    }
    let size = slices.iter().map(Slice::size).fold(0.0, f64::max);
    for equation in &problem.equations {
        if keeps_structure(&equation.operator) {
            let nothing = NOTHING * size * plain_size(&equation.operator, &frame.half);
            slices.extend(Slice::new(&equation.source, frame, None, false, nothing));
        }
    }
    slices
}

fn faces<'a>(problem: &'a ConcreteProblem, frame: &'a Frame<'a>, slices: &mut Vec<Slice<'a>>) {
    for condition in &problem.conditions {
        let ConcretePlace::Part(part) = &condition.place else {
            continue;
        };
        let Ok(parts) = problem.domain.select(part) else {
            continue;
        };
        let mut faces: Vec<(usize, bool)> = Vec::new();
        for part in parts {
            let mut sampler = UnitSampler::new(Sequence::Independent, SEED);
            let Ok(sampled) = problem.domain.sample_part(part, 1, &mut sampler) else {
                continue;
            };
            let mut normals = sampled.normals.rows().into_iter();
            let Some(normal) = normals.next().filter(|n| n.len() == problem.domain.dim()) else {
                continue;
            };
            let axis = normal.iter().position(|n| n.abs() == 1.0);
            // Of two faces across one axis the first will do.
            if let Some(axis) = axis.filter(|&axis| faces.iter().all(|(other, _)| *other != axis)) {
                faces.push((axis, normal[axis] > 0.0));
            }
        }
        let step = faces.len().div_ceil(FACES).max(1);
        for &(axis, upper) in faces.iter().step_by(step) {
            if is_constant_on(&condition.operator, frame, (axis, upper)) {
                let across = condition.operator.order() > 0;
                let face = Some((axis, upper));
                slices.extend(Slice::new(&condition.data, frame, face, across, 0.0));
            }
        }
    }
}

/// Whether Lu acts on the same sets of coordinates, and lies along the same directions, as u does: derivatives with
/// constant coefficients.
fn keeps_structure(operator: &EquationRow) -> bool {
    let mut terms = operator.blocks().iter().flat_map(|(_, op)| op.terms());
    !operator.is_zero()
        && terms.all(|term| term.coefficient().is_constant() && term.action().is_derivative())
}

/// The same on a face, where normals are constant.
fn is_constant_on(operator: &EquationRow, frame: &Frame<'_>, (axis, upper): (usize, bool)) -> bool {
    let mut terms = operator.blocks().iter().flat_map(|(_, op)| op.terms());
    !operator.is_zero()
        && terms.all(|term| {
            let coefficient = term.coefficient();
            let constant = coefficient.is_constant() || {
                let slice = Slice::new(coefficient, frame, Some((axis, upper)), false, 0.0);
                coefficient.needs_normals() && slice.is_none()
            };
            constant && term.action().is_derivative()
        })
}

/// About the size of Lu for a plain function of size 1.
fn plain_size(operator: &EquationRow, half: &[f64]) -> f64 {
    let terms = operator.blocks().iter().flat_map(|(_, op)| op.terms());
    let sizes = terms.map(|term| {
        let orders = term.action().derivative.orders();
        let slopes = orders.iter().zip(half).map(|(n, h)| h.powi(-(*n as i32)));
        term.coefficient().as_constant().unwrap_or(0.0).abs() * slopes.product::<f64>()
    });
    sizes.sum()
}
