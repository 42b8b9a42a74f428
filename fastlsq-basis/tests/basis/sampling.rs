//! Quantile, uniform points and low-discrepancy points against independent references.

use fastlsq_basis::sampling::{Sequence, UnitSampler, normal_quantile};
use ndarray::{Array2, ArrayView1, concatenate, prelude::*};
use proptest::prelude::*;

/// Φ⁻¹(p) rounded from a 60-digit root of ln erfc(x/√2)/2 = ln p.
#[rustfmt::skip]
const QUANTILES: &[(f64, f64)] = &[
    (5e-324, -38.467405617144344),
    (1e-310, -37.663060331949524),
    (1e-300, -37.0470962993612),
    (1e-200, -30.20559417957964),
    (1e-100, -21.273453560965326),
    (1e-50, -14.933337534788489),
    (1e-20, -9.262340089798407),
    (1.3e-11, -6.667611456510741),
    (1.4e-11, -6.656723091518184),
    (1e-10, -6.361340902404057),
    (1e-08, -5.612001244174789),
    (1e-05, -4.264890793922825),
    (0.001, -3.0902323061678136),
    (0.02, -2.053748910631823),
    (0.0749999, -1.4395321773759007),
    (0.075, -1.439531470938456),
    (0.0750001, -1.4395307645017297),
    (0.1, -1.2815515655446004),
    (0.2, -0.8416212335729142),
    (0.25, -0.6744897501960817),
    (0.3, -0.5244005127080408),
    (0.4, -0.2533471031357997),
    (0.45, -0.12566134685507402),
    (0.499, -0.002506630899571766),
    (0.499999999, -2.5066283428845328e-09),
    (0.5000000000000001, 2.782916424671767e-16),
    (0.6, 0.2533471031357997),
    (0.75, 0.6744897501960817),
    (0.9, 1.2815515655446006),
    (0.925, 1.4395314709384561),
    (0.9250001, 1.4395321773759004),
    (0.975, 1.9599639845400538),
    (0.99, 2.3263478740408408),
    (0.999, 3.090232306167813),
    (0.99999, 4.264890793923841),
    (0.99999999, 5.612001243305505),
    (0.999999999999, 7.0344869100478356),
    (0.999999999999999, 7.941444487415978),
    (0.9999999999999999, 8.209536151601387),
];

#[test]
fn quantile_matches_high_precision_values() {
    for &(p, exact) in QUANTILES {
        let got = normal_quantile(p);
        assert!(
            (got - exact).abs() <= 7e-16 * exact.abs(),
            "Φ⁻¹({p:e}) = {got:e}, not {exact:e}"
        );
    }
}

#[test]
fn quantile_at_the_edges_of_its_range() {
    assert_eq!(normal_quantile(0.5).to_bits(), 0);
    assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
    assert_eq!(normal_quantile(-0.0), f64::NEG_INFINITY);
    assert_eq!(normal_quantile(1.0), f64::INFINITY);
    for p in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -1e-300,
        1.0 + f64::EPSILON,
    ] {
        assert!(normal_quantile(p).is_nan(), "{p}");
    }
}

fn normal_distribution(x: f64) -> f64 {
    0.5 * core_math::erfc(-x / std::f64::consts::SQRT_2)
}

