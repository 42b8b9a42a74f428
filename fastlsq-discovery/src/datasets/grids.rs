//! Fields on grids with known laws, generated independently of the method or read from files.

use std::collections::BTreeMap;
use std::path::Path;

use fastlsq_basis::sampling::{Sequence, UnitSampler};
use ndarray::{ArrayD, IxDyn};

use super::flows::{periodic_second_derivative, runge_kutta};
use crate::DiscoveryError;
use crate::grid::{GridData, GridDiscovery, GridLaws, GridLibrary, GridOptions, read_npy};

/// The law of one target: its terms with their coefficients.
pub type KnownLaw = (&'static str, Vec<(&'static str, f64)>);

/// Fields on a grid with known laws and a library of candidate terms.
#[derive(Debug, Clone)]
pub struct GridDataSet {
    /// A short name.
    pub name: &'static str,
    /// Coordinates along each axis.
    pub axes: Vec<Vec<f64>>,
    /// Names and exact values of the fields.
    pub fields: Vec<(&'static str, ArrayD<f64>)>,
    /// The candidate terms.
    pub library: GridLibrary,
    /// The highest degree of the terms in the fields.
    pub degree: u32,
    /// The true laws.
    pub laws: Vec<KnownLaw>,
}

/// What a discovery made of a data set at one noise level and seed.
#[derive(Debug, Clone)]
pub struct GridOutcome {
    /// The laws that were found.
    pub found: GridLaws,
    /// Whether every law has exactly the true terms.
    pub right: bool,
    /// Largest relative error of a true coefficient (1 for a missing term).
    pub worst: f64,
}

/// The terms of the published measurements on one field.
pub(super) const ONE_FIELD: [&str; 10] = [
    "u", "u^2", "u^3", "u_x", "u u_x", "u_xx", "u u_xx", "u_xxx", "u u_xxx", "u_xxxx",
];

impl GridDataSet {
    /// Lorenz' system x′ = 10(y − x), y′ = x(28 − z) − y, z′ = xy − 8z/3: `count` samples, 0.01 apart,
    /// on the attractor; library: products of up to two fields.
    ///
    /// # Errors
    /// None for counts that [`GridData`] takes.
    pub fn lorenz(count: usize) -> Result<Self, DiscoveryError> {
        let states = runge_kutta(vec![-8.0, 7.0, 27.0], 0.01, count, 20, |s| {
            vec![
                10.0 * (s[1] - s[0]),
                s[0] * (28.0 - s[2]) - s[1],
                s[0] * s[1] - 8.0 / 3.0 * s[2],
            ]
        });
        Ok(Self {
            name: "Lorenz",
            axes: vec![(0..count).map(|i| 0.01 * i as f64).collect()],
            fields: series(["x", "y", "z"], &states),
            library: GridLibrary::polynomial(&["t"], &["x", "y", "z"], 2)?,
            degree: 2,
            laws: vec![
                ("x_t", vec![("x", -10.0), ("y", 10.0)]),
                ("y_t", vec![("x", 28.0), ("y", -1.0), ("x z", -1.0)]),
                ("z_t", vec![("z", -8.0 / 3.0), ("x y", 1.0)]),
            ],
        })
    }

    /// Predator and prey, u′ = u − ½uv, v′ = ½uv − ¾v: `count` samples over four periods; library:
    /// products of up to three fields.
    ///
    /// # Errors
    /// None for counts that [`GridData`] takes.
    pub fn predator_prey(count: usize) -> Result<Self, DiscoveryError> {
        let step = 32.0 / count.max(1) as f64;
        let states = runge_kutta(vec![3.0, 1.0], step, count, 10, |s| {
            vec![s[0] - 0.5 * s[0] * s[1], 0.5 * s[0] * s[1] - 0.75 * s[1]]
        });
        Ok(Self {
            name: "predator–prey",
            axes: vec![(0..count).map(|i| step * i as f64).collect()],
            fields: series(["u", "v"], &states),
            library: GridLibrary::polynomial(&["t"], &["u", "v"], 3)?,
            degree: 3,
            laws: vec![
                ("u_t", vec![("u", 1.0), ("u v", -0.5)]),
                ("v_t", vec![("v", -0.75), ("u v", 0.5)]),
            ],
        })
    }

