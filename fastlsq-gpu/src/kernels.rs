//! The kernels: loading them, and one typed launch for each.

use std::ffi::{CStr, CString, c_void};

use cudarc::driver::sys as driver;

use crate::compiler;
use crate::device::{Buffer, Part, Plain, Work, check};
use crate::error::CudaError;

/// The kernels' source, `sincos.cu`, `assemble.cu` and `matrix.cu` one after the other.
pub(crate) const SOURCE: &str = concat!(
    include_str!("../kernels/sincos.cu"),
    include_str!("../kernels/assemble.cu"),
    include_str!("../kernels/matrix.cu"),
);

/// The source compiled for compute capability 6.0 and later.
pub(crate) const PTX: &str = include_str!("../kernels/fastlsq.ptx");

/// Threads of a block.
const THREADS: u32 = 128;
/// Blocks along the second axis of a grid: the columns are shared out among them.
const MOST_COLUMN_BLOCKS: usize = 65_535;

/// The loaded module and its functions.
pub(crate) struct Kernels {
    assemble_waves: driver::CUfunction,
    copy_block: driver::CUfunction,
    clear_block: driver::CUfunction,
    copy_triangle: driver::CUfunction,
    round_block: driver::CUfunction,
    widen_triangle: driver::CUfunction,
    scale_rows: driver::CUfunction,
    inverse_norms: driver::CUfunction,
    scale_gram: driver::CUfunction,
    find_not_finite: driver::CUfunction,
    module: Module,
    origin: String,
}

struct Module(driver::CUmodule);

#[allow(unsafe_code)]
impl Module {
    /// Loads an image: PTX text with its final zero, or a CUBIN.
    fn load(image: &[u8]) -> Result<Self, driver::CUresult> {
        let mut module = std::ptr::null_mut();
        // SAFETY: the context is current; the image is complete; the call writes one handle.
        match unsafe { driver::cuModuleLoadData(&raw mut module, image.as_ptr().cast::<c_void>()) }
        {
            driver::CUresult::CUDA_SUCCESS => Ok(Self(module)),
            refused => Err(refused),
        }
    }

    fn function(&self, name: &CStr) -> Result<driver::CUfunction, CudaError> {
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is loaded, the name ends with a zero, and the call writes one handle.
        let status =
            unsafe { driver::cuModuleGetFunction(&raw mut function, self.0, name.as_ptr()) };
        check("cuModuleGetFunction", status)?;
        Ok(function)
    }
}

#[allow(unsafe_code)]
impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded once, unloaded once, while the device's context is current.
        unsafe { driver::cuModuleUnload(self.0) };
    }
}

impl Kernels {
    /// Loads the kernels for a device whose context is current: compiled for it where the run-time compiler is
    /// installed, otherwise from the embedded PTX.
    pub(crate) fn load(device: driver::CUdevice) -> Result<Self, CudaError> {
        let compiled = compiler::cubin_for(device).map_err(|error| error.to_string());
        let loaded = compiled.and_then(|(image, architecture)| {
            let refused = |code| format!("compiled for {architecture}, the driver says {code:?}");
            let module = Module::load(&image).map_err(refused)?;
            Ok((module, format!("compiled here for {architecture}")))
        });
        let (module, origin) = match loaded {
            Ok(loaded) => loaded,
            Err(reason) => (Self::embedded(&reason)?, "embedded PTX".to_owned()),
        };
        Ok(Self {
            assemble_waves: module.function(c"assemble_waves")?,
            copy_block: module.function(c"copy_block")?,
            clear_block: module.function(c"clear_block")?,
            copy_triangle: module.function(c"copy_triangle")?,
            round_block: module.function(c"round_block")?,
            widen_triangle: module.function(c"widen_triangle")?,
            scale_rows: module.function(c"scale_rows")?,
            inverse_norms: module.function(c"inverse_norms")?,
            scale_gram: module.function(c"scale_gram")?,
            find_not_finite: module.function(c"find_not_finite")?,
            module,
            origin,
        })
    }

