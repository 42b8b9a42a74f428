//! Every kind of row and feature reaches the device's matrix as it reaches the processor's.

use std::sync::Arc;

use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{
    Basis, FrequencyLaw, InputMap, JoinedBasis, Parity, PolynomialBasis, SinusoidalBasis,
    SymmetrisedBasis, TanhBasis,
};
use fastlsq_gpu::{Backend, Cuda};
use fastlsq_solve::{
    CpuBackend, EquationRow, Expr, Frame, LsqOptions, RowBlock, Space, System, X, Y,
    antiderivative, fractional_laplacian, given, integral, laplacian, unknown,
};

use crate::case::{Case, Verdict, require, text};

type MakeBasis = fn() -> Result<Arc<dyn Basis>, String>;

pub(crate) fn cases() -> Vec<Case> {
    let bases: [(&'static str, MakeBasis); 9] = [
        ("plain", || Ok(Arc::new(waves()?))),
        ("mapped", mapped),
        ("even_and_odd", || parity([Parity::Even, Parity::Odd])),
        ("even_and_free", || parity([Parity::Even, Parity::None])),
        ("free_and_odd", || parity([Parity::None, Parity::Odd])),
        ("joined", joined),
        ("tanh", tanh),
        ("symmetrised", symmetrised),
        ("huge_frequencies", huge),
    ];
    let mut cases = Vec::new();
    for (name, make) in bases {
        cases.push(Case::new(format!("assembly::{name}"), move || {
            let frame = Frame::new(Space::new(2), [unknown("u")]);
            expressions()
                .into_iter()
                .try_for_each(|(what, expression)| {
                    let row = frame.row(expression).map_err(text)?;
                    let mut terms = row.blocks().iter().flat_map(|(_, block)| block.terms());
                    let sinusoidal = !["joined", "tanh", "symmetrised"].contains(&name);
                    if sinusoidal || terms.all(|term| term.action().is_derivative()) {
                        agree(what, &row, make()?)?;
                    }
                    Ok(())
                })
        }));
    }
    cases
}

fn waves() -> Result<SinusoidalBasis, String> {
    SinusoidalBasis::random(2, 24, &FrequencyLaw::Isotropic(9.0), 1).map_err(text)
}

fn mapped() -> Result<Arc<dyn Basis>, String> {
    let map = InputMap::from_box(&[-1.0, 0.25], &[3.0, 0.75]).map_err(text)?;
    let builder = SinusoidalBasis::builder(2, 24).law(FrequencyLaw::Isotropic(8.0));
    Ok(Arc::new(builder.map(map).seed(2).build().map_err(text)?))
}

fn parity(parity: [Parity; 2]) -> Result<Arc<dyn Basis>, String> {
    let map = InputMap::from_box(&[0.1, -0.2], &[1.1, 1.4]).map_err(text)?;
    let builder = SinusoidalBasis::builder(2, 14).law(FrequencyLaw::Isotropic(9.0));
    let plain = builder.map(map).seed(3).build().map_err(text)?;
    Ok(Arc::new(plain.with_parity(&parity).map_err(text)?))
}

fn joined() -> Result<Arc<dyn Basis>, String> {
    let linear = PolynomialBasis::monomials(InputMap::identity(2), 1).map_err(text)?;
    let parts = [Arc::new(waves()?) as Arc<dyn Basis>, Arc::new(linear)];
    Ok(Arc::new(JoinedBasis::new(parts).map_err(text)?))
}

fn tanh() -> Result<Arc<dyn Basis>, String> {
    let basis = TanhBasis::builder(2, 12).seed(1).build().map_err(text)?;
    Ok(Arc::new(basis))
}

fn symmetrised() -> Result<Arc<dyn Basis>, String> {
    let parity = [Parity::Even, Parity::None];
    let basis = SymmetrisedBasis::new(Arc::new(waves()?), &parity, &[0.4, 0.0]).map_err(text)?;
    Ok(Arc::new(basis))
}

/// Arguments beyond 2²⁷, which the host evaluates.
fn huge() -> Result<Arc<dyn Basis>, String> {
    let basis = SinusoidalBasis::random(2, 10, &FrequencyLaw::Isotropic(1e9), 1).map_err(text)?;
    Ok(Arc::new(basis))
}

fn expressions() -> Vec<(&'static str, Expr)> {
    let u = unknown("u");
    let (speed, other) = (1.0 + X * Y, given("d", |x| x[0] - 2.0 * x[1]));
    vec![
        ("identity", u.into()),
        ("constant", laplacian(u) - 7.0 * u.d(Y) + 3.0 * u),
        ("third order", u.d(X).d(Y).d(Y) + u),
        (
            "variable",
            &speed * laplacian(u) + &other * u.d(X) + speed * u - u,
        ),
        ("volterra", antiderivative(u, X, 0.2) + 0.5 * u),
        ("fredholm", integral(u, Y, 0.0, 1.5) - other * u),
        ("fractional", fractional_laplacian(u, 0.7) + u),
    ]
}

/// The coefficients from both backends, for rows with weights and partners.
fn agree(what: &str, operator: &EquationRow, basis: Arc<dyn Basis>) -> Verdict {
    let points = UnitSampler::halton(1).points(150, 2);
    let data: Vec<f64> = points
        .rows()
        .into_iter()
        .map(|x| (2.0 * x[0] + x[1]).cos())
        .collect();
    let mut rows = RowBlock::new("rows", operator.clone(), points.clone(), data);
    rows.weight = 0.5;
    rows.row_weights = Some((0..150).map(|i| 1.0 + f64::from(i % 7)).collect());
    let few = UnitSampler::halton(5).points(37, 2);
    let mut periodic = RowBlock::new("periodic", operator.clone(), few.clone(), vec![0.1; 37]);
    periodic.partners = Some(few.mapv(|x| x + 0.7));
    let values = RowBlock::new(
        "values",
        EquationRow::value(2, 0, 1),
        points,
        vec![1.0; 150],
    );
    let system = System::new(vec![basis], vec![rows, periodic, values]).map_err(text)?;
    // Least norm, and a threshold well above rounding: the same answer whatever the order of columns.
    let options = LsqOptions::new().minimum_norm(true).threshold(1e-9);
    for cuda in [
        Cuda::new().map_err(text)?,
        Cuda::new().map_err(text)?.block_rows(61),
    ] {
        let (ours, theirs) = (
            cuda.factor(&system, &options).map_err(text)?,
            CpuBackend.factor(&system, &options).map_err(text)?,
        );
        let (a, b) = (
            ours.solution().map_err(text)?,
            theirs.solution().map_err(text)?,
        );
        let off = (&a - &b).norm_l2() / b.norm_l2();
        require(off < 1e-8 && ours.info().rank == theirs.info().rank, || {
            format!(
                "{what}: off by {off:.1e}; {} against {}",
                ours.info(),
                theirs.info()
            )
        })?;
    }
    Ok(())
}