    /// FitzHugh–Nagumo waves u_t = Δu/10 + u − u³ − v, v_t = 0.3u − 0.15v on a periodic square of side
    /// 20, `side`² × `count` samples, 0.25 apart in time; library: products of up to three fields and
    /// derivatives up to the second.
    ///
    /// # Errors
    /// None for counts that [`GridData`] takes.
    pub fn fitzhugh_nagumo(side: usize, count: usize) -> Result<Self, DiscoveryError> {
        let period = 20.0;
        let second = periodic_second_derivative(side, period);
        let n = side * side;
        let turn = 2.0 * std::f64::consts::PI / side.max(1) as f64;
        let start: Vec<f64> = (0..2 * n)
            .map(|p| {
                let (i, j) = (turn * (p % n / side) as f64, turn * (p % side) as f64);
                if p < n {
                    i.cos() + 0.5 * (2.0 * j + i).sin() + 0.3 * (3.0 * i - 2.0 * j).cos()
                } else {
                    0.5 * (j).cos() + 0.3 * (2.0 * i - j).sin()
                }
            })
            .collect();
        let states = runge_kutta(start, 0.25, count, 6, |s| {
            let (u, v) = s.split_at(n);
            let mut rate = vec![0.0; 2 * n];
            for i in 0..side {
                for (k, d) in second[i].iter().enumerate() {
                    for j in 0..side {
                        rate[i * side + j] += 0.1 * d * u[k * side + j];
                    }
                }
                for j in 0..side {
                    let row = &u[i * side..(i + 1) * side];
                    let along: f64 = second[j].iter().zip(row).map(|(d, u)| d * u).sum();
                    rate[i * side + j] += 0.1 * along;
                }
            }
            for p in 0..n {
                rate[p] += u[p] - u[p].powi(3) - v[p];
                rate[n + p] = 0.3 * u[p] - 0.15 * v[p];
            }
            rate
        });
        let field = |offset: usize| {
            ArrayD::from_shape_fn(IxDyn(&[side, side, count]), |p| {
                states[p[2]][offset + p[0] * side + p[1]]
            })
        };
        let line: Vec<f64> = (0..side).map(|i| period * i as f64 / side as f64).collect();
        Ok(Self {
            name: "FitzHugh–Nagumo",
            axes: vec![
                line.clone(),
                line,
                (0..count).map(|i| 0.25 * i as f64).collect(),
            ],
            fields: vec![("u", field(0)), ("v", field(n))],
            library: GridLibrary::polynomial(&["x", "y", "t"], &["u", "v"], 3)?
                .with_derivatives(&["x", "y"], 2)?,
            degree: 3,
            laws: vec![
                (
                    "u_t",
                    vec![
                        ("u", 1.0),
                        ("v", -1.0),
                        ("u^3", -1.0),
                        ("u_xx", 0.1),
                        ("u_yy", 0.1),
                    ],
                ),
                ("v_t", vec![("u", 0.3), ("v", -0.15)]),
            ],
        })
    }

    /// Kuramoto–Sivashinsky from `ks_x.npy`, `ks_t.npy` and `ks_u.npy` in a directory.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn published_kuramoto_sivashinsky(
        directory: impl AsRef<Path>,
    ) -> Result<Self, DiscoveryError> {
        let terms = vec![("u u_x", -1.0), ("u_xx", -1.0), ("u_xxxx", -1.0)];
        Self::published("KS", directory.as_ref(), "ks", terms)
    }

