use fastlsq_solve::patches::*;
use fastlsq_solve::problems::{Benchmark, local};
use fastlsq_solve::*;
use std::f64::consts::PI;

fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let rest = text.rsplit(')').next().unwrap();
    let f: Vec<&str> = rest.split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}

fn run(name: &str, b: &Benchmark, tol: f64, verbose: bool) {
    let begin = cpu();
    let always = std::env::var("ALWAYS").is_ok();
    let mut o = Options::new().tolerance(tol);
    if always {
        o = o.patches(PatchOptions::new());
    }
    match b.problem.solve_with(&o) {
        Ok(u) => {
            let t = cpu() - begin;
            let e = b.errors(&u, 5000).unwrap();
            let r = u.report();
            let p = r.patches.as_ref();
            println!(
                "{name:<26} tol {tol:.0e} err {:.1e} est {:.1e} ratio {:>7.2} grad {:.1e} cpu {t:.2} (patches {:.2}) leaves {:?} depth {:?} rounds {:?} {:?}",
                e.value,
                r.error_estimate,
                r.error_estimate / e.value,
                e.gradient,
                p.map_or(0.0, |p| p.times.total.as_secs_f64()),
                p.map(|p| p.leaves),
                p.map(|p| p.depth),
                p.map(|p| p.rounds.len()),
                p.map(|p| p.status)
            );
            if verbose {
                println!("{r}");
                if let Some(p) = p {
                    for q in &p.rounds {
                        println!("   {:?}", q);
                    }
                    println!("  {:?}", p.times);
                }
            }
        }
        Err(e) => println!("{name}: {e}"),
    }
}

fn leafwise(b: &Benchmark, u: &PatchSolution) -> f64 {
    let (mut e, mut n) = (0.0, 0.0);
    let mut sampler = UnitSampler::independent(99);
    let dim = u.dim();
    for leaf in &u.report().boxes {
        let mut points = sampler.points(20, dim);
        for mut point in points.rows_mut() { for k in 0..dim { point[k] = leaf.lo[k] + (leaf.hi[k] - leaf.lo[k]) * point[k]; } }
        let volume: f64 = (0..dim).map(|k| leaf.hi[k] - leaf.lo[k]).product();
        let values = u.values(points.view()).unwrap();
        for (point, value) in points.rows().into_iter().zip(values) {
            let x = b.exact(&point.to_vec())[0];
            e += volume * (value - x) * (value - x); n += volume * x * x;
        }
    }
    (e / n).sqrt()
}

