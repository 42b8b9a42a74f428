//! Every basis of the crate through the exported suite.
#![cfg(feature = "conformance")]
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{
    Basis, ComplexPower, CylinderBasis, Draw, Factor, FrequencyLaw, InputMap, JoinedBasis,
    MultiquadricBasis, Parity, PolynomialBasis, ProductBasis, RestrictedBasis, SinusoidalBasis,
    SinusoidalBuilder, SmoothFactor, SymmetrisedBasis, TanhBasis, WeightLaw, Weighted, basis_suite,
};

fn waves(dim: usize, count: usize) -> SinusoidalBuilder {
    SinusoidalBasis::builder(dim, count).law(FrequencyLaw::Isotropic(3.0))
}

/// A box that is neither centred nor a cube.
fn map(dim: usize) -> InputMap {
    let lower: Vec<f64> = (0..dim).map(|k| -0.3 - 0.1 * k as f64).collect();
    let upper: Vec<f64> = (0..dim).map(|k| 1.1 + 0.7 * k as f64).collect();
    InputMap::from_box(&lower, &upper).unwrap()
}

fn centers(dim: usize, count: usize) -> ndarray::Array2<f64> {
    UnitSampler::halton(5).points(count, dim)
}

basis_suite!(sinusoidal_1d, waves(1, 9).build().unwrap());
basis_suite!(sinusoidal_2d, waves(2, 33).seed(1).build().unwrap());
basis_suite!(
    sinusoidal_3d,
    waves(3, 8).seed(2).normalised(false).build().unwrap()
);
basis_suite!(sinusoidal_5d, waves(5, 6).seed(3).build().unwrap());
basis_suite!(sinusoidal_mapped, waves(2, 7).map(map(2)).build().unwrap());
basis_suite!(
    sinusoidal_orthogonal,
    waves(3, 7).draw(Draw::Orthogonal).build().unwrap()
);
basis_suite!(
    sinusoidal_quasi_random,
    waves(2, 7).draw(Draw::QuasiRandom).build().unwrap()
);
basis_suite!(
    sinusoidal_ball,
    waves(3, 7).draw(Draw::Ball).build().unwrap()
);
basis_suite!(
    sinusoidal_per_axis,
    waves(2, 7)
        .law(FrequencyLaw::PerAxis(vec![0.5, 6.0]))
        .build()
        .unwrap()
);
basis_suite!(
    sinusoidal_cholesky,
    waves(2, 7)
        .law(FrequencyLaw::Cholesky(vec![4.0, -3.0, 1.0]))
        .build()
        .unwrap()
);
basis_suite!(
    sinusoidal_blocks,
    waves(2, 11)
        .law(FrequencyLaw::blocks(&[1.0, 3.0, 8.0]))
        .build()
        .unwrap()
);
basis_suite!(
    sinusoidal_low_order,
    waves(4, 13)
        .law(FrequencyLaw::low_order_mix(&FrequencyLaw::Isotropic(2.0)))
        .build()
        .unwrap()
);
basis_suite!(
    sinusoidal_even,
    waves(1, 6)
        .map(map(1))
        .parity([Parity::Even])
        .build()
        .unwrap()
);
basis_suite!(
    sinusoidal_mixed_parity,
    waves(3, 6)
        .map(map(3))
        .parity([Parity::Odd, Parity::None, Parity::Even])
        .build()
        .unwrap()
);
basis_suite!(
    sinusoidal_odd_and_even,
    waves(2, 6)
        .parity([Parity::Odd, Parity::Even])
        .build()
        .unwrap()
);
basis_suite!(
    sinusoidal_selection,
    waves(2, 12)
        .map(map(2))
        .build()
        .unwrap()
        .select(&[7, 2, 5])
        .unwrap()
);
basis_suite!(
    tanh_uniform,
    TanhBasis::builder(2, 9)
        .weights(WeightLaw::Uniform(4.0))
        .seed(1)
        .build()
        .unwrap()
);
basis_suite!(
    tanh_gaussian_mapped,
    TanhBasis::builder(3, 6)
        .weights(WeightLaw::Gaussian(1.0))
        .biases(WeightLaw::Uniform(0.5))
        .map(map(3))
        .normalised(true)
        .build()
        .unwrap()
);
basis_suite!(
    multiquadric_1d,
    MultiquadricBasis::new(centers(1, 9).view(), 0.4).unwrap()
);
basis_suite!(
    multiquadric_3d,
    MultiquadricBasis::with_map(centers(3, 8).view(), 0.7, map(3)).unwrap()
);
basis_suite!(
    products,
    ProductBasis::random(map(3), &[0, 1, 0], &[Parity::None; 3], 7, &[2.0, 3.0], 5).unwrap()
);
basis_suite!(
    products_with_parity,
    ProductBasis::random(map(2), &[0, 0], &[Parity::Even; 2], 6, &[2.5], 1).unwrap()
);
basis_suite!(
    sinusoidal_subspaces,
    waves(3, 9)
        .map(map(3))
        .law(FrequencyLaw::Blocks(vec![
            (4.0, FrequencyLaw::Subspace(vec![vec![1.0, 0.0, 0.0]])),
            (
                5.0,
                FrequencyLaw::Subspace(vec![vec![0.0, 1.0, 2.0], vec![1.0, -0.5, 0.0]])
            ),
        ]))
        .build()
        .unwrap()
);
basis_suite!(monomials, PolynomialBasis::monomials(map(2), 4).unwrap());
basis_suite!(legendre, PolynomialBasis::legendre(map(3), 3).unwrap());
basis_suite!(
    constants,
    PolynomialBasis::monomials(InputMap::identity(2), 0).unwrap()
);
basis_suite!(
    joined,
    JoinedBasis::new([
        Arc::new(waves(2, 5).build().unwrap()) as Arc<dyn Basis>,
        Arc::new(PolynomialBasis::legendre(map(2), 2).unwrap()),
        Arc::new(MultiquadricBasis::new(centers(2, 3).view(), 0.5).unwrap()),
    ])
    .unwrap()
);
basis_suite!(
    joined_with_integrals,
    JoinedBasis::new([
        Arc::new(waves(2, 5).build().unwrap()) as Arc<dyn Basis>,
        Arc::new(PolynomialBasis::monomials(map(2), 1).unwrap()),
    ])
    .unwrap()
);
basis_suite!(
    symmetrised_tanh,
    SymmetrisedBasis::new(
        Arc::new(
            TanhBasis::builder(2, 6)
                .weights(WeightLaw::Gaussian(2.0))
                .build()
                .unwrap()
        ),
        &[Parity::Odd, Parity::Even],
        &[0.4, 0.6],
    )
    .unwrap()
);
basis_suite!(
    symmetrised_waves,
    SymmetrisedBasis::new(
        Arc::new(waves(3, 6).map(map(3)).build().unwrap()),
        &[Parity::Odd, Parity::None, Parity::Even],
        &[0.5, 0.0, 0.3],
    )
    .unwrap()
);
basis_suite!(
    shared,
    Arc::new(waves(2, 5).build().unwrap()) as Arc<dyn Basis>
);