    /// Korteweg–de Vries from `kdv_x.npy`, `kdv_t.npy` and `kdv_u.npy` in a directory.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn published_korteweg_de_vries(
        directory: impl AsRef<Path>,
    ) -> Result<Self, DiscoveryError> {
        let terms = vec![("u u_x", -1.0), ("u_xxx", -1.0)];
        Self::published("KdV", directory.as_ref(), "kdv", terms)
    }

    /// The nonlinear Schrödinger equation as two fields from `nls_x.npy`, `nls_t.npy`, `nls_u.npy` and
    /// `nls_v.npy` in a directory.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn published_schroedinger(directory: impl AsRef<Path>) -> Result<Self, DiscoveryError> {
        let directory = directory.as_ref();
        let read = |part: &str| read_npy(directory.join(format!("nls_{part}.npy")));
        Ok(Self {
            name: "NLS",
            axes: vec![flat(&read("x")?), flat(&read("t")?)],
            fields: vec![("u", read("u")?), ("v", read("v")?)],
            library: GridLibrary::polynomial(&["x", "t"], &["u", "v"], 3)?
                .with_derivatives(&["x"], 2)?,
            degree: 3,
            laws: vec![
                ("u_t", vec![("v_xx", 0.5), ("u^2 v", 1.0), ("v^3", 1.0)]),
                ("v_t", vec![("u_xx", -0.5), ("u v^2", -1.0), ("u^3", -1.0)]),
            ],
        })
    }

    fn published(
        name: &'static str,
        directory: &Path,
        stem: &str,
        law: Vec<(&'static str, f64)>,
    ) -> Result<Self, DiscoveryError> {
        let read = |part: &str| read_npy(directory.join(format!("{stem}_{part}.npy")));
        Ok(Self {
            name,
            axes: vec![flat(&read("x")?), flat(&read("t")?)],
            fields: vec![("u", read("u")?)],
            library: GridLibrary::parse(&["x", "t"], &["u"], &ONE_FIELD)?,
            degree: 3,
            laws: vec![("u_t", law)],
        })
    }

    /// The fields plus independent normal noise, as a share of the root mean square of each.
    #[must_use]
    pub fn noisy(&self, noise: f64, seed: u64) -> Vec<(&'static str, ArrayD<f64>)> {
        let fields = self.fields.iter().enumerate();
        fields
            .map(|(k, (name, exact))| {
                let mut values = exact.clone();
                let size = (exact.iter().map(|v| v * v).sum::<f64>() / exact.len() as f64).sqrt();
                let errors = UnitSampler::on_stream(Sequence::Independent, seed, k as u64)
                    .normals(exact.len(), 1);
                for (v, e) in values.iter_mut().zip(errors.iter()) {
                    *v += noise * size * e;
                }
                (*name, values)
            })
            .collect()
    }

    /// [Noisy](Self::noisy) fields as samples.
    ///
    /// # Errors
    /// As [`GridData::of_fields`].
    pub fn sample(&self, noise: f64, seed: u64) -> Result<GridData, DiscoveryError> {
        let fields = self.noisy(noise, seed);
        let axes: Vec<&[f64]> = self.axes.iter().map(Vec::as_slice).collect();
        let views: Vec<_> = fields.iter().map(|(name, v)| (*name, v.view())).collect();
        GridData::of_fields(&axes, &views)
    }

    /// Whether laws, each by its terms and coefficients, have exactly the true terms; and the largest relative error of a
    /// true coefficient (1 for a missing term).
    #[must_use]
    pub fn judge(&self, laws: &[BTreeMap<String, f64>]) -> (bool, f64) {
        let mut right = laws.len() == self.laws.len();
        let mut worst = 0.0_f64;
        for (place, (_, truth)) in self.laws.iter().enumerate() {
            let found: BTreeMap<usize, f64> = laws
                .get(place)
                .into_iter()
                .flatten()
                .filter_map(|(text, c)| self.library.find(text).map(|(k, ratio)| (k, c * ratio)))
                .collect();
            right &= laws.get(place).is_some_and(|law| law.len() == truth.len());
            for (text, exact) in truth {
                let known = self.library.find(text);
                let c = known.and_then(|(k, ratio)| Some(found.get(&k)? / ratio));
                right &= c.is_some();
                worst = worst.max((c.unwrap_or(0.0) / exact - 1.0).abs());
            }
        }
        (right, worst)
    }

    /// One row of a measurement: noise, discovery, comparison with the truth.
    ///
    /// # Errors
    /// As [`GridDiscovery::run`].
    pub fn measure(
        &self,
        noise: f64,
        seed: u64,
        options: &GridOptions,
    ) -> Result<GridOutcome, DiscoveryError> {
        let targets: Vec<&str> = self.laws.iter().map(|(target, _)| *target).collect();
        let found = GridDiscovery::new(self.library.clone(), &targets)?
            .with(options.clone())
            .run(&self.sample(noise, seed)?)?;
        let laws = found.laws.iter().map(|law| {
            let terms = law.terms.iter();
            terms.map(|t| (t.name.clone(), t.coefficient)).collect()
        });
        let (right, worst) = self.judge(&laws.collect::<Vec<_>>());
        Ok(GridOutcome {
            found,
            right,
            worst,
        })
    }
}

fn flat(array: &ArrayD<f64>) -> Vec<f64> {
    array.iter().copied().collect()
}

fn series<const N: usize>(
    names: [&'static str; N],
    states: &[Vec<f64>],
) -> Vec<(&'static str, ArrayD<f64>)> {
    (0..N)
        .map(|k| {
            let field = ArrayD::from_shape_fn(IxDyn(&[states.len()]), |p| states[p[0]][k]);
            (names[k], field)
        })
        .collect()
}
