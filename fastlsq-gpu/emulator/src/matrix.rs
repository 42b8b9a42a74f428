//! Matrices in the device's memory, as the libraries are given them.

use std::ffi::c_int;

use crate::state::State;

/// A column-major matrix by its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) address: u64,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) leading: usize,
    /// Whether its entries are singles.
    pub(crate) single: bool,
}

/// What keeps a library from doing its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotInitialised,
    InvalidValue,
    Failed,
}

impl Place {
    /// Checks the sizes as the libraries do.
    pub(crate) fn new(
        state: &mut State,
        call: &str,
        address: u64,
        rows: c_int,
        columns: c_int,
        leading: c_int,
    ) -> Result<Self, Refusal> {
        let sound = rows >= 0 && columns >= 0 && leading >= rows.max(1);
        if !sound {
            state.violation(&format!(
                "{call}: a {rows}×{columns} matrix with leading dimension {leading}"
            ));
            return Err(Refusal::InvalidValue);
        }
        Ok(Self {
            address,
            rows: rows as usize,
            columns: columns as usize,
            leading: leading as usize,
            single: false,
        })
    }

    /// The same with entries in single precision.
    pub(crate) fn in_single(self, single: bool) -> Self {
        Self { single, ..self }
    }

    fn span(self) -> usize {
        if self.rows == 0 || self.columns == 0 {
            0
        } else {
            self.leading * (self.columns - 1) + self.rows
        }
    }

    /// The entries, column by column without gaps.
    pub(crate) fn read(self, state: &mut State, call: &str) -> Result<Vec<f64>, Refusal> {
        let span = self.span();
        if span == 0 {
            return Ok(Vec::new());
        }
        let read = if self.single {
            let values = state.memory.read_f32(self.address, span);
            values.map(|values| values.into_iter().map(f64::from).collect())
        } else {
            state.memory.read_f64(self.address, span)
        };
        let values: Vec<f64> = read.map_err(|fault| {
            state.violation(&format!("{call}: {fault}"));
            Refusal::Failed
        })?;
        let columns = values.chunks(self.leading);
        Ok(columns
            .flat_map(|column| column[..self.rows].to_vec())
            .collect())
    }

    /// Puts the entries back.
    pub(crate) fn write(
        self,
        state: &mut State,
        call: &str,
        values: &[f64],
    ) -> Result<(), Refusal> {
        for (j, column) in values
            .chunks(self.rows.max(1))
            .enumerate()
            .take(self.columns)
        {
            let place = (j * self.leading) as u64;
            let written = if self.single {
                let column: Vec<f32> = column.iter().map(|x| *x as f32).collect();
                state.memory.write_f32(self.address + 4 * place, &column)
            } else {
                state.memory.write_f64(self.address + 8 * place, column)
            };
            written.map_err(|fault| {
                state.violation(&format!("{call}: {fault}"));
                Refusal::Failed
            })?;
        }
        Ok(())
    }
}
