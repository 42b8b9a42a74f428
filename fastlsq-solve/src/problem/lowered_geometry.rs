//! The part of a statement that speaks of places: regions, glued parts, the outside of obstacles.

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_ops::{Expr, Operator, Statement, Term, normal_derivative};

use super::concrete::{ConcreteEquation, ConcretePlace, ConcreteProblem};
use super::condition::Condition;
use super::lowering::Lowering;
use super::mistake::MistakeReason;
use crate::domain::Motion;
use crate::domain::{DomainError, DomainExt, PartSelector, Region};

/// The points of a part that are checked to tell whether an unknown lives there, or whether a motion fits.
const PROBES: usize = 64;
/// How far beside a boundary a point is looked at, relative to the size of the domain.
const BESIDE: f64 = 1e-7;

impl Lowering<'_> {
    /// The region of this name; `None` for the whole domain.
    pub(super) fn region_of(&self, name: Option<&str>) -> Result<Option<Region>, MistakeReason> {
        let Some(name) = name else {
            return Ok(None);
        };
        if !self.linear {
            return Err(MistakeReason::RegionsAreLinear);
        }
        let regions = self.problem.domain.regions();
        let known = regions.iter().map(|region| region.name.clone()).collect();
        let own = regions.into_iter().find(|region| region.name == name);
        own.map(Some).ok_or_else(|| {
            let name = name.to_owned();
            DomainError::UnknownRegion { name, known }.into()
        })
    }

    /// An unknown lives in the region that all of its equations hold in.
    pub(super) fn homes(&mut self) {
        let home = |unknown: usize| {
            let speaks = |equation: &&ConcreteEquation| {
                let mut jets = equation.statement.jets();
                jets.any(|jet| jet.unknown == unknown)
            };
            let mut own = self.problem.equations.iter().filter(speaks);
            let first = own.next()?.region.clone()?;
            let same = |equation: &ConcreteEquation| {
                equation.region.as_ref().map(|region| &region.name) == Some(&first.name)
            };
            own.all(same).then_some(first)
        };
        self.problem.homes = (0..self.problem.unknowns.len()).map(home).collect();
    }

    /// Whether all unknowns that a condition speaks of live somewhere on its part.
    pub(super) fn reaches(
        &self,
        place: &ConcretePlace,
        statement: &Statement,
    ) -> Result<(), MistakeReason> {
        let ConcretePlace::Part(part) = place else {
            return Ok(());
        };
        for jet in statement.jets() {
            let Some(Some(home)) = self.problem.homes.get(jet.unknown) else {
                continue;
            };
            let domain = &self.problem.domain;
            let sampled = domain.sample_selected(part, PROBES, &mut UnitSampler::halton(0))?;
            let mut points = sampled.points.rows().into_iter();
            if !points.any(|x| home.reaches(&x.to_vec())) {
                return Err(MistakeReason::Elsewhere {
                    unknown: self.problem.unknowns[jet.unknown].to_string(),
                    region: home.name.clone(),
                });
            }
        }
        Ok(())
    }

    /// A part whose image is a part as well.
    pub(super) fn identification(
        &self,
        part: &PartSelector,
        motion: &Motion,
    ) -> Result<ConcretePlace, MistakeReason> {
        let domain = &self.problem.domain;
        if motion.dim() != domain.dim() {
            return Err(DomainError::DimensionMismatch {
                what: "the motion",
                expected: domain.dim(),
                found: motion.dim(),
            }
            .into());
        }
        let part = match self.place_of(&super::Place::Part(part.clone()))? {
            ConcretePlace::Part(part) => part,
            _ => part.clone(),
        };
        let step = BESIDE * domain.bounding_box()?.extents().fold(0.0, f64::max);
        let sampled = domain.sample_selected(&part, PROBES, &mut UnitSampler::halton(0))?;
        for (x, n) in sampled
            .points
            .rows()
            .into_iter()
            .zip(sampled.normals.rows())
        {
            let (point, normal) = (x.to_vec(), n.to_vec());
            let (image, turned) = (motion.image(&point), motion.turned(&normal));
            // What leaves through the part enters through its image.
            let beside = |sign: f64| -> Vec<f64> {
                let pairs = image.iter().zip(&turned);
                pairs.map(|(x, n)| x + sign * step * n).collect()
            };
            if !domain.contains(&beside(1.0)) || domain.contains(&beside(-1.0)) {
                return Err(MistakeReason::NotCongruent { point, image });
            }
        }
        Ok(ConcretePlace::Identified {
            part,
            motion: motion.clone(),
        })
    }

    /// Each unknown, and its normal derivative where an equation is of second order.
    pub(super) fn identified(&mut self) {
        for (part, motion) in &self.statement.identified {
            let label = format!("identified {part}");
            let words = "the part agrees with its image";
            let orders = self.problem.equations.iter().flat_map(|equation| {
                let jets = equation.statement.jets();
                jets.map(|jet| jet.action.derivative.order())
                    .collect::<Vec<_>>()
            });
            let order = orders.max().unwrap_or(1);
            let place = match self.identification(part, motion) {
                _ if order > 2 => Err(MistakeReason::IdentifiedOrder { order }),
                place => place,
            };
            let place = match place {
                Ok(place) => place,
                Err(reason) => {
                    self.mistake(&label, words, reason);
                    continue;
                }
            };
            for unknown in self.problem.unknowns.clone() {
                let traces = [Expr::from(unknown), normal_derivative(unknown)];
                for left in traces.iter().take(order.max(1) as usize) {
                    let condition = Condition::identified(part.clone(), motion.clone(), left);
                    let label = format!("{label} {left}");
                    for (label, statement) in self.lower(&label, words, left) {
                        let place = (place.clone(), None);
                        self.push(&condition, (label, words, left), place, statement);
                    }
                }
            }
        }
    }

    /// Pairs that leave their obstacle, and everything else that lives in an unbounded domain.
    pub(super) fn outgoing(&mut self) {
        for [real, imaginary] in self.statement.outgoing.clone() {
            let label = format!("outgoing {real} + i {imaginary}");
            let index = |own| self.problem.unknowns.iter().position(|u| *u == own);
            let pair = match (index(real), index(imaginary)) {
                (Some(a), Some(b)) if a != b => [a, b],
                _ => {
                    let what = "these are not two unknowns of the problem";
                    self.mistake(&label, "", MistakeReason::NotOutgoing { what });
                    continue;
                }
            };
            let numbers = pair.map(|k| self.problem.wave_number(k));
            let what = if !pair.iter().all(|k| self.problem.is_unbounded(*k)) {
                "one of them lives in a bounded domain"
            } else if numbers[0].is_none() || numbers[0] != numbers[1] {
                "their equations differ from that"
            } else {
                self.problem.outgoing.push(pair);
                continue;
            };
            self.mistake(&label, "", MistakeReason::NotOutgoing { what });
        }
        for unknown in 0..self.problem.unknowns.len() {
            let known = self
                .problem
                .outgoing
                .iter()
                .flatten()
                .any(|k| *k == unknown)
                || (self.linear && self.problem.operator_of(unknown).is_some_and(is_laplacian));
            if self.problem.is_unbounded(unknown) && !known {
                let name = self.problem.unknowns[unknown].to_string();
                let reason = MistakeReason::AtInfinity {
                    unknown: name.clone(),
                };
                self.mistake(&format!("{name} at infinity"), "", reason);
            }
        }
    }
}

