// SPDX-License-Identifier: MIT
// A network declared by messages.
//
//   object NAME MODES...          what it is made of, as in [twang_modal~]: object bell series bar 440 8
//   contact NAME A B              between points, like hammer and bell.2, or wall
//   impact NAME [PARAMETER X]...  friction NAME [PARAMETER X]...  gap NAME X  normal NAME X
//   in I KIND OF, out I KIND OF   what an inlet drives and what an outlet hears
#include "pd_sketch.h"
#include <string.h>

const char* const pd_sketch_selectors[] = {"object", "contact", "impact", "friction", "gap",
                                           "normal", "in",      "out",    "clear",    NULL};

static bool sketch_object(PdObject* x, twSketch* sketch, int argc, const t_atom* argv)
{
    twError err;
    twDraft* draft;
    const char* words[2];
    return pd_words(x, "object", argc, argv, 2, words) &&
           pd_ok(x, tw_sketch_object(sketch, words[0], &draft, &err), &err) &&
           pd_modes_message(x, draft, words[1], argc - 2, argv + 2);
}

static bool sketch_contact(PdObject* x, twSketch* sketch, int argc, const t_atom* argv)
{
    twError err;
    const char* words[3];
    return pd_words(x, "contact", argc, argv, 3, words) &&
           pd_ok(x, tw_sketch_contact(sketch, words[0], words[1], words[2], &err), &err);
}

// impact or friction, with parameters and values in turn
static bool sketch_law(PdObject* x, twSketch* sketch, const char* law, int argc, const t_atom* argv)
{
    enum
    {
        MOST = 16
    };
    twError err;
    const char *contact, *names[MOST];
    double values[MOST];
    int count = 0;
    if (!pd_words(x, law, argc, argv, 1, &contact)) return false;
    if (argc > 1 + 2 * MOST)
    {
        pd_fail(x, "%s takes at most %d parameters at once", law, MOST);
        return false;
    }
    for (int i = 1; i < argc; i += 2, count++)
        if (!pd_words(x, law, argc - i, argv + i, 1, &names[count]) ||
            !pd_number(x, names[count], i + 1 < argc, argv + i + 1, -PD_ANY, PD_ANY, &values[count]))
            return false;
    bool impact = strcmp(law, "impact") == 0;
    return pd_ok(x, (impact ? tw_sketch_impact : tw_sketch_friction)(sketch, contact, names, values, count, &err),
                 &err);
}

// gap or normal of a contact
static bool sketch_number(PdObject* x, twSketch* sketch, const char* what, int argc, const t_atom* argv)
{
    twError err;
    const char* contact;
    double value;
    bool gap = strcmp(what, "gap") == 0;
    return pd_words(x, what, argc, argv, 1, &contact) &&
           pd_number(x, what, argc - 1, argv + 1, -PD_ANY, PD_ANY, &value) &&
           pd_ok(x, (gap ? tw_sketch_gap : tw_sketch_normal)(sketch, contact, value, &err), &err);
}

// in I KIND OF, out I KIND OF; none is of nothing
static bool sketch_port(PdObject* x, twSketch* sketch, bool in, int argc, const t_atom* argv)
{
    twError err;
    int port;
    const char *what = in ? "in" : "out", *words[] = {"", ""};
    bool none = argc == 2 && argv[1].a_type == A_SYMBOL && argv[1].a_w.w_symbol == gensym("none");
    return pd_index(x, what, argc > 0, argv, in ? x->inlets : x->outlets, &port) &&
           pd_words(x, what, argc - 1, argv + 1, none ? 1 : 2, words) &&
           pd_ok(x, (in ? tw_sketch_input : tw_sketch_output)(sketch, port, words[0], words[1], &err), &err);
}

bool pd_sketch_message(PdObject* x, twSketch* sketch, const char* selector, int argc, const t_atom* argv)
{
    if (strcmp(selector, "object") == 0) return sketch_object(x, sketch, argc, argv);
    if (strcmp(selector, "contact") == 0) return sketch_contact(x, sketch, argc, argv);
    if (strcmp(selector, "impact") == 0 || strcmp(selector, "friction") == 0)
        return sketch_law(x, sketch, selector, argc, argv);
    if (strcmp(selector, "gap") == 0 || strcmp(selector, "normal") == 0)
        return sketch_number(x, sketch, selector, argc, argv);
    if (strcmp(selector, "in") == 0 || strcmp(selector, "out") == 0)
        return sketch_port(x, sketch, selector[0] == 'i', argc, argv);
    tw_sketch_clear(sketch);
    return true;
}
