//! From samples to the law.

use fastlsq_basis::{Basis, InputMap, MultiIndex};
use fastlsq_ops::Expr;
use fastlsq_solve::Stage;

use crate::bootstrap::{Bootstrap, bootstrap};
use crate::diagnostics::{all_vanish, collinear_terms, doubtful_fit, travelling_wave};
use crate::dictionary::{Dictionary, Jets};
use crate::discovered::{Discovered, LawField};
use crate::grid::MOST_DECADES;
use crate::options::{Derivatives, DiscoveryOptions, LikelihoodRefit, RowForm};
use crate::refit::LawSearch;
use crate::regression::{
    Candidate, PathPoint, Regression, candidate_supports, lasso_path, rank_supports,
};
use crate::rows::{
    Baseline, Rows, StrongSites, TestFunctions, edge_weights, grid_derivatives, weak_rows_of,
    weighted,
};
use crate::verdict::RowSource;
use crate::windows::Plan;
use crate::{DiscoveryError, FieldFit, FitOptions, Samples};

/// Noise below this share of the data counts as none.
const CLEAN: f64 = 3e-5;
/// Relative residuals below this many times the relative noise are equal for the purpose of choosing
/// a law: derivatives are less accurate than values.
const AMPLIFICATION: f64 = 100.0;

/// A question: which few terms of a dictionary make up the law of a target derivative?
///
/// ```
/// use fastlsq_discovery::{Dictionary, Discovery, Samples};
/// let x: Vec<f64> = (0..400).map(|i| 0.015 * i as f64).collect();
/// let u: Vec<f64> = x.iter().map(|x| (-0.5 * x).exp() * (2.0 * x).sin()).collect();
/// let library = Dictionary::parse(&["x"], &["u", "u_x", "u^2"])?;
/// let law = Discovery::new(library, "u_xx")?.run(&Samples::on_line(&x, &u)?)?;
/// assert_eq!(law.to_string(), "u_xx = −4.25 u − 1.00 u_x");
/// # Ok::<(), fastlsq_discovery::DiscoveryError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Discovery {
    pub(crate) library: Dictionary,
    pub(crate) target: MultiIndex,
    pub(crate) jets: Jets,
    pub(crate) options: DiscoveryOptions,
}

/// What regression on rows of derivatives says.
pub(crate) struct Regressed {
    pub(crate) regression: Regression,
    pub(crate) candidates: Vec<Candidate>,
}

impl Discovery {
    /// The law of the derivative `target` (such as `u_t`) over a dictionary.
    ///
    /// # Errors
    /// A target that cannot be read or is itself a term, an empty dictionary.
    pub fn new(library: Dictionary, target: &str) -> Result<Self, DiscoveryError> {
        let target = library.read_derivative(target)?;
        let jets = Jets::new(&library, &target)?;
        Ok(Self {
            library,
            target,
            jets,
            options: DiscoveryOptions::default(),
        })
    }

    /// Sets the options.
    #[must_use]
    pub fn with(mut self, options: DiscoveryOptions) -> Self {
        self.options = options;
        self
    }

    /// The candidate terms.
    #[must_use]
    pub fn library(&self) -> &Dictionary {
        &self.library
    }

    /// Finds the law.
    ///
    /// # Errors
    /// Data of another dimension than the dictionary, options out of range, terms that are not
    /// defined on the data, baselines without a grid.
    pub fn run(&self, samples: &Samples) -> Result<Discovered, DiscoveryError> {
        self.check(samples)?;
        let running = self.started()?;
        match &self.options.derivatives {
            Derivatives::Features(options) => {
                let fit = FieldFit::within(samples, options, &running.options.control)?;
                match running.better_windows(samples, options, &fit)? {
                    Some(plan) => running.by_windows(samples, &plan),
                    None => running.by_features(samples, options, fit),
                }
            }
            Derivatives::Windows => {
                let control = &running.options.control;
                let plan = Plan::choose(samples, running.options.seed, control)?;
                running.by_windows(samples, &plan)
            }
            Derivatives::FiniteDifferences => {
                running.by_differences(samples, Baseline::Differences)
            }
            &Derivatives::SavitzkyGolay { window, degree } => {
                running.by_differences(samples, Baseline::SavitzkyGolay { window, degree })
            }
        }
    }

    /// The discovery of a call that begins now.
    fn started(&self) -> Result<Self, DiscoveryError> {
        let mut running = self.clone();
        running.options.control = running.options.control.started();
        running.options.control.enter(Stage::Preparing)?;
        Ok(running)
    }

