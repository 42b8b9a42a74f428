//! Matrices of operators over all functions of a product space.

use faer::Mat;

use super::space::{ProductFunction, ProductSpace};
use super::tensor::along_axes;

/// One term c(x) D^α u_s in the rate of a function.
#[derive(Debug, Clone, Copy)]
pub struct ProductTerm<'a> {
    /// The function whose rate it is in.
    pub of: usize,
    /// s.
    pub by: usize,
    /// α.
    pub alpha: &'a [u32],
    /// c at the nodes.
    pub values: &'a [f64],
}

impl ProductSpace {
    /// ⟨vᵢ, Σ c D^α vⱼ⟩ over the coefficients of all functions. Terms that do not fit are left out.
    ///
    /// Axis by axis: with K_k[(i, j), q] = v_i(x_q) w_q v_j⁽ᵅ⁾(x_q) along axis k the entries are (K₁ ⊗ … ⊗ K_d) c, at a cost of
    /// about n^{2d+1} instead of n^{3d}.
    #[must_use]
    pub fn matrix(&self, terms: &[ProductTerm<'_>]) -> Mat<f64> {
        let mut matrix = Mat::zeros(self.dim(), self.dim());
        for term in terms {
            let (Some(of), Some(by)) = (self.functions.get(term.of), self.functions.get(term.by))
            else {
                continue;
            };
            let Some(entries) = self.entries(of, by, term) else {
                continue;
            };
            scatter(&entries, of, by, &mut matrix);
        }
        matrix
    }

    fn entries(
        &self,
        of: &ProductFunction,
        by: &ProductFunction,
        term: &ProductTerm<'_>,
    ) -> Option<Vec<f64>> {
        let mut pairs = Vec::with_capacity(of.splits.len());
        for (k, (left, right)) in of.splits.iter().zip(&by.splits).enumerate() {
            let d = *term.alpha.get(k)? as usize;
            let (test, trial) = (&left.projector, right.free_tables.get(d)?);
            let (rows, columns) = (left.dim(), right.dim());
            let nodes = left.axis.nodes().len();
            pairs.push(Mat::from_fn(rows * columns, nodes, |p, q| {
                test[(p % rows, q)] * trial[(q, p / rows)]
            }));
        }
        let sizes: Vec<usize> = of.splits.iter().map(|s| s.axis.nodes().len()).collect();
        let pairs: Vec<_> = pairs.iter().map(|pair| Some(pair.as_ref())).collect();
        let entries = along_axes(&pairs, term.values, &sizes);
        (!entries.is_empty()).then_some(entries)
    }
}

/// Adds entries with indices ((i₁, j₁), (i₂, j₂), …) to the block of two functions.
fn scatter(entries: &[f64], of: &ProductFunction, by: &ProductFunction, matrix: &mut Mat<f64>) {
    for (p, entry) in entries.iter().enumerate() {
        let (mut rest, mut row, mut column) = (p, 0, 0);
        let (mut row_step, mut column_step) = (1, 1);
        for (rows, columns) in of.sizes.iter().zip(&by.sizes) {
            let pair = rest % (rows * columns);
            rest /= rows * columns;
            row += pair % rows * row_step;
            column += pair / rows * column_step;
            row_step *= rows;
            column_step *= columns;
        }
        matrix[(of.first + row, by.first + column)] += entry;
    }
}
