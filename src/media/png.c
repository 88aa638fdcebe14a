// SPDX-License-Identifier: MIT
// PNG pictures through libpng; no other file knows it. No time or software chunk: equal pixels give equal bytes.

#include "media/png.h"

#include "twang/media.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIDE 32768

// libpng must not print; the message travels to the caller
static void on_error(png_structp png, png_const_charp message)
{
    twError* err = png_get_error_ptr(png);
    tw_fail(err, TW_IO_ERROR, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

// all that may jump lives here, with no variable changed after setjmp
static twStatus encode(png_structp png, png_infop info, const uint8_t* rgb, int width, int height)
{
    if (setjmp(png_jmpbuf(png))) return TW_IO_ERROR;
    png_set_compression_level(png, 6);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < height; y++) png_write_row(png, rgb + (size_t)y * (size_t)width * 3);
    png_write_end(png, NULL);
    return TW_OK;
}

// where the bytes go: a file, or memory that grows
typedef struct Sink
{
    FILE* stream;
    uint8_t* bytes;
    size_t count, room;
} Sink;

static void to_sink(png_structp png, png_bytep bytes, size_t n)
{
    Sink* sink = png_get_io_ptr(png);
    if (sink->stream)
    {
        if (fwrite(bytes, 1, n, sink->stream) != n) png_error(png, "write error");
        return;
    }
    if (sink->count + n > sink->room)
    {
        const size_t room = 2 * (sink->count + n) + 4096;
        uint8_t* more = realloc(sink->bytes, room);
        if (!more) png_error(png, "no memory");
        sink->bytes = more;
        sink->room = room;
    }
    memcpy(sink->bytes + sink->count, bytes, n);
    sink->count += n;
}

static void flush(png_structp png) { (void)png; }

static twStatus check_size(const char* name, int width, int height, twError* err)
{
    if (width >= 1 && height >= 1 && width <= MAX_SIDE && height <= MAX_SIDE) return TW_OK;
    return tw_fail(err, TW_BAD_INPUT, "%s: picture of %d x %d pixels is outside 1 to %d", name, width, height,
                   MAX_SIDE);
}

static twStatus write_sink(Sink* sink, const char* name, const uint8_t* rgb, int width, int height, twError* err)
{
    twError inner = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &inner, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    twStatus status = TW_OK;
    if (info) png_set_write_fn(png, sink, to_sink, flush);
    if (!info)
        status = tw_fail(err, TW_NO_MEMORY, "%s: no memory for the picture", name);
    else if (encode(png, info, rgb, width, height) != TW_OK)
        status = tw_fail(err, TW_IO_ERROR, "%s: cannot be written: %s", name, inner.text);
    png_destroy_write_struct(&png, &info);
    return status;
}

twStatus png_encode(uint8_t** bytes, size_t* count, const uint8_t* rgb, int width, int height, twError* err)
{
    Sink sink = {0};
    twStatus status = check_size("PNG", width, height, err);
    if (status == TW_OK) status = write_sink(&sink, "PNG", rgb, width, height, err);
    if (status != TW_OK)
    {
        free(sink.bytes);
        sink = (Sink){0};
    }
    *bytes = sink.bytes;
    *count = sink.count;
    return status;
}

twStatus tw_png_save(const char* path, const uint8_t* rgb, int width, int height, twError* err)
{
    twStatus status = check_size(path, width, height, err);
    if (status != TW_OK) return status;
    twFile* file;
    status = tw_file_create(&file, path, err);
    if (status != TW_OK) return status;
    Sink sink = {.stream = tw_file_stream(file)};
    status = write_sink(&sink, path, rgb, width, height, err);
    if (status == TW_OK) return tw_file_commit(&file, err);
    if (ferror(sink.stream)) status = tw_file_fail(file, err);
    tw_file_abort(&file);
    return status;
}
