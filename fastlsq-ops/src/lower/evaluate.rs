//! Evaluation on blocks of points. Nothing is allocated per point.

use fastlsq_basis::{BasisError, require_size};
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, ShapeBuilder, s};
use rayon::prelude::*;

use super::program::{Action, Operand, Program, Scalar};
use crate::expr::{Call, Real, power};
use crate::{OperatorError, Sites};

/// Points that are evaluated together: columns of this length stay in the cache.
const BLOCK: usize = 256;
/// Below this number of operations a second thread costs more than it saves.
const PARALLEL_OPERATIONS: usize = 1 << 17;

impl Program {
    /// The outputs at all points: one row per point, one column per output, columns contiguous.
    ///
    /// `table` holds the derivatives of the unknowns, one row per point.
    pub(crate) fn run(
        &self,
        sites: &Sites<'_>,
        table: Option<ArrayView2<'_, f64>>,
        parameters: &[f64],
    ) -> Result<Array2<f64>, OperatorError> {
        self.require(sites, table, parameters)?;
        let scalars = self.scalar_values(parameters);
        let count = sites.len();
        let mut out = Array2::zeros((count, self.outputs.len()).f());
        let blocks: Vec<_> = out
            .axis_chunks_iter_mut(Axis(0), BLOCK)
            .enumerate()
            .collect();
        let registers = || vec![Vec::new(); self.registers];
        let block = |registers: &mut Vec<Vec<f64>>,
                     (number, out): (usize, ArrayViewMut2<'_, f64>)| {
            self.block(sites, table, &scalars, number * BLOCK, registers, out);
        };
        let work = count.saturating_mul(self.steps.len() + 20 * self.givens.len());
        if work < PARALLEL_OPERATIONS {
            let mut registers = registers();
            blocks
                .into_iter()
                .for_each(|own| block(&mut registers, own));
        } else {
            blocks.into_par_iter().for_each_init(registers, block);
        }
        Ok(out)
    }

    /// Checks that everything is there for every point.
    fn require(
        &self,
        sites: &Sites<'_>,
        table: Option<ArrayView2<'_, f64>>,
        parameters: &[f64],
    ) -> Result<(), OperatorError> {
        if self.needs_normals && sites.normals().is_none() {
            return Err(OperatorError::MissingNormals);
        }
        sites.validate(self.dim)?;
        if self.columns > 0 {
            let (rows, columns) = table.map_or((0, 0), |table| table.dim());
            if columns < self.columns {
                return Err(BasisError::Shape {
                    what: "the list of derivatives of the unknowns",
                    expected: self.columns,
                    found: columns,
                }
                .into());
            }
            require_size(
                "the table of derivatives of the unknowns",
                sites.len(),
                rows,
            )?;
        }
        if parameters.len() < self.parameters {
            return Err(BasisError::Shape {
                what: "the list of values of the parameters",
                expected: self.parameters,
                found: parameters.len(),
            }
            .into());
        }
        Ok(())
    }

    fn scalar_values(&self, parameters: &[f64]) -> Vec<f64> {
        let mut values: Vec<f64> = Vec::with_capacity(self.scalars.len());
        for scalar in &self.scalars {
            let value = match scalar {
                Scalar::Number(value) => *value,
                Scalar::Parameter(index) => parameters.get(*index).copied().unwrap_or(f64::NAN),
                Scalar::Add(a, b) => values[*a] + values[*b],
                Scalar::Mul(a, b) => values[*a] * values[*b],
                Scalar::Div(a, b) => values[*a] / values[*b],
                Scalar::Power(a, exponent) => power(values[*a], *exponent),
                Scalar::Elementary(function, a) => function.value(values[*a]),
                Scalar::Call(call, arguments, orders) => {
                    let arguments: Vec<f64> = arguments.iter().map(|a| values[*a]).collect();
                    let mut numbers = Vec::new();
                    called(&self.calls[*call], &arguments, orders, &mut numbers)
                }
            };
            values.push(value);
        }
        values
    }

