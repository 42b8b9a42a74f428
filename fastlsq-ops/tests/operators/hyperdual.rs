//! Hyper-dual numbers: an exact derivative oracle that knows nothing of sinusoidal features.
//!
//! A number a = Σ_S a_S Π_{k∈S} e_k with n units e_k² = 0, one for each derivative to be taken.
//! If x_axis carries the units of all derivatives along that axis, the coefficient of Π e_k in
//! f(x) is D^α f exactly, up to rounding.

use std::ops::{Add, Mul};

use fastlsq_ops::MultiIndex;

#[derive(Debug, Clone)]
pub(crate) struct Hyper(Vec<f64>);

impl Hyper {
    pub(crate) fn sin(&self) -> Self {
        self.sin_cos().0
    }

    pub(crate) fn cos(&self) -> Self {
        self.sin_cos().1
    }

    /// sin(a + b e) = sin a + b cos a e, unit by unit.
    fn sin_cos(&self) -> (Self, Self) {
        if let [x] = self.0.as_slice() {
            return (Self(vec![x.sin()]), Self(vec![x.cos()]));
        }
        let (a, b) = self.0.split_at(self.0.len() / 2);
        let (sin, cos) = Self(a.to_vec()).sin_cos();
        let slope = Self(b.to_vec());
        let join = |low: &Self, high: &Self| Self([low.0.clone(), high.0.clone()].concat());
        let minus = &sin * -1.0;
        (join(&sin, &(&slope * &cos)), join(&cos, &(&slope * &minus)))
    }
}

impl Add for &Hyper {
    type Output = Hyper;

    fn add(self, other: &Hyper) -> Hyper {
        Hyper(self.0.iter().zip(&other.0).map(|(a, b)| a + b).collect())
    }
}

impl Mul for &Hyper {
    type Output = Hyper;

    fn mul(self, other: &Hyper) -> Hyper {
        let mut out = vec![0.0; self.0.len()];
        for (set, out) in out.iter_mut().enumerate() {
            for part in 0..=set {
                if part & !set == 0 {
                    *out += self.0[part] * other.0[set & !part];
                }
            }
        }
        Hyper(out)
    }
}

impl Mul<f64> for &Hyper {
    type Output = Hyper;

    fn mul(self, number: f64) -> Hyper {
        Hyper(self.0.iter().map(|a| a * number).collect())
    }
}

/// D^α f at a point.
pub(crate) fn derivative(alpha: &MultiIndex, point: &[f64], f: impl Fn(&[Hyper]) -> Hyper) -> f64 {
    let size = 1 << alpha.order();
    let mut unit = 1;
    let x: Vec<Hyper> = point
        .iter()
        .zip(alpha.orders())
        .map(|(&x, &order)| {
            let mut parts = vec![0.0; size];
            parts[0] = x;
            for _ in 0..order {
                parts[unit] = 1.0;
                unit *= 2;
            }
            Hyper(parts)
        })
        .collect();
    f(&x).0[size - 1]
}

/// sin(w·x + b).
pub(crate) fn feature(w: &[f64], b: f64, x: &[Hyper]) -> Hyper {
    phase(w, b, x).sin()
}

/// w·x + b.
pub(crate) fn phase(w: &[f64], b: f64, x: &[Hyper]) -> Hyper {
    let mut z = &x[0] * 0.0;
    z.0[0] = b;
    for (w, x) in w.iter().zip(x) {
        z = &z + &(x * *w);
    }
    z
}
