//! Rows written out once stand for the block they come from.

use std::sync::Arc;

use faer::Mat;
use fastlsq_solve::{
    Backend, Basis, BoxDomain, Control, CpuBackend, Domain, EquationRow, Frame, FrequencyLaw,
    LinearProblem, LsqOptions, MultiIndex, Options, RowBlock, SinusoidalBasis, Space, System,
    UnitSampler, WrittenRows, X, Y, compress, exp, laplacian, unknown,
};

fn basis(features: usize) -> Vec<Arc<dyn Basis>> {
    let law = FrequencyLaw::Isotropic(4.0);
    vec![Arc::new(
        SinusoidalBasis::random(2, features, &law, 3).unwrap(),
    )]
}

/// Δu = 1 inside, u = xy at other points, with weights of all kinds.
fn blocks(inside: usize, on_values: usize) -> Vec<RowBlock> {
    let domain = BoxDomain::unit(2);
    let sampler = &mut UnitSampler::independent(1);
    let points = domain.sample_interior(inside, sampler).unwrap();
    let u = unknown("u");
    let frame = Frame::new(Space::new(2), [u]);
    let row = frame.row(laplacian(u)).unwrap();
    let equation = RowBlock::new("Δu = 1", row, points, vec![1.0; inside]);
    let points = domain.sample_interior(on_values, sampler).unwrap();
    let data = points.rows().into_iter().map(|x| x[0] * x[1]).collect();
    let mut values = RowBlock::new("u = xy", EquationRow::value(2, 0, 1), points, data);
    values.weight = 30.0;
    values.row_weights = Some((0..on_values).map(|i| 1.0 + (i % 3) as f64).collect());
    vec![equation, values]
}

fn solution(system: &System) -> Mat<f64> {
    let options = LsqOptions::new().ridge(1e-6);
    let factored = CpuBackend.factor(system, &options).unwrap();
    factored.solution().unwrap()
}

fn distance(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (a - b).norm_l2() / b.norm_l2()
}

#[test]
fn a_written_block_gives_the_same_solution_whether_it_was_reduced_or_not() {
    for on_values in [7, 40, 41, 500] {
        let (bases, blocks) = (basis(40), blocks(100, on_values));
        let written = WrittenRows::new(&blocks[1], &bases, &Control::new()).unwrap();
        assert_eq!(written.len(), on_values.min(40));
        let plain = System::new(bases, blocks).unwrap();
        let shared = plain
            .clone()
            .with_written(vec![None, Some(written)])
            .unwrap();
        let difference = distance(&solution(&shared), &solution(&plain));
        assert!(difference < 1e-9, "{on_values} rows: {difference:e}");
    }
}

#[test]
fn an_increment_on_written_rows_leads_to_the_same_sum() {
    let (bases, mut blocks) = (basis(30), blocks(0, 200));
    let written = WrittenRows::new(&blocks[1], &bases, &Control::new()).unwrap();
    let whole = System::new(bases.clone(), blocks.clone()).unwrap();
    let options = LsqOptions::new();
    let solve = |system: &System| {
        let factored = CpuBackend.factor(system, &options).unwrap();
        factored.solution().unwrap()
    };
    let beta: Vec<f64> = (0..30).map(|j| f64::from(j).sin()).collect();
    // The data of the block itself are not used any more.
    blocks[1].data.fill(f64::MAX.sqrt());
    let increment = System::new(bases, blocks)
        .unwrap()
        .with_written(vec![None, Some(written.less(&beta))])
        .unwrap();
    let (sum, direct) = (solve(&increment), solve(&whole));
    let sum = Mat::from_fn(30, 1, |j, _| sum[(j, 0)] + beta[j]);
    let values = |x: &Mat<f64>| {
        let x: Vec<f64> = (0..30).map(|j| x[(j, 0)]).collect();
        whole.blocks()[1].apply(&whole.basis_refs(), &x).unwrap()
    };
    for (a, b) in values(&sum).into_iter().zip(values(&direct)) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }
}

#[test]
fn written_rows_that_do_not_fit_are_refused() {
    let (bases, mut blocks) = (basis(20), blocks(30, 30));
    let written = WrittenRows::new(&blocks[1], &bases, &Control::new()).unwrap();
    let other = WrittenRows::new(&blocks[1], &basis(21), &Control::new()).unwrap();
    let system = System::new(bases.clone(), blocks.clone()).unwrap();
    let refused = |rows| system.clone().with_written(rows).unwrap_err().to_string();
    assert!(refused(vec![None]).contains("written blocks"));
    assert!(refused(vec![None, Some(other)]).contains("columns"));
    blocks[1].exact = true;
    let constrained = System::new(bases, blocks).unwrap();
    let refused = constrained.with_written(vec![None, Some(written)]);
    assert!(refused.unwrap_err().to_string().contains("constraints"));
}

#[test]
fn a_compressed_basis_spans_what_the_whole_one_spans() {
    let bases = basis(600);
    let points = BoxDomain::unit(2)
        .sample_interior(900, &mut UnitSampler::independent(5))
        .unwrap();
    let derivatives = [
        MultiIndex::zero(2),
        MultiIndex::new([2, 0]),
        MultiIndex::new([0, 2]),
    ];
    let small = compress(&bases[0], &derivatives, points.view(), &LsqOptions::new()).unwrap();
    assert!(small.len() < 400, "{} features are left", small.len());
    let (u, exact) = (unknown("u"), exp(X + Y));
    let solution = LinearProblem::on(BoxDomain::unit(2))
        .equation(laplacian(u), laplacian(&exact))
        .dirichlet(&exact)
        .solve_with(&Options::new().basis(small))
        .unwrap();
    let error = (solution.value(&[0.3, 0.8]).unwrap() - 1.1_f64.exp()).abs();
    assert!(error < 1e-10, "{error:e}");
    // With fewer rows than features nothing can be said about the rank.
    let few = points.slice(ndarray::s![..100, ..]);
    let same = compress(&bases[0], &derivatives, few, &LsqOptions::new()).unwrap();
    assert_eq!(same.len(), 600);
}
