//! Problems on shapes: regions with interfaces, the outside of obstacles, glued parts, solids of triangles, and what does not
//! depend on where a shape lies.
#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

use std::f64::consts::{FRAC_PI_3, TAU};

use fastlsq_solve::domain::UnitSampler;
use fastlsq_solve::ndarray::Array2;
use fastlsq_solve::problems::{shapes, test_points};
use fastlsq_solve::{
    Annulus, Ball, Basis, BoundingBox, BoxDomain, Condition, CylinderBasis, Domain, DomainError,
    DomainExt, Ellipse, Expr, Frame, HalfSpace, LinearProblem, MistakeReason, Motion, Options,
    Polygon, REST, Solution, SolveError, Status, Surface, WALLS, X, Y, Z, cos, exp, laplacian, ln,
    normal_derivative, sin, unknown, unknowns,
};

/// ‖found − exact‖/‖exact‖ at points of the domain that satisfy a predicate.
fn error(
    problem: &LinearProblem,
    solution: &Solution,
    found: impl Into<Expr>,
    exact: impl Into<Expr>,
    at: impl Fn(&[f64]) -> bool,
) -> f64 {
    let points = test_points(problem.domain(), 800).unwrap();
    let rows: Vec<usize> = (0..points.nrows())
        .filter(|&i| at(&points.row(i).to_vec()))
        .collect();
    let points = points.select(fastlsq_solve::ndarray::Axis(0), &rows);
    let frame = Frame::new(problem.domain().coordinates(), []);
    let exact = frame.field(exact).unwrap().evaluate(&points).unwrap();
    let found = solution.evaluate(found, &points).unwrap();
    let difference: f64 = found.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum();
    let size: f64 = exact.iter().map(|b| b * b).sum();
    (difference / size).sqrt()
}

#[test]
fn a_disc_in_a_square() {
    let solved = shapes::disc_in_square().unwrap();
    let solution = solved
        .problem
        .solve_with(&Options::new().tolerance(1e-8))
        .unwrap();
    assert!(
        solution.report().status == Status::ToleranceMet,
        "{}",
        solution.report()
    );
    assert!(solved.error(&solution, 1000).unwrap() < 1e-8);
}

/// Two materials side by side, values and fluxes that jump, conditions of each on its own stretch of the walls.
#[test]
fn jumps_across_a_straight_interface() {
    let [u, v] = unknowns(["u", "v"]);
    let (left, right) = (sin(X + 2.0 * Y), exp(0.5 * X) * cos(Y));
    let half = BoxDomain::new(&[0.0, 0.0], &[0.4, 1.0]).unwrap();
    let plate = BoxDomain::unit(2).with_region("left", half).unwrap();
    let interface = plate.parts().pop().unwrap();
    assert_eq!(interface.name, "left");
    assert!((interface.measure - 1.0).abs() < 1e-9);
    let flux = |l: &Expr, r: &Expr| 3.0 * normal_derivative(l) - normal_derivative(r);
    let problem = LinearProblem::on(plate)
        .equation_in("left", -3.0 * laplacian(u), -3.0 * laplacian(&left))
        .equation_in(REST, -laplacian(v) + v, -laplacian(&right) + &right)
        .condition("left", u - v, &left - &right)
        .condition("left", flux(&u.into(), &v.into()), flux(&left, &right))
        .condition(WALLS, u, &left)
        .condition(WALLS, v, &right);
    let solution = problem.solve_with(&Options::new().tolerance(1e-9)).unwrap();
    assert!(error(&problem, &solution, u, left, |x| x[0] < 0.4) < 1e-8);
    assert!(error(&problem, &solution, v, right, |x| x[0] > 0.4) < 1e-8);
    // Each is zero where it does not live.
    assert_eq!(solution.at(u, &[0.9, 0.5]).unwrap(), 0.0);
    assert_eq!(solution.at(v, &[0.1, 0.5]).unwrap(), 0.0);
}

