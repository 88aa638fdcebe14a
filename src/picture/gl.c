// SPDX-License-Identifier: MIT
// Drawing through EGL and GLES 3; no other file knows them.
//
// A picture takes three passes: depth seen from the light; where that map is covered, coarsely, for the shadow on the floor;
// and the things themselves, multisampled over nothing, then averaged to one colour and coverage per pixel. What is left
// (backdrop, floor) needs no triangles: Mesa's software renderer would be slower at it than plain C.

#include "picture/gl.h"
#include "picture/gl_shader.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <stdlib.h>
#include <string.h>

#define COARSE 4  // texels of the shadow map to one of the floor's shadow, each way

typedef struct Part
{
    GLuint array, vertices, faces;
    int vertex_count, face_count;
    twLook look;
    float radius;
    bool casts_shadow, in_front, fine;
} Part;

// a program and where its arguments are
typedef struct Program
{
    GLuint id;
    GLint clip, shadow, eye, light, pixel, radius, texel, colour, finish, shaded, unit;
} Program;

// somewhere to draw: a texture or a multisampled buffer
typedef struct Target
{
    GLuint frame, texture, colour, depth;
    int width, height;
} Target;

struct Gl
{
    EGLDisplay display;
    EGLContext context;
    int width, height, samples;
    GlView view;
    Program surface, fine, shadow, cover;
    Target map, things, flat, coarse;
    GLuint nothing;
    int part_count;
    Part* parts;
    char renderer[128];
};

// ---- EGL ----

static twStatus fail_egl(twError* err, const char* what)
{
    return tw_fail(err, TW_IO_ERROR,
                   "pictures cannot be drawn: %s (EGL error 0x%04x); Mesa's EGL and drivers serve machines without a "
                   "screen or graphics card (Debian packages libegl1 and libgl1-mesa-dri)",
                   what, (unsigned)eglGetError());
}

// a display that needs no window, or the default one
static EGLDisplay open_display(void)
{
    const char* known = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = NULL;
    if (known && strstr(known, "EGL_MESA_platform_surfaceless"))
        get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    return display != EGL_NO_DISPLAY ? display : eglGetDisplay(EGL_DEFAULT_DISPLAY);
}

static twStatus open_context(Gl* gl, twError* err)
{
    gl->display = open_display();
    if (gl->display == EGL_NO_DISPLAY) return fail_egl(err, "there is no EGL display");
    if (!eglInitialize(gl->display, NULL, NULL)) return fail_egl(err, "the EGL display does not start");
    const EGLint config_wish[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE};
    const EGLint context_wish[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglBindAPI(EGL_OPENGL_ES_API) || !eglChooseConfig(gl->display, config_wish, &config, 1, &count) || count < 1)
        return fail_egl(err, "EGL offers no OpenGL ES 3");
    gl->context = eglCreateContext(gl->display, config, EGL_NO_CONTEXT, context_wish);
    if (gl->context == EGL_NO_CONTEXT) return fail_egl(err, "EGL makes no context of OpenGL ES 3");
    if (!eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl->context))
        return fail_egl(err, "EGL needs a window");
    const char* name = (const char*)glGetString(GL_RENDERER);
    snprintf(gl->renderer, sizeof gl->renderer, "%s", name ? name : "unknown");
    return TW_OK;
}

// ---- programs ----

static GLuint compile(GLenum kind, const char* const* pieces, twError* err)
{
    GLsizei count = 0;
    while (pieces[count]) count++;
    GLuint shader = glCreateShader(kind);
    GLint good = 0;
    glShaderSource(shader, count, pieces, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good) return shader;
    char log[512] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    glDeleteShader(shader);
    tw_fail(err, TW_IO_ERROR, "pictures cannot be drawn: the driver rejects a shader: %s", log);
    return 0;
}

