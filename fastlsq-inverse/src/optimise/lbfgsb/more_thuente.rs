//! The search of Moré and Thuente (1994) for a step that satisfies the strong Wolfe conditions.
//!
//! A state machine on φ(t) = f(x + t d): it asks for φ and φ′ at a step and answers with the
//! verdict or the next step. An interval that contains an acceptable step is kept and shrunk
//! by safeguarded cubic and quadratic interpolation.

/// The constants of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct WolfeConstants {
    /// μ in φ(t) ≤ φ(0) + μ t φ′(0).
    pub(super) sufficient_decrease: f64,
    /// η in |φ′(t)| ≤ η |φ′(0)|.
    pub(super) curvature: f64,
    /// The search gives up on an interval shorter than this fraction of its upper end.
    pub(super) interval_tolerance: f64,
}

/// What to do after a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// The strong Wolfe conditions hold at the last sample.
    Satisfied,
    /// Sample this step next.
    Try(f64),
    /// No better step can be found: the longest step was reached while still descending, or the
    /// interval is exhausted. The best sample so far is as good as it gets.
    Exhausted,
}

/// A sampled step.
#[derive(Clone, Copy, Debug)]
struct Sample {
    step: f64,
    value: f64,
    slope: f64,
}

impl Sample {
    /// The sample of ψ(t) = φ(t) − t · tilt.
    fn tilted(self, tilt: f64) -> Self {
        Self {
            value: self.value - self.step * tilt,
            slope: self.slope - tilt,
            ..self
        }
    }

    fn untilted(self, tilt: f64) -> Self {
        self.tilted(-tilt)
    }
}

/// The state between samples.
#[derive(Clone, Debug)]
pub(super) struct MoreThuente {
    constants: WolfeConstants,
    start: Sample,
    longest: f64,
    /// End of the interval with the least value so far.
    best: Sample,
    /// The other end.
    other: Sample,
    bracketed: bool,
    /// In the first stage the interval is chosen by ψ(t) = φ(t) − φ(0) − μ t φ′(0), until a step
    /// with ψ ≤ 0 and φ′ ≥ 0 is known.
    first_stage: bool,
    width: f64,
    previous_width: f64,
    lowest_next: f64,
    highest_next: f64,
    step: f64,
}

/// How far beyond the last step to look while no bracket is known.
const EXTRAPOLATE_LEAST: f64 = 1.1;
const EXTRAPOLATE_MOST: f64 = 4.0;
/// A bracket must shrink at least by this factor in two steps, or it is bisected.
const ENOUGH_SHRINKAGE: f64 = 0.66;

impl MoreThuente {
    /// A search from φ(0), φ′(0) < 0, whose first sample will be at `first` and whose samples
    /// never exceed `longest` ≥ `first`.
    pub(super) fn new(
        value: f64,
        slope: f64,
        first: f64,
        longest: f64,
        constants: WolfeConstants,
    ) -> Self {
        let start = Sample {
            step: 0.0,
            value,
            slope,
        };
        Self {
            constants,
            start,
            longest,
            best: start,
            other: start,
            bracketed: false,
            first_stage: true,
            width: longest,
            previous_width: 2.0 * longest,
            lowest_next: 0.0,
            highest_next: first + EXTRAPOLATE_MOST * first,
            step: first,
        }
    }

    /// Takes φ and φ′ at the current step.
    pub(super) fn advance(&mut self, value: f64, slope: f64) -> Verdict {
        let sample = Sample {
            step: self.step,
            value,
            slope,
        };
        let tilt = self.constants.sufficient_decrease * self.start.slope;
        let decrease_line = self.start.value + sample.step * tilt;
        let decreases = value <= decrease_line;
        if self.first_stage && decreases && slope >= 0.0 {
            self.first_stage = false;
        }
        if decreases && slope.abs() <= -self.constants.curvature * self.start.slope {
            return Verdict::Satisfied;
        }
        let interval_is_spent = self.bracketed
            && (sample.step <= self.lowest_next
                || sample.step >= self.highest_next
                || self.highest_next - self.lowest_next
                    <= self.constants.interval_tolerance * self.highest_next);
        let end_is_reached = sample.step == self.longest && decreases && slope <= tilt;
        let nothing_left = sample.step == 0.0;
        if interval_is_spent || end_is_reached || nothing_left {
            return Verdict::Exhausted;
        }

        if self.first_stage && value <= self.best.value && !decreases {
            self.best = self.best.tilted(tilt);
            self.other = self.other.tilted(tilt);
            self.interpolate(sample.tilted(tilt));
            self.best = self.best.untilted(tilt);
            self.other = self.other.untilted(tilt);
        } else {
            self.interpolate(sample);
        }
        self.safeguard();
        if self.step == self.best.step {
            return Verdict::Exhausted;
        }
        Verdict::Try(self.step)
    }

