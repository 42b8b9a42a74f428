//! Nodes of a graph as a list of steps over columns, compiled once.
//!
//! What depends on numbers and parameters alone becomes a scalar, computed once per call; everything else is a column
//! with one entry for each point of a block, kept in a register as long as a later step needs it.

use super::graph::{Graph, Id, Op};
use crate::expr::{Call, Elementary, GivenBody};

/// Where an operand is found.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand {
    Register(usize),
    Scalar(usize),
}

/// What a step computes.
#[derive(Debug, Clone)]
pub(super) enum Action {
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

/// An action and the register that it fills.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) action: Action,
    pub(super) target: usize,
}

/// What is computed once per call.
#[derive(Debug, Clone)]
pub(super) enum Scalar {
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
    pub(super) scalars: Vec<Scalar>,
    pub(super) steps: Vec<Step>,
    pub(super) registers: usize,
    pub(super) outputs: Vec<Operand>,
    pub(super) givens: Vec<GivenBody>,
    pub(super) calls: Vec<Call>,
    pub(super) needs_normals: bool,
    /// The dimension of the points.
    pub(super) dim: usize,
    /// The number of columns that the table of unknowns' derivatives must have.
    pub(super) columns: usize,
    /// The number of parameters that must have values.
    pub(super) parameters: usize,
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
            dim: graph.dim,
            columns: 0,
            parameters: 0,
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

    fn scalar(&mut self, op: &Op, operands: &[Operand]) -> Option<Scalar> {
        let mut scalars = Vec::with_capacity(operands.len());
        for operand in operands {
            match operand {
                Operand::Scalar(index) => scalars.push(*index),
                Operand::Register(_) => return None,
            }
        }
        Some(match (op, scalars.as_slice()) {
            (Op::Number(bits), _) => Scalar::Number(f64::from_bits(*bits)),
            (Op::Parameter(index), _) => {
                self.parameters = self.parameters.max(index + 1);
                Scalar::Parameter(*index)
            }
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
            (Op::Jet(jet), _) => {
                // Without a column it cannot be evaluated, and says so.
                let column = jets.get(*jet).copied().unwrap_or(usize::MAX);
                self.columns = self.columns.max(column.saturating_add(1));
                Action::Jet(column)
            }
            (Op::Given(given), _) => Action::Given(*given),
            (Op::Add(..), [a, b]) => Action::Add(*a, *b),
            (Op::Mul(..), [a, b]) => Action::Mul(*a, *b),
            (Op::Div(..), [a, b]) => Action::Div(*a, *b),
            (Op::Power(_, bits), [a]) => Action::Power(*a, f64::from_bits(*bits)),
            (Op::Elementary(function, _), [a]) => Action::Elementary(*function, *a),
            (Op::Call(call, _, orders), _) => {
                Action::Call(*call, operands.to_vec(), orders.clone())
            }
            // Numbers and parameters are scalars; operations have all their operands.
            _ => Action::Jet(usize::MAX),
        }
    }

    pub(crate) fn needs_normals(&self) -> bool {
        self.needs_normals
    }
}
