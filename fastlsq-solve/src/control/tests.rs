use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn a_control_that_was_not_started_stops_nothing() {
    let control = Control::new().time_limit(Duration::ZERO);
    assert_eq!(control.check(), Ok(()));
    assert!(matches!(control.started().check(), Err(Limit::Time { .. })));
}

#[test]
fn inner_calls_share_the_deadline_of_the_outer_one() {
    let outer = Control::new()
        .time_limit(Duration::from_millis(5))
        .started();
    let inner = outer.clone().time_limit(Duration::from_secs(100)).started();
    while inner.check().is_ok() {}
    assert!(outer.check().is_err());
}

#[test]
fn a_callback_that_breaks_stops_every_clone_and_is_not_asked_again() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let control = Control::new()
        .progress(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Break(())
        })
        .started();
    let clone = control.clone();
    assert_eq!(control.enter(Stage::Preparing), Err(Limit::Cancelled));
    assert_eq!(clone.check(), Err(Limit::Cancelled));
    assert_eq!(clone.enter(Stage::Preparing), Err(Limit::Cancelled));
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn the_callback_hears_of_stage_score_and_time_even_within_a_stage() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&heard);
    let control = Control::new()
        .progress(move |now| {
            list.lock().unwrap().push(*now);
            ControlFlow::Continue(())
        })
        .started();
    control.enter(Stage::Candidate { features: 7 }).unwrap();
    control.note_score(2.0);
    control.note_score(f64::NAN);
    control.note_score(3.0);
    while heard.lock().unwrap().len() < 2 {
        control.check().unwrap();
    }
    let heard = heard.lock().unwrap();
    assert_eq!(heard[0].best_score, None);
    assert_eq!(heard[1].best_score, Some(2.0));
    assert_eq!(heard[1].stage, Stage::Candidate { features: 7 });
    assert!(heard[1].elapsed > heard[0].elapsed);
}

#[test]
fn held_memory_counts_until_it_is_given_back() {
    let control = Control::new().memory_limit(1000).started();
    let held = control.hold(Some(600)).unwrap();
    let refused = Limit::Memory {
        needed: 1100,
        limit: 1000,
    };
    assert_eq!(control.clone().allow_bytes(Some(500)), Err(refused));
    drop(held);
    assert_eq!(control.allow_bytes(Some(500)), Ok(()));
    assert!(control.allow_bytes(None).is_err());
}

#[test]
fn a_step_without_checks_is_not_begun_when_it_would_take_too_long() {
    let control = Control::new().time_limit(Duration::from_secs(10)).started();
    assert!(control.allow_seconds(5.0).is_ok());
    assert!(control.allow_seconds(20.0).is_err());
    assert!(Control::new().started().allow_seconds(1e9).is_ok());
}

#[test]
fn work_with_a_reserve_stops_before_the_deadline_and_leaves_the_rest_to_others() {
    let control = Control::new()
        .time_limit(Duration::from_secs(1000))
        .started();
    let early = control.clone().reserving(Duration::from_secs(2000));
    assert!(early.is_over() && early.remaining() == Some(Duration::ZERO));
    assert_eq!(control.check(), Ok(()));
    assert_eq!(control.without_deadline().time(), None);
}