    /// The current step has no finite value: a shorter one, which also becomes the longest
    /// allowed.
    pub(super) fn retreat(&mut self) -> f64 {
        const SHORTEN: f64 = 0.25;
        let bad = self.step;
        self.step = self.best.step + SHORTEN * (bad - self.best.step);
        if bad > self.best.step {
            self.longest = self.step;
        }
        self.step
    }

    /// Chooses the next trial step from the interval and the sample, then shrinks the interval.
    fn interpolate(&mut self, sample: Sample) {
        let Self { best, other, .. } = *self;
        let opposite_slopes = sample.slope * best.slope.signum() < 0.0;
        let next = if sample.value > best.value {
            // Higher: the minimum is bracketed; the cubic step if it is nearer to the best.
            self.bracketed = true;
            let cubic = cubic_minimiser(best, sample);
            let quadratic = best.step
                + (best.slope
                    / ((best.value - sample.value) / (sample.step - best.step) + best.slope))
                    / 2.0
                    * (sample.step - best.step);
            if (cubic - best.step).abs() < (quadratic - best.step).abs() {
                cubic
            } else {
                cubic + (quadratic - cubic) / 2.0
            }
        } else if opposite_slopes {
            // Lower with a slope of the other sign: bracketed; the farther of cubic and secant.
            self.bracketed = true;
            let cubic = cubic_minimiser(sample, best);
            let secant = secant_step(best, sample);
            if (cubic - sample.step).abs() > (secant - sample.step).abs() {
                cubic
            } else {
                secant
            }
        } else if sample.slope.abs() < best.slope.abs() {
            // Lower, same sign, flatter: the cubic may have no minimiser beyond the sample.
            let secant = secant_step(best, sample);
            let cubic = cubic_beyond(best, sample, self.lowest_next, self.highest_next);
            let cubic_is_nearer = (cubic - sample.step).abs() < (secant - sample.step).abs();
            if self.bracketed {
                let candidate = if cubic_is_nearer { cubic } else { secant };
                let limit = sample.step + ENOUGH_SHRINKAGE * (other.step - sample.step);
                if sample.step > best.step {
                    candidate.min(limit)
                } else {
                    candidate.max(limit)
                }
            } else {
                let candidate = if cubic_is_nearer { secant } else { cubic };
                candidate.min(self.highest_next).max(self.lowest_next)
            }
        } else if self.bracketed {
            // Lower, same sign, not flatter.
            cubic_minimiser(sample, other)
        } else if sample.step > best.step {
            self.highest_next
        } else {
            self.lowest_next
        };

        if sample.value > best.value {
            self.other = sample;
        } else {
            if opposite_slopes {
                self.other = best;
            }
            self.best = sample;
        }
        self.step = next;
    }

    /// Keeps the trial step inside the interval and the limits, and the interval shrinking.
    fn safeguard(&mut self) {
        let (a, b) = (self.best.step, self.other.step);
        if self.bracketed {
            if (b - a).abs() >= ENOUGH_SHRINKAGE * self.previous_width {
                self.step = a + 0.5 * (b - a);
            }
            self.previous_width = self.width;
            self.width = (b - a).abs();
            self.lowest_next = a.min(b);
            self.highest_next = a.max(b);
        } else {
            self.lowest_next = self.step + EXTRAPOLATE_LEAST * (self.step - a);
            self.highest_next = self.step + EXTRAPOLATE_MOST * (self.step - a);
        }
        self.step = self.step.max(0.0).min(self.longest);
        let spent = self.bracketed
            && (self.step <= self.lowest_next
                || self.step >= self.highest_next
                || self.highest_next - self.lowest_next
                    <= self.constants.interval_tolerance * self.highest_next);
        if spent || self.step.is_nan() {
            self.step = a;
        }
    }
}

/// The minimiser of the cubic through both samples, written from the side of `a`.
fn cubic_minimiser(a: Sample, b: Sample) -> f64 {
    let theta = 3.0 * (a.value - b.value) / (b.step - a.step) + a.slope + b.slope;
    let scale = theta.abs().max(a.slope.abs()).max(b.slope.abs());
    let root = scale
        * ((theta / scale).powi(2) - (a.slope / scale) * (b.slope / scale))
            .max(0.0)
            .sqrt();
    let gamma = if b.step > a.step { root } else { -root };
    let p = (gamma - a.slope) + theta;
    let q = ((gamma - a.slope) + gamma) + b.slope;
    a.step + p / q * (b.step - a.step)
}

