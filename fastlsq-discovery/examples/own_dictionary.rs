//! A pendulum with friction, found with terms of its own: u″ = −sin u − 0.1 u′.
#![allow(clippy::print_stdout)]

use fastlsq_discovery::{Dictionary, Discovery, Samples};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (x, u) = pendulum(600, 12.0);
    // Errors of measurement: ±0.005, in a fixed pattern without order.
    let noisy: Vec<f64> = u
        .iter()
        .enumerate()
        .map(|(i, u)| u + 0.005 * (12.9898 * (i * i) as f64).sin())
        .collect();

    let library = Dictionary::parse(&["x"], &["1", "u", "u_x", "u^2", "u^3", "u_x^3"])?
        .with("sin(u)")?
        .with("abs(u_x) u_x")?;
    let samples = Samples::on_line(&x, &noisy)?;
    let law = Discovery::new(library, "u_xx")?.run(&samples)?;
    #[cfg(feature = "plot")]
    samples.plot("own_dictionary.png")?;
    println!("{}", law.summary());

    assert_eq!(law.terms.len(), 2);
    assert!((law.coefficient("sin(u)") + 1.0).abs() < 0.02);
    assert!((law.coefficient("u_x") + 0.1).abs() < 0.005);
    Ok(())
}

/// The classical Runge–Kutta method from u = 2.5, u′ = 0.
fn pendulum(count: usize, length: f64) -> (Vec<f64>, Vec<f64>) {
    const INNER: usize = 20;
    let h = length / ((count - 1) * INNER) as f64;
    let slope = |[u, v]: [f64; 2]| [v, -u.sin() - 0.1 * v];
    let along = |s: [f64; 2], d: [f64; 2], h: f64| [s[0] + h * d[0], s[1] + h * d[1]];
    let mut state = [2.5, 0.0];
    let (mut x, mut u) = (Vec::new(), Vec::new());
    for i in 0..count {
        x.push((i * INNER) as f64 * h);
        u.push(state[0]);
        for _ in 0..INNER {
            let a = slope(state);
            let b = slope(along(state, a, 0.5 * h));
            let c = slope(along(state, b, 0.5 * h));
            let d = slope(along(state, c, h));
            for k in 0..2 {
                state[k] += h / 6.0 * (a[k] + 2.0 * (b[k] + c[k]) + d[k]);
            }
        }
    }
    (x, u)
}
