// Rows of the system for sinusoidal features.
//
// A feature is prod over parity axes of trig(w_a (x_a - c_a)) times sin z, z = b + sum of w_k x_k over the
// other axes. A linear operator turns it into
//     sum over groups g of c_g(x) (p_gj sin z + q_gj cos z) * parity factors * integral factors,
// where groups gather terms with one coefficient function and one pattern of parity factors.

// One thread a row; columns are shared out over the second grid axis. Matrices are column-major.
extern "C" __global__ void assemble_waves(
    unsigned int rows,
    unsigned int columns,
    unsigned int dim,
    const double* points,               // one axis after the other, each of `rows` coordinates
    const double* frequencies,          // one feature after the other, each of `dim` numbers
    const double* phases,               // one a feature
    const unsigned int* parity,         // one an axis: 0 none, 1 even, 2 odd
    const double* center,               // one an axis
    unsigned int groups,
    const double* amplitudes,           // for each group p of all features, then q of all features
    const unsigned long long* flipped,  // one a group: bit k says that parity axis k is differentiated
    const int* sources,                 // one a group: its column of coefficients, or -1 for the constant 1
    const double* coefficients,         // one column after the other, each of `rows` numbers
    unsigned int integrals,
    const unsigned int* integral_axes,  // the axes that are integrated over
    const double* spans,                // for each integral the length of its interval at each row
    const double* row_factors,          // one a row
    unsigned int accumulate,            // 0: overwrite, 1: add
    double* out,
    unsigned long long leading) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    // A space has axes: said here, it spares the compiler a second version of the loops.
    if (i >= rows || dim == 0u) {
        return;
    }
    for (unsigned int j = blockIdx.y; j < columns; j += gridDim.y) {
        const double* w = frequencies + (unsigned long long)j * dim;
        double z = phases[j];
        for (unsigned int k = 0; k < dim; ++k) {
            if (parity[k] == 0u) {
                z = __fma_rn(w[k], points[(unsigned long long)k * rows + i], z);
            }
        }
        SineCosine ridge = sine_cosine(z);

        double total = 0.0;
        double factor = 1.0;
        unsigned long long pattern = 0ull;
        for (unsigned int g = 0; g < groups; ++g) {
            // Groups come sorted by pattern: the product of parity factors is formed once for each.
            if (g == 0u || flipped[g] != pattern) {
                pattern = flipped[g];
                factor = 1.0;
                unsigned int slot = 0u;
                for (unsigned int k = 0; k < dim; ++k) {
                    if (parity[k] != 0u) {
                        double x = points[(unsigned long long)k * rows + i];
                        SineCosine apart = sine_cosine(__dmul_rn(w[k], __dsub_rn(x, center[k])));
                        bool odd = parity[k] == 2u;
                        bool turned = ((pattern >> slot) & 1ull) != 0ull;
                        factor = __dmul_rn(factor, odd != turned ? apart.sine : apart.cosine);
                        slot += 1u;
                    }
                }
            }
            const double* pair = amplitudes + 2ull * g * columns;
            double wave = __fma_rn(pair[j], ridge.sine,
                                   __dmul_rn(pair[(unsigned long long)columns + j], ridge.cosine));
            wave = __dmul_rn(wave, factor);
            int source = sources[g];
            double c = source < 0 ? 1.0 : coefficients[(unsigned long long)source * rows + i];
            total = __fma_rn(c, wave, total);
        }
        // The integral of a wave over an interval of length h is its value at the middle times
        // h sin(t)/t, t = w h / 2.
        for (unsigned int l = 0; l < integrals; ++l) {
            double h = spans[(unsigned long long)l * rows + i];
            double t = __dmul_rn(__dmul_rn(0.5, w[integral_axes[l]]), h);
            double ratio = t == 0.0 ? 1.0 : __ddiv_rn(sine_cosine(t).sine, t);
            total = __dmul_rn(total, __dmul_rn(h, ratio));
        }
        total = __dmul_rn(total, row_factors[i]);
        double* entry = out + (unsigned long long)j * leading + i;
        *entry = accumulate != 0u ? __dadd_rn(*entry, total) : total;
    }
}