/// The cubic's minimiser if it lies beyond the sample, else the limit in that direction.
fn cubic_beyond(best: Sample, sample: Sample, lowest: f64, highest: f64) -> f64 {
    let theta =
        3.0 * (best.value - sample.value) / (sample.step - best.step) + best.slope + sample.slope;
    let scale = theta.abs().max(best.slope.abs()).max(sample.slope.abs());
    let root = scale
        * ((theta / scale).powi(2) - (best.slope / scale) * (sample.slope / scale))
            .max(0.0)
            .sqrt();
    let gamma = if sample.step > best.step { -root } else { root };
    let p = (gamma - sample.slope) + theta;
    let q = (gamma + (best.slope - sample.slope)) + gamma;
    let ratio = p / q;
    if ratio < 0.0 && gamma != 0.0 {
        sample.step + ratio * (best.step - sample.step)
    } else if sample.step > best.step {
        highest
    } else {
        lowest
    }
}

/// The zero of the line through both slopes, seen from the sample.
fn secant_step(best: Sample, sample: Sample) -> f64 {
    sample.step + sample.slope / (sample.slope - best.slope) * (best.step - sample.step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONSTANTS: WolfeConstants = WolfeConstants {
        sufficient_decrease: 1e-3,
        curvature: 0.1,
        interval_tolerance: 1e-10,
    };

    /// Runs a search and returns the last step, the number of samples, and how it ended.
    fn run(
        phi: impl Fn(f64) -> (f64, f64),
        first: f64,
        longest: f64,
        constants: WolfeConstants,
    ) -> (f64, usize, Verdict) {
        let (value, slope) = phi(0.0);
        let mut search = MoreThuente::new(value, slope, first, longest, constants);
        let mut step = first;
        for samples in 1..100 {
            assert!((0.0..=longest).contains(&step));
            let (value, slope) = phi(step);
            if !value.is_finite() {
                step = search.retreat();
                continue;
            }
            match search.advance(value, slope) {
                Verdict::Try(next) => step = next,
                end => return (step, samples, end),
            }
        }
        panic!("no verdict after 100 samples");
    }

    /// The first test function of Moré and Thuente: φ(t) = −t/(t² + β), β = 2, whose published
    /// results for μ = 1e-3, η = 0.1 from the first steps 10^{-3}, 10^{-1}, 10, 10³ are
    /// 6, 3, 1, 4 evaluations and steps 1.4, 1.4, 10, 37.
    #[test]
    fn published_results_of_the_first_test_function() {
        let phi = |t: f64| {
            let q = t * t + 2.0;
            (-t / q, (t * t - 2.0) / (q * q))
        };
        for (first, evaluations, step) in [
            (1e-3, 6, 1.4),
            (1e-1, 3, 1.4),
            (1e1, 1, 10.0),
            (1e3, 4, 37.0),
        ] {
            let (found, samples, end) = run(phi, first, 1e10, CONSTANTS);
            assert_eq!(end, Verdict::Satisfied);
            assert_eq!(samples, evaluations, "from {first}");
            assert!((found / step - 1.0).abs() < 0.05, "from {first}: {found}");
        }
    }

    /// The second: φ(t) = (t + β)⁵ − 2(t + β)⁴, β = 0.004, μ = η = 0.1; 12, 8, 8, 11 evaluations,
    /// all at 1.6.
    #[test]
    fn published_results_of_the_second_test_function() {
        let phi = |t: f64| {
            let q = t + 0.004;
            (
                q.powi(5) - 2.0 * q.powi(4),
                5.0 * q.powi(4) - 8.0 * q.powi(3),
            )
        };
        let constants = WolfeConstants {
            sufficient_decrease: 0.1,
            ..CONSTANTS
        };
        for (first, evaluations) in [(1e-3, 12), (1e-1, 8), (1e1, 8), (1e3, 11)] {
            let (found, samples, end) = run(phi, first, 1e10, constants);
            assert_eq!(end, Verdict::Satisfied);
            assert_eq!(samples, evaluations, "from {first}");
            assert!((found - 1.6).abs() < 0.05, "from {first}: {found}");
        }
    }

    #[test]
    fn a_descent_up_to_the_limit_ends_there() {
        let (step, samples, end) = run(|t| (-t, -1.0), 1.0, 3.0, CONSTANTS);
        assert_eq!((step, samples, end), (3.0, 2, Verdict::Exhausted));
    }

    #[test]
    fn undefined_values_shorten_the_step() {
        // −t is defined up to 0.3 only.
        let phi = |t: f64| {
            if t > 0.3 {
                (f64::NAN, f64::NAN)
            } else {
                (-t, -1.0)
            }
        };
        let (step, _, end) = run(phi, 1.0, 10.0, CONSTANTS);
        assert_eq!(end, Verdict::Exhausted);
        assert!(step > 0.0 && step <= 0.3, "{step}");
    }
}
