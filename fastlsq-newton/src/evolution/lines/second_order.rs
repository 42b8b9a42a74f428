//! The linear systems of u_tt = F(u, u_t), halved.
//!
//! With v = u_t the Jacobian has the form [0 1; A B], so that (λ − hJ) (u, v) = (p, q) means λu − hv = p and λv − h(Au + Bv) = q.
//! Times λ, and with hv = λu − p from the first, the second becomes
//!
//! (λ² − hλB − h²A) u = λp + h(q − Bp),
//!
//! a system for u alone: half as many unknowns in half the band.

use std::sync::Arc;

use faer::c64;
use fastlsq_solve::space::line::{BandFactors, BandMatrix, EndCondition, LineSpace, SlopeTerm};

use super::form::LineProblem;
use crate::evolution::form::Rates;
use crate::evolution::ode::{Linearised, Shifted};

/// By how much functions that should be the same may differ.
const ALIKE: f64 = 1e-12;

/// The functions of all positions, which are those of all velocities too.
#[derive(Debug)]
pub(super) struct SecondOrder {
    space: LineSpace,
    /// Where the coefficients of positions and of velocities stand, in the order of this space.
    positions: Vec<usize>,
    velocities: Vec<usize>,
}

impl SecondOrder {
    /// `None` where some unknown has no velocity, or where a position and its velocity are not expanded in the same functions.
    pub(super) fn new(problem: &LineProblem, whole: &LineSpace) -> Option<Arc<Self>> {
        if problem.states.len() != 2 * problem.unknowns() {
            return None;
        }
        let of_position = problem.conditions.iter().zip(&problem.ends);
        let of_position = of_position.filter(|(_, end)| !end.is_velocity());
        let conditions: Vec<EndCondition> = of_position
            .map(|(condition, _)| {
                let states = condition.coefficients.iter().zip(&problem.states);
                let positions = states.filter(|(_, state)| state.1 == 0);
                EndCondition {
                    upper: condition.upper,
                    coefficients: positions.map(|(own, _)| own.clone()).collect(),
                }
            })
            .collect();
        let space = LineSpace::new(
            Arc::clone(whole.element()),
            whole.breaks(),
            problem.unknowns(),
            problem.periodic,
            &conditions,
        )
        .ok()?;
        let owners = whole.function_of();
        let of_order = |order: u32| -> Vec<usize> {
            let own = owners.iter().enumerate();
            own.filter(|(_, state)| problem.states[**state].1 == order)
                .map(|(k, _)| k)
                .collect()
        };
        let this = Self {
            space,
            positions: of_order(0),
            velocities: of_order(1),
        };
        this.fits(problem, whole).then(|| Arc::new(this))
    }

    /// Whether generic coefficients give the same functions as here, both as positions and as velocities.
    fn fits(&self, problem: &LineProblem, whole: &LineSpace) -> bool {
        let dim = self.space.dim();
        if [&self.positions, &self.velocities].map(Vec::len) != [dim; 2] {
            return false;
        }
        let own: Vec<f64> = (0..dim).map(|k| (1.0 + (k * k) as f64).sin()).collect();
        let mut all = vec![0.0; whole.dim()];
        for list in [&self.positions, &self.velocities] {
            for (place, c) in list.iter().zip(&own) {
                all[*place] = *c;
            }
        }
        let (own, all) = (self.space.expansion(&own, &[]), whole.expansion(&all, &[]));
        let size = whole.element().degree() + 1;
        let largest = own.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let states = all.chunks_exact(size).zip(problem.states.iter().cycle());
        [0, 1].into_iter().all(|order| {
            let of_order = states.clone().filter(|(_, state)| state.1 == order);
            let all = of_order.flat_map(|(values, _)| values);
            own.iter()
                .zip(all)
                .all(|(a, b)| (a - b).abs() <= ALIKE * largest)
        })
    }

    /// ⟨φᵢ, A φⱼ⟩ and ⟨φᵢ, B φⱼ⟩ of these slopes.
    pub(super) fn linearised(self: &Arc<Self>, problem: &LineProblem, rates: &Rates) -> Halves {
        let by = |order: u32| {
            let terms: Vec<SlopeTerm<'_>> = rates
                .slopes
                .iter()
                .filter_map(|(of, sample, values)| {
                    let (state, derivative) = problem.samples[*sample];
                    let ((of, level), (by, own)) = (problem.states[*of], problem.states[state]);
                    (level == 1 && own == order).then_some(SlopeTerm {
                        of,
                        by,
                        derivative,
                        values,
                    })
                })
                .collect();
            self.space.matrix(&terms)
        };
        Halves {
            of: Arc::clone(self),
            by_position: by(0),
            by_velocity: by(1),
        }
    }
}

/// A and B.
#[derive(Debug)]
pub(super) struct Halves {
    of: Arc<SecondOrder>,
    by_position: BandMatrix,
    by_velocity: BandMatrix,
}

impl Linearised for Halves {
    fn shifted(&self, lambda: c64, h: f64) -> Box<dyn Shifted> {
        let mass = self.of.space.mass();
        let real = |x: f64| c64::new(x, 0.0);
        let factors = mass.combined(&[
            (lambda * lambda, mass),
            (-h * lambda, &self.by_velocity),
            (real(-h * h), &self.by_position),
        ]);
        Box::new(HalvedSystem {
            of: Arc::clone(&self.of),
            by_velocity: self.by_velocity.clone(),
            factors,
            lambda,
            h,
        })
    }
}

/// (λ − hJ)⁻¹ by the factors of λ²M − hλB − h²A.
#[derive(Debug)]
struct HalvedSystem {
    of: Arc<SecondOrder>,
    by_velocity: BandMatrix,
    factors: BandFactors,
    lambda: c64,
    h: f64,
}

