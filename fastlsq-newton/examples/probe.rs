use fastlsq_newton::problems;
use fastlsq_newton::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let verbose = args.iter().any(|a| a == "-v");
    let seeds: u64 = args
        .iter()
        .find_map(|a| a.strip_prefix("seeds=")?.parse().ok())
        .unwrap_or(1);
    let maxn: usize = args
        .iter()
        .find_map(|a| a.strip_prefix("max=")?.parse().ok())
        .unwrap_or(2000);
    for b in problems::paper().into_iter().chain(problems::solved()) {
        if args.len() > 1 && !args[1..].iter().any(|a| a == b.name || a == "all") {
            continue;
        }
        for seed in 0..seeds {
            let mut o = NewtonOptions::new().seed(seed);
            o.solve = o.solve.max_features(maxn);
            let u = match b.problem.solve_with(&o) {
                Ok(u) => u,
                Err(e) => {
                    println!("{} {e}", b.name);
                    continue;
                }
            };
            let e = b.errors(&u, 2000).unwrap();
            let r = u.report();
            println!(
                "{:16} seed {seed} err {:.1e} grad {:.1e} est {:.1e} (est/err {:.2}) score {:.1e} N {} rows {} rank {} probes {} {:.2}s {:?} {} [{}] | newton {} its {} solves {} lin {}",
                b.name,
                e.value,
                e.gradient,
                r.error_estimate,
                r.error_estimate / e.value,
                r.held_out_residual,
                r.features,
                r.rows,
                r.rank,
                r.probes.len(),
                r.seconds,
                r.status,
                r.law,
                r.symmetry,
                u.newton().status,
                u.newton().iterations(),
                u.newton().solves,
                u.newton().linear
            );
            if verbose {
                for p in &r.probes {
                    println!(
                        "    {:4} {:.1e} rank {} {:.1}/{:.1}ms {}",
                        p.features,
                        p.score,
                        p.rank,
                        p.solve_seconds * 1e3,
                        p.seconds * 1e3,
                        p.law
                    );
                }
                println!("{u}");
            }
        }
    }
}