static void find_arguments(Program* p)
{
    struct
    {
        GLint* place;
        const char* name;
    } all[] = {
        {&p->clip, "clip"},     {&p->shadow, "shadow"}, {&p->eye, "eye"},     {&p->light, "light"},
        {&p->pixel, "pixel"},   {&p->radius, "radius"}, {&p->texel, "texel"}, {&p->colour, "colour"},
        {&p->finish, "finish"}, {&p->shaded, "shaded"}, {&p->unit, "unit"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) *all[k].place = glGetUniformLocation(p->id, all[k].name);
}

static twStatus make_program(Program* out, const char* const* vertex, const char* const* pixel, twError* err)
{
    GLuint first = compile(GL_VERTEX_SHADER, vertex, err);
    GLuint second = first ? compile(GL_FRAGMENT_SHADER, pixel, err) : 0;
    GLint good = 0;
    if (second)
    {
        out->id = glCreateProgram();
        glAttachShader(out->id, first);
        glAttachShader(out->id, second);
        glLinkProgram(out->id);
        glGetProgramiv(out->id, GL_LINK_STATUS, &good);
        if (!good) tw_fail(err, TW_IO_ERROR, "pictures cannot be drawn: the driver links no program");
    }
    if (first) glDeleteShader(first);
    if (second) glDeleteShader(second);
    if (!good) return TW_IO_ERROR;
    find_arguments(out);
    return TW_OK;
}

static twStatus make_programs(Gl* gl, twError* err)
{
    struct
    {
        Program* out;
        const char *const *vertex, *const *pixel;
    } all[] = {
        {&gl->surface, gl_surface_vertex, gl_surface_pixel},
        {&gl->fine, gl_fine_vertex, gl_fine_pixel},
        {&gl->shadow, gl_shadow_vertex, gl_shadow_pixel},
        {&gl->cover, gl_screen_vertex, gl_cover_pixel},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (make_program(all[k].out, all[k].vertex, all[k].pixel, err) != TW_OK) return TW_IO_ERROR;
    return TW_OK;
}

// ---- where to draw ----

static GLuint make_texture(int width, int height, GLenum format, GLint filter)
{
    GLuint id;
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D, id);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return id;
}

static Target start_target(int width, int height)
{
    Target t = {.width = width, .height = height};
    glGenFramebuffers(1, &t.frame);
    glBindFramebuffer(GL_FRAMEBUFFER, t.frame);
    return t;
}

static bool is_whole(void) { return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE; }

static bool colour_target(Target* out, int width, int height, GLenum format, GLint filter)
{
    *out = start_target(width, height);
    out->texture = make_texture(width, height, format, filter);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, out->texture, 0);
    return is_whole();
}

static bool shadow_target(Target* out, int width, int height)
{
    *out = start_target(width, height);
    out->texture = make_texture(width, height, GL_DEPTH_COMPONENT16, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, out->texture, 0);
    return is_whole();
}

static GLuint make_buffer(GLenum place, int width, int height, int samples, GLenum format)
{
    GLuint id;
    glGenRenderbuffers(1, &id);
    glBindRenderbuffer(GL_RENDERBUFFER, id);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, place, GL_RENDERBUFFER, id);
    return id;
}

static bool things_target(Gl* gl)
{
    Target* t = &gl->things;
    *t = start_target(gl->width, gl->height);
    t->colour = make_buffer(GL_COLOR_ATTACHMENT0, gl->width, gl->height, gl->samples, GL_RGBA8);
    t->depth = make_buffer(GL_DEPTH_ATTACHMENT, gl->width, gl->height, gl->samples, GL_DEPTH_COMPONENT24);
    return is_whole();
}

static bool flat_target(Gl* gl)
{
    Target* t = &gl->flat;
    bool good = colour_target(t, gl->width, gl->height, GL_RGBA8, GL_NEAREST);
    if (gl->samples == 0) t->depth = make_buffer(GL_DEPTH_ATTACHMENT, gl->width, gl->height, 0, GL_DEPTH_COMPONENT24);
    return good && is_whole();
}

static twStatus make_targets(Gl* gl, int samples, twError* err)
{
    GLint most = 1, side = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &side);
    if (gl->width > side || gl->height > side)
        return tw_fail(err, TW_BAD_INPUT, "pictures of %d x %d pixels cannot be drawn; the driver allows %d each way",
                       gl->width, gl->height, (int)side);
    gl->samples = samples <= 1 ? 0 : samples > most ? most : samples;
    bool good = gl->samples == 0 || things_target(gl);
    const int* map = gl->view.shadow_size;
    good = good && shadow_target(&gl->map, map[0], map[1]);
    good = good && flat_target(gl) && colour_target(&gl->coarse, map[0] / COARSE, map[1] / COARSE, GL_R8, GL_NEAREST);
    if (good && glGetError() == GL_NO_ERROR) return TW_OK;
    return tw_fail(err, TW_IO_ERROR, "pictures cannot be drawn: the driver has no room for %d x %d pixels, %d samples",
                   gl->width, gl->height, gl->samples);
}

