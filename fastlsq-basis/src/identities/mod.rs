//! The trigonometric identities behind the method, as functions (paper, appendix on trigonometric
//! symmetries). Each has a property test that proves it.
//!
//! | identity | here |
//! |---|---|
//! | sin⁽ⁿ⁾ = Φ_{n mod 4} | [`cycle`] |
//! | D^α sin(w·x + b) = w^α Φ_{\|α\| mod 4}(w·x + b) | [`ridge_derivative`] |
//! | L sin = p sin + q cos for constant coefficients; an eigenfunction if all orders are even | [`symbol`], [`eigenvalue`] |
//! | sin(z + b) = cos b sin z + sin b cos z | [`decouple`], [`couple`] |
//! | even and odd parts of sin(z + b) in z | [`even_odd_parts`] |
//! | sin(z + nπ/2) = Φₙ(z) | [`quarter_waves`] |
//! | products, squares and cubes of waves are sums of waves | [`sine_product`], [`sine_square`], [`cosine_square`], [`sine_cube`], [`cosine_cube`]; whole expansions: [`SinusoidalExpansion`](crate::SinusoidalExpansion) |
//! | integrals over intervals and boxes | [`interval_integral`], [`box_integral`], [`sinc`] |
//! | L² inner products over a box, orthogonality | [`gram_over_box`] |
//! | E[φ(x) φ(x′)] = ½ exp(−σ²\|x − x′\|²/2) | [`limit_kernel`] |
//!
//! Two statements of the paper are corrected here. Sinusoids are eigenfunctions of a
//! constant-coefficient operator only if its orders are all even; odd orders turn sines into
//! cosines. And the kernel that the features converge to carries a factor ½, since
//! E[sin(a + b) sin(c + b)] = ½ cos(a − c) for a uniform phase b.

mod calculus;
mod gram;
mod integrals;
mod kernel_limit;
mod phase;
mod powers;

pub(crate) use calculus::cycle_components;
pub use calculus::{cycle, eigenvalue, ridge_derivative, symbol};
pub use gram::gram_over_box;
pub use integrals::{box_integral, interval_integral, sinc};
pub(crate) use integrals::{require_corners, span_factor};
pub use kernel_limit::limit_kernel;
pub use phase::{couple, decouple, even_odd_parts, quarter_waves};
pub use powers::{cosine_cube, cosine_square, sine_cube, sine_product, sine_square};
