// SPDX-License-Identifier: MIT
// Threads that wait for work. Jobs are taken by number, so that each is done once; the caller works along.
#include "base/crew.h"
#include <stdatomic.h>
#include <stdlib.h>

#ifndef __STDC_NO_THREADS__
#include <threads.h>

struct Crew
{
    int count;  // threads, without the caller
    thrd_t* threads;
    mtx_t lock;
    cnd_t begin, end;
    int64_t round;  // a new one has begun
    int busy;
    bool leave;

    CrewJob job;
    void* context;
    int job_count;
    atomic_int next;
    atomic_int number;  // of the next thread that starts
};

static void work(Crew* crew, int worker)
{
    for (int i = atomic_fetch_add(&crew->next, 1); i < crew->job_count; i = atomic_fetch_add(&crew->next, 1))
        crew->job(crew->context, i, worker);
}

static int serve(void* context)
{
    Crew* crew = context;
    int worker = 1 + atomic_fetch_add(&crew->number, 1);
    int64_t round = 0;
    mtx_lock(&crew->lock);
    while (!crew->leave)
    {
        if (crew->round == round)
        {
            cnd_wait(&crew->begin, &crew->lock);
            continue;
        }
        round = crew->round;
        mtx_unlock(&crew->lock);
        work(crew, worker);
        mtx_lock(&crew->lock);
        if (--crew->busy == 0) cnd_signal(&crew->end);
    }
    mtx_unlock(&crew->lock);
    return 0;
}

Crew* crew_create(int workers)
{
    Crew* crew = calloc(1, sizeof *crew);
    if (!crew) return NULL;
    crew->threads = calloc((size_t)(workers > 1 ? workers : 1), sizeof *crew->threads);
    if (!crew->threads || mtx_init(&crew->lock, mtx_plain) != thrd_success)
    {
        free(crew->threads);
        free(crew);
        return NULL;
    }
    cnd_init(&crew->begin);
    cnd_init(&crew->end);
    for (int i = 1; i < workers; i++)
        if (thrd_create(&crew->threads[crew->count], serve, crew) == thrd_success) crew->count++;
    return crew;
}

void crew_destroy(Crew* crew)
{
    if (!crew) return;
    mtx_lock(&crew->lock);
    crew->leave = true;
    cnd_broadcast(&crew->begin);
    mtx_unlock(&crew->lock);
    for (int i = 0; i < crew->count; i++) thrd_join(crew->threads[i], NULL);
    mtx_destroy(&crew->lock);
    cnd_destroy(&crew->begin);
    cnd_destroy(&crew->end);
    free(crew->threads);
    free(crew);
}

void crew_run(Crew* crew, CrewJob job, void* context, int count)
{
    if (crew->count == 0 || count < 2)
    {
        for (int i = 0; i < count; i++) job(context, i, 0);
        return;
    }
    mtx_lock(&crew->lock);
    crew->job = job;
    crew->context = context;
    crew->job_count = count;
    atomic_store(&crew->next, 0);
    crew->busy = crew->count;
    crew->round++;
    cnd_broadcast(&crew->begin);
    mtx_unlock(&crew->lock);
    work(crew, 0);
    mtx_lock(&crew->lock);
    while (crew->busy > 0) cnd_wait(&crew->end, &crew->lock);
    mtx_unlock(&crew->lock);
}

#else

struct Crew
{
    int count;
};

Crew* crew_create(int workers)
{
    (void)workers;
    return calloc(1, sizeof(Crew));
}
void crew_destroy(Crew* crew) { free(crew); }
void crew_run(Crew* crew, CrewJob job, void* context, int count)
{
    (void)crew;
    for (int i = 0; i < count; i++) job(context, i, 0);
}

#endif
