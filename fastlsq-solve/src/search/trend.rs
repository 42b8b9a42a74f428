//! Where a search is going: whether more features will meet the tolerance, by what the last ones brought.

/// Two levels of growth that bring the score down by less than this factor have brought nothing.
const NOTHING: f64 = 1.5;

/// The score after each level of growth.
#[derive(Debug, Default)]
pub(super) struct Trend {
    levels: Vec<(usize, f64)>,
}

impl Trend {
    pub(super) fn push(&mut self, features: usize, score: f64) {
        self.levels.push((features, score));
    }

    /// Says that the last two levels of growth have brought nothing, if they have not.
    pub(super) fn stagnation(&self) -> Option<String> {
        let [.., (fewer, first), _, (features, last)] = self.levels[..] else {
            return None;
        };
        (features > fewer && first < NOTHING * last).then(|| {
            format!(
                "from {fewer} to {features} waves the residual went from {first:.1e} to {last:.1e}, so no more were tried"
            )
        })
    }

    /// Why `limit` features will not reduce an error estimate by the factor `missing`, if they will not.
    ///
    /// With score ∝ N^{−p} through the last two levels, `missing` takes N·missing^{1/p} features. For what these
    /// features resolve, p grows from level to level, so that the answer errs on the side of giving up where it is
    /// close; something else is at hand then.
    pub(super) fn objection(&self, missing: f64, limit: usize) -> Option<String> {
        let (&(features, score), before) = self.levels.split_last()?;
        if super::state::is_unresolved(score) {
            return Some(format!("{features} waves resolved nothing"));
        }
        let &(fewer, last) = before.last()?;
        if features <= fewer {
            return None;
        }
        let gained = last / score;
        let growth = (features as f64 / fewer as f64).ln();
        let order = gained.ln() / growth;
        let needed = features as f64 * (missing.ln() / order).exp();
        (order <= 0.0 || needed > limit as f64).then(|| {
            format!(
                "from {fewer} to {features} waves the residual fell only from {last:.1e} to {score:.1e}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Trend;

    fn trend(levels: &[(usize, f64)]) -> Trend {
        let mut trend = Trend::default();
        levels.iter().for_each(|(n, score)| trend.push(*n, *score));
        trend
    }

    #[test]
    fn two_levels_without_a_gain_are_stagnation() {
        assert!(trend(&[(250, 0.5), (425, 0.5)]).stagnation().is_none());
        let flat = trend(&[(250, 0.5), (425, 0.6), (722, 0.45)]);
        assert!(flat.stagnation().is_some());
        let falling = trend(&[(250, 0.5), (425, 0.4), (722, 0.2)]);
        assert!(falling.stagnation().is_none());
    }

    #[test]
    fn stagnation_is_seen_and_progress_is_not_objected_to() {
        assert!(trend(&[]).objection(1e6, 2000).is_none());
        assert!(trend(&[(250, 0.5)]).objection(1e6, 2000).is_some());
        assert!(trend(&[(250, 1e-3)]).objection(1e6, 2000).is_none());
        let fast = trend(&[(250, 1e-3), (425, 1e-7)]);
        assert!(fast.objection(1e5, 2000).is_none());
        let slow = trend(&[(250, 1e-3), (425, 5e-4)]);
        assert!(slow.objection(1e5, 2000).is_some());
        assert!(
            trend(&[(250, 1e-3), (425, 2e-3)])
                .objection(1e5, 2000)
                .is_some()
        );
    }
}
