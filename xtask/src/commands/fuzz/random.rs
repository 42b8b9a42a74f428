//! Numbers at random, kind ones and unkind ones.

/// A reproducible generator (SplitMix64).
pub(super) struct Random {
    state: u64,
}

impl Random {
    /// That of one case.
    pub(super) fn new(seed: u64, case: u64) -> Self {
        let mut random = Self {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ case,
        };
        // Neighbouring cases should have nothing in common.
        random.state = random.next() ^ case.rotate_left(32);
        random
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `count`, which is not zero.
    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    /// In [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Between two numbers.
    pub(super) fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// True with this probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of these.
    pub(super) fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())].clone()
    }

    /// Any seed.
    pub(super) fn seed(&mut self) -> u64 {
        self.next()
    }

    /// A number that nobody expects.
    pub(super) fn unkind(&mut self) -> f64 {
        const UNKIND: [f64; 18] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            1e-300,
            -1e-300,
            1e300,
            -1e300,
            1e-9,
            1e9,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MIN_POSITIVE,
            f64::MAX,
            f64::EPSILON,
            5e-324,
        ];
        self.pick(&UNKIND)
    }

    /// A plain number, now and then an unkind one.
    pub(super) fn number(&mut self) -> f64 {
        if self.chance(0.85) {
            self.between(-3.0, 3.0)
        } else {
            self.unkind()
        }
    }
}
