//! Colours that are evenly spaced to the eye.

use plotters::style::RGBColor;

/// Blue, orange, green, red, violet, brown: told apart by readers with colour blindness as well.
const CURVES: [RGBColor; 6] = [
    RGBColor(31, 119, 180),
    RGBColor(230, 120, 0),
    RGBColor(0, 140, 90),
    RGBColor(200, 40, 60),
    RGBColor(120, 80, 170),
    RGBColor(120, 90, 70),
];
pub(crate) const GREY: RGBColor = RGBColor(110, 110, 110);
pub(crate) const PALE: RGBColor = RGBColor(214, 211, 204);
pub(crate) const DARK: RGBColor = RGBColor(40, 40, 40);

/// The colour of the n-th curve.
pub(crate) fn curve(index: usize) -> RGBColor {
    CURVES[index % CURVES.len()]
}

/// Viridis (Smith and van der Walt), at even steps.
const VIRIDIS: [[u8; 3]; 10] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x28, 0x78],
    [0x3e, 0x4a, 0x89],
    [0x31, 0x68, 0x8e],
    [0x26, 0x82, 0x8e],
    [0x1f, 0x9e, 0x89],
    [0x35, 0xb7, 0x79],
    [0x6e, 0xce, 0x58],
    [0xb5, 0xde, 0x2b],
    [0xfd, 0xe7, 0x25],
];

/// Values to colours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ColourScale {
    /// The value of the first colour.
    pub(crate) lo: f64,
    /// The value of the last colour.
    pub(crate) hi: f64,
    diverging: bool,
}

impl ColourScale {
    /// One for values between lo and hi: with white at zero if both signs matter.
    pub(crate) fn between(lo: f64, hi: f64) -> Self {
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (0.0, 1.0) };
        let largest = lo.abs().max(hi.abs());
        if lo < 0.0 && hi > 0.0 && lo.abs().min(hi) > MINOR * largest {
            return Self {
                lo: -largest,
                hi: largest,
                diverging: true,
            };
        }
        // A constant has a scale too.
        let least = 1e-12 * largest.max(f64::MIN_POSITIVE);
        let half = (0.5 * (hi - lo)).max(least);
        let middle = 0.5 * (lo + hi);
        let (lo, hi) = if hi - lo > 2.0 * least {
            (lo, hi)
        } else {
            (middle - half, middle + half)
        };
        Self {
            lo,
            hi,
            diverging: false,
        }
    }

    /// The colour of a value.
    pub(crate) fn colour(&self, value: f64) -> [u8; 3] {
        let share = ((value - self.lo) / (self.hi - self.lo)).clamp(0.0, 1.0);
        if self.diverging {
            diverging(2.0 * share - 1.0)
        } else {
            sequential(share)
        }
    }
}

/// A sign whose values stay below this share of the others' does not ask for two colours.
const MINOR: f64 = 0.05;

fn sequential(share: f64) -> [u8; 3] {
    let last = VIRIDIS.len() - 1;
    let place = share * last as f64;
    let left = (place as usize).min(last - 1);
    let (a, b) = (oklab(VIRIDIS[left]), oklab(VIRIDIS[left + 1]));
    let part = place - left as f64;
    srgb([0, 1, 2].map(|k| a[k] + part * (b[k] - a[k])))
}

/// Blue for −1, white for 0, red for 1, with a lightness that falls evenly to both sides.
fn diverging(place: f64) -> [u8; 3] {
    let distance = place.abs();
    let lightness = 0.975 - 0.585 * distance;
    let chroma = 0.155 * (std::f64::consts::FRAC_PI_2 * (1.35 * distance).min(1.0)).sin();
    let hue = if place < 0.0 { 256.0_f64 } else { 30.0 }.to_radians();
    srgb([lightness, chroma * hue.cos(), chroma * hue.sin()])
}

/// sRGB to Oklab (Ottosson 2020).
fn oklab(colour: [u8; 3]) -> [f64; 3] {
    let [r, g, b] = colour.map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.040_45 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    });
    let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
    let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
    let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
    [
        0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s,
        1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s,
        0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s,
    ]
}

/// Oklab to sRGB, cut off at the edge of what screens show.
fn srgb([lightness, a, b]: [f64; 3]) -> [u8; 3] {
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let linear = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ];
    linear.map(|c| {
        let c = c.clamp(0.0, 1.0);
        let c = if c <= 0.003_130_8 {
            12.92 * c
        } else {
            1.055 * c.powf(1.0 / 2.4) - 0.055
        };
        (255.0 * c).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::{ColourScale, VIRIDIS, oklab, srgb};

    fn lightness(scale: &ColourScale, value: f64) -> f64 {
        oklab(scale.colour(value))[0]
    }

    #[test]
    fn oklab_and_back_is_the_same_colour() {
        for colour in VIRIDIS
            .into_iter()
            .chain([[0, 0, 0], [255, 255, 255], [200, 10, 30]])
        {
            assert_eq!(srgb(oklab(colour)), colour);
        }
    }

    #[test]
    fn lightness_rises_evenly_with_the_value() {
        let scale = ColourScale::between(1.0, 3.0);
        let steps: Vec<f64> = (0..20)
            .map(|k| {
                lightness(&scale, 1.0 + 0.1 * f64::from(k + 1))
                    - lightness(&scale, 1.0 + 0.1 * f64::from(k))
            })
            .collect();
        assert!(
            steps.iter().all(|step| (0.01..0.06).contains(step)),
            "{steps:?}"
        );
    }

    #[test]
    fn both_signs_have_white_at_zero_and_equal_lightness_at_equal_distance() {
        let scale = ColourScale::between(-1.0, 0.4);
        assert_eq!((scale.lo, scale.hi), (-1.0, 1.0));
        assert!(scale.colour(0.0).iter().all(|c| *c > 240));
        for value in [0.2, 0.5, 0.8, 1.0] {
            assert!((lightness(&scale, value) - lightness(&scale, -value)).abs() < 0.03);
        }
        // A little undershoot is no second sign; a constant is no division by zero.
        assert_eq!(ColourScale::between(-0.01, 1.0).lo, -0.01);
        let constant = ColourScale::between(2.0, 2.0);
        assert!(constant.lo < 2.0 && constant.hi > 2.0);
    }
}
