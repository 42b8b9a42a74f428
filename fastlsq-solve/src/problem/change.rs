//! Changing a problem that is already stated: other data, further terms, block by block.

use fastlsq_ops::EquationRow;

use super::LinearProblem;
use crate::SolveError;
use crate::data::{Data, PointFunction};

impl LinearProblem {
    /// The labels of the equations and conditions, in the order of their blocks.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        let equations = self.equations.iter().map(|equation| &equation.label);
        let conditions = self.conditions.iter().map(|condition| &condition.label);
        equations.chain(conditions).cloned().collect()
    }

    /// What stands on the left of the equation or condition with this label.
    #[must_use]
    pub fn row(&self, label: &str) -> Option<&EquationRow> {
        let equations = self.equations.iter().map(|e| (&e.label, &e.operator));
        let conditions = self.conditions.iter().map(|c| (&c.label, &c.operator));
        let mut rows = equations.chain(conditions);
        rows.find(|(own, _)| *own == label).map(|(_, row)| row)
    }

    /// The same problem with other data on the right of the equation ("equation 1", …) or condition
    /// with this label. A wrong label surfaces when the problem is solved.
    #[must_use]
    pub fn with_data(mut self, label: &str, data: impl PointFunction) -> Self {
        let data = Data::new(data);
        if let Some(equation) = self.equations.iter_mut().find(|e| e.label == label) {
            equation.source = data;
        } else if let Some(condition) = self.conditions.iter_mut().find(|c| c.label == label) {
            condition.set_data(data);
        } else {
            self.no_block(label);
        }
        self
    }

    /// The same problem with a further term on the left of the equation or condition with this
    /// label. A wrong label surfaces when the problem is solved.
    #[must_use]
    pub fn with_term(mut self, label: &str, term: impl Into<EquationRow>) -> Self {
        let term = term.into();
        if let Some(equation) = self.equations.iter_mut().find(|e| e.label == label) {
            equation.operator = &equation.operator + &term;
        } else if let Some(condition) = self.conditions.iter_mut().find(|c| c.label == label) {
            condition.operator = &condition.operator + &term;
        } else {
            self.no_block(label);
        }
        self
    }

    fn no_block(&mut self, label: &str) {
        let known = self.labels();
        self.mistake.get_or_insert_with(|| SolveError::Block {
            name: label.to_owned(),
            known,
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::{BoxDomain, LinearProblem, Options, SolveError, identity, laplacian};

    #[test]
    fn changed_problems_solve_as_if_stated_so() {
        let options = Options::new().features(80).bandwidth(3.0).rows(300, 100);
        let stated = LinearProblem::on(BoxDomain::unit(2))
            .equation(-laplacian(2) + identity(2), |x| x[0])
            .dirichlet(|x| x[1]);
        let changed = LinearProblem::on(BoxDomain::unit(2))
            .equation(-laplacian(2), |_| 0.0)
            .dirichlet(|_| 0.0)
            .with_data("equation 1", |x| x[0])
            .with_data("walls", |x| x[1])
            .with_term("equation 1", identity(2));
        assert_eq!(changed.labels(), ["equation 1", "walls"]);
        assert!(changed.row("walls").is_some() && changed.row("floor").is_none());
        let (a, b) = (
            stated.solve_with(&options).unwrap(),
            changed.solve_with(&options).unwrap(),
        );
        assert_eq!(a.coefficients(), b.coefficients());
    }

    #[test]
    fn a_wrong_label_is_an_error_with_the_right_ones() {
        let problem = LinearProblem::on(BoxDomain::unit(1))
            .equation(laplacian(1), |_| 0.0)
            .dirichlet(|_| 0.0)
            .with_data("wall", |_| 1.0);
        let error = problem.solve().unwrap_err();
        assert!(
            matches!(error, SolveError::Block { known, .. } if known.contains(&"walls".to_owned()))
        );
    }
}