#[test]
fn heat_crosses_an_interface() {
    // The same diffusivity and no jump: one function of space and time, found in two pieces.
    let [u, v] = unknowns(["u", "v"]);
    let exact = exp(-fastlsq_solve::T) * sin(X);
    let rod = BoxDomain::new(&[0.0], &[2.0])
        .unwrap()
        .with_region("cold", BoxDomain::new(&[0.0], &[0.8]).unwrap())
        .unwrap()
        .over(0.0, 0.5)
        .unwrap();
    let heat = |w: fastlsq_solve::Unknown| w.d(fastlsq_solve::T) - laplacian(w);
    let problem = LinearProblem::on(rod)
        .equation_in("cold", heat(u), 0.0)
        .equation_in(REST, heat(v), 0.0)
        .condition("cold", u - v, 0.0)
        .condition("cold", u.d(X) - v.d(X), 0.0)
        .condition(fastlsq_solve::INITIAL, u, &exact)
        .condition(fastlsq_solve::INITIAL, v, &exact)
        .condition(WALLS, u, &exact)
        .condition(WALLS, v, &exact);
    let solution = problem.solve_with(&Options::new().tolerance(1e-8)).unwrap();
    assert!(error(&problem, &solution, u, exact.clone(), |x| x[0] < 0.8) < 1e-7);
    assert!(error(&problem, &solution, v, exact, |x| x[0] > 0.8) < 1e-7);
}

#[test]
fn a_missing_interface_condition_is_noticed() {
    let [u, v] = unknowns(["u", "v"]);
    let plate = BoxDomain::unit(2)
        .with_region("disc", Ball::new(&[0.5, 0.5], 0.25).unwrap())
        .unwrap();
    let solution = LinearProblem::on(plate)
        .equation_in("disc", -laplacian(v), 1.0)
        .equation_in(REST, -laplacian(u), 1.0)
        .condition("disc", u - v, 0.0)
        .condition(WALLS, u, 0.0)
        .solve_with(&Options::new().tolerance(1e-6))
        .unwrap();
    assert!(
        !solution.report().posedness.is_fine(),
        "{}",
        solution.report()
    );
}

#[test]
fn scattering_by_a_soft_disc() {
    let solved = shapes::scatter_disc().unwrap();
    let solution = solved
        .problem
        .solve_with(&Options::new().tolerance(1e-7))
        .unwrap();
    assert!(
        solution.report().status == Status::ToleranceMet,
        "{}",
        solution.report()
    );
    assert!(solved.error(&solution, 400).unwrap() < 1e-7);
    // It stays outgoing far away: |u| falls like r^{-1/2}.
    let [p, q] = unknowns(["p", "q"]);
    let size = |r: f64| {
        let at = [-r, 0.0];
        let (p, q) = (solution.at(p, &at).unwrap(), solution.at(q, &at).unwrap());
        p.hypot(q) * r.sqrt()
    };
    assert!((size(400.0) / size(1600.0) - 1.0).abs() < 1e-2);
}

/// A hard obstacle that is not round: the field of a source inside it, given by its slope.
#[test]
fn scattering_by_a_hard_ellipse() {
    let k = 4.0;
    let [p, q] = unknowns(["p", "q"]);
    let near = BoundingBox::new(&[-3.0, -3.0], &[3.0, 3.0]).unwrap();
    let ellipse = Ellipse::new([0.1, 0.0], [1.4, 0.8]).unwrap();
    let source = CylinderBasis::outgoing([0.4, 0.1], k, 1, 0.5).unwrap();
    let slopes = source.clone().map(|part| {
        // The normal of the ellipse points inwards here.
        Expr::from(move |x: &[f64]| {
            let normal = [(x[0] - 0.1) / 1.96, x[1] / 0.64];
            let length = normal[0].hypot(normal[1]);
            let slope = part.gradient_at(x).unwrap();
            -(slope[(0, 2)] * normal[0] + slope[(1, 2)] * normal[1]) / length
        })
    });
    let [real, imaginary] = slopes;
    let problem = LinearProblem::on(ellipse.exterior(&near).unwrap())
        .equation(laplacian(p) + k * k * p, 0.0)
        .equation(laplacian(q) + k * k * q, 0.0)
        .condition(WALLS, normal_derivative(p), real)
        .condition(WALLS, normal_derivative(q), imaginary)
        .outgoing(p, q);
    let solution = problem.solve_with(&Options::new().tolerance(1e-7)).unwrap();
    for (unknown, part) in [p, q].into_iter().zip(source) {
        let exact = Expr::from(move |x: &[f64]| part.value_at(x).unwrap()[2]);
        let error = error(&problem, &solution, unknown, exact, |_| true);
        assert!(error < 1e-6, "{error:e} {}", solution.report());
    }
}

