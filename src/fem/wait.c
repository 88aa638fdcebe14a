// SPDX-License-Identifier: MIT
// Progress of work that gives none: it runs in a thread while the caller's thread tells keep_going the part of the
// expected time that has passed. Past most of that time the fraction d only approaches 1, with the same slope at first:
//     d = x,   then   1 - r exp(-(x - 1 + r) / r),   r what is left of it.
#define _POSIX_C_SOURCE 200809L

#include "fem/wait.h"
#include <math.h>
#include <pthread.h>
#include <time.h>

typedef struct Errand
{
    FemWork work;
    void* context;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
} Errand;

static void* carry_out(void* context)
{
    Errand* errand = context;
    errand->work(errand->context);
    pthread_mutex_lock(&errand->lock);
    errand->done = true;
    pthread_cond_signal(&errand->ended);
    pthread_mutex_unlock(&errand->lock);
    return NULL;
}

static double fraction(const FemWait* wait, double passed)
{
    const double rest = 0.2;
    double x = passed / wait->seconds;
    if (x > 1 - rest) x = 1 - rest * exp(-(x - 1 + rest) / rest);
    return fmin(0.99, wait->from + (1 - wait->from) * x);
}

// a tenth of a second from now, or less if the work ends
static void doze(Errand* errand)
{
    const long tenth = 100000000, second = 1000000000;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += tenth;
    until.tv_sec += until.tv_nsec / second;
    until.tv_nsec %= second;
    pthread_cond_timedwait(&errand->ended, &errand->lock, &until);
}

static bool watch(Errand* errand, const FemWait* wait)
{
    bool going = true;
    double start = tw_seconds();
    pthread_mutex_lock(&errand->lock);
    while (!errand->done)
    {
        doze(errand);
        if (errand->done || !going) continue;
        pthread_mutex_unlock(&errand->lock);
        going = wait->keep_going(wait->stage, fraction(wait, tw_seconds() - start), wait->context);
        pthread_mutex_lock(&errand->lock);
    }
    pthread_mutex_unlock(&errand->lock);
    return going;
}

bool fem_wait(const FemWait* wait, FemWork work, void* context)
{
    const double worth = 0.3;  // [s]
    Errand errand = {.work = work, .context = context};
    pthread_t thread;
    pthread_mutex_init(&errand.lock, NULL);
    pthread_cond_init(&errand.ended, NULL);
    bool going = true;
    if (wait->keep_going && wait->seconds > worth && pthread_create(&thread, NULL, carry_out, &errand) == 0)
    {
        going = watch(&errand, wait);
        pthread_join(thread, NULL);
    }
    else
        work(context);
    pthread_cond_destroy(&errand.ended);
    pthread_mutex_destroy(&errand.lock);
    return going;
}