    /// The embedded PTX; `otherwise` is why there is nothing else.
    fn embedded(otherwise: &str) -> Result<Module, CudaError> {
        let text = CString::new(PTX).map_err(|_| CudaError::Shape {
            what: "the embedded PTX",
            requirement: "text without zeros",
        })?;
        Module::load(text.as_bytes_with_nul()).map_err(|refused| CudaError::KernelsRefused {
            code: refused as u32,
            name: format!("{refused:?}"),
            compiler: format!("; compiling them here: {otherwise}"),
        })
    }

    /// Where the kernels come from.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }
}

impl std::fmt::Debug for Kernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kernels").field(&self.module.0).finish()
    }
}

/// What the rows of waves are made of; see `kernels/assemble.cu`.
pub(crate) struct Waves<'a> {
    pub(crate) dim: usize,
    /// One axis after the other, each of as many coordinates as the output has rows.
    pub(crate) points: &'a Buffer<f64>,
    /// One feature after the other, each of `dim` numbers.
    pub(crate) frequencies: &'a Buffer<f64>,
    pub(crate) phases: &'a Buffer<f64>,
    /// One per axis: 0 none, 1 even, 2 odd.
    pub(crate) parity: &'a Buffer<u32>,
    pub(crate) center: &'a Buffer<f64>,
    /// For each group p of all features, then q of all features.
    pub(crate) amplitudes: &'a Buffer<f64>,
    /// Sorted.
    pub(crate) flipped: &'a Buffer<u64>,
    /// The column of coefficients of each group, or −1.
    pub(crate) sources: &'a Buffer<i32>,
    pub(crate) coefficients: &'a Buffer<f64>,
    pub(crate) integral_axes: &'a Buffer<u32>,
    pub(crate) spans: &'a Buffer<f64>,
    pub(crate) row_factors: &'a Buffer<f64>,
    /// Whether to add to what is there.
    pub(crate) accumulate: bool,
}

/// An entry that is NaN or infinite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotFinite {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) value: f64,
}

/// Fails unless a buffer has the length that its kernel reads.
fn expect(what: &'static str, found: usize, needed: usize) -> Result<(), CudaError> {
    if found == needed {
        Ok(())
    } else {
        Err(CudaError::Shape {
            what,
            requirement: "as many numbers as its kernel reads",
        })
    }
}

fn to_u32(what: &'static str, size: usize) -> Result<u32, CudaError> {
    u32::try_from(size).map_err(|_| CudaError::Shape {
        what,
        requirement: "at most 2³² − 1 in each direction",
    })
}

fn same_shape<A: Plain, B: Plain>(a: &Part<'_, A>, b: &Part<'_, B>) -> Result<(), CudaError> {
    expect("the target of a copy", a.rows(), b.rows())?;
    expect("the target of a copy", a.columns(), b.columns())
}

