//! The paper's numbers, from this project's own copy of its tables.

use anyhow::{Context, Result};
use serde_json::Value;

/// The tables of the paper, by name.
#[derive(Debug)]
pub(crate) struct Paper {
    tables: Value,
    curves: Value,
}

impl Paper {
    /// The copy that this program carries.
    pub(crate) fn load() -> Result<Self> {
        Ok(Self {
            tables: serde_json::from_str(include_str!("../../../data/paper-tables.json"))
                .context("data/paper-tables.json")?,
            curves: serde_json::from_str(include_str!("../../../data/paper-curves.json"))
                .context("data/paper-curves.json")?,
        })
    }

    /// The entry of a table with named columns: the row of a case, under a column.
    pub(crate) fn entry(&self, table: &str, case: &str, column: &str) -> Option<Value> {
        let table = self.tables.get(table)?;
        let columns = table.get("columns")?.as_array()?;
        let index = columns.iter().position(|name| name == column)?;
        let value = table.get(case)?.get(index)?;
        (!value.is_null()).then(|| value.clone())
    }

    /// The entry of a table without columns.
    pub(crate) fn figure(&self, table: &str, name: &str) -> Option<Value> {
        self.tables.get(table)?.get(name).cloned()
    }

    /// The number in a table with named columns, where there is one.
    pub(crate) fn number(&self, table: &str, case: &str, column: &str) -> Option<f64> {
        self.entry(table, case, column)?.as_f64()
    }

    /// The paper's value error against σ for sine features, as (σ, error) pairs.
    pub(crate) fn sensitivity(&self, case: &str) -> Vec<(f64, f64)> {
        let list = |name: &str| -> Vec<f64> {
            let values = self.curves.get(name).and_then(Value::as_array);
            values
                .into_iter()
                .flatten()
                .filter_map(Value::as_f64)
                .collect()
        };
        list("sigma").into_iter().zip(list(case)).collect()
    }

    /// The bandwidth of the paper's figures with the smallest error, and that error.
    pub(crate) fn best_bandwidth(&self, case: &str) -> Option<(f64, f64)> {
        let curve = self.sensitivity(case).into_iter();
        curve.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

#[cfg(test)]
mod tests {
    use super::Paper;

    #[test]
    fn entries_are_found_by_name() {
        let paper = Paper::load().unwrap();
        let number = |case, column| paper.number("linear", case, column);
        assert_eq!(number("heat-5d", "pinn_value"), Some(1.2e-4));
        assert_eq!(number("heat-5d", "conventional_value"), None);
        assert_eq!(number("nowhere", "pinn_value"), None);
        assert_eq!(
            paper.figure("caching", "speedup").and_then(|v| v.as_f64()),
            Some(362.0)
        );
    }

    #[test]
    fn curves_agree_with_the_tables_at_their_minimum() {
        let paper = Paper::load().unwrap();
        for case in [
            "poisson-5d",
            "heat-5d",
            "wave-1d",
            "helmholtz-2d",
            "maxwell-2d-tm",
        ] {
            assert_eq!(paper.sensitivity(case).len(), 15, "{case}");
            let (_, best) = paper.best_bandwidth(case).unwrap();
            let printed = paper.entry("linear", case, "fastlsq_value").unwrap();
            assert_eq!(Some(best), printed.as_f64(), "{case}");
        }
    }
}