    /// Finds the law from a fit of the samples that is already there: several dictionaries or targets
    /// need only one.
    ///
    /// # Errors
    /// As [`run`](Self::run), and a fit of other samples.
    pub fn run_with_fit(
        &self,
        samples: &Samples,
        fit: FieldFit,
    ) -> Result<Discovered, DiscoveryError> {
        self.check(samples)?;
        let fitted = fit.spectrum().u.nrows();
        if fitted != samples.len() || fit.basis().dim() != samples.dim() {
            return Err(DiscoveryError::Lengths {
                points: fitted,
                values: samples.len(),
            });
        }
        let running = self.started()?;
        match &self.options.derivatives {
            Derivatives::Features(options) => running.by_features(samples, options, fit),
            _ => running.by_features(samples, &FitOptions::new(), fit),
        }
    }

    fn check(&self, samples: &Samples) -> Result<(), DiscoveryError> {
        self.options.validate()?;
        let axes = self.library.frame().space().names();
        if samples.dim() != axes.len() {
            return Err(DiscoveryError::AxisNames {
                axes: axes.into_iter().map(str::to_owned).collect(),
                dim: samples.dim(),
            });
        }
        let (lower, upper) = samples.bounds();
        let widths = lower.iter().zip(&upper).map(|(a, b)| (b - a).log10());
        let widths: Vec<f64> = widths.collect();
        for alpha in &self.jets.alphas {
            let parts = widths.iter().zip(alpha.orders());
            let parts: Vec<f64> = parts.map(|(w, &n)| -w * f64::from(n)).collect();
            let decades = samples.rms().log10() + parts.iter().sum::<f64>();
            let worst = (0..parts.len()).max_by(|&a, &b| parts[a].abs().total_cmp(&parts[b].abs()));
            if let (true, Some(axis)) = (decades.is_nan() || decades.abs() > MOST_DECADES, worst) {
                return Err(DiscoveryError::Units {
                    term: self.library.derivative(alpha).to_string(),
                    decades,
                    culprit: format!("axis {}", axes[axis]),
                    size: 10f64.powf(widths[axis]),
                });
            }
        }
        let needed = self.library.len() + 2;
        if samples.len() < needed {
            return Err(DiscoveryError::TooFewPoints {
                found: samples.len(),
                needed,
            });
        }
        Ok(())
    }

    fn map_of(samples: &Samples) -> Result<InputMap, DiscoveryError> {
        let (lower, upper) = samples.bounds();
        Ok(InputMap::from_box(&lower, &upper)?)
    }

    fn regress(
        &self,
        rows: &Rows,
        independent: f64,
        floor: f64,
    ) -> Result<(Regressed, Vec<PathPoint>), DiscoveryError> {
        if all_vanish(rows) {
            return Err(DiscoveryError::VanishingDictionary);
        }
        let regression = rows.regression();
        let path = lasso_path(&regression, &self.options.lasso)?;
        let largest = self.options.largest;
        let mut supports = candidate_supports(&regression, &path, largest.min(3));
        supports.retain(|support| support.len() <= largest);
        let mut candidates = rank_supports(
            &regression,
            &rows.folds(),
            &supports,
            independent,
            floor,
            self.options.choice,
        );
        candidates.truncate(20);
        let regressed = Regressed {
            regression,
            candidates,
        };
        Ok((regressed, path))
    }

    fn by_differences(
        &self,
        samples: &Samples,
        baseline: Baseline,
    ) -> Result<Discovered, DiscoveryError> {
        let derivatives = grid_derivatives(samples, &self.jets.alphas, baseline)?;
        let map = Self::map_of(samples)?;
        let weights = edge_weights(&map, samples.points(), self.options.edge);
        let rows = weighted(
            &self.library,
            &self.jets,
            samples.points(),
            &derivatives,
            &weights,
        )?;
        let (regressed, path) = self.regress(&rows, samples.len() as f64, 1e-8)?;
        let warnings = collinear_terms(&regressed.regression, &self.library);
        let stability = Bootstrap::default();
        let mut result = self.conclude_regression(&regressed, path, warnings, &stability);
        result.source = RowSource::Differences;
        Ok(result)
    }

