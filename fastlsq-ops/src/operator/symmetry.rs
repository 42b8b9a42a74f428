//! Behaviour under reflections, for features of declared parity.

use fastlsq_basis::{Action, Multiplier, UpperLimit};

use super::Operator;
use crate::Sites;

/// Coefficients at mirrored points may differ by this much, relative to their largest value.
const TOLERANCE: f64 = 1e-10;
/// Frequencies at which the symmetry of a multiplier is tested.
const PROBES: u32 = 16;

impl Operator {
    /// The sign s in L R = s R L, where R reflects the functions along an axis (about any point):
    /// 1 if L keeps symmetry, −1 if it turns even functions into odd ones and back.
    ///
    /// A derivative of order n along the axis contributes (−1)ⁿ. The answer is `None` if terms
    /// disagree, if coefficients vary (see [`reflection_parity_at`](Self::reflection_parity_at)),
    /// if there are integrals along the axis, or if the operator or the axis is not valid. Fourier
    /// multipliers are tested at sample frequencies.
    #[must_use]
    pub fn reflection_parity(&self, axis: usize) -> Option<i32> {
        if axis >= self.dim().ok()? || !self.is_constant() {
            return None;
        }
        let signs = self
            .terms()
            .iter()
            .map(|t| action_parity(&t.action, axis, None));
        common_sign(signs)
    }

    /// The sign s in L R = s R L for the reflection x_axis ↦ 2·mirror − x_axis, where the symmetry
    /// of varying coefficients is tested at the given points and their mirror images.
    ///
    /// Like [`reflection_parity`](Self::reflection_parity), but with coefficients that vary, and
    /// integrals whose limits fit the mirror. Normals that come with the points are mirrored with
    /// them. `None` also if coefficients are tabulated or not finite.
    #[must_use]
    pub fn reflection_parity_at<'a>(
        &self,
        axis: usize,
        mirror: f64,
        sites: impl Into<Sites<'a>>,
    ) -> Option<i32> {
        let sites = sites.into();
        let dim = self.dim().ok()?;
        if axis >= dim || sites.dim() != dim || sites.table().is_some() {
            return None;
        }
        let image = sites.mirrored(axis, mirror);
        let mut actions: Vec<&Action> = Vec::new();
        for term in self.terms() {
            if !actions.contains(&&term.action) {
                actions.push(&term.action);
            }
        }
        let mut signs = Vec::new();
        for action in actions {
            let here = self.total_coefficient(action, &sites)?;
            let there = self.total_coefficient(action, &image.sites())?;
            let scale = here
                .iter()
                .chain(&there)
                .fold(0.0, |m: f64, c| m.max(c.abs()));
            if scale == 0.0 {
                continue;
            }
            let is_like = |sign: f64| {
                let mut pairs = here.iter().zip(&there);
                pairs.all(|(a, b)| (a - sign * b).abs() <= TOLERANCE * scale)
            };
            let own = match (is_like(1.0), is_like(-1.0)) {
                (true, _) => 1,
                (false, true) => -1,
                (false, false) => return None,
            };
            signs.push(action_parity(action, axis, Some(mirror)).map(|sign| sign * own));
        }
        common_sign(signs)
    }

    /// The sum of the coefficients of one action at the points; `None` if one is not finite.
    fn total_coefficient(&self, action: &Action, sites: &Sites<'_>) -> Option<Vec<f64>> {
        let mut total = vec![0.0; sites.len()];
        for term in self.terms().iter().filter(|term| term.action == *action) {
            for (total, value) in total.iter_mut().zip(term.coefficient.evaluate(sites).ok()?) {
                *total += value;
            }
        }
        Some(total)
    }
}

/// The sign that all share; 1 for none at all, `None` if they disagree or one is not known.
fn common_sign(signs: impl IntoIterator<Item = Option<i32>>) -> Option<i32> {
    let mut common = None;
    for sign in signs {
        let sign = sign?;
        if *common.get_or_insert(sign) != sign {
            return None;
        }
    }
    Some(common.unwrap_or(1))
}

fn action_parity(action: &Action, axis: usize, mirror: Option<f64>) -> Option<i32> {
    let dim = action.derivative.dim();
    let order = action.derivative.orders().get(axis)?;
    let mut sign = if order % 2 == 0 { 1 } else { -1 };
    if let Some(multiplier) = &action.multiplier
        && !is_even_along(multiplier, dim, axis)
    {
        return None;
    }
    for integral in action.integrals.iter().filter(|i| i.axis == axis) {
        let mirror = mirror?;
        match integral.to {
            // The antiderivative from the mirror of an even function is odd, and conversely.
            UpperLimit::Coordinate if integral.from == mirror => sign = -sign,
            // Over an interval that the mirror halves, R changes nothing.
            UpperLimit::Fixed(to) if integral.from + to == 2.0 * mirror => {}
            _ => return None,
        }
    }
    Some(sign)
}

/// Whether m(ω) stays the same when one component of ω changes sign, at sample frequencies.
fn is_even_along(multiplier: &Multiplier, dim: usize, axis: usize) -> bool {
    (1..=PROBES).all(|probe| {
        // Components of both signs and many sizes that are not commensurable.
        let mut w: Vec<f64> = (0..dim)
            .map(|k| 0.3 * f64::from(probe) * (f64::from(probe) * (k as f64 + 0.618)).sin())
            .collect();
        let here = multiplier.symbol(&w);
        w[axis] = -w[axis];
        let there = multiplier.symbol(&w);
        (here - there).abs() <= TOLERANCE * here.abs().max(there.abs())
    })
}
