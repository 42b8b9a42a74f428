//! Rows of waves against the processor's.

use faer::Mat;
use fastlsq_basis::sampling::UnitSampler;
use fastlsq_basis::{
    Action, AxisIntegral, Basis, Coefficient, Form, FrequencyLaw, InputMap, MultiIndex, Parity,
    SinusoidalBasis, UpperLimit,
};
use fastlsq_ptx::{Module, Order};
use ndarray::{Array2, ArrayView2};

use crate::device::{Device, numbers, require, text};

/// Writes the form's rows as the backend does: passes one after the other, groups sorted.
fn rows(
    device: &mut Device<'_>,
    basis: &SinusoidalBasis,
    points: ArrayView2<'_, f64>,
    form: &Form<'_>,
    factors: &[f64],
    leading: usize,
) -> Result<Vec<f64>, String> {
    let (count, dim) = points.dim();
    let columns = basis.len();
    let out = device.poisoned(leading * columns)?;
    let frequencies: Vec<f64> = basis.frequencies().iter().copied().collect();
    let frequencies = device.doubles(&frequencies)?;
    let phases = device.doubles(basis.phases())?;
    let parity: Vec<u32> = basis
        .parity()
        .iter()
        .map(|parity| match parity {
            Parity::None => 0,
            Parity::Even => 1,
            Parity::Odd => 2,
        })
        .collect();
    let parity = device.integers(&parity)?;
    let center = device.doubles(basis.map().center())?;
    let row_factors = device.doubles(factors)?;
    let passes = basis.collapsed(form, count).map_err(text)?;
    for (number, pass) in passes.iter().enumerate() {
        let mut coordinates: Vec<f64> = Vec::new();
        for axis in 0..dim {
            coordinates.extend(points.column(axis).iter());
        }
        let mut spans = Vec::new();
        for integral in &pass.integrals {
            for x in &mut coordinates[integral.axis * count..(integral.axis + 1) * count] {
                let to = match integral.to {
                    UpperLimit::Coordinate => *x,
                    UpperLimit::Fixed(to) => to,
                };
                spans.push(to - integral.from);
                *x = 0.5 * (to + integral.from);
            }
        }
        let mut groups: Vec<_> = pass.groups.iter().collect();
        groups.sort_by_key(|group| group.flipped);
        let (mut amplitudes, mut sources, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        for group in &groups {
            amplitudes.extend_from_slice(&group.p);
            amplitudes.extend_from_slice(&group.q);
            sources.push(match group.source {
                None => u32::MAX,
                Some(table) => {
                    tables.extend_from_slice(table);
                    (tables.len() / count - 1) as u32
                }
            });
        }
        let flipped: Vec<u8> = groups
            .iter()
            .flat_map(|g| g.flipped.to_le_bytes())
            .collect();
        let axes: Vec<u32> = pass.integrals.iter().map(|i| i.axis as u32).collect();
        let parameters = [
            count as u64,
            columns as u64,
            dim as u64,
            device.doubles(&coordinates)?,
            frequencies,
            phases,
            parity,
            center,
            groups.len() as u64,
            device.doubles(&amplitudes)?,
            device.bytes(&flipped)?,
            device.integers(&sources)?,
            device.doubles(&tables)?,
            pass.integrals.len() as u64,
            device.integers(&axes)?,
            device.doubles(&spans)?,
            row_factors,
            u64::from(number > 0),
            out,
            leading as u64,
        ];
        device.launch("assemble_waves", count, column_blocks(columns), &parameters)?;
    }
    device.read(out, leading * columns)
}

/// Fewer blocks than columns, or more.
fn column_blocks(columns: usize) -> usize {
    if columns.is_multiple_of(2) {
        columns + 1
    } else {
        columns.div_ceil(3)
    }
}

fn basis(dim: usize, count: usize, parity: &[Parity]) -> Result<SinusoidalBasis, String> {
    let lower = [-0.3, 0.1, 0.0, -1.0, 0.2];
    let upper = [1.1, 0.9, 2.0, 1.0, 0.6];
    let map = InputMap::from_box(&lower[..dim], &upper[..dim]).map_err(text)?;
    let builder = SinusoidalBasis::builder(dim, count).law(FrequencyLaw::Isotropic(4.0));
    let plain = builder.map(map).seed(1).build().map_err(text)?;
    plain.with_parity(parity).map_err(text)
}

/// Kinds of forms, features and sizes.
pub(crate) fn check_rows(module: &Module, order: Order) -> Result<(), String> {
    use Parity::{Even, None, Odd};
    let cases: [(&[Parity], usize, usize, usize); 11] = [
        (&[None], 1, 1, 1),
        (&[None], 130, 4, 130),
        (&[None, None], 127, 7, 131),
        (&[Even, None], 40, 5, 41),
        (&[Odd, Even], 129, 2, 135),
        (&[None, Odd, Even], 20, 4, 20),
        (&[None, None, None], 11, 3, 12),
        (&[Odd, Even, Odd], 8, 3, 8),
        (&[None, None, None, None], 30, 3, 33),
        (&[Even, None, Odd, None], 17, 3, 17),
        (&[Odd, None, None, Even, None], 9, 4, 11),
    ];
    for (parity, count, features, leading) in cases {
        let dim = parity.len();
        let basis = basis(dim, features, parity)?;
        let points = UnitSampler::halton(1).points(count, dim);
        let (a, b) = (numbers(count, 5), numbers(count, 6));
        let factors = numbers(count, 7);
        for (what, form) in forms(dim, &a, &b, &actions(dim)) {
            let mut device = Device::new(module, order);
            let found = rows(&mut device, &basis, points.view(), &form, &factors, leading)?;
            let mut expected = Mat::zeros(count, features);
            basis
                .write_rows(points.view(), &form, expected.as_mut())
                .map_err(text)?;
            let scale = expected.norm_max().max(1e-300);
            for j in 0..features {
                for i in 0..leading {
                    let entry = found[j * leading + i];
                    if i >= count {
                        require(entry.is_nan(), || format!("{what}: wrote beyond the rows"))?;
                        continue;
                    }
                    let right = factors[i] * expected[(i, j)];
                    require((entry - right).abs() <= 4e-15 * scale, || {
                        format!("{what}, {parity:?}: {entry} for {right} at ({i}, {j})")
                    })?;
                }
            }
        }
    }
    Ok(())
}

fn actions(dim: usize) -> Vec<Action> {
    let along = |axis: usize, order: u32| {
        let mut orders = vec![0; dim];
        orders[axis] = order;
        Action::derivative(MultiIndex::new(orders))
    };
    let mut volterra = along(0, 1);
    volterra.integrals.push(AxisIntegral {
        axis: 0,
        from: 0.25,
        to: UpperLimit::Coordinate,
    });
    let mut fredholm = along(0, 0);
    for axis in 0..dim.min(2) {
        fredholm.integrals.push(AxisIntegral {
            axis,
            from: -0.5,
            to: UpperLimit::Fixed(0.75),
        });
    }
    let mut mixed = vec![0; dim];
    mixed[dim / 2] += 1;
    mixed[dim - 1] += 2;
    vec![
        Action::derivative(MultiIndex::new(mixed)),
        along(0, 0),
        along(0, 1),
        along(dim - 1, 2),
        along(dim - 1, 3),
        volterra,
        fredholm,
    ]
}

fn forms<'a>(
    dim: usize,
    a: &'a [f64],
    b: &'a [f64],
    actions: &'a [Action],
) -> Vec<(String, Form<'a>)> {
    let [mixed, value, first, second, third, volterra, fredholm] = actions else {
        panic!("seven actions");
    };
    let one = Coefficient::Constant(1.0);
    let constant = Form::new()
        .with(one, second)
        .with(Coefficient::Constant(-2.5), first)
        .with(Coefficient::Constant(0.5), value);
    let varying = Form::new()
        .with(Coefficient::PerPoint(a), second)
        .with(Coefficient::PerPoint(b), first)
        .with(Coefficient::PerPoint(a), value)
        .with(one, third)
        .with(Coefficient::Constant(0.7), mixed);
    let integrals = Form::new()
        .with(one, volterra)
        .with(Coefficient::PerPoint(b), fredholm)
        .with(one, value);
    vec![
        (format!("value in {dim}D"), Form::action(value)),
        (format!("constant in {dim}D"), constant),
        (format!("varying in {dim}D"), varying),
        (format!("integrals in {dim}D"), integrals),
    ]
}

