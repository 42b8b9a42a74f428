//! The same seed gives the same answer, on any number of threads.

use fastlsq_solve::{Options, Solution, problems};

use super::grid_error;

fn helmholtz(options: &Options) -> Solution {
    problems::helmholtz_2d(10.0)
        .problem
        .solve_with(options)
        .unwrap()
}

#[test]
fn one_and_two_threads_agree() {
    let options = Options::new().tolerance(1e-8);
    let one = helmholtz(&options.clone().threads(1));
    let two = helmholtz(&options.threads(2));
    assert_eq!((one.report().threads, two.report().threads), (1, 2));
    assert!(grid_error(&one, move |x: &[f64]| two.value(x).unwrap()) < 1e-12);
}

#[test]
fn the_same_seed_gives_the_same_coefficients() {
    let options = Options::new().features(150).bandwidth(10.0);
    let (a, b) = (helmholtz(&options), helmholtz(&options));
    assert_eq!(a.coefficients(), b.coefficients());
    let other = helmholtz(&options.seed(1));
    assert_ne!(a.coefficients(), other.coefficients());
    assert_eq!(other.report().seed, 1);
}

#[test]
fn solutions_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    let u = helmholtz(&Options::new().features(60).bandwidth(8.0));
    shared(&u);
    let here = u.value(&[0.3, 0.4]).unwrap();
    let there = std::thread::scope(|scope| scope.spawn(|| u.value(&[0.3, 0.4])).join());
    assert_eq!(there.unwrap().unwrap(), here);
}