fn calib(name: &str, b: &Benchmark, most: usize) {
    for r in 1..=most {
        let u = b.problem.solve_in_patches(&PatchOptions::new().tolerance(1e-12).max_rounds(r));
        let Ok(u) = u else { println!("# {name} {:?}", u.err()); return };
        let p = u.report();
        let last = p.rounds.last().unwrap();
        println!("{name:?} {r} err {:e} est {:e} res {:e} ind {:e} change {:e} leaves {} status {:?}", leafwise(b, &u), p.error_estimate, last.residual, last.indicator, last.change.unwrap_or(-1.0), p.leaves, p.status);
        if p.rounds.len() < r || p.leaves > 1200 || p.status != PatchStatus::RoundLimit { return; }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let verbose = args.iter().any(|a| a == "-v");
    let want = |n: &str| args.iter().any(|a| a != "-v" && n.starts_with(a.as_str()));
    let u = unknown("u");
    let table = vec![
        (local::l_shape_singular().unwrap(), 1e-10),
        (local::square_source(), 1e-10),
        (local::peak_2d(1000.0, [0.37, 0.61]), 1e-9),
        (local::layer_1d("layer-1d-2e-3", 2e-3), 1e-10),
        (local::layer_1d("layer-1d-1e-4", 1e-4), 1e-9),
        (local::layer_1d("layer-1d-1e-6", 1e-6), 1e-8),
        (local::layer_2d(1e-3), 1e-8),
        (local::helmholtz_waves("helmholtz-k50", 50.0), 1e-11),
        (local::helmholtz_waves("helmholtz-k100", 100.0), 1e-11),
        (local::helmholtz_waves("helmholtz-k200", 200.0), 1e-11),
        (local::interface_square(1000.0).unwrap(), 1e-10),
        (local::elastic_l().unwrap(), 1e-9),
    ];
    for (b, tol) in &table {
        if want(b.name) || want("table") {
            run(b.name, b, *tol, verbose);
        }
    }
    if want("default") {
        for (b, _) in &table {
            run(b.name, b, 1e-12, verbose);
        }
    }
    if want("loose") {
        for (b, _) in &table {
            run(b.name, b, 1e-6, verbose);
        }
    }
    // invented problems
    let mut more: Vec<(String, Benchmark, Vec<f64>)> = Vec::new();
    let tols = vec![1e-5, 1e-8, 1e-11];
    for (i, (s, c)) in [
        (60.0, [0.2, 0.9]),
        (300.0, [0.5, 0.5]),
        (4000.0, [0.81, 0.12]),
        (20000.0, [0.333, 0.1]),
    ]
    .into_iter()
    .enumerate()
    {
        more.push((format!("peak {i} {s}"), local::peak_2d(s, c), tols.clone()));
    }
    // corner exponents: r^a sin(a phi) on the unit square about the origin
    for a in [0.5, 1.5, 2.5, 3.3] {
        let r = sqrt(X * X + Y * Y);
        let phi = 2.0 * atan(Y / (&r + X));
        let exact = r.powf(a) * cos(a * phi);
        let p = LinearProblem::on(BoxDomain::unit(2))
            .equation(laplacian(u), 0.0)
            .dirichlet(&exact);
        more.push((
            format!("corner r^{a}"),
            Benchmark::new("corner", "", p, &[exact]),
            tols.clone(),
        ));
    }
    // tanh front at an angle
    for (w, t) in [(0.05, 0.3_f64), (0.01, 1.1)] {
        let s = (t.cos() * (X - 0.45) + t.sin() * (Y - 0.52)) / w;
        let exact = tanh(s);
        let p = LinearProblem::on(BoxDomain::unit(2))
            .equation(laplacian(u) - u, laplacian(&exact) - &exact)
            .dirichlet(&exact);
        more.push((
            format!("front {w} {t}"),
            Benchmark::new("front", "", p, &[exact]),
            tols.clone(),
        ));
    }
    // Robin and Neumann with a peak, variable coefficients
    {
        let exact = exp(-400.0 * ((X - 0.3).powi(2) + (Y - 0.95).powi(2))) + X * Y;
        let nu = 1.0 + X * X + 0.5 * sin(3.0 * Y);
        let l = |v: Expr| div(&nu * grad(v.clone())) + (1.0 + Y) * v.d(X) - 2.0 * v;
        let p = LinearProblem::on(BoxDomain::unit(2))
            .equation(l(u.into()), l(exact.clone()))
            .condition(X.lo(), u, &exact)
            .condition(X.hi(), u.d(X) + 3.0 * u, exact.d(X) + 3.0 * &exact)
            .condition(Y.lo(), u, &exact)
            .condition(Y.hi(), u.d(Y), exact.d(Y));
        more.push((
            "variable robin neumann".into(),
            Benchmark::new("var", "", p, &[exact]),
            tols.clone(),
        ));
    }
    for k in [33.0, 77.0, 141.0] {
        more.push((
            format!("helmholtz {k}"),
            local::helmholtz_waves("h", k),
            vec![1e-6, 1e-9, 1e-12],
        ));
    }
    // 1-D: kink-like, oscillation, reaction layers
    for w in [3e-2, 1e-3] {
        let exact = exp(-X / w) + exp((X - 1.0) / w) + sin(5.0 * X);
        let p = LinearProblem::on(Interval::unit())
            .equation(-w * w * u.d(X).d(X) + u, -w * w * exact.d(X).d(X) + &exact)
            .dirichlet(&exact);
        more.push((
            format!("reaction layers {w}"),
            Benchmark::new("r", "", p, &[exact]),
            tols.clone(),
        ));
    }
    {
        let exact = (X + 0.0).powf(1.7) + 1.0;
        let p = LinearProblem::on(Interval::unit())
            .equation(u.d(X).d(X), exact.d(X).d(X))
            .dirichlet(&exact);
        more.push((
            "x^1.7".into(),
            Benchmark::new("x", "", p, &[exact]),
            vec![1e-4, 1e-6, 1e-8],
        ));
        let exact = tanh(200.0 * (X - 0.3333)) + X;
        let p = LinearProblem::on(Interval::unit())
            .equation(u.d(X).d(X), exact.d(X).d(X))
            .condition(X.lo(), u, &exact)
            .condition(X.hi(), u.d(X), exact.d(X));
        more.push((
            "tanh 1d neumann".into(),
            Benchmark::new("t", "", p, &[exact]),
            tols.clone(),
        ));
    }
    // L with other boxes, mixed conditions
    {
        let bx = |a: [f64; 2], b: [f64; 2]| BoundingBox::new(&a, &b).unwrap();
        let d = BoxUnion::new(&[bx([0.0, 0.0], [3.0, 1.0]), bx([1.0, 1.0], [2.0, 2.5])]).unwrap();
        let exact = exp(-50.0 * ((X - 1.5).powi(2) + (Y - 1.2).powi(2))) + sin(X) * cos(PI * Y);
        let p = LinearProblem::on(d)
            .equation(-laplacian(u), -laplacian(&exact))
            .dirichlet(&exact);
        more.push((
            "T shape".into(),
            Benchmark::new("T", "", p, &[exact]),
            tols.clone(),
        ));
    }
    // smooth: must not go to patches
    {
        let exact = sin(PI * X) * exp(Y);
        let p = LinearProblem::on(BoxDomain::unit(2))
            .equation(-laplacian(u), -laplacian(&exact))
            .dirichlet(&exact);
        more.push((
            "smooth".into(),
            Benchmark::new("s", "", p, &[exact]),
            vec![1e-12],
        ));
        more.push((
            "helmholtz-10".into(),
            problems::helmholtz_2d(10.0),
            vec![1e-12],
        ));
    }
    for (n, b, tols) in &more {
        if want(n) || want("more") {
            for t in tols {
                run(n, b, *t, verbose);
            }
        }
    }
}
