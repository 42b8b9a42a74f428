//! Failures that all processes of a team learn of.

use super::error::{Input, LsqError};
use crate::control::{Control, Limit};
use crate::team::{
    Purpose, Team, message_of_failure, numbers_to_text, rank_of_failure, text_to_numbers,
};
use std::time::Duration;

/// The outcome of what this process did on its own, if no process failed; otherwise the failure of the first that did, on
/// all of them.
pub(super) fn agree<T>(
    control: &Control,
    team: &dyn Team,
    outcome: Result<T, LsqError>,
) -> Result<T, LsqError> {
    let failed = rank_of_failure(team, outcome.is_err());
    let worst = control.agree(Purpose::Reduced, 0, failed);
    if worst == 0 {
        return outcome;
    }
    let numbers = message_of_failure(team, worst, outcome.err().as_ref().map(encode));
    let error = decode(&numbers);
    if let LsqError::Stopped(limit) = error {
        control.end(limit);
    }
    Err(error)
}

/// Where the text begins.
const TEXT: usize = 5;

fn encode(error: &LsqError) -> Vec<f64> {
    let mut text = String::new();
    let numbers = match error {
        LsqError::Stopped(Limit::Time { limit }) => [0.0, limit.as_secs_f64(), 0.0, 0.0, 0.0],
        LsqError::Stopped(Limit::Cancelled) => [1.0, 0.0, 0.0, 0.0, 0.0],
        LsqError::Stopped(Limit::Memory { needed, limit }) => {
            [2.0, *needed as f64, *limit as f64, 0.0, 0.0]
        }
        LsqError::NotFinite {
            input,
            row,
            column,
            value,
        } => {
            let input = if *input == Input::Matrix { 0.0 } else { 1.0 };
            [3.0, input, *row as f64, *column as f64, *value]
        }
        LsqError::Source { row, cause } => {
            text = cause.to_string();
            [4.0, *row as f64, 0.0, 0.0, 0.0]
        }
        other => {
            text = other.to_string();
            [4.0, 0.0, 0.0, 0.0, 0.0]
        }
    };
    let mut message = numbers.to_vec();
    message.extend(text_to_numbers(&text));
    message
}

fn decode(numbers: &[f64]) -> LsqError {
    let [kind, a, b, c, d] = std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(0.0));
    // Sizes are exact below 2⁵³; the largest integer stays what it is.
    let count = |x: f64| x as usize;
    match kind as u32 {
        0 => LsqError::Stopped(Limit::Time {
            limit: Duration::try_from_secs_f64(a).unwrap_or_default(),
        }),
        1 => LsqError::Stopped(Limit::Cancelled),
        2 => LsqError::Stopped(Limit::Memory {
            needed: count(a),
            limit: count(b),
        }),
        3 => LsqError::NotFinite {
            input: if a == 0.0 {
                Input::Matrix
            } else {
                Input::RightHandSide
            },
            row: count(b),
            column: count(c),
            value: d,
        },
        _ => LsqError::Source {
            row: count(a),
            cause: numbers_to_text(numbers.get(TEXT..).unwrap_or_default()).into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_survives_the_journey() {
        let failures = [
            LsqError::Stopped(Limit::Time {
                limit: Duration::from_millis(1500),
            }),
            LsqError::Stopped(Limit::Cancelled),
            LsqError::Stopped(Limit::Memory {
                needed: usize::MAX,
                limit: 1 << 40,
            }),
            LsqError::NotFinite {
                input: Input::RightHandSide,
                row: 12_345_678,
                column: 3,
                value: f64::INFINITY,
            },
            LsqError::Source {
                row: 7,
                cause: "no value at ∂Ω".into(),
            },
        ];
        for failure in failures {
            let message = encode(&failure);
            assert_eq!(decode(&message).to_string(), failure.to_string());
        }
        let nan = LsqError::NotFinite {
            input: Input::Matrix,
            row: 0,
            column: 0,
            value: f64::NAN,
        };
        assert!(decode(&encode(&nan)).to_string().contains("NaN"));
    }
}