impl HalvedSystem {
    /// M p and h(M q − B p) for one part of p and q.
    fn products(&self, p: &[f64], q: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mass = self.of.space.mass();
        let (of_q, of_p) = (mass.times(q), self.by_velocity.times(p));
        let rest = of_q.iter().zip(of_p).map(|(q, p)| self.h * (q - p));
        (mass.times(p), rest.collect())
    }
}

impl Shifted for HalvedSystem {
    fn solve(&self, re: &mut [f64], im: &mut [f64]) {
        let (lambda, h) = (self.lambda, self.h);
        let (positions, velocities) = (&self.of.positions, &self.of.velocities);
        let taken =
            |from: &[f64], list: &[usize]| -> Vec<f64> { list.iter().map(|&k| from[k]).collect() };
        let p_re = taken(re, positions);
        let (own, mut u_re) = self.products(&p_re, &taken(re, velocities));
        for (u, own) in u_re.iter_mut().zip(&own) {
            *u += lambda.re * own;
        }
        if lambda.im == 0.0 {
            self.factors.solve_real(&mut u_re);
            for (k, u) in u_re.into_iter().enumerate() {
                re[positions[k]] = u;
                re[velocities[k]] = (lambda.re * u - p_re[k]) / h;
            }
            return;
        }
        let p_im = taken(im, positions);
        let (own_im, mut u_im) = self.products(&p_im, &taken(im, velocities));
        for (k, (a, b)) in own.into_iter().zip(own_im).enumerate() {
            u_re[k] -= lambda.im * b;
            u_im[k] += lambda.im * a + lambda.re * b;
        }
        self.factors.solve(&mut u_re, &mut u_im);
        for (k, (a, b)) in u_re.into_iter().zip(u_im).enumerate() {
            (re[positions[k]], im[positions[k]]) = (a, b);
            re[velocities[k]] = (lambda.re * a - lambda.im * b - p_re[k]) / h;
            im[velocities[k]] = (lambda.re * b + lambda.im * a - p_im[k]) / h;
        }
    }
}

#[cfg(test)]
mod tests {
    use faer::Mat;
    use fastlsq_solve::space::line::Element;
    use fastlsq_solve::{DomainExt, Interval, T, WALLS, X, sin, unknowns};

    use super::*;
    use crate::NonlinearProblem;
    use crate::evolution::lines::system::System;
    use crate::evolution::ode::Ode;

    /// Two damped waves that act on each other, between walls of different kinds or on a circle.
    fn problem(periodic: bool) -> LineProblem {
        let [u, v] = unknowns(["u", "v"]);
        let rod = Interval::new(-1.0, 2.0).unwrap().over(0.0, 1.0).unwrap();
        let mut problem = NonlinearProblem::on(rod)
            .equation(u.d(T).d(T) - u.d(X).d(X) + 0.3 * v.d(T) + u * v, 0.0)
            .equation(
                v.d(T).d(T) - (2.0 + X) * v.d(X).d(X) + v.d(T) * u + sin(v),
                0.0,
            );
        for (unknown, factor) in [(u, 1.0), (v, 2.0)] {
            problem = problem
                .condition(fastlsq_solve::INITIAL, unknown, factor * sin(X))
                .condition(fastlsq_solve::INITIAL, unknown.d(T), 0.5);
        }
        problem = if periodic {
            problem.periodic(X)
        } else {
            problem
                .condition(X.lo(), u, sin(T))
                .condition(X.hi(), u.d(X), 0.0)
                .condition(WALLS, v.d(X) + 2.0 * v, 1.0)
        };
        LineProblem::recognise(&problem.statement().concrete(&[]).unwrap()).unwrap()
    }

    #[test]
    fn halved_systems_give_what_the_whole_ones_do() {
        for periodic in [false, true] {
            let problem = problem(periodic);
            let element = Arc::new(Element::new(9, problem.order).unwrap());
            let breaks = [-1.0, -0.5, 0.5, 2.0];
            let (states, ends) = (problem.states.len(), &problem.conditions);
            let space = LineSpace::new(element, &breaks, states, periodic, ends).unwrap();
            let dim = space.dim();
            assert!(SecondOrder::new(&problem, &space).is_some());
            let system = System::new(&problem, &Arc::new(space));
            let y: Vec<f64> = (0..dim).map(|k| (0.3 * k as f64).sin()).collect();
            let mut jacobian = Mat::zeros(dim, dim);
            system.jacobian(0.2, &y, jacobian.as_mut());
            let (h, re, im) = (0.05, Mat::from_fn(dim, 1, |k, _| (k as f64).cos()), &y);
            for lambda in [c64::new(3.6, 0.0), c64::new(2.7, 3.0)] {
                let (mut x, mut z) = (re.col_as_slice(0).to_vec(), im.clone());
                if lambda.im == 0.0 {
                    z.fill(0.0);
                }
                let right = (x.clone(), z.clone());
                let factors = system.linearise(0.2, &y).shifted(lambda, h);
                factors.solve(&mut x, &mut z);
                let times = |x: &[f64]| &jacobian * Mat::from_fn(dim, 1, |k, _| x[k]);
                let (jx, jz) = (times(&x), times(&z));
                let largest = jx.norm_max().max(jz.norm_max());
                for k in 0..dim {
                    let own = lambda * c64::new(x[k], z[k]) - h * c64::new(jx[(k, 0)], jz[(k, 0)]);
                    let given = c64::new(right.0[k], right.1[k]);
                    assert!((own - given).norm() < 1e-12 * largest, "{k}: {own} {given}");
                }
            }
        }
    }
}
