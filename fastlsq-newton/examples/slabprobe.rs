use fastlsq_newton::problems;
use fastlsq_newton::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let get = |k: &str, d: f64| {
        args.iter()
            .find_map(|a| a.strip_prefix(k)?.parse().ok())
            .unwrap_or(d)
    };
    for b in problems::solved() {
        if b.name != args[1] {
            continue;
        }
        let mut o = NewtonOptions::new().tolerance(get("tol=", 1e-8));
        o.solve = o.solve.max_features(get("max=", 722.0) as usize);
        let n = get("slabs=", 8.0);
        let t = std::time::Instant::now();
        let u = b
            .problem
            .solve_in_slabs(
                if n == 0.0 {
                    Slabs::Automatic
                } else {
                    Slabs::Count(n as usize)
                },
                &o,
            )
            .unwrap();
        println!(
            "{} slabs {} est {:.1e} {:.1}s",
            b.name,
            u.pieces().len(),
            u.error_estimate(),
            t.elapsed().as_secs_f64()
        );
        for (k, p) in u.pieces().iter().enumerate() {
            let (lo, hi) = (u.times()[k], u.times()[k + 1]);
            let bb = b.problem.domain().bounding_box().unwrap();
            let (mut e, mut s) = (0.0, 0.0);
            for i in 0..400 {
                let x = [
                    bb.lo()[0] + (bb.hi()[0] - bb.lo()[0]) * ((i as f64) * 0.618034).fract(),
                    lo + (hi - lo) * ((i as f64 + 0.5) / 400.0),
                ];
                let v = p.value(&x).unwrap();
                let w = b.exact(&x)[0];
                e += (v - w).powi(2);
                s += w * w;
            }
            let r = p.report();
            println!(
                "   [{lo:.4},{hi:.4}] err {:.1e} est {:.1e} score {:.1e} N {} rank {} probes {} solves {} {:.1}s {:?} {} {}",
                (e / s).sqrt(),
                r.error_estimate,
                r.held_out_residual,
                r.features,
                r.rank,
                r.probes.len(),
                p.newton().solves,
                r.seconds,
                r.status,
                r.law,
                p.newton().status
            );
        }
    }
}
