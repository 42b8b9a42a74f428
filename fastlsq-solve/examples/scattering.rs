//! A plane wave meets a cylinder: Δu + k²u = 0 outside, the sum of both waves vanishes on the rim.
//!
//! The scattered wave is complex; its real and imaginary part are two unknowns. Far out, a wave that leaves satisfies
//! ∂u/∂r = (ik − 1/(2r)) u up to terms of order 1/r²: that is the condition on the outer circle.
#![allow(clippy::print_stdout)]

use fastlsq_solve::{
    Annulus, LinearProblem, Options, SolveError, Unknown, X, Y, cos, laplacian, normal_derivative,
    sin, unknowns,
};

const K: f64 = 3.0;
const OUTER: f64 = 3.0;

fn main() -> Result<(), SolveError> {
    let [u, v] = unknowns(["u", "v"]);
    let damping = 0.5 / OUTER;
    let scattered = LinearProblem::on(Annulus::new(&[0.0, 0.0], 1.0, OUTER)?)
        .equation(laplacian(u) + K * K * u, 0.0)
        .equation(laplacian(v) + K * K * v, 0.0)
        .condition("inner", u, -cos(K * X))
        .condition("inner", v, -sin(K * X))
        .condition("outer", normal_derivative(u) + K * v + damping * u, 0.0)
        .condition("outer", normal_derivative(v) - K * u + damping * v, 0.0)
        .solve_with(&Options::new().tolerance(1e-4).max_features(600))?;
    println!("{}", scattered.report());
    #[cfg(feature = "plot")]
    scattered.plot("scattering.png")?;

    // What flows out through every circle is the same: Im ∮ ū ∂u/∂r.
    let flux = |radius: f64| -> Result<f64, SolveError> {
        let mut sum = 0.0;
        for k in 0..256 {
            let (s, c) = (f64::from(k) * std::f64::consts::TAU / 256.0).sin_cos();
            let point = [radius * c, radius * s];
            let radial = |w: Unknown| c * w.d(X) + s * w.d(Y);
            sum += scattered.at(u * radial(v) - v * radial(u), &point)? * radius / 256.0;
        }
        Ok(std::f64::consts::TAU * sum)
    };
    let (near, far) = (flux(1.3)?, flux(2.7)?);
    println!("energy through the circle of radius 1.3: {near:.6}, of radius 2.7: {far:.6}");
    assert!((near / far - 1.0).abs() < 1e-3 && near > 0.0);
    Ok(())
}
