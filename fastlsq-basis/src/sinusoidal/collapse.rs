//! Collapse of a form to a few numbers for each feature.
//!
//! For sin(w·x + b), a derivative D^α is w^α Φ_{|α| mod 4} (paper, Eq. 3), a Fourier multiplier is
//! a factor m(w), and an integral over [a, t] along an axis is the value at the midpoint times
//! h sinc(w h/2) with h = t − a. So all terms with the same coefficient function add up to
//! pⱼ sin z + qⱼ cos z, two numbers per feature, whatever the order of the operator.

use crate::BasisError;
use crate::form::{AxisIntegral, Form};
use crate::grouping::{same_source, split};
use crate::identities::cycle_components;
use crate::sine::Wave;
use crate::sinusoidal::Parity;

/// A form collapsed for features sin z: a sum of [`WaveGroup`]s, for code that evaluates rows elsewhere.
///
/// All groups of a pass are evaluated at the same point. Along axes that are integrated over this is
/// the middle of the interval, and the value is multiplied by h sin(t)/t with t = w h/2 for an
/// interval of length h.
#[derive(Debug, Clone, PartialEq)]
pub struct WavePass<'a> {
    /// The integrals, along distinct axes.
    pub integrals: Vec<AxisIntegral>,
    /// What is added up.
    pub groups: Vec<WaveGroup<'a>>,
}

/// c(x) (pⱼ sin z + qⱼ cos z) Π trig(w_a (x_a − c_a)), the product over the axes with parity.
#[derive(Debug, Clone, PartialEq)]
pub struct WaveGroup<'a> {
    /// c at each point; `None` stands for 1.
    pub source: Option<&'a [f64]>,
    /// Bit k says that along the k-th axis with parity the feature's factor (cosine if even, sine if
    /// odd) is replaced by the other one. Signs are in p and q.
    pub flipped: u64,
    /// pⱼ for each feature, with the common factor of the features.
    pub p: Vec<f64>,
    /// qⱼ for each feature.
    pub q: Vec<f64>,
}

impl<'a> From<Pass<'a>> for WavePass<'a> {
    fn from(pass: Pass<'a>) -> Self {
        let groups = pass.groups.into_iter().map(|group| WaveGroup {
            source: group.source,
            flipped: group.flipped,
            p: group.p,
            q: group.q,
        });
        Self {
            integrals: pass.integrals,
            groups: groups.collect(),
        }
    }
}

/// Terms that share the point where the sinusoid is evaluated.
pub(super) struct Pass<'a> {
    pub(super) integrals: Vec<AxisIntegral>,
    pub(super) groups: Vec<Group<'a>>,
    /// Whether one or two shifted sines per feature serve all groups.
    pub(super) few_waves: bool,
}

/// Terms that share coefficient function and pattern of sines and cosines along parity axes.
pub(super) struct Group<'a> {
    /// The coefficient at each point; `None` stands for 1.
    pub(super) source: Option<&'a [f64]>,
    /// Bit k says that parity axis k (in order) carries the derivative's function.
    pub(super) flipped: u64,
    pub(super) p: Vec<f64>,
    pub(super) q: Vec<f64>,
    /// p sin + q cos as shifted sines.
    pub(super) waves: Vec<Wave>,
}

impl Pass<'_> {
    /// Turns the sums into shifted sines, sees how many there are, and puts those that can be shared side by side.
    fn finish(&mut self) {
        for group in &mut self.groups {
            let sums = group.p.iter().zip(&group.q);
            group.waves = sums.map(|(p, q)| Wave::new(*p, *q)).collect();
        }
        let zero = |v: &f64| *v == 0.0;
        let only_sines = |group: &Group<'_>| group.q.iter().all(zero);
        let only_cosines = |group: &Group<'_>| group.p.iter().all(zero);
        let mut groups = self.groups.iter();
        let pure = groups.all(|group| only_sines(group) || only_cosines(group));
        let same_axes = self.groups.windows(2).all(|g| g[0].flipped == g[1].flipped);
        if pure && same_axes {
            // Waves are shared by groups that follow each other: one sine and one cosine serve all.
            self.groups.sort_by_cached_key(|group| !only_sines(group));
        }
        self.few_waves = self.groups.len() <= 2 || (pure && same_axes);
    }
}

/// The features as the collapse needs them.
pub(super) struct CollapsedFeatures<'a> {
    pub(super) dim: usize,
    pub(super) frequencies: &'a [f64],
    pub(super) parity: &'a [Parity],
    pub(super) scale: f64,
}

/// Adds up the terms of a form, feature by feature.
///
/// # Errors
/// A symbol that is not finite at some frequency (a multiplier with a pole, or overflow).
pub(super) fn collapse<'a>(
    features: &CollapsedFeatures<'_>,
    form: &Form<'a>,
) -> Result<Vec<Pass<'a>>, BasisError> {
    let mut passes: Vec<Pass<'a>> = Vec::new();
    for term in form.terms() {
        let (constant, source) = split(term.coefficient);
        let alpha = term.action.derivative.orders();
        let mut sign = constant * features.scale;
        let (mut ridge_order, mut flipped, mut slot) = (0u32, 0u64, 0u32);
        for (&n, parity) in alpha.iter().zip(features.parity) {
            match parity {
                Parity::None => ridge_order = ridge_order.wrapping_add(n % 4),
                // cos → −sin → −cos → sin, and sin → cos → −sin → −cos.
                Parity::Even | Parity::Odd => {
                    let negative = if *parity == Parity::Even {
                        [1, 2]
                    } else {
                        [2, 3]
                    };
                    if negative.contains(&(n % 4)) {
                        sign = -sign;
                    }
                    flipped |= u64::from(n & 1) << slot;
                    slot += 1;
                }
            }
        }
        let (p_unit, q_unit) = cycle_components(ridge_order);
        let group = group_for(
            &mut passes,
            &term.action.integrals,
            source,
            flipped,
            features,
        );
        for (j, w) in features
            .frequencies
            .chunks_exact(features.dim.max(1))
            .enumerate()
        {
            let multiplier = term.action.multiplier.as_ref().map_or(1.0, |m| m.symbol(w));
            let weight = sign * term.action.derivative.monomial(w) * multiplier;
            if !weight.is_finite() {
                return Err(BasisError::NotFinite {
                    what: "the symbol of the operator at the frequencies",
                    index: j,
                    value: weight,
                });
            }
            group.p[j] += p_unit * weight;
            group.q[j] += q_unit * weight;
        }
    }
    for pass in &mut passes {
        pass.finish();
    }
    Ok(passes)
}

fn group_for<'p, 'a>(
    passes: &'p mut Vec<Pass<'a>>,
    integrals: &[AxisIntegral],
    source: Option<&'a [f64]>,
    flipped: u64,
    features: &CollapsedFeatures<'_>,
) -> &'p mut Group<'a> {
    let pass = match passes.iter().position(|pass| pass.integrals == integrals) {
        Some(index) => index,
        None => {
            passes.push(Pass {
                integrals: integrals.to_vec(),
                groups: Vec::new(),
                few_waves: false,
            });
            passes.len() - 1
        }
    };
    let groups = &mut passes[pass].groups;
    let same = |group: &Group<'_>| group.flipped == flipped && same_source(group.source, source);
    let index = match groups.iter().position(same) {
        Some(index) => index,
        None => {
            let count = features.frequencies.len() / features.dim.max(1);
            groups.push(Group {
                source,
                flipped,
                p: vec![0.0; count],
                q: vec![0.0; count],
                waves: Vec::new(),
            });
            groups.len() - 1
        }
    };
    &mut groups[index]
}
