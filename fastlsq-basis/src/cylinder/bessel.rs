//! Bessel functions of integer order, all orders up to a highest one at once.

/// Values beyond this are scaled down on the way: only ratios matter there.
const LARGE: f64 = 1e200;

/// Writes J₀(x), J₁(x), … by the recurrence J_{n−1} = (2n/x) J_n − J_{n+1} downwards (Miller's algorithm), which is stable
/// where the upward one is not, from an order so high that its start does not matter.
pub(super) fn write_first_kind(x: f64, out: &mut [f64]) {
    if x == 0.0 {
        out.fill(0.0);
        if let Some(first) = out.first_mut() {
            *first = 1.0;
        }
        return;
    }
    let turning = x.max(out.len() as f64);
    // Beyond the turning point n = x, J_n falls like exp(−(2√2/3)(n − x)^{3/2}/√x).
    let start = (turning + 16.0 + 12.0 * turning.cbrt()) as usize;
    let (mut above, mut here) = (0.0, f64::MIN_POSITIVE / f64::EPSILON);
    let mut first = [0.0; 2];
    for n in (0..=start).rev() {
        if let Some(value) = out.get_mut(n) {
            *value = here;
        }
        if n < 2 {
            first[n] = here;
        }
        if n > 0 {
            (above, here) = (here, 2.0 * n as f64 / x * here - above);
            if here.abs() > LARGE {
                (above, here) = (above / LARGE, here / LARGE);
                out.iter_mut().skip(n).for_each(|value| *value /= LARGE);
                first[1] /= LARGE;
            }
        }
    }
    // No zero of J₀ is one of J₁.
    let (zeroth, one) = (libm::j0(x), libm::j1(x));
    let factor = if zeroth.abs() > one.abs() {
        zeroth / first[0]
    } else {
        one / first[1]
    };
    out.iter_mut().for_each(|value| *value *= factor);
}

/// Writes Y₀(x), Y₁(x), … by the same recurrence upwards, which is stable for them.
pub(super) fn write_second_kind(x: f64, out: &mut [f64]) {
    let (mut below, mut here) = (libm::y0(x), libm::y1(x));
    for (n, value) in out.iter_mut().enumerate() {
        *value = below;
        (below, here) = (here, 2.0 * (n + 1) as f64 / x * here - below);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wronskians_and_known_values() {
        for x in [1e-3, 0.1, 1.0, 2.404_825_557_695_773, 7.3, 40.0, 250.0] {
            let (mut j, mut y) = (vec![0.0; 40], vec![0.0; 40]);
            write_first_kind(x, &mut j);
            write_second_kind(x, &mut y);
            for n in 0..39 {
                // J_{n+1} Y_n − J_n Y_{n+1} = 2/(πx)
                let wronskian = j[n + 1] * y[n] - j[n] * y[n + 1];
                let exact = 2.0 / (std::f64::consts::PI * x);
                if wronskian.is_finite() {
                    assert!(
                        (wronskian / exact - 1.0).abs() < 1e-11,
                        "{n} {x} {wronskian}"
                    );
                }
            }
        }
        let mut j = vec![0.0; 21];
        write_first_kind(10.0, &mut j);
        assert!((j[20] / 1.151_336_924_781_34e-5 - 1.0).abs() < 1e-12);
        write_first_kind(0.0, &mut j);
        assert_eq!((j[0], j[1]), (1.0, 0.0));
    }
}
