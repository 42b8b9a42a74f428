//! The inverse of the standard normal distribution function.
//!
//! Wichura's rational approximations (algorithm AS 241, *Applied Statistics* 37, 1988): one in
//! q = p − ½ for the centre, two in r = √(−ln min(p, 1 − p)) for the tails. Only + − × ÷, a
//! correctly rounded square root and a software logarithm are used, so the result is the same bits
//! on every platform.

/// Half-width of the central region |p − ½| ≤ 0.425.
const CENTRE_HALF_WIDTH: f64 = 0.425;
/// 0.425², so that the central variable 0.425² − q² is zero at the joins.
const CENTRE_SQUARE: f64 = 0.180_625;
/// Where the near tail (r ≤ 5, p ≥ 1.4e-11) hands over to the far tail.
const TAIL_SPLIT: f64 = 5.0;
/// Origin of the near tail's expansion variable r − 1.6.
const NEAR_TAIL_ORIGIN: f64 = 1.6;

/// Numerator and denominator of a rational function, constant term first.
struct Rational {
    numerator: [f64; 8],
    denominator: [f64; 8],
}

impl Rational {
    fn at(&self, t: f64) -> f64 {
        horner(&self.numerator, t) / horner(&self.denominator, t)
    }
}

/// c₀ + c₁ t + … + c₇ t⁷.
fn horner(coefficients: &[f64; 8], t: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * t + c)
}

/// Φ⁻¹(½ + q)/q as a function of 0.425² − q².
const CENTRE: Rational = Rational {
    numerator: [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    denominator: [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
};

/// |Φ⁻¹| as a function of r − 1.6, for r ≤ 5.
const NEAR_TAIL: Rational = Rational {
    numerator: [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        0.241_780_725_177_450_6,
        0.022_723_844_989_269_184,
        7.745_450_142_783_414e-4,
    ],
    denominator: [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        0.689_767_334_985_1,
        0.148_103_976_427_480_08,
        0.015_198_666_563_616_457,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
};

/// |Φ⁻¹| as a function of r − 5, for r > 5.
const FAR_TAIL: Rational = Rational {
    numerator: [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        0.296_560_571_828_504_87,
        0.026_532_189_526_576_124,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    denominator: [
        1.0,
        0.599_832_206_555_888,
        0.136_929_880_922_735_8,
        0.014_875_361_290_850_615,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_7e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
};

/// The standard normal quantile Φ⁻¹(p): the x with P(Z ≤ x) = p for Z ~ N(0, 1).
///
/// Relative error below 7e-16 for every p in (0, 1), subnormal p included.
/// Φ⁻¹(0) = −∞ and Φ⁻¹(1) = +∞; NaN for NaN and for p outside [0, 1].
/// Exactly odd: Φ⁻¹(1 − p) = −Φ⁻¹(p) whenever 1 − p is a double.
///
/// ```
/// use fastlsq_basis::sampling::normal_quantile;
/// assert_eq!(normal_quantile(0.5), 0.0);
/// assert!((normal_quantile(0.975) - 1.959963984540054).abs() < 1e-15);
/// ```
#[must_use]
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let q = p - 0.5;
    if q.abs() <= CENTRE_HALF_WIDTH {
        return q * CENTRE.at(CENTRE_SQUARE - q * q);
    }
    // 1 − p is exact here, so both tails lose nothing.
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = libm::sqrt(-libm::log(tail));
    let magnitude = if r <= TAIL_SPLIT {
        NEAR_TAIL.at(r - NEAR_TAIL_ORIGIN)
    } else {
        FAR_TAIL.at(r - TAIL_SPLIT)
    };
    magnitude.copysign(q)
}
