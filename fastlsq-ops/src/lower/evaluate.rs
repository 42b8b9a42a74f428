//! Evaluation on blocks of points: a list of steps over columns, compiled once.
//!
//! What depends on numbers and parameters alone is computed once per call; everything else is a column with one entry for each
//! point of a block, kept in a register as long as a later step needs it. Nothing is allocated per point.

use ndarray::{Array2, ArrayView2, ShapeBuilder};
use rayon::prelude::*;

use super::graph::{Graph, Id, Op};
use crate::expr::{Call, Elementary, GivenBody, Real, power};
use crate::{OperatorError, Sites};

/// Points that are evaluated together: columns of this length stay in the cache.
const BLOCK: usize = 256;
/// Below this number of operations a second thread costs more than it saves.
const PARALLEL_OPERATIONS: usize = 1 << 17;

/// Where an operand is found.
#[derive(Debug, Clone, Copy)]
enum Operand {
    Register(usize),
    Scalar(usize),
}

#[derive(Debug, Clone)]
enum Action {
    Coordinate(usize),
    Normal(usize),
    /// A column of the table of unknowns' derivatives.
    Jet(usize),
    Given(usize),
    Add(Operand, Operand),
    Mul(Operand, Operand),
    Div(Operand, Operand),
    Power(Operand, f64),
    Elementary(Elementary, Operand),
    Call(usize, Vec<Operand>, Vec<usize>),
}

#[derive(Debug, Clone)]
struct Step {
    action: Action,
    target: usize,
}

/// What is computed once per call.
#[derive(Debug, Clone)]
enum Scalar {
    Number(f64),
    Parameter(usize),
    Add(usize, usize),
    Mul(usize, usize),
    Div(usize, usize),
    Power(usize, f64),
    Elementary(Elementary, usize),
    Call(usize, Vec<usize>, Vec<usize>),
}

/// Some nodes of a graph, ready to be evaluated.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    scalars: Vec<Scalar>,
    steps: Vec<Step>,
    registers: usize,
    outputs: Vec<Operand>,
    givens: Vec<GivenBody>,
    calls: Vec<Call>,
    needs_normals: bool,
}

impl std::fmt::Debug for GivenBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GivenBody")
    }
}

impl Program {
    /// The program for these outputs; `jets` gives for each jet of the graph its column in the table.
    pub(crate) fn new(graph: &Graph, outputs: &[Id], jets: &[usize]) -> Self {
        let nodes = graph.reachable(outputs);
        let mut last_use = vec![0usize; graph.len()];
        for (time, node) in nodes.iter().enumerate() {
            for operand in graph.operands(*node) {
                last_use[operand.index()] = time;
            }
        }
        for output in outputs {
            last_use[output.index()] = usize::MAX;
        }
        let mut program = Self {
            scalars: Vec::new(),
            steps: Vec::new(),
            registers: 0,
            outputs: Vec::new(),
            givens: graph.givens.iter().map(|g| g.body.clone()).collect(),
            calls: graph.calls.clone(),
            needs_normals: false,
        };
        let mut place: Vec<Option<Operand>> = vec![None; graph.len()];
        let mut free: Vec<usize> = Vec::new();
        for (time, node) in nodes.iter().enumerate() {
            let operands = graph.operands(*node);
            let found: Vec<Operand> = operands
                .iter()
                .filter_map(|operand| place[operand.index()])
                .collect();
            place[node.index()] = Some(match program.scalar(graph.op(*node), &found) {
                Some(scalar) => {
                    program.scalars.push(scalar);
                    Operand::Scalar(program.scalars.len() - 1)
                }
                None => {
                    let action = program.action(graph.op(*node), &found, jets);
                    let target = free.pop().unwrap_or_else(|| {
                        program.registers += 1;
                        program.registers - 1
                    });
                    program.steps.push(Step { action, target });
                    Operand::Register(target)
                }
            });
            // Registers whose column nobody needs any more; an operand may occur twice.
            let mut done: Vec<Id> = operands;
            done.sort_unstable();
            done.dedup();
            for operand in done {
                if last_use[operand.index()] == time
                    && let Some(Operand::Register(register)) = place[operand.index()]
                {
                    free.push(register);
                }
            }
        }
        program.outputs = outputs
            .iter()
            .filter_map(|output| place[output.index()])
            .collect();
        program
    }

    fn scalar(&self, op: &Op, operands: &[Operand]) -> Option<Scalar> {
        let mut scalars = Vec::with_capacity(operands.len());
        for operand in operands {
            match operand {
                Operand::Scalar(index) => scalars.push(*index),
                Operand::Register(_) => return None,
            }
        }
        Some(match (op, scalars.as_slice()) {
            (Op::Number(bits), _) => Scalar::Number(f64::from_bits(*bits)),
            (Op::Parameter(index), _) => Scalar::Parameter(*index),
            (Op::Add(..), [a, b]) => Scalar::Add(*a, *b),
            (Op::Mul(..), [a, b]) => Scalar::Mul(*a, *b),
            (Op::Div(..), [a, b]) => Scalar::Div(*a, *b),
            (Op::Power(_, bits), [a]) => Scalar::Power(*a, f64::from_bits(*bits)),
            (Op::Elementary(function, _), [a]) => Scalar::Elementary(*function, *a),
            (Op::Call(call, _, orders), _) => Scalar::Call(*call, scalars, orders.clone()),
            _ => return None,
        })
    }

