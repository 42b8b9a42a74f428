//! Functions on grids, and the files that are made of them.
#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fastlsq_solve::space::{Eigenproblem, Wanted};
use fastlsq_solve::{
    Ball, BoxDomain, DomainExt, GridSamples, Interval, LinearProblem, Options, SampleError,
    Solution, SolveError, T, WALLS, X, Y, cos, exp, laplacian, sin, unknown, unknowns,
};

/// A directory that is removed when it is no longer needed.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fastlsq-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// u = 1 − x² − y² on the unit disc.
fn disc() -> Solution {
    LinearProblem::on(Ball::unit(2))
        .equation(-laplacian(unknown("u")), 4.0)
        .dirichlet(0.0)
        .solve()
        .unwrap()
}

/// Two functions of space and time: e⁻ᵗ sin x and cos x + t.
fn moving() -> GridSamples {
    let [u, v] = unknowns(["u", "v"]);
    LinearProblem::on(Interval::unit().over(0.0, 2.0).unwrap())
        .equation(u, exp(-T) * sin(X))
        .equation(v, cos(X) + T)
        .solve_with(&Options::new().tolerance(1e-8))
        .unwrap()
        .on_grid(&[5, 3])
        .unwrap()
}

#[test]
fn a_grid_covers_the_domain_and_nothing_else() {
    let samples = disc().on_grid(&[21, 31]).unwrap();
    let values = samples.array("u").unwrap();
    assert_eq!(values.shape(), [21, 31]);
    let (x, y) = (&samples.axes()[0], &samples.axes()[1]);
    for ((i, x), (j, y)) in x
        .iter()
        .enumerate()
        .flat_map(|x| y.iter().enumerate().map(move |y| (x, y)))
    {
        let value = values[[i, j]];
        let radius = x.hypot(*y);
        // On the circle itself rounding decides.
        if radius < 1.0 - 1e-14 {
            assert!(
                (value - (1.0 - x * x - y * y)).abs() < 1e-8,
                "{x} {y} {value}"
            );
        } else if radius > 1.0 + 1e-14 {
            assert!(value.is_nan());
        }
    }
    assert!(matches!(samples.array("w"), Err(SampleError::Name { .. })));
}

#[test]
fn several_unknowns_and_time() {
    let samples = moving();
    assert_eq!(samples.names(), ["u", "v"]);
    assert_eq!(samples.space().names(), ["x", "t"]);
    for (i, x) in samples.axes()[0].iter().enumerate() {
        for (j, t) in samples.axes()[1].iter().enumerate() {
            assert!((samples.arrays()[0][[i, j]] - (-t).exp() * x.sin()).abs() < 1e-6);
            assert!((samples.arrays()[1][[i, j]] - x.cos() - t).abs() < 1e-6);
        }
    }
}