#[test]
fn laplace_outside_of_two_discs() {
    let u = unknown("u");
    let near = BoundingBox::new(&[-3.0, -3.0], &[3.0, 3.0]).unwrap();
    let one = Ball::new(&[-1.2, 0.0], 0.7).unwrap();
    let discs = one.union(Ball::new(&[1.2, 0.3], 0.8).unwrap()).unwrap();
    let square = |a: f64, b: f64| (X - a).powi(2) + (Y - b).powi(2);
    let exact =
        2.0 + 0.5 * (ln(square(-1.1, 0.1)) - ln(square(1.3, 0.2))) + (X + 1.1) / square(-1.1, 0.1);
    let problem = LinearProblem::on(discs.exterior(&near).unwrap())
        .equation(laplacian(u), 0.0)
        .dirichlet(exact.clone());
    let solution = problem.solve_with(&Options::new().tolerance(1e-9)).unwrap();
    assert!(
        solution.report().status == Status::ToleranceMet,
        "{}",
        solution.report()
    );
    assert!(error(&problem, &solution, u, exact, |_| true) < 1e-9);
    // Bounded: the value at infinity is 2.
    assert!((solution.value(&[1e6, 1e6]).unwrap() - 2.0).abs() < 1e-5);
}

#[test]
fn what_cannot_be_said_of_the_outside() {
    let [p, q] = unknowns(["p", "q"]);
    let near = BoundingBox::new(&[-3.0, -3.0], &[3.0, 3.0]).unwrap();
    let plane = Ball::unit(2).exterior(&near).unwrap();
    let reasons = |problem: LinearProblem| match problem.solve() {
        Err(SolveError::Statement(mistakes)) => mistakes
            .iter()
            .map(|m| m.reason.clone())
            .collect::<Vec<_>>(),
        other => vec![MistakeReason::WithoutUnknown {
            unknowns: vec![format!("{other:?}")],
        }],
    };
    let stated = LinearProblem::on(plane.clone())
        .equation(laplacian(p) + 4.0 * p, 0.0)
        .dirichlet(1.0);
    assert!(matches!(
        reasons(stated)[0],
        MistakeReason::AtInfinity { .. }
    ));
    let stated = LinearProblem::on(plane)
        .equation(laplacian(p) + 4.0 * p, 0.0)
        .equation(laplacian(q) + 9.0 * q, 0.0)
        .condition(WALLS, p, 1.0)
        .condition(WALLS, q, 0.0)
        .outgoing(p, q);
    assert!(matches!(
        reasons(stated)[0],
        MistakeReason::NotOutgoing { .. }
    ));
    let outside = Ball::new(&[2.5, 0.0], 1.0).unwrap().exterior(&near);
    assert!(matches!(outside, Err(DomainError::ObstacleOutside { .. })));
}

#[test]
fn what_cannot_be_said_of_regions() {
    let [u, v] = unknowns(["u", "v"]);
    let plate = || {
        let disc = Ball::new(&[0.5, 0.5], 0.2).unwrap();
        BoxDomain::unit(2).with_region("disc", disc).unwrap()
    };
    let first = |problem: LinearProblem| match problem.solve() {
        Err(SolveError::Statement(mistakes)) => mistakes[0].reason.to_string(),
        other => format!("{other:?}"),
    };
    let elsewhere = LinearProblem::on(plate())
        .equation_in("disc", laplacian(v), 0.0)
        .equation_in(REST, laplacian(u), 0.0)
        .condition(WALLS, v, 1.0);
    assert!(first(elsewhere).contains("does not reach"));
    let unknown_region = LinearProblem::on(plate()).equation_in("disk", laplacian(v), 0.0);
    assert!(first(unknown_region).contains("disc, rest"));
    let taken = plate().with_region("disc", Ball::new(&[0.1, 0.1], 0.05).unwrap());
    assert!(matches!(taken, Err(DomainError::RegionName { .. })));
    let nothing = plate().with_region("far", Ball::new(&[5.0, 5.0], 0.5).unwrap());
    assert!(nothing.is_err());
    let everything = BoxDomain::unit(2).with_region("all", Ball::new(&[0.5, 0.5], 5.0).unwrap());
    assert!(everything.is_err());
}

