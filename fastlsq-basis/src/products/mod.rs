//! Products over the axes that do not change when axes are exchanged.

#[cfg(feature = "serde")]
mod serial;

use std::f64::consts::{FRAC_PI_2, TAU};
use std::sync::Arc;

use faer::MatMut;
use ndarray::ArrayView2;

use crate::basis::{Basis, validate_request};
use crate::error::{
    require_derivative, require_dim, require_finite, require_memory, require_size, require_some,
};
use crate::form::Form;
use crate::sampling::{Sequence, UnitSampler, normal_quantile};
use crate::saved::SavedBasis;
use crate::sinusoidal::Parity;
use crate::{BasisError, InputMap, sin_cos};

/// Waves in one factor: with this many, products of them span all symmetric functions of as many axes; of more axes they
/// span what matters of them.
const MOST_WAVES: usize = 4;
/// Points of [−1, 1] at which the size of a factor is measured.
const SIZED: usize = 21;
/// Factors smaller than this vanish, and are left as they are.
const VANISHING: f64 = 1e-6;

/// φⱼ(x) = Πₐ ψ_{j,c(a)}(yₐ) with ψ(s) = Σₖ aₖ sin(ωₖs + βₖ) random and frozen, on the box mapped to \[−1,1\]^d.
///
/// All axes of one class c share their factor, so that φⱼ does not change when they are exchanged. Such products span the
/// functions with that symmetry (a symmetric tensor is a sum of powers), of which there are few: of the 12 376 polynomials
/// of degree 11 in six variables, 169 are symmetric.
///
/// ```
/// use fastlsq_basis::{Basis, InputMap, Parity, ProductBasis};
/// let map = InputMap::from_box(&[0.0; 3], &[1.0; 3])?;
/// let basis = ProductBasis::random(map, &[0, 0, 1], &[Parity::None; 3], 20, &[2.0, 5.0], 0)?;
/// let (here, exchanged) = (basis.value_at(&[0.1, 0.7, 0.4])?, basis.value_at(&[0.7, 0.1, 0.4])?);
/// assert!(here.iter().zip(&exchanged).all(|(a, b)| (a - b).abs() < 1e-14));
/// # Ok::<(), fastlsq_basis::BasisError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "serial::Parameters", into = "serial::Parameters")
)]
pub struct ProductBasis {
    map: InputMap,
    /// The class of each axis.
    classes: Vec<usize>,
    /// How many waves a factor of each class has.
    waves: Vec<usize>,
    count: usize,
    /// For each feature, class and wave: amplitude, frequency and phase, in the coordinates of the map.
    parameters: Vec<[f64; 3]>,
}

impl ProductBasis {
    /// `count` random features. Axis a belongs to the class `classes[a]`; classes are numbered from 0. The frequencies of
    /// class c are uniform in \[−`radii[c]`, `radii[c]`\]. Parity is about the centre of the map, that of a class is the
    /// parity of its first axis.
    ///
    /// # Errors
    /// Lists of the wrong length, no features, radii that are not finite.
    pub fn random(
        map: InputMap,
        classes: &[usize],
        parity: &[Parity],
        count: usize,
        radii: &[f64],
        seed: u64,
    ) -> Result<Self, BasisError> {
        let dim = map.dim();
        require_dim("the list of classes", dim, classes.len())?;
        require_dim("the list of parities", dim, parity.len())?;
        require_some("the set of features", count)?;
        require_finite("the largest frequencies", radii)?;
        let number = classes
            .iter()
            .max()
            .map_or(0, |last| last.saturating_add(1));
        require_size("the list of largest frequencies", number, radii.len())?;
        let members = |class: usize| classes.iter().filter(|own| **own == class).count();
        let waves: Vec<usize> = (0..number)
            .map(|c| members(c).clamp(1, MOST_WAVES))
            .collect();
        let each: usize = waves.iter().sum();
        require_memory(count, 3 * each)?;
        let mut sampler = UnitSampler::new(Sequence::Independent, seed);
        let unit = sampler.points(count, 3 * each);
        let mut parameters = Vec::with_capacity(count * each);
        for row in unit.rows() {
            let mut numbers = row.iter().copied();
            for (class, &terms) in waves.iter().enumerate() {
                let first = classes.iter().position(|own| *own == class);
                let own = first.map_or(Parity::None, |axis| parity[axis]);
                let mut factor: Vec<[f64; 3]> = Vec::with_capacity(terms);
                for _ in 0..terms {
                    let mut next = || numbers.next().unwrap_or(0.5);
                    let amplitude = normal_quantile(next());
                    let frequency = radii[class] * (2.0 * next() - 1.0);
                    let phase = TAU * next();
                    let phase = match own {
                        Parity::None => phase,
                        Parity::Even => FRAC_PI_2,
                        Parity::Odd => 0.0,
                    };
                    factor.push([amplitude, frequency, phase]);
                }
                let size = size(&factor);
                if size > VANISHING {
                    factor.iter_mut().for_each(|wave| wave[0] /= size);
                }
                parameters.extend(factor);
            }
        }
        Ok(Self {
            map,
            classes: classes.to_vec(),
            waves,
            count,
            parameters,
        })
    }

