// SPDX-License-Identifier: MIT
// Target: changes to a checkpoint of a recording (.state beside .part) with their checksum made right: what they say, and going on from them.
#define _XOPEN_SOURCE 700
#include "../trace_sample.h"
#include "fuzz.h"

enum
{
    HASH_AT = 16,  // behind magic and version
    HEADER = 136,
    STATE = 4  // bytes of the caller
};

static void sign_state(uint8_t* data, size_t size)
{
    if (size < HEADER + STATE) return;
    memset(data + HASH_AT, 0, sizeof(twHash));
    const size_t contacts = size - HEADER - STATE;
    twHash hash = tw_hash(data, HEADER, (twHash){0, 0});
    hash = tw_hash(data + HEADER, contacts, hash);
    hash = tw_hash(data + HEADER + contacts, STATE, hash);
    memcpy(data + HASH_AT, &hash, sizeof hash);
}

// a recording that was left after its second frame
static void leave_part(void)
{
    twTraceWriter* writer;
    twTraceDef def = sample_def();
    def.resumable = true;
    FUZZ_ENSURE(tw_trace_create(&writer, in_folder("a.twtrace"), &def, NULL) == TW_OK);
    for (int f = 0; f < 2; f++) FUZZ_ENSURE(record_frame_of(writer, f) == TW_OK);
    FUZZ_ENSURE(tw_trace_checkpoint(writer, "abcd", STATE, NULL) == TW_OK);
    tw_trace_leave(&writer);
}

bool fuzz_one(uint8_t* data, size_t size)
{
    static char* start;
    static size_t start_size;
    if (!start)
    {
        leave_part();
        FUZZ_ENSURE(tw_file_read(&start, &start_size, in_folder("a.twtrace.state"), 1 << 20, NULL) == TW_OK);
    }
    uint8_t* changed = malloc(start_size);
    FUZZ_ENSURE(changed);
    memcpy(changed, start, start_size);
    const size_t count = fuzz_change(changed, start_size, 1, data, size);
    sign_state(changed, count);
    fuzz_file("a.twtrace.state", changed, count);
    free(changed);

    twTraceState said;
    twTraceWriter* writer;
    twTraceDef def = sample_def();
    def.resumable = true;
    twError err = {0};
    void* state;
    size_t bytes;
    fuzz_says(tw_trace_state(&said, in_folder("a.twtrace.state"), &err), &err);
    const twStatus status = tw_trace_resume(&writer, in_folder("a.twtrace"), &def, &state, &bytes, &err);
    fuzz_says(status, &err);
    free(state);
    // nothing changes until something is written
    if (writer) tw_trace_leave(&writer);
    return status == TW_OK;
}