/// A sixth of a ring whose two straight sides are one.
#[test]
fn sides_that_are_turned_into_each_other() {
    let u = unknown("u");
    let ring = Annulus::new(&[0.0, 0.0], 0.5, 1.0).unwrap();
    let behind = |angle: f64, sign: f64, name: &str| {
        let normal = [-sign * angle.sin(), sign * angle.cos()];
        HalfSpace::new(&[0.0, 0.0], &normal).unwrap().named(name)
    };
    let sector = ring.cut(&behind(0.0, -1.0, "first")).unwrap();
    let sector = sector.cut(&behind(FRAC_PI_3, 1.0, "last")).unwrap();
    // Re z⁶ and r⁴ have the symmetry.
    let mut power = (Expr::from(1.0), Expr::from(0.0));
    for _ in 0..6 {
        power = (&power.0 * X - &power.1 * Y, &power.0 * Y + &power.1 * X);
    }
    let exact = power.0 + (X * X + Y * Y).powi(2);
    let turn = Motion::rotation(2, [0, 1], FRAC_PI_3).unwrap();
    let round = ["inner", "outer"];
    let mut problem = LinearProblem::on(sector)
        .equation(-laplacian(u), -laplacian(&exact))
        .identified("first", turn.clone());
    for name in round {
        problem = problem.condition(name, u, &exact);
    }
    let solution = problem.solve_with(&Options::new().tolerance(1e-9)).unwrap();
    assert!(error(&problem, &solution, u, exact, |_| true) < 1e-8);
    // The other way round the image is not a part of the boundary.
    let back = Motion::rotation(2, [0, 1], -FRAC_PI_3).unwrap();
    let wrong = problem
        .clone()
        .with(Condition::identified("first", back, u));
    assert!(wrong.solve().is_err());
}

#[test]
fn the_solution_moves_with_the_domain() {
    let u = unknown("u");
    let (angle, shift) = (0.7_f64, [0.3, -1.2]);
    let (sin_a, cos_a) = angle.sin_cos();
    let bean = || {
        let ball = Ball::new(&[0.0, 0.0], 1.0).unwrap();
        ball.difference(Ball::new(&[0.3, 0.1], 0.25).unwrap())
            .unwrap()
    };
    // Data in the coordinates of the original.
    let stated = |x: Expr, y: Expr, domain: std::sync::Arc<dyn Domain>| {
        LinearProblem::on_shared(domain)
            .equation(-laplacian(u), cos(&x - 2.0 * &y))
            .dirichlet(&x * &y)
            .solve_with(&Options::new().tolerance(1e-9))
            .unwrap()
    };
    let here = stated(X.into(), Y.into(), std::sync::Arc::new(bean()));
    let moved = bean().rotated(angle).unwrap().translated(&shift).unwrap();
    let (x, y) = (X - shift[0], Y - shift[1]);
    let there = stated(
        cos_a * &x + sin_a * &y,
        -sin_a * x + cos_a * y,
        std::sync::Arc::new(moved),
    );
    for point in [[0.5, 0.5], [-0.4, 0.3], [0.0, -0.9]] {
        let image = [
            cos_a * point[0] - sin_a * point[1] + shift[0],
            sin_a * point[0] + cos_a * point[1] + shift[1],
        ];
        let difference = here.value(&point).unwrap() - there.value(&image).unwrap();
        assert!(difference.abs() < 1e-8, "{difference:e}");
    }
}

/// Laplace's equation with data that no wave has to follow: functions of holes grow until they do.
#[test]
fn holes_of_other_shapes() {
    let u = unknown("u");
    let plate = BoxDomain::new(&[-1.0, -1.0], &[1.0, 1.0]).unwrap();
    let slot = Ellipse::new([0.2, 0.1], [0.5, 0.2]).unwrap().named("slot");
    let square = |a: f64, b: f64| (X - a).powi(2) + (Y - b).powi(2);
    let exact = ln(square(0.1, 0.1)) + (X - 0.4) / square(0.4, 0.1) + X * Y;
    let problem = LinearProblem::on(plate.difference(slot).unwrap())
        .equation(laplacian(u), 0.0)
        .dirichlet(exact.clone());
    let solution = problem.solve_with(&Options::new().tolerance(1e-8)).unwrap();
    assert!(
        solution.report().status == Status::ToleranceMet,
        "{}",
        solution.report()
    );
    assert!(error(&problem, &solution, u, exact, |_| true) < 1e-7);
}