static void drop_target(Target* t)
{
    glDeleteFramebuffers(1, &t->frame);
    glDeleteTextures(1, &t->texture);
    glDeleteRenderbuffers(1, &t->colour);
    glDeleteRenderbuffers(1, &t->depth);
}

// ---- what to draw ----

static void make_part(Part* out, const GlPart* def)
{
    *out = (Part){.vertex_count = def->vertex_count,
                  .look = def->look,
                  .radius = def->radius,
                  .casts_shadow = def->casts_shadow,
                  .in_front = def->in_front,
                  .fine = def->fine};
    glGenVertexArrays(1, &out->array);
    glBindVertexArray(out->array);
    glGenBuffers(1, &out->vertices);
    glGenBuffers(1, &out->faces);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, out->faces);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)sizeof(twTriangle) * def->face_count, def->faces, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, out->vertices);
    const intptr_t half = (intptr_t)sizeof(float) * 3 * def->vertex_count;
    glBufferData(GL_ARRAY_BUFFER, 2 * half, NULL, GL_STREAM_DRAW);
    for (GLuint k = 0; k < 2; k++)
    {
        glEnableVertexAttribArray(k);
        glVertexAttribPointer(k, 3, GL_FLOAT, GL_FALSE, 0, (const void*)(intptr_t)(k * half));
    }
}

// arguments that never change
static void set_view(Gl* gl)
{
    const GlView* v = &gl->view;
    const Program* lit[2] = {&gl->surface, &gl->fine};
    for (int k = 0; k < 2; k++)
    {
        glUseProgram(lit[k]->id);
        glUniformMatrix4fv(lit[k]->clip, 1, GL_FALSE, v->clip);
        glUniformMatrix4fv(lit[k]->shadow, 1, GL_FALSE, v->shadow);
        glUniform3fv(lit[k]->eye, 1, v->eye);
        glUniform3fv(lit[k]->light, 1, v->light);
        glUniform1f(lit[k]->pixel, v->pixel);
        glUniform1f(lit[k]->texel, v->shadow_texel);
        glUniform2f(lit[k]->unit, 1 / (float)gl->map.width, 1 / (float)gl->map.height);
    }
    glUseProgram(gl->shadow.id);
    glUniformMatrix4fv(gl->shadow.shadow, 1, GL_FALSE, v->shadow);
    glUniform1f(gl->shadow.texel, v->shadow_texel);
    glUseProgram(gl->cover.id);
    glUniform2f(gl->cover.unit, 1 / (float)gl->map.width, 1 / (float)gl->map.height);
}

twStatus gl_create(Gl** out, const GlDef* def, twError* err)
{
    *out = NULL;
    Gl* gl = calloc(1, sizeof *gl);
    Part* parts = calloc((size_t)def->part_count + 1, sizeof *parts);
    if (!gl || !parts)
    {
        free(gl);
        free(parts);
        return tw_fail(err, TW_NO_MEMORY, "no memory to draw pictures");
    }
    gl->parts = parts;
    gl->width = def->width;
    gl->height = def->height;
    gl->view = def->view;
    twStatus status = open_context(gl, err);
    if (status == TW_OK) status = make_programs(gl, err);
    if (status == TW_OK) status = make_targets(gl, def->samples, err);
    if (status == TW_OK)
    {
        for (; gl->part_count < def->part_count; gl->part_count++)
            make_part(&gl->parts[gl->part_count], &def->parts[gl->part_count]);
        glGenVertexArrays(1, &gl->nothing);
        set_view(gl);
        if (glGetError() != GL_NO_ERROR) status = tw_fail(err, TW_NO_MEMORY, "no memory to draw pictures");
    }
    if (status == TW_OK)
        *out = gl;
    else
        gl_destroy(gl);
    return status;
}

void gl_destroy(Gl* gl)
{
    if (!gl) return;
    if (gl->context != EGL_NO_CONTEXT)
    {
        for (int k = 0; k < gl->part_count; k++)
        {
            glDeleteVertexArrays(1, &gl->parts[k].array);
            glDeleteBuffers(1, &gl->parts[k].vertices);
            glDeleteBuffers(1, &gl->parts[k].faces);
        }
        Target* targets[] = {&gl->map, &gl->things, &gl->flat, &gl->coarse};
        for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) drop_target(targets[k]);
        const Program* programs[] = {&gl->surface, &gl->fine, &gl->shadow, &gl->cover};
        for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) glDeleteProgram(programs[k]->id);
        glDeleteVertexArrays(1, &gl->nothing);
        eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(gl->display, gl->context);
    }
    // the display is the whole process's: others may use it, so it stays open
    free(gl->parts);
    free(gl);
}

