// SPDX-License-Identifier: MIT
// [pd_clock~], for bench_pd alone: notes the processor time of the thread once per block, and writes the notes to a file when told.
#define _POSIX_C_SOURCE 200809L
#include <m_pd.h>
#include <stdio.h>
#include <time.h>

__attribute__((visibility("default"))) void pd_clock_tilde_setup(void);

enum
{
    MOST = 1 << 16
};

typedef struct Clock
{
    t_object object;
    int count;
    double seconds[MOST];
} Clock;

static t_class* clock_class;

static t_int* clock_perform(t_int* w)
{
    Clock* x = (Clock*)w[1];
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    if (x->count < MOST) x->seconds[x->count++] = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return w + 2;
}

static void clock_dsp(Clock* x, t_signal** signals)
{
    (void)signals;
    dsp_add(clock_perform, 1, x);
}

static void clock_write(Clock* x, t_symbol* path)
{
    FILE* file = fopen(path->s_name, "wb");
    if (!file || fwrite(x->seconds, sizeof *x->seconds, (size_t)x->count, file) != (size_t)x->count)
        pd_error(x, "pd_clock~: cannot write %s", path->s_name);
    if (file) fclose(file);
}

static void* clock_make(void)
{
    Clock* x = (Clock*)pd_new(clock_class);
    x->count = 0;
    return x;
}

void pd_clock_tilde_setup(void)
{
    clock_class = class_new(gensym("pd_clock~"), (t_newmethod)clock_make, NULL, sizeof(Clock), CLASS_DEFAULT, A_NULL);
    class_addmethod(clock_class, (t_method)clock_dsp, gensym("dsp"), A_CANT, 0);
    class_addmethod(clock_class, (t_method)clock_write, gensym("write"), A_SYMBOL, 0);
}
