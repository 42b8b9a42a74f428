// Sine and cosine in f64, by fused multiply-adds alone.
//
// The argument is reduced by multiples of pi/2 given as three doubles whose sum has 160 bits; the
// rounding tail of the reduction is kept. Minimax polynomials cover the rest. At most 2 ulp for
// |z| <= 2^27; the host assembles rows with larger arguments itself. Nothing of the vendor's
// mathematical library is used, so the compiled text is a translation of this source alone.

struct SineCosine {
    double sine;
    double cosine;
};

__device__ __forceinline__ SineCosine sine_cosine(double z) {
    const double two_over_pi = 0.6366197723675814;
    const double round = 6755399441055744.0;  // 1.5 * 2^52: its low bits hold the nearest integer
    const double half_pi_0 = 1.5707963267948966;
    const double half_pi_1 = 6.123233995736766e-17;
    const double half_pi_2 = -1.4973849048591698e-33;

    double shifted = __fma_rn(z, two_over_pi, round);
    double n = __dsub_rn(shifted, round);
    unsigned long long quadrant = (unsigned long long)__double_as_longlong(shifted);

    // z - n pi/2 as a head x and a tail y. The first product cancels exactly.
    double first = __fma_rn(-n, half_pi_0, z);
    double second = __dmul_rn(n, half_pi_1);
    double x = __dsub_rn(first, second);
    double back = __dsub_rn(first, x);
    double lost = __dadd_rn(__dsub_rn(first, __dadd_rn(x, back)), __dsub_rn(back, second));
    double rounded = __fma_rn(n, half_pi_1, -second);
    double y = __fma_rn(-n, half_pi_2, __dsub_rn(lost, rounded));

    double x2 = __dmul_rn(x, x);
    double x4 = __dmul_rn(x2, x2);
    double x3 = __dmul_rn(x2, x);

    double s_low = __fma_rn(-0.0001984126982985795, x2, 0.00833333333332249);
    double s_high = __fma_rn(-2.5050760253406863e-8, x2, 2.7557313707070068e-6);
    double s_poly = __fma_rn(__fma_rn(1.58969099521155e-10, x4, s_high), x4, s_low);
    double inner = __dsub_rn(__dmul_rn(0.5, y), __dmul_rn(x3, s_poly));
    double sine = __dsub_rn(
        x, __dsub_rn(__fma_rn(x2, inner, -y), __dmul_rn(x3, -0.16666666666666632)));

    double c_low = __fma_rn(-0.001388888888887411, x2, 0.0416666666666666);
    double c_mid = __fma_rn(-2.7557314351390663e-7, x2, 2.480158728947673e-5);
    double c_high = __fma_rn(-1.1359647557788195e-11, x2, 2.087572321298175e-9);
    double c_poly = __dmul_rn(x2, __fma_rn(__fma_rn(c_high, x4, c_mid), x4, c_low));
    double half = __dmul_rn(0.5, x2);
    double one_less = __dsub_rn(1.0, half);
    double cosine = __dadd_rn(
        one_less,
        __dadd_rn(__dsub_rn(__dsub_rn(1.0, one_less), half),
                  __fma_rn(x2, c_poly, -__dmul_rn(x, y))));

    // Odd quadrants swap the two; bit 1 of the quadrant (of the next one for the cosine) is the sign.
    bool swap = (quadrant & 1ull) != 0ull;
    unsigned long long s = (unsigned long long)__double_as_longlong(swap ? cosine : sine);
    unsigned long long c = (unsigned long long)__double_as_longlong(swap ? sine : cosine);
    s ^= (quadrant & 2ull) << 62;
    c ^= ((quadrant + 1ull) & 2ull) << 62;
    SineCosine result;
    result.sine = __longlong_as_double((long long)s);
    result.cosine = __longlong_as_double((long long)c);
    return result;
}