proptest! {
    #[test]
    fn quantile_is_odd(cell in 0_u64..1 << 53) {
        let p = cell as f64 / (1_u64 << 53) as f64;
        prop_assert_eq!(normal_quantile(1.0 - p), -normal_quantile(p));
    }

    /// An error ε in x changes p by φ(x) ε; so does the rounding of x itself.
    #[test]
    fn quantile_inverts_the_distribution_function(x in -37.0..8.0_f64) {
        let p = normal_distribution(x);
        let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let spread = 4.0 * f64::EPSILON * (x.abs() + (1.0 + x * x) * p / density);
        prop_assert!((normal_quantile(p) - x).abs() <= spread, "{} {}", normal_quantile(p), x);
    }

    #[test]
    fn quantile_increases(p in 1e-12..1.0_f64, step in 1e-12..1e-3_f64) {
        prop_assume!(p + step < 1.0);
        prop_assert!(normal_quantile(p) < normal_quantile(p + step));
    }

    #[test]
    fn points_lie_strictly_inside_the_cube(
        seed: u64, count in 0_usize..40, dim in 0_usize..70, halton: bool,
    ) {
        let sequence = if halton { Sequence::Halton } else { Sequence::Independent };
        let points = UnitSampler::new(sequence, seed).points(count, dim);
        prop_assert_eq!(points.dim(), (count, dim));
        prop_assert!(points.iter().all(|&x| 0.0 < x && x < 1.0));
    }

    #[test]
    fn calls_continue_the_sequence(seed: u64, a in 0_usize..20, b in 0_usize..20, dim in 1_usize..9) {
        for sequence in [Sequence::Independent, Sequence::Halton] {
            let whole = UnitSampler::new(sequence, seed).points(a + b, dim);
            let mut sampler = UnitSampler::new(sequence, seed);
            let parts = [sampler.points(a, dim), sampler.points(b, dim)];
            let joined = concatenate(Axis(0), &[parts[0].view(), parts[1].view()]).unwrap();
            prop_assert_eq!(whole, joined);
        }
    }
}

#[test]
fn the_same_seed_means_the_same_bits() {
    // From an implementation of the definitions in another language; the first normal's last bit is
    // one below the rounded exact quantile.
    let bits = |points: Array2<f64>| points.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(
        bits(UnitSampler::independent(42).points(2, 2)),
        [
            0x3fb13051a16d0c08,
            0x3fdf83b4bc1bc306,
            0x3fee6ae2bc40ce99,
            0x3fc5266da2a9bbec
        ]
    );
    assert_eq!(
        bits(UnitSampler::halton(42).points(2, 3)),
        [
            0x3fd2b028570e317a,
            0x3fda3722e94256b0,
            0x3fc8098f56fb4e8d,
            0x3fe958142b8718bd,
            0x3fb387364fb4056a,
            0x3fe9359708f206d7
        ]
    );
    assert_eq!(
        bits(UnitSampler::independent(42).normals(1, 2)),
        [0xbff7f5624e11e6ea, 0xbf93793e09c57651]
    );
}

#[test]
fn streams_of_a_seed_differ() {
    for sequence in [Sequence::Independent, Sequence::Halton] {
        let first = |seed, stream| UnitSampler::on_stream(sequence, seed, stream).points(3, 3);
        assert_eq!(first(1, 0), UnitSampler::new(sequence, 1).points(3, 3));
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
        let sampler = UnitSampler::new(sequence, 11);
        assert_eq!((sampler.sequence(), sampler.seed()), (sequence, 11));
    }
}

#[test]
fn normals_have_the_moments_of_the_standard_normal() {
    for mut sampler in [UnitSampler::independent(3), UnitSampler::halton(3)] {
        let count = 20_000;
        let z = sampler.normals(count, 3);
        let mean = |f: &dyn Fn(ArrayView1<'_, f64>) -> f64| {
            z.rows().into_iter().map(f).sum::<f64>() / count as f64
        };
        // Five standard errors: Var z = 1, Var z² = 2, Var z⁴ = 96, Var z₀z₁ = 1.
        let error = |variance: f64| 5.0 * (variance / count as f64).sqrt();
        for k in 0..3 {
            assert!(mean(&|z| z[k]).abs() < error(1.0));
            assert!((mean(&|z| z[k] * z[k]) - 1.0).abs() < error(2.0));
            assert!((mean(&|z| z[k].powi(4)) - 3.0).abs() < error(96.0));
            assert!(mean(&|z| z[k] * z[(k + 1) % 3]).abs() < error(1.0));
        }
    }
}