    fn by_features(
        &self,
        samples: &Samples,
        options: &FitOptions,
        fit: FieldFit,
    ) -> Result<Discovered, DiscoveryError> {
        let map = Self::map_of(samples)?;
        let relative_noise = fit.noise() / samples.rms();
        let sites = StrongSites::new(&fit, &self.jets, samples, &map, self.options.edge)?;
        let field = fit.shrunk(fit.coordinates().1);
        let strong = sites.rows(&self.library, &self.jets, &field)?;
        let dof = fit.degrees_of_freedom();
        let floor = (AMPLIFICATION * relative_noise).clamp(1e-8, 1e-5);
        let (mut strong, strong_path) = self.regress(&strong, dof, floor)?;
        let clean = relative_noise <= CLEAN;
        let other = clean.then(|| fit.by_others(samples, options)).transpose()?;
        let (regressed, path, also) = match self.options.form {
            RowForm::Strong => {
                if let Some(other) = &other {
                    let edge = self.options.edge;
                    let sites = StrongSites::new(other, &self.jets, samples, &map, edge)?;
                    let field = other.shrunk(other.coordinates().1);
                    let again = sites.rows(&self.library, &self.jets, &field)?;
                    strong.prefer_steady(&again.regression());
                }
                (strong, strong_path, None)
            }
            RowForm::Weak => {
                let count = if samples.dim() == 1 { 120 } else { 250 };
                let tests = TestFunctions::spread(&map, count, 0.35).resolving(&fit);
                let rows = weak_rows_of(&fit, &self.library, &self.jets, &tests)?;
                let (mut weak, path) = self.regress(&rows, dof.min(count as f64), floor)?;
                if let Some(other) = &other {
                    let again = weak_rows_of(other, &self.library, &self.jets, &tests)?;
                    weak.prefer_steady(&again.regression());
                }
                (weak, path, Some(strong))
            }
        };
        let mut warnings = collinear_terms(&regressed.regression, &self.library);
        warnings.extend(doubtful_fit(&fit, samples, relative_noise));
        let weights = edge_weights(&map, samples.points(), self.options.edge);
        let residual = regressed.candidates.first().map_or(1.0, |c| c.residual);
        warnings.extend(travelling_wave(
            &fit,
            samples,
            &self.target,
            &weights,
            residual,
        )?);
        let support = regressed
            .candidates
            .first()
            .map_or(Vec::new(), |c| c.support.clone());
        let stability = if self.options.replicates > 0 && !clean {
            let settings = (
                self.options.replicates,
                self.options.seed,
                self.options.largest,
            );
            let control = &self.options.control;
            let (library, jets) = (&self.library, &self.jets);
            bootstrap(&fit, &sites, library, jets, &support, settings, control)?
        } else {
            Bootstrap::default()
        };
        let mut result = self.conclude_regression(&regressed, path, warnings, &stability);
        result.noise = fit.noise();
        let refit = match self.options.refit {
            LikelihoodRefit::Auto => !clean,
            LikelihoodRefit::Always => true,
            LikelihoodRefit::Never => false,
        };
        if refit {
            self.refit(
                samples,
                options,
                &fit,
                &regressed,
                also.as_ref(),
                &mut result,
            )?;
        }
        result.stopped = self.options.control.check().err();
        result.fit = Some(fit);
        Ok(result)
    }

    /// Lets the likelihood decide between laws.
    fn refit(
        &self,
        samples: &Samples,
        options: &FitOptions,
        fit: &FieldFit,
        regressed: &Regressed,
        also: Option<&Regressed>,
        result: &mut Discovered,
    ) -> Result<(), DiscoveryError> {
        let mut proposals: Vec<Vec<usize>> = Vec::new();
        for source in [Some(regressed), also].into_iter().flatten() {
            for candidate in source.candidates.iter().take(2) {
                if !proposals.contains(&candidate.support) {
                    proposals.push(candidate.support.clone());
                }
            }
        }
        let first = |support: &[usize]| regressed.regression.on_support(support).coefficients;
        let search = LawSearch {
            library: &self.library,
            jets: &self.jets,
            samples,
            fit,
            options,
            first: &first,
            most: self.options.refits,
            largest: self.options.largest,
            control: &self.options.control,
        };
        let found = match search.run(&proposals) {
            // The law of the regression stands.
            Err(error) if error.limit().is_some() => None,
            found => found?,
        };
        if let Some((laws, features)) = found {
            let field = laws.first().map_or(Vec::new(), |law| law.field.clone());
            let field = LawField {
                beta: features.expand(&field),
                basis: features.basis().clone(),
            };
            self.conclude_refit(laws, field, samples, result);
        }
        Ok(())
    }

    pub(crate) fn name(&self, index: usize) -> &str {
        self.library.terms()[index].name()
    }

    pub(crate) fn expression(&self, index: usize) -> Expr {
        self.library.terms()[index].expression().clone()
    }
}