/// Arguments of all sizes up to 2²⁷, and next to multiples of π/2.
fn arguments(count: usize) -> Vec<f64> {
    let mut arguments = Vec::with_capacity(count);
    for (k, x) in numbers(count / 2, 11).into_iter().enumerate() {
        let size = [1e-8, 1.0, 50.0, 1e5, 134_217_728.0][k % 5];
        arguments.push(x * size);
    }
    for k in arguments.len()..count {
        let z = (k * k % 85_000_000) as f64 * std::f64::consts::FRAC_PI_2;
        arguments.push(match k % 3 {
            0 => z,
            1 => z.next_up(),
            _ => -z,
        });
    }
    arguments
}

/// sin and cos as the kernel computes them, against correctly rounded ones, in each place where it does:
/// the phase (φ = sin x and its derivative), the factors of parity, and integrals.
pub(crate) fn check_accuracy(module: &Module, count: usize) -> Result<(), String> {
    let arguments = arguments(count);
    let one = Array2::from_elem((1, 1), 1.0);
    let plain = SinusoidalBasis::explicit(one.view(), &[0.0]).map_err(text)?;
    for order in [0, 1] {
        let action = Action::derivative(MultiIndex::new([order]));
        check_wave(module, &plain, 0, &action, &arguments, order == 0)?;
    }
    // Features cos x₀ cos x₁ …, or with one sine, at points on one of the axes.
    for dim in 1..=5 {
        let ones = Array2::from_elem((1, dim), 1.0);
        let basis = SinusoidalBasis::explicit(ones.view(), &[0.3]).map_err(text)?;
        for axis in 0..dim {
            for own in [Parity::Even, Parity::Odd] {
                let mut parity = vec![Parity::Even; dim];
                parity[axis] = own;
                let basis = basis.with_parity(&parity).map_err(text)?;
                let action = Action::identity(dim);
                let odd = own == Parity::Odd;
                check_wave(module, &basis, axis, &action, &arguments, odd)?;
            }
        }
    }
    check_integral(module, &arguments)
}