#[test]
fn pieces_of_a_point_belong_together() {
    let mut sampler = UnitSampler::halton(5);
    let mut reference = sampler.clone();
    let (first, (second, third)) =
        sampler.leading(4, 1, |rest| rest.leading(4, 2, |rest| rest.points(7, 1)));
    let whole = reference.points(7, 4);
    assert_eq!(first, whole.slice(s![..4, ..1]));
    assert_eq!(second, whole.slice(s![..4, 1..3]));
    assert_eq!(third, whole.slice(s![.., 3..]));
    assert_eq!(
        sampler.points(2, 2),
        reference.points(2, 2),
        "continues behind the longest piece"
    );

    let mut sampler = UnitSampler::independent(5);
    let (first, second) = sampler.leading(4, 1, |rest| rest.points(4, 1));
    let whole = UnitSampler::independent(5).points(8, 1);
    assert_eq!(first, whole.slice(s![..4, ..]));
    assert_eq!(second, whole.slice(s![4.., ..]));
}

/// Moments of x on the sphere of R^d: E xₖ = 0, E xₖ² = 1/d, E xₖ⁴ = 3/(d(d + 2)),
/// E xᵢ²xₖ² = 1/(d(d + 2)); in the ball each is d/(d + degree) times that.
#[test]
fn directions_and_ball_points_have_exact_moments() {
    let count = 40_000;
    for dim in [1, 2, 3, 4, 7] {
        for mut sampler in [UnitSampler::independent(8), UnitSampler::halton(8)] {
            let d = dim as f64;
            for (points, radial) in [
                (sampler.directions(count, dim), [1.0, 1.0]),
                (
                    sampler.ball_points(count, dim),
                    [d / (d + 2.0), d / (d + 4.0)],
                ),
            ] {
                let mean = |f: &dyn Fn(ArrayView1<'_, f64>) -> f64| {
                    points.rows().into_iter().map(f).sum::<f64>() / count as f64
                };
                // |xₖ| ≤ 1, so five standard errors are at most 5 √(E xₖ²/n).
                let error = 5.0 * (1.0 / d / count as f64).sqrt();
                for k in 0..dim {
                    assert!(mean(&|x| x[k]).abs() < error);
                    assert!((mean(&|x| x[k] * x[k]) - radial[0] / d).abs() < error);
                    let fourth = 3.0 * radial[1] / (d * (d + 2.0));
                    assert!((mean(&|x| x[k].powi(4)) - fourth).abs() < error);
                    if dim > 1 {
                        let mixed = |x: ArrayView1<'_, f64>| (x[k] * x[(k + 1) % dim]).powi(2);
                        assert!((mean(&mixed) - fourth / 3.0).abs() < error);
                        assert!(mean(&|x| x[k] * x[(k + 1) % dim]).abs() < error);
                    }
                }
                let radius = |x: ArrayView1<'_, f64>| x.dot(&x).sqrt();
                let worst = points.rows().into_iter().map(radius).fold(0.0, f64::max);
                assert!(worst <= 1.0 + 4.0 * f64::EPSILON);
                if radial[0] == 1.0 {
                    let least = points.rows().into_iter().map(radius).fold(2.0, f64::min);
                    assert!(least >= 1.0 - 4.0 * f64::EPSILON);
                }
            }
        }
    }
    assert_eq!(UnitSampler::halton(0).directions(3, 0).dim(), (3, 0));
    assert_eq!(UnitSampler::halton(0).ball_points(3, 0).dim(), (3, 0));
}

#[test]
fn halton_discs_are_more_even() {
    // ∫ over the unit disc of e^x, mean 2 I₁(1).
    let error = |sequence| {
        root_mean_square(16, |seed| {
            let points = UnitSampler::new(sequence, seed).ball_points(2000, 2);
            let mean = points.rows().into_iter().map(|x| x[0].exp()).sum::<f64>() / 2000.0;
            (mean - 1.130_318_207_984_97).powi(2)
        })
    };
    let (halton, independent) = (error(Sequence::Halton), error(Sequence::Independent));
    assert!(
        halton * 8.0 < independent,
        "{halton:e} against {independent:e}"
    );
}

