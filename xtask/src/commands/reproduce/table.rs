//! Tables that can be printed, written as CSV, and put into the report.

use comfy_table::{CellAlignment, ContentArrangement, presets};

use super::results::Row;
use crate::format;

/// A table: named columns, rows of cells.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// The name of its CSV file, without extension.
    pub(crate) name: String,
    /// The heading.
    pub(crate) title: String,
    /// What the columns mean, in a sentence or two.
    pub(crate) note: String,
    /// The heads of the columns.
    pub(crate) columns: Vec<&'static str>,
    /// The cells, one for each column.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// One entry of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// Words.
    Text(String),
    /// A number of a row of results: always shown as it is in the file.
    Ours {
        /// The identity of the row.
        id: String,
        /// The name of the number in the file.
        field: &'static str,
        /// The number, where the row has it.
        value: Option<f64>,
        /// How it is written.
        style: Style,
    },
    /// A number of the paper.
    Paper(Option<f64>, Style),
    /// How many times better than the paper: above one is better.
    Ratio(Option<f64>),
    /// Whether a bar holds.
    Verdict(bool),
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `4.8e-7`
    Scientific,
    /// `0.071`
    Plain,
    /// `1500`
    Count,
}

impl Style {
    pub(crate) fn write(self, value: f64) -> String {
        match self {
            Self::Scientific => format::scientific(value),
            Self::Plain => format::significant(value),
            Self::Count => format!("{value:.0}"),
        }
    }
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        columns: Vec<&'static str>,
    ) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            note: String::new(),
            columns,
            rows: Vec::new(),
        }
    }

    /// Says what the columns mean.
    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// The table for a terminal.
    pub(crate) fn text(&self) -> comfy_table::Table {
        let mut table = comfy_table::Table::new();
        table
            .load_preset(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(&self.columns);
        table.add_rows(self.rows.iter().map(|row| row.iter().map(Cell::text)));
        for index in 0..self.columns.len() {
            let numeric = self
                .rows
                .iter()
                .all(|row| row.get(index).is_none_or(Cell::is_number));
            if let Some(column) = table.column_mut(index).filter(|_| numeric) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    /// The table as comma-separated values, numbers in full.
    pub(crate) fn csv(&self) -> String {
        let mut text = csv_line(self.columns.iter().map(|&name| name.to_owned()));
        for row in &self.rows {
            text += &csv_line(row.iter().map(Cell::raw));
        }
        text
    }
}

/// One line of comma-separated values, quoted where necessary.
pub(crate) fn csv_line(fields: impl Iterator<Item = String>) -> String {
    let quoted: Vec<String> = fields
        .map(|field| {
            if field.contains([',', '"', '\n']) {
                format!("\"{}\"", field.replace('"', "\"\""))
            } else {
                field
            }
        })
        .collect();
    quoted.join(",") + "\n"
}

impl Cell {
    /// Words.
    pub(crate) fn words(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number of a row by its name in the file.
    pub(crate) fn ours(row: &Row, field: &'static str, style: Style) -> Self {
        Self::Ours {
            id: row.id.clone(),
            field,
            value: row.number(field),
            style,
        }
    }

    /// paper / ours: how many times better this library is.
    pub(crate) fn ratio(paper: Option<f64>, ours: Option<f64>) -> Self {
        let ratio = paper.zip(ours).map(|(paper, ours)| paper / ours);
        Self::Ratio(ratio.filter(|ratio| ratio.is_finite()))
    }

    /// As people read it.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Ours { value, style, .. } | Self::Paper(value, style) => {
                value.map_or_else(|| "–".to_owned(), |value| style.write(value))
            }
            Self::Ratio(ratio) => ratio.map_or_else(|| "–".to_owned(), format::times),
            Self::Verdict(holds) => if *holds { "holds" } else { "MISSED" }.to_owned(),
        }
    }

    /// As a machine reads it.
    fn raw(&self) -> String {
        match self {
            Self::Ours { value, .. } | Self::Paper(value, _) | Self::Ratio(value) => {
                value.map_or_else(String::new, |value| format!("{value:?}"))
            }
            Self::Text(_) | Self::Verdict(_) => self.text(),
        }
    }

    /// Whether it is set like a number.
    pub(crate) fn is_number(&self) -> bool {
        !matches!(self, Self::Text(_) | Self::Verdict(_))
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Style, Table};
    use crate::commands::reproduce::results::{Row, Run};

    #[test]
    fn the_same_cells_for_people_and_machines() {
        let run = Run {
            value_error: Some(0.25),
            ..Run::default()
        };
        let row = Row::of_runs("linear", "wave-1d", "auto", vec![run]);
        let mut table = Table::new("t", "T", vec!["case", "paper", "ours", "ratio", "held out"]);
        table.rows.push(vec![
            Cell::words("wave, \"1d\""),
            Cell::Paper(Some(0.5), Style::Scientific),
            Cell::ours(&row, "value_error", Style::Scientific),
            Cell::ratio(Some(0.5), row.median.value_error),
            Cell::ours(&row, "held_out_residual", Style::Scientific),
        ]);
        assert_eq!(
            table.csv(),
            "case,paper,ours,ratio,held out\n\"wave, \"\"1d\"\"\",0.5,0.25,2.0,\n"
        );
        let words: Vec<String> = table.rows[0].iter().map(Cell::text).collect();
        assert_eq!(words[1..], ["5.0e-1", "2.5e-1", "2.00×", "–"]);
    }
}