/// The rows of one feature at points on an axis are sines or cosines to one ulp.
fn check_wave(
    module: &Module,
    basis: &SinusoidalBasis,
    axis: usize,
    action: &Action,
    arguments: &[f64],
    sine: bool,
) -> Result<(), String> {
    let count = arguments.len();
    let mut points = Array2::zeros((count, basis.dim()));
    for (x, z) in points.column_mut(axis).iter_mut().zip(arguments) {
        *x = *z;
    }
    let mut device = Device::new(module, Order::Ascending);
    let form = Form::action(action);
    let factors = vec![1.0; count];
    let found = rows(&mut device, basis, points.view(), &form, &factors, count)?;
    for (z, found) in arguments.iter().zip(found) {
        let exact = if sine {
            core_math::sin(*z)
        } else {
            core_math::cos(*z)
        };
        let ulp = exact.abs().next_up() - exact.abs();
        require((found - exact).abs() <= ulp, || {
            format!("{found:e} for {exact:e} at {z:e}, axis {axis}")
        })?;
    }
    Ok(())
}

/// ∫ cos over [−x, x] is 2 sin x, to two ulp: here the middle of the interval is exactly 0. The wave is the
/// derivative of the sine in as many dimensions as there are integrals.
fn check_integral(module: &Module, arguments: &[f64]) -> Result<(), String> {
    for number in 1..=4 {
        for &z in arguments.iter().step_by(13) {
            // The other integrals run over [−1/2, 1/2] at frequency 0: they are 1.
            for turn in 0..number {
                let mut w = Array2::zeros((1, number));
                w[(0, turn)] = 1.0;
                let phase = [std::f64::consts::FRAC_PI_2];
                let basis = SinusoidalBasis::explicit(w.view(), &phase).map_err(text)?;
                let mut action = Action::identity(number);
                for axis in 0..number {
                    let reach = if axis == turn { z } else { 0.5 };
                    action.integrals.push(AxisIntegral {
                        axis,
                        from: -reach,
                        to: UpperLimit::Fixed(reach),
                    });
                }
                let mut device = Device::new(module, Order::Ascending);
                let points = Array2::zeros((1, number));
                let form = Form::action(&action);
                let found = rows(&mut device, &basis, points.view(), &form, &[1.0], 1)?[0];
                let exact = 2.0 * core_math::sin(z);
                let ulp = exact.abs().next_up() - exact.abs();
                require((found - exact).abs() <= 2.0 * ulp, || {
                    format!("the integral over [-{z:e}, {z:e}] is {found:e} for {exact:e}")
                })?;
            }
        }
    }
    Ok(())
}
