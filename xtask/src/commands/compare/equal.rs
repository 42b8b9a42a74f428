//! One method of a peer, finer and finer: held against ours at equal time and at equal error.

use super::rows::Row;
use super::sample::Sample;

/// The side that peers are compared with.
pub(super) const AUTOMATIC: &str = "ours, automatic";
/// Relative errors below this are rounding: nobody is asked for less.
const ROUNDING: f64 = 1e-13;

/// Marks the most accurate of these sides among those that take no longer than ours.
pub(super) fn note_equal_time(rows: &mut [Row], names: &[String]) {
    let ours = rows.iter().find(|row| row.side == AUTOMATIC);
    let Some(limit) = ours.and_then(|row| row.seconds) else {
        return;
    };
    let in_time = rows.iter_mut().filter(|row| {
        let seconds = row.seconds.map_or(f64::INFINITY, |seconds| seconds.median);
        names.contains(&row.side) && seconds <= limit.median
    });
    let error = |row: &Row| row.value_error.map_or(f64::INFINITY, |error| error.median);
    if let Some(row) = in_time.min_by(|a, b| error(a).total_cmp(&error(b))) {
        "the best within our time".clone_into(&mut row.note);
        return;
    }
    let seconds = |row: &Row| row.seconds.map_or(f64::INFINITY, |seconds| seconds.median);
    let theirs = rows
        .iter_mut()
        .filter(|row| names.contains(&row.side) && row.seconds.is_some());
    if let Some(row) = theirs.min_by(|a, b| seconds(a).total_cmp(&seconds(b))) {
        "the fastest; none is within our time".clone_into(&mut row.note);
    }
}

/// The row of a peer at our error, turn by turn: its time is interpolated between its sides of these names. Where our error is
/// rounding, it is at [`ROUNDING`]. `None` without a row of ours.
pub(super) fn at_our_error(rows: &[Row], peer: &str, names: &[String]) -> Option<Row> {
    let ours = rows.iter().find(|row| row.side == AUTOMATIC)?;
    let rungs: Vec<&Row> = rows
        .iter()
        .filter(|row| names.contains(&row.side))
        .collect();
    let samples = ours.runs.iter().enumerate().map(|(turn, own)| {
        let taken = rungs.iter().filter_map(|row| {
            let run = row.runs.get(turn).filter(|run| !run.failed)?;
            Some((run.value_error?, run.seconds?))
        });
        let reached = own
            .value_error
            .and_then(|error| reach(taken.collect(), error.max(ROUNDING)));
        match reached {
            Some((error, seconds)) => Sample {
                value_error: Some(error),
                seconds: Some(seconds),
                ..Sample::default()
            },
            None => Sample {
                failed: true,
                status: "no row is as accurate as ours".to_owned(),
                ..Sample::default()
            },
        }
    });
    let mut row = Row::new(
        ours.item,
        &ours.case,
        &format!("{peer}, at our error"),
        samples.collect(),
    );
    row.compare_with(ours);
    if row.seconds.is_some() {
        let rounding = ours.value_error.is_some_and(|own| own.median < ROUNDING);
        row.note = if rounding {
            format!(
                "interpolated between the rows above, at {ROUNDING:.0e}; smaller errors are rounding"
            )
        } else {
            "interpolated between the rows above".to_owned()
        };
    }
    Some(row)
}

/// The error and the time of a method that has these pairs, where it is as accurate as asked for: log t is linear in log e between
/// neighbours. The fastest, if that is more accurate already; `None` where none is as accurate.
fn reach(mut taken: Vec<(f64, f64)>, error: f64) -> Option<(f64, f64)> {
    taken.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut before: Option<(f64, f64)> = None;
    for (own, seconds) in taken {
        let Some((coarse, fast)) = before else {
            if own <= error {
                return Some((own, seconds));
            }
            before = Some((own, seconds));
            continue;
        };
        if own <= error {
            let share = (coarse / error).ln() / (coarse / own).ln();
            return Some((error, fast * (seconds / fast).powf(share)));
        }
        // What takes longer and is no more accurate is not worth taking.
        if own < coarse {
            before = Some((own, seconds));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{AUTOMATIC, at_our_error, note_equal_time, reach};
    use crate::commands::compare::rows::Row;
    use crate::commands::compare::sample::Sample;

    fn row(side: &str, figures: &[(f64, f64)]) -> Row {
        let sample = |&(error, seconds): &(f64, f64)| Sample {
            value_error: Some(error),
            seconds: Some(seconds),
            ..Sample::default()
        };
        Row::new("case", "case", side, figures.iter().map(sample).collect())
    }

    #[test]
    fn times_at_an_error_lie_between_those_of_neighbours() {
        // Order 4: twice the time, a sixteenth of the error; the third takes longer for nothing.
        let taken = vec![(16e-6, 1.0), (1e-6, 2.0), (2e-6, 3.0), (1e-6 / 16.0, 4.0)];
        let (error, seconds) = reach(taken.clone(), 4e-6).unwrap();
        assert_eq!(error, 4e-6);
        assert!((seconds - 2.0_f64.sqrt()).abs() < 1e-12, "{seconds}");
        let (_, seconds) = reach(taken.clone(), 0.25e-6).unwrap();
        assert!((seconds - 8.0_f64.sqrt()).abs() < 1e-12, "{seconds}");
        assert_eq!(reach(taken.clone(), 1e-3), Some((16e-6, 1.0)));
        assert_eq!(reach(taken, 1e-8), None);
        assert_eq!(reach(Vec::new(), 1.0), None);
    }

    #[test]
    fn equal_error_is_found_turn_by_turn() {
        let mut rows = vec![
            row(AUTOMATIC, &[(1e-6, 1.0), (1e-9, 1.0)]),
            row("steps 100", &[(1e-5, 1.0), (1e-5, 1.0)]),
            row("steps 200", &[(1e-7, 4.0), (1e-7, 4.0)]),
        ];
        let names = ["steps 100", "steps 200"].map(str::to_owned);
        let equal = at_our_error(&rows, "steps", &names).unwrap();
        assert_eq!(equal.side, "steps, at our error");
        assert_eq!(equal.failures, 1);
        assert!((equal.time_ratio.unwrap().median - 2.0).abs() < 1e-12);
        assert!(equal.status.contains("as accurate as ours"));
        rows.remove(0);
        assert!(at_our_error(&rows, "steps", &names).is_none());
    }

    #[test]
    fn nobody_is_asked_for_less_than_rounding() {
        let rows = [
            row(AUTOMATIC, &[(1e-15, 1.0)]),
            row("coarse", &[(1e-9, 1.0)]),
            row("fine", &[(1e-13, 3.0)]),
        ];
        let names = ["coarse", "fine"].map(str::to_owned);
        let equal = at_our_error(&rows, "theirs", &names).unwrap();
        assert!((equal.time_ratio.unwrap().median - 3.0).abs() < 1e-12);
        assert!(equal.note.contains("at 1e-13"), "{}", equal.note);
    }

    #[test]
    fn what_failed_is_not_the_fastest() {
        let failed = Sample {
            failed: true,
            seconds: Some(1e-3),
            ..Sample::default()
        };
        let mut rows = vec![
            row(AUTOMATIC, &[(1e-6, 1e-2)]),
            Row::new("case", "case", "first", vec![failed]),
            row("second", &[(1e-5, 1.0)]),
        ];
        note_equal_time(&mut rows, &["first", "second"].map(str::to_owned));
        assert!(rows[1].note.is_empty());
        assert!(rows[2].note.contains("none is within our time"));
    }
}
