// Small services on column-major matrices: copies, scalings, and a check for NaN and infinities.

extern "C" __global__ void copy_block(
    unsigned int rows,
    unsigned int columns,
    const double* source,
    unsigned long long source_leading,
    double* target,
    unsigned long long target_leading) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) {
        return;
    }
    for (unsigned int j = blockIdx.y; j < columns; j += gridDim.y) {
        target[j * target_leading + i] = source[j * source_leading + i];
    }
}

extern "C" __global__ void clear_block(
    unsigned int rows,
    unsigned int columns,
    double* target,
    unsigned long long leading) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) {
        return;
    }
    for (unsigned int j = blockIdx.y; j < columns; j += gridDim.y) {
        target[j * leading + i] = 0.0;
    }
}

// The upper triangle (or trapezoid), with zeros below the diagonal.
extern "C" __global__ void copy_triangle(
    unsigned int rows,
    unsigned int columns,
    const double* source,
    unsigned long long source_leading,
    double* target,
    unsigned long long target_leading) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) {
        return;
    }
    for (unsigned int j = blockIdx.y; j < columns; j += gridDim.y) {
        target[j * target_leading + i] = i <= j ? source[j * source_leading + i] : 0.0;
    }
}

// A copy in single precision.
extern "C" __global__ void round_block(
    unsigned int rows,
    unsigned int columns,
    const double* source,
    unsigned long long source_leading,
    float* target,
    unsigned long long target_leading) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) {
        return;
    }
    for (unsigned int j = blockIdx.y; j < columns; j += gridDim.y) {
        target[j * target_leading + i] = __double2float_rn(source[j * source_leading + i]);
    }
}

// The upper triangle (or trapezoid) of a matrix in single precision, in double precision.
extern "C" __global__ void widen_triangle(
    unsigned int rows,
    unsigned int columns,
    const float* source,
    unsigned long long source_leading,
    double* target,
    unsigned long long target_leading) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) {
        return;
    }
    for (unsigned int j = blockIdx.y; j < columns; j += gridDim.y) {
        target[j * target_leading + i] = i <= j ? (double)source[j * source_leading + i] : 0.0;
    }
}

// Row i times factors[i].
extern "C" __global__ void scale_rows(
    unsigned int rows,
    unsigned int columns,
    const double* factors,
    double* matrix,
    unsigned long long leading) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) {
        return;
    }
    for (unsigned int j = blockIdx.y; j < columns; j += gridDim.y) {
        double* entry = matrix + j * leading + i;
        *entry = __dmul_rn(*entry, factors[i]);
    }
}

// 1/sqrt of the diagonal of a Gram matrix: the inverse norms of the columns, 1 where there is none.
extern "C" __global__ void inverse_norms(
    unsigned int size,
    const double* gram,
    unsigned long long leading,
    double* scaling) {
    unsigned int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= size) {
        return;
    }
    double inverse = __ddiv_rn(1.0, __dsqrt_rn(gram[j * leading + j]));
    bool usable = inverse > 0.0 && inverse < 1.7976931348623157e308;
    scaling[j] = usable ? inverse : 1.0;
}

// G <- D G D + ridge D^2 for the lower triangle.
extern "C" __global__ void scale_gram(
    unsigned int size,
    const double* scaling,
    double ridge,
    double* gram,
    unsigned long long leading) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) {
        return;
    }
    for (unsigned int j = blockIdx.y; j <= i; j += gridDim.y) {
        double* entry = gram + j * leading + i;
        double both = __dmul_rn(scaling[i], scaling[j]);
        double value = __dmul_rn(*entry, both);
        *entry = i == j ? __fma_rn(ridge, both, value) : value;
    }
}

// The place of the first entry that is NaN or infinite, row by row: row * columns + column.
// `first` must hold the largest integer at the start. Blocks of 128 threads.
extern "C" __global__ void find_not_finite(
    unsigned int rows,
    unsigned int columns,
    const double* matrix,
    unsigned long long leading,
    unsigned long long* first) {
    __shared__ unsigned long long best[128];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long own = 0xffffffffffffffffull;
    if (i < rows) {
        for (unsigned int j = blockIdx.y; j < columns; j += gridDim.y) {
            unsigned long long bits =
                (unsigned long long)__double_as_longlong(matrix[j * leading + i]);
            bool finite = (bits & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
            unsigned long long place = (unsigned long long)i * columns + j;
            own = !finite && place < own ? place : own;
        }
    }
    best[threadIdx.x] = own;
    __syncthreads();
    for (unsigned int half = 64u; half > 0u; half >>= 1) {
        if (threadIdx.x < half) {
            unsigned long long other = best[threadIdx.x + half];
            if (other < best[threadIdx.x]) {
                best[threadIdx.x] = other;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0u && best[0] != 0xffffffffffffffffull) {
        atomicMin(first, best[0]);
    }
}
