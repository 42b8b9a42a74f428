//! Many wave lengths: one leaf operator, shared fronts, and no pollution.

use super::*;
use crate::patches::{PatchOptions, PatchStatus};

#[test]
fn two_plane_waves_of_wave_number_fifty_and_a_hundred() {
    for k in [50.0, 100.0] {
        let exact = move |x: &[f64]| {
            (k * (0.6 * x[0] + 0.8 * x[1])).cos() + (k * (0.8 * x[0] - 0.6 * x[1])).sin()
        };
        let problem = with_values(
            &[([0.0; 2], [1.0; 2])],
            &operator(&[(1.0, [2, 0]), (1.0, [0, 2]), (k * k, [0, 0])]),
            |_| 0.0,
            exact,
        );
        let u = problem
            .solve(&PatchOptions::new().tolerance(1e-11))
            .unwrap();
        assert_eq!(u.report().status, PatchStatus::ToleranceMet);
        assert!(error(&u, exact) < 1e-11, "{k}: {:e}", error(&u, exact));
        // Equal leaves share their operator, equal unions of leaves their factors.
        let round = &u.report().rounds[0];
        assert_eq!(round.operators, 1);
        assert!(round.fronts < round.leaves.max(60));
    }
}