#[test]
fn what_cannot_be_sampled_is_said() {
    let u = disc();
    let refused = |counts: &[usize]| match u.on_grid(counts) {
        Err(SolveError::Sample(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(
        refused(&[3]),
        SampleError::Counts {
            expected: 2,
            found: 1
        }
    ));
    assert!(matches!(refused(&[3, 0]), SampleError::Places { axis: 1 }));
    assert!(matches!(
        refused(&[usize::MAX, 2]),
        SampleError::TooLarge { .. }
    ));
    assert!(matches!(
        refused(&[1 << 20, 1 << 20]),
        SampleError::TooLarge { .. }
    ));
    assert!(u.on_axes(vec![vec![0.0, 0.0], vec![0.0]]).is_err());
    // A function that was put together by hand has no domain until it is told.
    let functions = (u.space().clone(), u.unknowns().to_vec());
    let (bases, beta) = (u.bases().to_vec(), u.coefficients().to_vec());
    let bare = Solution::from_parts(functions, bases, beta, u.report().clone()).unwrap();
    assert!(matches!(
        bare.on_grid(&[2, 2]),
        Err(SolveError::Sample(SampleError::NoDomain))
    ));
    assert!(
        bare.clone()
            .on_domain(Arc::new(BoxDomain::unit(3)))
            .is_err()
    );
    let square = BoxDomain::new(&[-0.5; 2], &[0.5; 2]).unwrap();
    let values = bare
        .on_domain(Arc::new(square))
        .unwrap()
        .on_grid(&[2, 2])
        .unwrap();
    assert!((values.arrays()[0][[0, 0]] - 0.5).abs() < 1e-8);
}

#[test]
fn a_saved_solution_keeps_the_box_around_its_domain() {
    let mut bytes = Vec::new();
    disc().to_writer(&mut bytes).unwrap();
    let back = Solution::from_reader(&bytes[..]).unwrap();
    let (own, other) = (
        disc().on_grid(&[5, 5]).unwrap(),
        back.on_grid(&[5, 5]).unwrap(),
    );
    assert_eq!(own.axes(), other.axes());
    assert_eq!(own.arrays()[0][[2, 2]], other.arrays()[0][[2, 2]]);
}

#[test]
fn eigenfunctions_are_sampled_alike() {
    let u = unknown("u");
    let spectrum = Eigenproblem::new(Interval::unit(), -laplacian(u))
        .condition(WALLS, u)
        .solve(Wanted::Smallest(2))
        .unwrap();
    let samples = spectrum.on_grid(&[5]).unwrap();
    let second = samples.array("u2").unwrap();
    let size = 2_f64.sqrt();
    assert!((second[[1]].abs() - size).abs() < 1e-9 && second[[2]].abs() < 1e-9);
}

#[test]
fn a_table_has_one_line_per_point_of_the_domain() {
    let folder = Folder::new("csv");
    let samples = disc().on_grid(&[11, 11]).unwrap();
    samples.save_csv(folder.file("u.csv")).unwrap();
    let text = fs::read_to_string(folder.file("u.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("x,y,u"));
    let mut count = 0;
    for line in lines {
        let numbers: Vec<f64> = line
            .split(',')
            .map(|field| field.parse().unwrap())
            .collect();
        let index = |axis: usize| {
            samples.axes()[axis]
                .iter()
                .position(|x| *x == numbers[axis])
        };
        let (i, j) = (index(0).unwrap(), index(1).unwrap());
        assert_eq!(samples.arrays()[0][[i, j]], numbers[2]);
        count += 1;
    }
    assert_eq!(
        count,
        samples.arrays()[0]
            .iter()
            .filter(|value| value.is_finite())
            .count()
    );
}

#[cfg(feature = "npz")]
#[test]
fn arrays_for_numpy_hold_the_very_numbers() {
    let folder = Folder::new("npy");
    let samples = moving();
    samples.save_npy(folder.file("u.npy")).unwrap();
    let bytes = fs::read(folder.file("u.npy")).unwrap();
    let header = String::from_utf8_lossy(&bytes[..128]).into_owned();
    assert!(
        bytes.starts_with(b"\x93NUMPY") && header.contains("'<f8'") && header.contains("(2, 5, 3")
    );
    let numbers: Vec<f64> = bytes[bytes.len() - 8 * 30..]
        .chunks_exact(8)
        .map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap()))
        .collect();
    let own: Vec<f64> = samples.arrays().iter().flatten().copied().collect();
    assert_eq!(numbers, own);
    samples.save_npz(folder.file("u.npz")).unwrap();
    let archive = fs::read(folder.file("u.npz")).unwrap();
    for name in ["x.npy", "t.npy", "u.npy", "v.npy"] {
        assert!(
            archive
                .windows(name.len())
                .any(|window| window == name.as_bytes())
        );
    }
}

/// The arrays of a `.vtu` file with appended raw data, as bytes, and the numbers of points and cells.
fn vtu(path: &Path) -> (HashMap<String, Vec<u8>>, [usize; 2]) {
    let bytes = fs::read(path).unwrap();
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let start = bytes
        .windows(mark.len())
        .position(|window| window == mark)
        .unwrap();
    let (text, data) = (
        String::from_utf8(bytes[..start].to_vec()).unwrap(),
        &bytes[start + mark.len()..],
    );
    let attribute = |element: &str, name: &str| {
        let rest = element.split(&format!("{name}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let arrays = text.split("<DataArray ").skip(1).map(|element| {
        let offset: usize = attribute(element, "offset").parse().unwrap();
        let length = u64::from_le_bytes(data[offset..offset + 8].try_into().unwrap()) as usize;
        (
            attribute(element, "Name"),
            data[offset + 8..offset + 8 + length].to_vec(),
        )
    });
    let piece = text.split("<Piece ").nth(1).unwrap();
    let counts =
        ["NumberOfPoints", "NumberOfCells"].map(|name| attribute(piece, name).parse().unwrap());
    (arrays.collect(), counts)
}

fn floats(bytes: &[u8]) -> Vec<f64> {
    let words = bytes.chunks_exact(8);
    words
        .map(|word| f64::from_le_bytes(word.try_into().unwrap()))
        .collect()
}

#[test]
fn cells_for_paraview_fill_the_domain() {
    let folder = Folder::new("vtu");
    disc()
        .on_grid(&[41, 41])
        .unwrap()
        .save_vtu(folder.file("u.vtu"))
        .unwrap();
    let (arrays, [points, cells]) = vtu(&folder.file("u.vtu"));
    let (places, values) = (floats(&arrays["points"]), floats(&arrays["u"]));
    assert_eq!((places.len(), values.len()), (3 * points, points));
    for (place, value) in places.chunks(3).zip(&values) {
        assert!((value - (1.0 - place[0].powi(2) - place[1].powi(2))).abs() < 1e-8);
    }
    let corners: Vec<usize> = arrays["connectivity"]
        .chunks_exact(8)
        .map(|word| i64::from_le_bytes(word.try_into().unwrap()) as usize)
        .collect();
    assert_eq!(corners.len(), 4 * cells);
    // Corners go around each cell: the areas are positive and sum up to nearly π.
    let area: f64 = corners
        .chunks(4)
        .map(|cell| {
            let at = |k: usize| (places[3 * cell[k % 4]], places[3 * cell[k % 4] + 1]);
            let own: f64 = (0..4)
                .map(|k| 0.5 * (at(k).0 * at(k + 1).1 - at(k + 1).0 * at(k).1))
                .sum();
            assert!(own > 0.0);
            own
        })
        .sum();
    assert!((2.8..std::f64::consts::PI).contains(&area), "{area}");
    assert!(arrays["types"].iter().all(|kind| *kind == 9));
}

#[test]
fn cells_in_space_and_a_series_in_time() {
    let folder = Folder::new("pvd");
    let u = unknown("u");
    let cube = LinearProblem::on(BoxDomain::unit(3))
        .equation(u, X + 2.0 * Y)
        .solve_with(&Options::new().tolerance(1e-6))
        .unwrap();
    cube.on_grid(&[3, 4, 2])
        .unwrap()
        .save_vtu(folder.file("cube.vtu"))
        .unwrap();
    let (arrays, counts) = vtu(&folder.file("cube.vtu"));
    assert_eq!(counts, [24, 6]);
    assert!(arrays["types"].iter().all(|kind| *kind == 12));

    moving().save_pvd(folder.file("series.pvd")).unwrap();
    let list = fs::read_to_string(folder.file("series.pvd")).unwrap();
    assert_eq!(list.matches("<DataSet").count(), 3);
    for (number, time) in [0.0, 1.0, 2.0].into_iter().enumerate() {
        let name = format!("series-{number:04}.vtu");
        assert!(list.contains(&format!("timestep=\"{time}\"")) && list.contains(&name));
        let (arrays, counts) = vtu(&folder.file(&name));
        assert_eq!(counts, [5, 4]);
        let (places, values) = (floats(&arrays["points"]), floats(&arrays["v"]));
        for (place, value) in places.chunks(3).zip(values) {
            assert!((value - place[0].cos() - time).abs() < 1e-6);
        }
    }
    assert!(
        disc()
            .on_grid(&[3, 3])
            .unwrap()
            .save_pvd(folder.file("none.pvd"))
            .is_err()
    );
}

#[cfg(feature = "plot")]
#[test]
fn every_kind_of_solution_has_a_picture() {
    let folder = Folder::new("plot");
    let svg = |figure: fastlsq_solve::plot::Figure| figure.svg().unwrap();
    let plane = svg(disc().figure().unwrap());
    assert_eq!(plane.matches("<image").count(), 1);
    let samples = moving();
    assert_eq!(svg(samples.figure().unwrap()).matches("<image").count(), 2);
    let film = samples.film(10).unwrap();
    film.save(folder.file("film.png")).unwrap();
    assert!(
        fs::read(folder.file("film.png"))
            .unwrap()
            .windows(4)
            .filter(|w| w == b"fcTL")
            .count()
            == 3
    );
    // Slices through the middle of each axis of space.
    let u = unknown("u");
    let ball = LinearProblem::on(Ball::unit(3))
        .equation(u, X * Y)
        .solve_with(&Options::new().tolerance(1e-4))
        .unwrap();
    let slices = svg(ball.figure().unwrap());
    assert!(slices.matches("<image").count() == 3 && slices.contains("z = 0"));
    disc().plot(folder.file("u.png")).unwrap();
    assert!(disc().plot(folder.file("u.jpeg")).is_err());
    assert!(disc().plot_film(folder.file("no.png"), 3).is_err());
    assert!(disc().plot_patches(folder.file("no.png")).is_err());
}
