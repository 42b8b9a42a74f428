//! The pair of coefficients at one frequency.

/// s sin θ + c cos θ = Re[(c − is) e^{iθ}]: the complex number A = c − is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Amplitude {
    pub(super) sine: f64,
    pub(super) cosine: f64,
}

impl Amplitude {
    /// sin(θ + b).
    pub(super) fn of_phase(phase: f64) -> Self {
        let (cosine, sine) = phase.sin_cos();
        Self { sine, cosine }
    }

    /// The value at an angle θ.
    pub(super) fn at(self, angle: f64) -> f64 {
        let (sin, cos) = angle.sin_cos();
        self.sine * sin + self.cosine * cos
    }

    /// d/dθ, a quarter wave ahead: s cos θ − c sin θ.
    pub(super) fn advanced(self) -> Self {
        Self {
            sine: -self.cosine,
            cosine: self.sine,
        }
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        Self {
            sine: factor * self.sine,
            cosine: factor * self.cosine,
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            sine: self.sine + other.sine,
            cosine: self.cosine + other.cosine,
        }
    }

    /// The complex conjugate: the same function of −θ.
    pub(super) fn mirrored(self) -> Self {
        Self {
            sine: -self.sine,
            cosine: self.cosine,
        }
    }

    /// The product of the complex numbers.
    pub(super) fn times(self, other: Self) -> Self {
        Self {
            sine: self.cosine * other.sine + self.sine * other.cosine,
            cosine: self.cosine * other.cosine - self.sine * other.sine,
        }
    }

    /// |A|².
    pub(super) fn squared_size(self) -> f64 {
        self.sine * self.sine + self.cosine * self.cosine
    }

    pub(super) fn is_zero(self) -> bool {
        self.sine == 0.0 && self.cosine == 0.0
    }

    pub(super) fn is_finite(self) -> bool {
        self.sine.is_finite() && self.cosine.is_finite()
    }
}