/// A function of two variables without symmetry.
fn bump() -> Arc<dyn Factor> {
    Arc::new(SmoothFactor::new(2, |x| {
        (-&x[0] * &x[0] - 0.5 * &x[1]).exp() * (1.0 + (&x[0] + 2.0 * &x[1]).tanh())
    }))
}

/// A singular function whose centre lies outside the points of the suite.
fn power(exponent: f64) -> ComplexPower {
    let power = ComplexPower::new([-0.9, -1.2], exponent).unwrap();
    power.cut_along(-2.5).unwrap().scaled(2.0).unwrap()
}

basis_suite!(
    weighted_waves,
    Weighted::new(
        [bump(), Arc::new(power(2.0 / 3.0))],
        Arc::new(waves(2, 5).build().unwrap())
    )
    .unwrap()
);
basis_suite!(
    factors_alone,
    Weighted::functions([
        Arc::new(power(2.0 / 3.0)) as Arc<dyn Factor>,
        Arc::new(power(4.0 / 3.0).imaginary()),
        Arc::new(power(2.0).times_log()),
        Arc::new(power(0.0).times_log().imaginary()),
        Arc::new(power(-3.0)),
        bump(),
    ])
    .unwrap()
);
basis_suite!(
    weighted_twice_3d,
    Weighted::new(
        [
            Arc::new(SmoothFactor::new(3, |x| (1.0 + &x[0] * &x[1] * &x[2]).sqrt()))
                as Arc<dyn Factor>
        ],
        Arc::new(
            Weighted::new(
                [Arc::new(SmoothFactor::new(3, |x| (&x[0] - &x[2]).cos())) as Arc<dyn Factor>],
                Arc::new(waves(3, 3).build().unwrap()),
            )
            .unwrap()
        ),
    )
    .unwrap()
);
basis_suite!(
    joined_with_weighted,
    JoinedBasis::new([
        Arc::new(waves(2, 5).build().unwrap()) as Arc<dyn Basis>,
        Arc::new(Weighted::functions([Arc::new(power(0.5)) as Arc<dyn Factor>]).unwrap()),
        Arc::new(Weighted::new([bump()], Arc::new(waves(2, 4).build().unwrap())).unwrap()),
    ])
    .unwrap()
);
basis_suite!(
    weighted_and_saved,
    Weighted::new(
        power(1.5)
            .times_log()
            .pair()
            .map(|part| Arc::new(part) as Arc<dyn Factor>),
        Arc::new(waves(2, 4).map(map(2)).build().unwrap())
    )
    .unwrap()
);

/// A centre outside the points of the suite.
const BESIDE: [f64; 2] = [-0.9, -1.2];

basis_suite!(
    regular_cylinder_waves,
    CylinderBasis::regular([0.1, 0.2], 3.0, 4, 1.0).unwrap()
);
basis_suite!(
    singular_cylinder_waves,
    CylinderBasis::singular(BESIDE, 2.0, 3, 1.0).unwrap()
);
basis_suite!(
    outgoing_cylinder_waves,
    CylinderBasis::outgoing(BESIDE, 2.0, 3, 1.0).unwrap()[0].clone()
);
basis_suite!(
    restricted_waves,
    RestrictedBasis::new(Arc::new(waves(2, 5).build().unwrap()), |_| true)
);
