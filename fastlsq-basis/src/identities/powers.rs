//! Product and power identities: products of waves are sums of waves.

/// sin x · sin y = ½ [cos(x − y) − cos(x + y)].
#[must_use]
pub fn sine_product(x: f64, y: f64) -> f64 {
    0.5 * ((x - y).cos() - (x + y).cos())
}

/// sin² x = ½ (1 − cos 2x): squaring doubles the frequency.
#[must_use]
pub fn sine_square(x: f64) -> f64 {
    0.5 * (1.0 - (2.0 * x).cos())
}

/// cos² x = ½ (1 + cos 2x).
#[must_use]
pub fn cosine_square(x: f64) -> f64 {
    0.5 * (1.0 + (2.0 * x).cos())
}

/// sin³ x = ¼ (3 sin x − sin 3x).
#[must_use]
pub fn sine_cube(x: f64) -> f64 {
    0.25 * (3.0 * x.sin() - (3.0 * x).sin())
}

/// cos³ x = ¼ (3 cos x + cos 3x).
#[must_use]
pub fn cosine_cube(x: f64) -> f64 {
    0.25 * (3.0 * x.cos() + (3.0 * x).cos())
}