    /// The class of each axis.
    #[must_use]
    pub fn classes(&self) -> &[usize] {
        &self.classes
    }

    /// Waves of one feature, over all classes.
    fn each(&self) -> usize {
        self.waves.iter().sum()
    }
}

/// The root mean square of a factor on [−1, 1].
fn size(factor: &[[f64; 3]]) -> f64 {
    let at = |i: usize| {
        let s = 2.0 * i as f64 / (SIZED - 1) as f64 - 1.0;
        let waves = factor.iter().map(|[a, w, b]| a * libm::sin(w * s + b));
        waves.sum::<f64>()
    };
    let squares: f64 = (0..SIZED).map(|i| at(i).powi(2)).sum();
    (squares / SIZED as f64).sqrt()
}

/// Adds dⁿ/dsⁿ of a sin(ωs + β) for n = 0, 1, …, each divided by hⁿ, where sine and cosine of ωs + β are known.
fn add_wave(amplitude: f64, slope: f64, (sin, cos): (f64, f64), slopes: &mut [f64]) {
    let mut scale = amplitude;
    for (n, target) in slopes.iter_mut().enumerate() {
        let turned = match n % 4 {
            0 => sin,
            1 => cos,
            2 => -sin,
            _ => -cos,
        };
        *target += scale * turned;
        scale *= slope;
    }
}

impl Basis for ProductBasis {
    fn dim(&self) -> usize {
        self.map.dim()
    }

    fn len(&self) -> usize {
        self.count
    }

    fn write_rows(
        &self,
        points: ArrayView2<'_, f64>,
        form: &Form<'_>,
        mut out: MatMut<'_, f64>,
    ) -> Result<(), BasisError> {
        validate_request(self, points, form, &out)?;
        let dim = self.dim();
        for term in form.terms() {
            require_derivative("product of waves over the axes", term.action)?;
        }
        let orders = |axis: usize| {
            let orders = form
                .terms()
                .iter()
                .map(|term| term.action.derivative.orders()[axis]);
            orders.max().unwrap_or(0) as usize
        };
        // The slopes of the factor along axis a stand from starts[a] on.
        let mut starts = vec![0];
        for axis in 0..dim {
            starts.push(starts[axis] + orders(axis) + 1);
        }
        let each = self.each();
        // The waves of one feature along all axes: the axis, and the place among the feature's parameters.
        let mut offsets = vec![0];
        for waves in &self.waves {
            offsets.push(offsets[offsets.len() - 1] + waves);
        }
        let along = |axis: usize| {
            let class = self.classes[axis];
            (offsets[class]..offsets[class + 1]).map(move |wave| (axis, wave))
        };
        let waves: Vec<(usize, usize)> = (0..dim).flat_map(along).collect();
        let length = self.count * waves.len();
        let (mut z, mut sin, mut cos) = (vec![0.0; length], vec![0.0; length], vec![0.0; length]);
        let mut slopes = vec![0.0; starts[dim]];
        for (i, point) in points.rows().into_iter().enumerate() {
            let y: Vec<f64> = (0..dim)
                .map(|axis| self.map.apply(axis, point[axis]))
                .collect();
            let features = self.parameters.chunks_exact(each);
            for (z, own) in z.chunks_exact_mut(waves.len()).zip(features.clone()) {
                for (z, (axis, wave)) in z.iter_mut().zip(&waves) {
                    let [_, frequency, phase] = own[*wave];
                    *z = frequency * y[*axis] + phase;
                }
            }
            sin_cos(&z, &mut sin, &mut cos);
            for (j, own) in features.enumerate() {
                slopes.fill(0.0);
                for (k, &(axis, wave)) in waves.iter().enumerate() {
                    let [amplitude, frequency, _] = own[wave];
                    let at = j * waves.len() + k;
                    let target = &mut slopes[starts[axis]..starts[axis + 1]];
                    let slope = frequency / self.map.half()[axis];
                    add_wave(amplitude, slope, (sin[at], cos[at]), target);
                }
                let mut sum = 0.0;
                for term in form.terms() {
                    let coefficient = term.coefficient.at(i);
                    let factors = term.action.derivative.orders().iter().zip(&starts);
                    let product = factors.map(|(n, start)| slopes[start + *n as usize]);
                    sum += coefficient * product.product::<f64>();
                }
                out[(i, j)] = sum;
            }
        }
        Ok(())
    }

    fn to_saved(&self) -> Option<SavedBasis> {
        Some(SavedBasis::Product(self.clone()))
    }

    fn selected(&self, features: &[usize]) -> Option<Arc<dyn Basis>> {
        let each = self.each();
        let mut parameters = Vec::with_capacity(features.len() * each);
        for &j in features {
            parameters.extend_from_slice(self.parameters.get(j * each..(j + 1) * each)?);
        }
        (!features.is_empty()).then(|| {
            Arc::new(Self {
                count: features.len(),
                parameters,
                ..self.clone()
            }) as Arc<dyn Basis>
        })
    }
}
