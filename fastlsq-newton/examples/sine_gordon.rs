//! u_tt − u_xx + sin u = 0: a breather, evolved in time.
#![allow(clippy::print_stdout)]

use fastlsq_newton::{
    DomainExt, Interval, NewtonError, NewtonOptions, NonlinearProblem, T, X, atan, laplacian, sech,
    sin, unknown,
};

fn main() -> Result<(), NewtonError> {
    let omega: f64 = 0.5;
    let kappa = (1.0 - omega * omega).sqrt();
    let u = unknown("u");
    let exact = 4.0 * atan(kappa / omega * sin(omega * T) * sech(kappa * X));

    let breather = NonlinearProblem::on(Interval::new(-10.0, 10.0)?.over(0.0, 20.0)?)
        .equation(u.d(T).d(T) - laplacian(u) + sin(u), 0.0)
        .initial_value(&exact)
        .initial_velocity(exact.d(T))
        .dirichlet(&exact)
        .solve_with(&NewtonOptions::new().tolerance(1e-8))?;

    println!("   t     u(0, t)      error");
    let mut worst = 0.0f64;
    for step in 0..=20 {
        let x = [0.0, f64::from(step)];
        let value = breather.value(&x)?;
        let error = breather.at(u - &exact, &x)?.abs();
        worst = worst.max(error);
        let height = (6.0 * value).round().max(0.0) as usize;
        println!(
            "{:5.2}  {value:9.6}  {error:9.1e}  {}",
            x[1],
            "▪".repeat(height)
        );
    }
    println!("{breather}\nworst error {worst:.1e}");
    #[cfg(feature = "plot")]
    {
        breather.plot("sine_gordon.png")?;
        breather.plot_film("sine_gordon-film.png", 60)?;
    }
    assert!(worst < 1e-7);
    Ok(())
}