    fn action(&mut self, op: &Op, operands: &[Operand], jets: &[usize]) -> Action {
        match (op, operands) {
            (Op::Coordinate(axis), _) => Action::Coordinate(*axis),
            (Op::Normal(axis), _) => {
                self.needs_normals = true;
                Action::Normal(*axis)
            }
            (Op::Jet(jet), _) => Action::Jet(jets.get(*jet).copied().unwrap_or(usize::MAX)),
            (Op::Given(given), _) => Action::Given(*given),
            (Op::Add(..), [a, b]) => Action::Add(*a, *b),
            (Op::Mul(..), [a, b]) => Action::Mul(*a, *b),
            (Op::Div(..), [a, b]) => Action::Div(*a, *b),
            (Op::Power(_, bits), [a]) => Action::Power(*a, f64::from_bits(*bits)),
            (Op::Elementary(function, _), [a]) => Action::Elementary(*function, *a),
            (Op::Call(call, ..), operands) => {
                let orders = match op {
                    Op::Call(_, _, orders) => orders.clone(),
                    _ => Vec::new(),
                };
                Action::Call(*call, operands.to_vec(), orders)
            }
            // Numbers and parameters are scalars; operations have all their operands.
            _ => Action::Jet(usize::MAX),
        }
    }

    pub(crate) fn needs_normals(&self) -> bool {
        self.needs_normals
    }

    /// The outputs at all points: one row per point, one column per output, columns contiguous.
    ///
    /// `table` holds the derivatives of the unknowns, one row per point.
    pub(crate) fn run(
        &self,
        sites: &Sites<'_>,
        table: Option<ArrayView2<'_, f64>>,
        parameters: &[f64],
    ) -> Result<Array2<f64>, OperatorError> {
        if self.needs_normals && sites.normals().is_none() {
            return Err(OperatorError::MissingNormals);
        }
        let scalars = self.scalar_values(parameters);
        let count = sites.len();
        let starts: Vec<usize> = (0..count).step_by(BLOCK).collect();
        let block = |registers: &mut Vec<Vec<f64>>, start: &usize| {
            self.block(sites, table, &scalars, *start, registers)
        };
        let work = count.saturating_mul(self.steps.len() + 20 * self.givens.len());
        let blocks: Vec<Vec<f64>> = if work < PARALLEL_OPERATIONS {
            let mut registers = vec![Vec::new(); self.registers];
            starts.iter().map(|s| block(&mut registers, s)).collect()
        } else {
            starts
                .par_iter()
                .map_init(|| vec![Vec::new(); self.registers], block)
                .collect()
        };
        let mut out = Array2::zeros((count, self.outputs.len()).f());
        for (start, values) in starts.iter().zip(&blocks) {
            let size = BLOCK.min(count - start);
            for (column, values) in values.chunks(size).enumerate() {
                let mut target = out.column_mut(column);
                for (target, value) in target.iter_mut().skip(*start).zip(values) {
                    *target = *value;
                }
            }
        }
        Ok(out)
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

    /// The outputs at one block of points, one after the other.
    fn block(
        &self,
        sites: &Sites<'_>,
        table: Option<ArrayView2<'_, f64>>,
        scalars: &[f64],
        start: usize,
        registers: &mut [Vec<f64>],
    ) -> Vec<f64> {
        let sites = sites.block(start, BLOCK);
        let size = sites.len();
        for step in &self.steps {
            // Registers of operands are never that of the target.
            let mut out = std::mem::take(&mut registers[step.target]);
            out.clear();
            let column = |view: ArrayView2<'_, f64>, first: usize, index: usize, out: &mut Vec<f64>| {
                if index < view.ncols() {
                    out.extend(view.column(index).iter().skip(first).take(size));
                } else {
                    out.resize(size, f64::NAN);
                }
            };
            let read = |operand: &Operand| match operand {
                Operand::Register(register) => Column::Many(&registers[*register]),
                Operand::Scalar(index) => Column::One(scalars[*index]),
            };
            match &step.action {
                Action::Coordinate(axis) => column(sites.points(), 0, *axis, &mut out),
                Action::Normal(axis) => match sites.normals() {
                    Some(normals) => column(normals, 0, *axis, &mut out),
                    None => out.resize(size, f64::NAN),
                },
                Action::Jet(index) => match table {
                    Some(table) => column(table, start, *index, &mut out),
                    None => out.resize(size, f64::NAN),
                },
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
        let mut values = Vec::with_capacity(size * self.outputs.len());
        for output in &self.outputs {
            match output {
                Operand::Register(register) => values.extend(&registers[*register]),
                Operand::Scalar(index) => values.extend(std::iter::repeat_n(scalars[*index], size)),
            }
        }
        values
    }
}

/// A function given as code, or its derivative by one or two of its arguments.
fn called(call: &Call, arguments: &[f64], orders: &[usize], numbers: &mut Vec<Real>) -> f64 {
    numbers.clear();
    numbers.extend(arguments.iter().enumerate().map(|(place, value)| {
        let along = |k: usize| if orders.get(k) == Some(&place) { 1.0 } else { 0.0 };
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

fn unary(a: Column<'_>, size: usize, out: &mut Vec<f64>, f: impl Fn(f64) -> f64) {
    match a {
        Column::Many(a) => out.extend(a.iter().map(|a| f(*a))),
        Column::One(a) => out.resize(size, f(a)),
    }
}

fn binary(a: Column<'_>, b: Column<'_>, size: usize, out: &mut Vec<f64>, f: impl Fn(f64, f64) -> f64) {
    match (a, b) {
        (Column::Many(a), Column::Many(b)) => out.extend(a.iter().zip(b).map(|(a, b)| f(*a, *b))),
        (Column::One(a), Column::Many(b)) => out.extend(b.iter().map(|b| f(a, *b))),
        (Column::Many(a), Column::One(b)) => out.extend(a.iter().map(|a| f(*a, b))),
        (Column::One(a), Column::One(b)) => out.resize(size, f(a, b)),
    }
}