const char* gl_renderer(const Gl* gl) { return gl->renderer; }
int gl_samples(const Gl* gl) { return gl->samples > 1 ? gl->samples : 1; }

// ---- a picture ----

void gl_vertices(Gl* gl, int part, const float* positions, const float* normals, int face_count)
{
    Part* p = &gl->parts[part];
    p->face_count = face_count;
    const GLsizeiptr half = (GLsizeiptr)sizeof(float) * 3 * p->vertex_count;
    glBindBuffer(GL_ARRAY_BUFFER, p->vertices);
    glBufferData(GL_ARRAY_BUFFER, 2 * half, NULL, GL_STREAM_DRAW);
    glBufferSubData(GL_ARRAY_BUFFER, 0, half, positions);
    glBufferSubData(GL_ARRAY_BUFFER, half, half, normals);
}

static void aim(const Target* t)
{
    glBindFramebuffer(GL_FRAMEBUFFER, t->frame);
    glViewport(0, 0, t->width, t->height);
}

static void draw_part(const Part* p)
{
    glBindVertexArray(p->array);
    glDrawElements(GL_TRIANGLES, 3 * p->face_count, GL_UNSIGNED_INT, NULL);
}

static void draw_map(Gl* gl)
{
    aim(&gl->map);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(gl->shadow.id);
    for (int k = 0; k < gl->part_count; k++)
    {
        if (!gl->parts[k].casts_shadow) continue;
        glUniform1f(gl->shadow.radius, gl->parts[k].radius);
        draw_part(&gl->parts[k]);
    }
}

// where the map is covered, coarsely
static void draw_cover(Gl* gl)
{
    aim(&gl->coarse);
    glUseProgram(gl->cover.id);
    glBindTexture(GL_TEXTURE_2D, gl->map.texture);
    glBindVertexArray(gl->nothing);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_things(Gl* gl)
{
    aim(gl->samples ? &gl->things : &gl->flat);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glBindTexture(GL_TEXTURE_2D, gl->map.texture);
    for (int k = 0; k < gl->part_count; k++)
    {
        const Part* p = &gl->parts[k];
        const Program* program = p->fine ? &gl->fine : &gl->surface;
        if (p->in_front) glClear(GL_DEPTH_BUFFER_BIT);
        glUseProgram(program->id);
        glUniform1f(program->radius, p->radius);
        glUniform3fv(program->colour, 1, p->look.colour);
        glUniform2f(program->finish, p->look.metallic, p->look.roughness);
        glUniform1f(program->shaded, p->casts_shadow);
        draw_part(p);
    }
    if (gl->samples == 0) return;
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, gl->flat.frame);
    glBlitFramebuffer(0, 0, gl->width, gl->height, 0, 0, gl->width, gl->height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

void gl_draw(Gl* gl)
{
    glEnable(GL_CULL_FACE);
    glEnable(GL_DEPTH_TEST);
    draw_map(gl);
    draw_things(gl);
    glDisable(GL_DEPTH_TEST);
    draw_cover(gl);
    glFlush();
}

void gl_cover_size(const Gl* gl, int size[2])
{
    size[0] = gl->coarse.width;
    size[1] = gl->coarse.height;
}

void gl_wait(Gl* gl)
{
    (void)gl;
    glFinish();
}

twStatus gl_read(Gl* gl, uint8_t* rgba, uint8_t* cover, twError* err)
{
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glBindFramebuffer(GL_FRAMEBUFFER, gl->flat.frame);
    glReadPixels(0, 0, gl->width, gl->height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    glBindFramebuffer(GL_FRAMEBUFFER, gl->coarse.frame);
    glReadPixels(0, 0, gl->coarse.width, gl->coarse.height, GL_RED, GL_UNSIGNED_BYTE, cover);
    const GLenum code = glGetError();
    if (code == GL_NO_ERROR) return TW_OK;
    return tw_fail(err, TW_IO_ERROR, "a picture could not be drawn (OpenGL error 0x%04x)", (unsigned)code);
}
