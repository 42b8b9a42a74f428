//! What is searched for where options do not leave everything open: one candidate, a law, a list of bandwidths.

use fastlsq_basis::{FrequencyLaw, InputMap, Parity};

use super::super::candidate::CandidateMaker;
use super::super::features::Features;
use super::super::repeated::{Choices, PointChoice};
use super::super::shape::usual_draw;
use super::super::tune;
use super::{Ending, Rows, SMALLEST_COMPANION, Search};
use crate::SolveError;
use crate::report::Status;

impl<W: CandidateMaker> Search<'_, W> {
    /// One candidate; a companion of half the size, where there can be one, tells its error.
    pub(super) fn single(
        &mut self,
        features: Features,
        points: Option<PointChoice>,
    ) -> Result<Ending, W::Error> {
        let count = features.count();
        if let Some(draw) = features.draw()
            && count >= 2 * SMALLEST_COMPANION
        {
            let companion = features.with_seed(draw.wrapping_add(1));
            let companion = companion.with_count(count / 2);
            let blocks = self.companion_rows(count / 2, companion.rows())?;
            self.consider(companion, &blocks)?;
            self.companion = self.best.take();
        }
        let rows = match points {
            Some(points) => self.rows_at(points)?,
            None => self.rows(count, 0)?,
        };
        self.consider(features, &rows)?;
        let choice = "everything given; nothing was searched for";
        Ok((Status::Explicit, choice.to_owned()))
    }

    /// The winner of an earlier search.
    pub(super) fn repeat(&mut self, choices: &Choices) -> Result<Ending, W::Error> {
        self.maker.set_ridge(choices.ridge);
        self.single(choices.features.clone(), Some(choices.points))
    }

    /// As many rows as the companion's features need, whatever the user asked for the solve itself.
    pub(super) fn companion_rows(
        &self,
        features: usize,
        given: Option<(usize, usize)>,
    ) -> Result<Rows, W::Error> {
        self.rows_at(PointChoice {
            features,
            given,
            seed: self.options().seed.wrapping_add(0x1003),
            all_samples: false,
        })
    }

    fn random(&self, law: FrequencyLaw, count: usize, draw: u64) -> Result<Features, W::Error> {
        Ok(Features::Random {
            count,
            law,
            map: self.physical_map()?,
            parity: self.maker.parity().to_vec(),
            draw: self.options().draw.unwrap_or(usual_draw(self.dim)),
            seed: self.options().seed.wrapping_add(draw),
            beside: self.maker.beside().cloned(),
        })
    }

    /// The user's law; the number of features is given or grows.
    pub(super) fn explicit(&mut self, law: &FrequencyLaw) -> Result<Ending, W::Error> {
        if let Some(count) = self.options().features {
            let features = self.random(law.clone(), count, 0)?;
            return self.single(features, None);
        }
        let mut count = tune::first_size(self.dim()).min(self.limit());
        let (mut level, mut last) = (0, f64::INFINITY);
        loop {
            let blocks = self.rows(count, level)?;
            let score = self.consider(self.random(law.clone(), count, level)?, &blocks)?;
            // Every level has more features than the one before, up to the limit.
            if let Some(status) = self.should_stop(score, last, count)? {
                return Ok((status, "law given, features grown".to_owned()));
            }
            (last, level, count) = (score, level + 1, self.grown(count, score, last));
        }
    }

    /// The best of a list of bandwidths, each with several draws, by held-out residual.
    pub(super) fn grid(&mut self, bandwidths: &[f64], trials: usize) -> Result<Ending, W::Error> {
        let count = self
            .options()
            .features
            .unwrap_or(2 * tune::first_size(self.dim()))
            .min(self.limit());
        for draw in 0..trials as u64 {
            let blocks = self.rows(count, draw)?;
            for &sigma in bandwidths {
                let features = self.random(FrequencyLaw::Isotropic(sigma), count, draw)?;
                self.consider(features, &blocks)?;
            }
        }
        let tried = bandwidths.len();
        let choice = format!("best of {tried} bandwidths, {trials} trials each");
        Ok((Status::Explicit, choice))
    }

    /// The map of features with a law in physical coordinates. Parity is about the centre of the box.
    fn physical_map(&self) -> Result<InputMap, W::Error> {
        if self
            .maker
            .parity()
            .iter()
            .flatten()
            .all(|p| *p == Parity::None)
        {
            return Ok(InputMap::identity(self.dim()));
        }
        let bounds = self.maker.bounding_box()?;
        let centre = bounds.lo().iter().zip(bounds.hi());
        let centre: Vec<f64> = centre.map(|(lo, hi)| 0.5 * lo + 0.5 * hi).collect();
        let lower: Vec<f64> = centre.iter().map(|c| c - 1.0).collect();
        let upper: Vec<f64> = centre.iter().map(|c| c + 1.0).collect();
        Ok(InputMap::from_box(&lower, &upper).map_err(SolveError::from)?)
    }
}