#[test]
fn a_solid_of_triangles() {
    // An octahedron, with points and faces named by signs.
    let corners: Vec<[f64; 3]> = (0..6)
        .map(|k| {
            let mut corner = [0.0; 3];
            corner[k / 2] = if k % 2 == 0 { 1.0 } else { -1.0 };
            corner
        })
        .collect();
    let mut faces = Vec::new();
    for signs in 0..8_usize {
        let [x, y, z] = [signs & 1, 2 + (signs >> 1 & 1), 4 + (signs >> 2 & 1)];
        let flipped = signs.count_ones() % 2 == 1;
        faces.push(if flipped { [x, z, y] } else { [x, y, z] });
    }
    let solid = Surface::new(&corners, &faces).unwrap();
    assert!((solid.volume().unwrap() - 4.0 / 3.0).abs() < 1e-14);
    assert!((solid.parts()[0].measure - 4.0 * 3.0_f64.sqrt()).abs() < 1e-13);
    // Inside where |x| + |y| + |z| < 1, on a grid through edges and corners too.
    for k in 0..11_i32.pow(3) {
        let at = |digit: i32| f64::from(digit) / 5.0 - 1.0;
        let point = [at(k % 11), at(k / 11 % 11), at(k / 121)];
        let norm: f64 = point.iter().map(|x| x.abs()).sum();
        if (norm - 1.0).abs() > 1e-9 {
            assert_eq!(solid.contains(&point), norm < 1.0, "{point:?}");
        }
    }
    let mut sampler = UnitSampler::halton(0);
    let sampled = solid.sample_part(0, 500, &mut sampler).unwrap();
    for (x, n) in sampled
        .points
        .rows()
        .into_iter()
        .zip(sampled.normals.rows())
    {
        assert!((x.dot(&n) - 1.0 / 3.0_f64.sqrt()).abs() < 1e-14);
    }
    let open = Surface::new(&corners, &faces[..7]);
    assert!(matches!(open, Err(DomainError::OpenSurface { .. })));
    let u = unknown("u");
    let exact = X * Y + exp(0.5 * Z);
    let solution = LinearProblem::on(solid)
        .equation(-laplacian(u), -laplacian(&exact))
        .dirichlet(exact)
        .solve_with(&Options::new().tolerance(1e-7))
        .unwrap();
    let value = solution.value(&[0.2, 0.3, 0.1]).unwrap();
    assert!((value - 0.06 - 0.05_f64.exp()).abs() < 1e-6);
}

#[test]
fn a_solid_from_a_file() {
    let text = "solid s
facet normal 0 0 -1\n outer loop\n vertex 0 0 0\n vertex 0 1 0\n vertex 1 0 0\n endloop\nendfacet
facet normal 0 -1 0\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 0 1\n endloop\nendfacet
facet normal -1 0 0\n outer loop\n vertex 0 0 0\n vertex 0 0 1\n vertex 0 1 0\n endloop\nendfacet
facet normal 1 1 1\n outer loop\n vertex 1 0 0\n vertex 0 1 0\n vertex 0 0 1\n endloop\nendfacet
endsolid s\n";
    let solid = Surface::from_stl(&mut std::io::Cursor::new(text)).unwrap();
    assert!((solid.volume().unwrap() - 1.0 / 6.0).abs() < 1e-12);
    let broken = Surface::from_stl(&mut std::io::Cursor::new("no solid at all"));
    assert!(matches!(broken, Err(DomainError::Stl { .. })));
}

#[test]
fn interfaces_have_their_points_and_normals() {
    let plate = BoxDomain::unit(2)
        .with_region("a", Ball::new(&[0.3, 0.5], 0.15).unwrap())
        .unwrap()
        .with_region(
            "b",
            Polygon::new(&[[0.6, 0.3], [0.9, 0.3], [0.75, 0.7]]).unwrap(),
        )
        .unwrap();
    let names: Vec<String> = plate.regions().into_iter().map(|r| r.name).collect();
    assert_eq!(names, ["a", "b", REST]);
    let volumes: f64 = plate
        .regions()
        .iter()
        .map(|r| r.domain.volume().unwrap())
        .sum();
    assert!((volumes - 1.0).abs() < 1e-9);
    let circle = plate.sample_selected(&"a".into(), 50, &mut UnitSampler::halton(1));
    let circle = circle.unwrap();
    for (x, n) in circle.points.rows().into_iter().zip(circle.normals.rows()) {
        let radial = [(x[0] - 0.3) / 0.15, (x[1] - 0.5) / 0.15];
        assert!((radial[0] - n[0]).abs() + (radial[1] - n[1]).abs() < 1e-9);
    }
    // No wall is an interface.
    let walls = plate.sample_selected(&WALLS, 200, &mut UnitSampler::halton(2));
    let on_the_rim = |x: &Array2<f64>| {
        let rim = |v: f64| v.abs() < 1e-12 || (v - 1.0).abs() < 1e-12;
        x.rows().into_iter().all(|x| rim(x[0]) || rim(x[1]))
    };
    assert!(on_the_rim(&walls.unwrap().points));
    let turned = plate.rotated(TAU / 8.0).unwrap();
    assert_eq!(turned.regions().len(), 3);
}
