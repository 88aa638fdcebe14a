// SPDX-License-Identifier: MIT
// Target: changes to a saved rod and a saved listener, with their checksums made right; the first byte says to which.
#include "../listener.h"
#include "../wire.h"
#include "fuzz.h"

static twRod* the_rod(void)
{
    static Wire wire;
    static twRod* rod;
    if (rod) return rod;
    wire_make(&wire, WIRE_HELIX);
    return rod = wire_create(&wire);
}

// head: magic, count, what the rod is made of, checksum of what follows
static void sign_rod(uint8_t* data, size_t size)
{
    twHash of;
    const size_t head = 16 + 2 * sizeof of;
    if (size < head) return;
    memcpy(&of, data + 16, sizeof of);
    const twHash sum = tw_hash(data + head, size - head, of);
    memcpy(data + head - sizeof sum, &sum, sizeof sum);
}

static bool try_rod(const uint8_t* data, size_t size)
{
    twRod* rod = the_rod();
    static uint8_t* start;
    const size_t bytes = tw_rod_state_bytes(rod);
    if (!start) tw_rod_save(rod, start = malloc(bytes));
    uint8_t* changed = malloc(bytes);
    FUZZ_ENSURE(changed);
    memcpy(changed, start, bytes);
    const size_t count = fuzz_change(changed, bytes, 1, data, size);
    sign_rod(changed, count);
    const bool taken = tw_rod_load(rod, changed, count);
    free(changed);
    for (int i = 0; i < 5 && taken; i++) tw_rod_step(rod);
    FUZZ_ENSURE(tw_rod_load(rod, start, bytes));
    return taken;
}

static bool try_listener(const uint8_t* data, size_t size)
{
    static twListener* listener;
    static uint8_t* start;
    twListenerDef def = tw_listener_def();
    def.farthest = 1;
    def.rate_hz = 8000;
    if (!listener) listener = create(def);
    const size_t bytes = tw_listener_state_bytes(listener);
    if (!start) tw_listener_save(listener, start = malloc(bytes));
    uint8_t* changed = malloc(bytes);
    FUZZ_ENSURE(changed);
    memcpy(changed, start, bytes);
    const size_t count = fuzz_change(changed, bytes, 1, data, size);
    fuzz_seal(changed, count);
    const bool taken = tw_listener_load(listener, changed, count);
    free(changed);
    const Source source = {.position = {0.1, 0.2, 0.3}, .dipole = {1, 0, 0}};
    const twSources sources = view(&source);
    for (int i = 0; i < 20 && taken; i++)
    {
        tw_listener_add(listener, 0, &sources);
        FUZZ_ENSURE(isfinite(tw_listener_step(listener)));
    }
    FUZZ_ENSURE(tw_listener_load(listener, start, bytes));
    return taken;
}

bool fuzz_one(uint8_t* data, size_t size)
{
    if (size == 0) return false;
    return data[0] % 2 ? try_rod(data + 1, size - 1) : try_listener(data + 1, size - 1);
}