impl ConcreteProblem {
    /// Whether an unknown lives in a domain without end.
    #[must_use]
    pub fn is_unbounded(&self, unknown: usize) -> bool {
        match self.homes.get(unknown) {
            Some(Some(home)) => home.domain.is_unbounded(),
            _ => self.domain.is_unbounded(),
        }
    }

    /// The operator of the only equation of an unknown, if it involves no other.
    #[must_use]
    pub fn operator_of(&self, unknown: usize) -> Option<&Operator> {
        self.equation_of(unknown)?.operator.block(unknown)
    }

    /// The only equation of an unknown, if it involves no other.
    #[must_use]
    pub fn equation_of(&self, unknown: usize) -> Option<&ConcreteEquation> {
        let speaks = |equation: &&ConcreteEquation| equation.operator.block(unknown).is_some();
        let mut own = self.equations.iter().filter(speaks);
        let (first, more) = (own.next()?, own.next());
        (more.is_none() && first.operator.blocks().len() == 1).then_some(first)
    }

    /// k where the only equation of an unknown is Δu + k²u = f up to a factor, k > 0.
    #[must_use]
    pub fn wave_number(&self, unknown: usize) -> Option<f64> {
        let operator = self.operator_of(unknown)?;
        let (leading, square) = split(operator)?;
        (square / leading > 0.0).then(|| (square / leading).sqrt())
    }
}

/// Whether the operator is a constant multiple of the Laplacian and nothing else.
pub(crate) fn is_laplacian(operator: &Operator) -> bool {
    split(operator).is_some_and(|(_, square)| square == 0.0)
}

/// a and c of the operator a Δ + c in the plane with constant coefficients.
fn split(operator: &Operator) -> Option<(f64, f64)> {
    if !operator.is_constant() {
        return None;
    }
    let origin = ndarray::Array2::zeros((1, 2));
    let mut coefficients = [0.0; 3];
    for term in operator.terms() {
        let value = |term: &Term| term.coefficient().evaluate(&origin).ok()?.first().copied();
        let place = match term.action().derivative.orders() {
            _ if !term.action().is_derivative() => return None,
            [2, 0] => 0,
            [0, 2] => 1,
            [0, 0] => 2,
            _ => return None,
        };
        coefficients[place] += value(term)?;
    }
    let [xx, yy, square] = coefficients;
    (xx == yy && xx != 0.0).then_some((xx, square))
}