impl Work<'_> {
    /// out ← (or +=) the rows of the collapsed form.
    pub(crate) fn assemble_waves(
        &self,
        waves: &Waves<'_>,
        out: &Part<'_>,
    ) -> Result<(), CudaError> {
        let (rows, columns, dim) = (out.rows(), out.columns(), waves.dim);
        let (groups, integrals) = (waves.flipped.len(), waves.integral_axes.len());
        expect("the points", waves.points.len(), rows * dim)?;
        expect("the frequencies", waves.frequencies.len(), columns * dim)?;
        expect("the phases", waves.phases.len(), columns)?;
        expect("the parities", waves.parity.len(), dim)?;
        expect("the centre", waves.center.len(), dim)?;
        expect(
            "the amplitudes",
            waves.amplitudes.len(),
            2 * groups * columns,
        )?;
        expect("the sources", waves.sources.len(), groups)?;
        if !waves.coefficients.len().is_multiple_of(rows.max(1)) {
            return Err(CudaError::Shape {
                what: "the coefficients",
                requirement: "whole columns",
            });
        }
        expect("the spans", waves.spans.len(), integrals * rows)?;
        expect("the row factors", waves.row_factors.len(), rows)?;
        let mut arguments = Arguments::new();
        arguments
            .u32(to_u32("the rows", rows)?)
            .u32(to_u32("the columns", columns)?)
            .u32(to_u32("the dimension", dim)?)
            .buffer(waves.points)
            .buffer(waves.frequencies)
            .buffer(waves.phases)
            .buffer(waves.parity)
            .buffer(waves.center)
            .u32(to_u32("the groups", groups)?)
            .buffer(waves.amplitudes)
            .buffer(waves.flipped)
            .buffer(waves.sources)
            .buffer(waves.coefficients)
            .u32(to_u32("the integrals", integrals)?)
            .buffer(waves.integral_axes)
            .buffer(waves.spans)
            .buffer(waves.row_factors)
            .u32(u32::from(waves.accumulate))
            .part(out);
        self.launch(self.kernels()?.assemble_waves, out, &mut arguments)
    }

    /// target ← source.
    pub(crate) fn copy_block(&self, source: &Part<'_>, target: &Part<'_>) -> Result<(), CudaError> {
        same_shape(source, target)?;
        let mut arguments = Arguments::for_shape(target)?;
        arguments.part(source).part(target);
        self.launch(self.kernels()?.copy_block, target, &mut arguments)
    }

    /// target ← 0.
    pub(crate) fn clear_block(&self, target: &Part<'_>) -> Result<(), CudaError> {
        let mut arguments = Arguments::for_shape(target)?;
        arguments.part(target);
        self.launch(self.kernels()?.clear_block, target, &mut arguments)
    }

    /// target ← the upper triangle (or trapezoid) of source, zeros below.
    pub(crate) fn copy_triangle(
        &self,
        source: &Part<'_>,
        target: &Part<'_>,
    ) -> Result<(), CudaError> {
        same_shape(source, target)?;
        let mut arguments = Arguments::for_shape(target)?;
        arguments.part(source).part(target);
        self.launch(self.kernels()?.copy_triangle, target, &mut arguments)
    }

    /// target ← source, rounded to single precision.
    pub(crate) fn round_block(
        &self,
        source: &Part<'_>,
        target: &Part<'_, f32>,
    ) -> Result<(), CudaError> {
        same_shape(source, target)?;
        let mut arguments = Arguments::for_shape(target)?;
        arguments.part(source).part(target);
        self.launch(self.kernels()?.round_block, target, &mut arguments)
    }

    /// target ← the upper triangle (or trapezoid) of source, zeros below.
    pub(crate) fn widen_triangle(
        &self,
        source: &Part<'_, f32>,
        target: &Part<'_>,
    ) -> Result<(), CudaError> {
        same_shape(source, target)?;
        let mut arguments = Arguments::for_shape(target)?;
        arguments.part(source).part(target);
        self.launch(self.kernels()?.widen_triangle, target, &mut arguments)
    }

    /// Row i of the matrix times factors[i].
    pub(crate) fn scale_rows(
        &self,
        factors: &Buffer<f64>,
        matrix: &Part<'_>,
    ) -> Result<(), CudaError> {
        expect("the row factors", factors.len(), matrix.rows())?;
        let mut arguments = Arguments::for_shape(matrix)?;
        arguments.buffer(factors).part(matrix);
        self.launch(self.kernels()?.scale_rows, matrix, &mut arguments)
    }

    /// 1/√ of the diagonal of a Gram matrix, 1 where that is not a positive number.
    pub(crate) fn inverse_norms(&self, gram: &Part<'_>) -> Result<Buffer<f64>, CudaError> {
        expect("a Gram matrix", gram.columns(), gram.rows())?;
        let scaling = self.allocate(gram.rows())?;
        let mut arguments = Arguments::new();
        arguments
            .u32(to_u32("the rows", gram.rows())?)
            .part(gram)
            .buffer(&scaling);
        let shape = scaling.matrix(gram.rows(), 1)?;
        self.launch(self.kernels()?.inverse_norms, &shape, &mut arguments)?;
        Ok(scaling)
    }

    /// G ← D·G·D + μ·D² for the lower triangle.
    pub(crate) fn scale_gram(
        &self,
        scaling: &Buffer<f64>,
        ridge: f64,
        gram: &Part<'_>,
    ) -> Result<(), CudaError> {
        expect("a Gram matrix", gram.columns(), gram.rows())?;
        expect("the scaling", scaling.len(), gram.rows())?;
        let mut arguments = Arguments::new();
        arguments
            .u32(to_u32("the rows", gram.rows())?)
            .buffer(scaling)
            .f64(ridge)
            .part(gram);
        self.launch(self.kernels()?.scale_gram, gram, &mut arguments)
    }

    /// The first entry that is NaN or infinite, row by row.
    pub(crate) fn find_not_finite(
        &self,
        matrix: &Part<'_>,
    ) -> Result<Option<NotFinite>, CudaError> {
        let first = self.upload(&[u64::MAX])?;
        let mut arguments = Arguments::for_shape(matrix)?;
        arguments.part(matrix).buffer(&first);
        self.launch(self.kernels()?.find_not_finite, matrix, &mut arguments)?;
        let place = self.download(&first)?.first().copied();
        let Some(place) = place.filter(|&place| place != u64::MAX) else {
            return Ok(None);
        };
        let columns = matrix.columns().max(1) as u64;
        let (row, column) = ((place / columns) as usize, (place % columns) as usize);
        let entry = matrix.inside(row..row + 1, column..column + 1)?;
        let copy = self.allocate(1)?;
        self.copy_block(&entry, &copy.matrix(1, 1)?)?;
        let value = self.download(&copy)?.first().copied();
        Ok(Some(NotFinite {
            row,
            column,
            value: value.unwrap_or(f64::NAN),
        }))
    }

    /// One thread per row, the columns shared out over the grid.
    #[allow(unsafe_code)]
    fn launch<T: Plain>(
        &self,
        kernel: driver::CUfunction,
        shape: &Part<'_, T>,
        arguments: &mut Arguments,
    ) -> Result<(), CudaError> {
        if shape.is_empty() {
            return Ok(());
        }
        let blocks = to_u32("the rows", shape.rows())?.div_ceil(THREADS);
        let column_blocks = to_u32("the columns", shape.columns().min(MOST_COLUMN_BLOCKS))?;
        let mut pointers = arguments.pointers();
        // SAFETY: the function is loaded; the arguments are those of its signature, in order, by the
        // typed calls above, each of which checks that the kernel stays inside its buffers; they are
        // copied before the call returns.
        let status = unsafe {
            driver::cuLaunchKernel(
                kernel,
                blocks,
                column_blocks,
                1,
                THREADS,
                1,
                1,
                0,
                self.stream(),
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", status)
    }
}

/// Arguments of a launch, each in eight bytes of its own.
struct Arguments(Vec<u64>);

impl Arguments {
    fn new() -> Self {
        Self(Vec::new())
    }

    /// Begins with rows and columns.
    fn for_shape<T: Plain>(part: &Part<'_, T>) -> Result<Self, CudaError> {
        let mut arguments = Self::new();
        arguments
            .u32(to_u32("the rows", part.rows())?)
            .u32(to_u32("the columns", part.columns())?);
        Ok(arguments)
    }

    /// A 32-bit integer: the driver reads the first four bytes.
    fn u32(&mut self, value: u32) -> &mut Self {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&value.to_ne_bytes());
        self.0.push(u64::from_ne_bytes(bytes));
        self
    }

    fn f64(&mut self, value: f64) -> &mut Self {
        self.0.push(value.to_bits());
        self
    }

    fn buffer<T>(&mut self, buffer: &Buffer<T>) -> &mut Self {
        self.0.push(buffer.address());
        self
    }

    /// Address and leading dimension.
    fn part<T: Plain>(&mut self, part: &Part<'_, T>) -> &mut Self {
        self.0.push(part.address());
        self.0.push(part.leading() as u64);
        self
    }

    fn pointers(&mut self) -> Vec<*mut c_void> {
        let values = self.0.iter_mut();
        values
            .map(|value| std::ptr::from_mut(value).cast())
            .collect()
    }
}
