// SPDX-License-Identifier: MIT
// Threads that wait for work. Jobs are taken by number, so that each is done once; the caller works along.
#include "base/crew.h"
#include <stdatomic.h>
#include <stdlib.h>

#if __has_include(<pthread.h>) && !defined(__wasm__)
#include <pthread.h>

struct Crew
{
    int count;  // threads, without the caller
    pthread_t* threads;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
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

static void* serve(void* context)
{
    Crew* crew = context;
    int worker = 1 + atomic_fetch_add(&crew->number, 1);
    int64_t round = 0;
    pthread_mutex_lock(&crew->lock);
    while (!crew->leave)
    {
        if (crew->round == round)
        {
            pthread_cond_wait(&crew->begin, &crew->lock);
            continue;
        }
        round = crew->round;
        pthread_mutex_unlock(&crew->lock);
        work(crew, worker);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0) pthread_cond_signal(&crew->end);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

Crew* crew_create(int workers)
{
    Crew* crew = calloc(1, sizeof *crew);
    if (!crew) return NULL;
    crew->threads = calloc((size_t)(workers > 1 ? workers : 1), sizeof *crew->threads);
    if (!crew->threads || pthread_mutex_init(&crew->lock, NULL) != 0)
    {
        free(crew->threads);
        free(crew);
        return NULL;
    }
    pthread_cond_init(&crew->begin, NULL);
    pthread_cond_init(&crew->end, NULL);
    for (int i = 1; i < workers; i++)
        if (pthread_create(&crew->threads[crew->count], NULL, serve, crew) == 0) crew->count++;
    return crew;
}

void crew_destroy(Crew* crew)
{
    if (!crew) return;
    pthread_mutex_lock(&crew->lock);
    crew->leave = true;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
    for (int i = 0; i < crew->count; i++) pthread_join(crew->threads[i], NULL);
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->begin);
    pthread_cond_destroy(&crew->end);
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
    pthread_mutex_lock(&crew->lock);
    crew->job = job;
    crew->context = context;
    crew->job_count = count;
    atomic_store(&crew->next, 0);
    crew->busy = crew->count;
    crew->round++;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
    work(crew, 0);
    pthread_mutex_lock(&crew->lock);
    while (crew->busy > 0) pthread_cond_wait(&crew->end, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
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