/// Warnock's closed form of the squared L² star discrepancy.
fn square_star_discrepancy(points: &Array2<f64>) -> f64 {
    let (count, dim) = points.dim();
    let n = count as f64;
    let single: f64 = points
        .rows()
        .into_iter()
        .map(|p| p.iter().map(|x| (1.0 - x * x) / 2.0).product::<f64>())
        .sum();
    let mut pairs = 0.0;
    for p in points.rows() {
        for q in points.rows() {
            pairs += p
                .iter()
                .zip(q)
                .map(|(a, b)| 1.0 - a.max(*b))
                .product::<f64>();
        }
    }
    3.0_f64.powi(-(dim as i32)) - 2.0 / n * single + pairs / (n * n)
}

fn root_mean_square(seeds: u64, error_square: impl Fn(u64) -> f64) -> f64 {
    ((0..seeds).map(error_square).sum::<f64>() / seeds as f64).sqrt()
}

#[test]
fn halton_has_a_smaller_star_discrepancy() {
    for (dim, gain) in [(1, 12.0), (2, 8.0), (5, 2.5)] {
        let of = |sequence| {
            root_mean_square(8, |seed| {
                square_star_discrepancy(&UnitSampler::new(sequence, seed).points(500, dim))
            })
        };
        let (halton, independent) = (of(Sequence::Halton), of(Sequence::Independent));
        assert!(
            halton * gain < independent,
            "d = {dim}: {halton:e} against {independent:e}"
        );
        // The mean square of independent points is known: (2⁻ᵈ − 3⁻ᵈ)/n.
        let known = ((0.5_f64.powi(dim as i32) - 3.0_f64.powi(-(dim as i32))) / 500.0).sqrt();
        assert!((0.5..2.0).contains(&(independent / known)));
    }
}

#[test]
fn halton_integrates_faster_in_many_dimensions() {
    // Π (1 + cₖ (xₖ − ½)) with integral 1, weights decaying along the axes.
    for (dim, gain) in [(3, 10.0), (12, 5.0), (64, 3.0)] {
        let error = |sequence, count: usize| {
            root_mean_square(16, |seed| {
                let points = UnitSampler::new(sequence, seed).points(count, dim);
                let value = |p: ArrayView1<'_, f64>| {
                    p.iter()
                        .enumerate()
                        .map(|(k, x)| 1.0 + (x - 0.5) / (1.0 + k as f64))
                        .product::<f64>()
                };
                let mean = points.rows().into_iter().map(value).sum::<f64>() / count as f64;
                (mean - 1.0).powi(2)
            })
        };
        let (halton, independent) = (
            error(Sequence::Halton, 4000),
            error(Sequence::Independent, 4000),
        );
        assert!(
            halton * gain < independent,
            "d = {dim}: {halton:e} against {independent:e}"
        );
        // Eight times the points: independent errors fall by √8 = 2.8, these by more.
        assert!(error(Sequence::Halton, 500) > 3.5 * halton, "d = {dim}");
    }
}

#[test]
fn halton_needs_no_special_treatment_of_large_bases() {
    // Unscrambled Halton points of neighbouring large bases lie on a few lines for thousands of points.
    let correlation = |sequence| {
        root_mean_square(16, |seed| {
            let points = UnitSampler::new(sequence, seed).points(300, 64);
            let product = |p: ArrayView1<'_, f64>| 12.0 * (p[62] - 0.5) * (p[63] - 0.5);
            let mean = points.rows().into_iter().map(product).sum::<f64>() / 300.0;
            mean * mean
        })
    };
    assert!(correlation(Sequence::Halton) < 2.0 / 300.0_f64.sqrt());
}

#[cfg(feature = "serde")]
#[test]
fn sequences_survive_serialisation() {
    for sequence in [Sequence::Independent, Sequence::Halton] {
        let text = serde_json::to_string(&sequence).unwrap();
        assert_eq!(serde_json::from_str::<Sequence>(&text).unwrap(), sequence);
    }
}