    /// Writes the outputs at one block of points.
    fn block(
        &self,
        sites: &Sites<'_>,
        table: Option<ArrayView2<'_, f64>>,
        scalars: &[f64],
        start: usize,
        registers: &mut [Vec<f64>],
        mut outputs: ArrayViewMut2<'_, f64>,
    ) {
        let sites = sites.block(start, BLOCK);
        let size = sites.len();
        let table = table.map(|table| table.slice_move(s![start..start + size, ..]));
        for step in &self.steps {
            // Registers of operands are never that of the target.
            let mut out = std::mem::take(&mut registers[step.target]);
            out.clear();
            let read = |operand: &Operand| match operand {
                Operand::Register(register) => Column::Many(&registers[*register]),
                Operand::Scalar(index) => Column::One(scalars[*index]),
            };
            match &step.action {
                Action::Coordinate(axis) => copy(Some(sites.points()), *axis, size, &mut out),
                Action::Normal(axis) => copy(sites.normals(), *axis, size, &mut out),
                Action::Jet(column) => copy(table, *column, size, &mut out),
                Action::Given(given) => {
                    out.resize(size, 0.0);
                    self.givens[*given].evaluate(sites.points(), &mut out);
                }
                Action::Add(a, b) => binary(read(a), read(b), size, &mut out, |a, b| a + b),
                Action::Mul(a, b) => binary(read(a), read(b), size, &mut out, |a, b| a * b),
                Action::Div(a, b) => binary(read(a), read(b), size, &mut out, |a, b| a / b),
                Action::Power(a, exponent) => match (read(a), *exponent) {
                    (a, 2.0) => unary(a, size, &mut out, |a| a * a),
                    (a, 3.0) => unary(a, size, &mut out, |a| a * a * a),
                    (a, -1.0) => unary(a, size, &mut out, |a| 1.0 / a),
                    (a, exponent) => unary(a, size, &mut out, |a| power(a, exponent)),
                },
                Action::Elementary(function, a) => {
                    unary(read(a), size, &mut out, |a| function.value(a));
                }
                Action::Call(call, arguments, orders) => {
                    let columns: Vec<Column<'_>> = arguments.iter().map(read).collect();
                    let mut point = vec![0.0; columns.len()];
                    let mut numbers = Vec::with_capacity(columns.len());
                    for i in 0..size {
                        for (value, column) in point.iter_mut().zip(&columns) {
                            *value = column.at(i);
                        }
                        out.push(called(&self.calls[*call], &point, orders, &mut numbers));
                    }
                }
            }
            registers[step.target] = out;
        }
        for (output, mut column) in self.outputs.iter().zip(outputs.columns_mut()) {
            match output {
                Operand::Register(register) => {
                    column.assign(&ArrayView1::from(registers[*register].as_slice()));
                }
                Operand::Scalar(index) => column.fill(scalars[*index]),
            }
        }
    }
}

/// A function given as code, or its derivative by one or two of its arguments.
fn called(call: &Call, arguments: &[f64], orders: &[usize], numbers: &mut Vec<Real>) -> f64 {
    numbers.clear();
    numbers.extend(arguments.iter().enumerate().map(|(place, value)| {
        let along = |k: usize| {
            if orders.get(k) == Some(&place) {
                1.0
            } else {
                0.0
            }
        };
        Real::variable(*value, [along(0), along(1)])
    }));
    let result = (call.function)(numbers);
    match orders.len() {
        0 => result.value(),
        1 => result.slope(0),
        _ => result.mixed(),
    }
}

/// The values of an operand.
#[derive(Clone, Copy)]
enum Column<'a> {
    Many(&'a [f64]),
    One(f64),
}

impl Column<'_> {
    fn at(&self, i: usize) -> f64 {
        match self {
            Self::Many(values) => values.get(i).copied().unwrap_or(f64::NAN),
            Self::One(value) => *value,
        }
    }
}

/// A column of a view, whose shape was checked before.
fn copy(view: Option<ArrayView2<'_, f64>>, column: usize, size: usize, out: &mut Vec<f64>) {
    match view.filter(|view| column < view.ncols()) {
        Some(view) => out.extend(view.column(column)),
        None => out.resize(size, f64::NAN),
    }
}

fn unary(a: Column<'_>, size: usize, out: &mut Vec<f64>, f: impl Fn(f64) -> f64) {
    match a {
        Column::Many(a) => out.extend(a.iter().map(|a| f(*a))),
        Column::One(a) => out.resize(size, f(a)),
    }
}

fn binary(
    a: Column<'_>,
    b: Column<'_>,
    size: usize,
    out: &mut Vec<f64>,
    f: impl Fn(f64, f64) -> f64,
) {
    match (a, b) {
        (Column::Many(a), Column::Many(b)) => out.extend(a.iter().zip(b).map(|(a, b)| f(*a, *b))),
        (Column::One(a), Column::Many(b)) => out.extend(b.iter().map(|b| f(a, *b))),
        (Column::Many(a), Column::One(b)) => out.extend(a.iter().map(|a| f(*a, b))),
        (Column::One(a), Column::One(b)) => out.resize(size, f(a, b)),
    }
}
