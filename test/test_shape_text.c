// SPDX-License-Identifier: MIT
// The text of shapes: what it means, what is refused, and that whatever is accepted makes a mesh.
#include "shape.h"
#include <locale.h>

// ---- text ----

static int every_shape_works_by_its_name_alone(void)
{
    const char* syntax;
    int count = 0;
    for (; (syntax = tw_shape_syntax(count)); count++)
    {
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)(strchr(syntax, ':') - syntax) + 1, syntax);
        ENSURE(tw_shape_looks_like(text));
        twShape* shape;
        ENSURE(tw_shape_parse(&shape, text, NULL) == TW_OK);
        twTetMesh* tets = NULL;
        ENSURE(tw_shape_tets(&tets, shape, 1, 1, NULL) == TW_OK && tets->tet_count > 0);
        ENSURE(tw_shape_thickness(shape) > 0);
        tw_tets_destroy(tets);
        tw_shape_destroy(shape);
    }
    ENSURE(count == 17);
    ENSURE(!tw_shape_syntax(-1) && !tw_shape_syntax(17));
    return 0;
}

static int the_example_of_every_shape_is_fine(void)
{
    const twShapeKind* kind;
    for (int i = 0; (kind = tw_shape_kind(i)); i++)
    {
        twShape* shape;
        ENSURE(tw_shape_parse(&shape, kind->example, NULL) == TW_OK);
        ENSURE(shape->kind == kind);
        tw_shape_destroy(shape);
    }
    return 0;
}

static int lengths_by_name_are_those_by_order(void)
{
    const twShapeKind* kind;
    for (int i = 0; (kind = tw_shape_kind(i)); i++)
    {
        twShape *a, *b;
        ENSURE(tw_shape_parse(&a, kind->example, NULL) == TW_OK);

        // the names, from last to first, are those of the syntax in small letters
        char text[256];
        int n = snprintf(text, sizeof text, "%s:", kind->name);
        for (int k = kind->count - 1; k >= 0; k--)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s=%.17g%s", kind->length[k].name, a->length[k],
                          k ? "," : "");
        ENSURE(tw_shape_parse(&b, text, NULL) == TW_OK);
        ENSURE(memcmp(a->length, b->length, sizeof a->length) == 0);
        const char* at = strchr(kind->syntax, ':') + 1;
        for (int k = 0; k < kind->count; k++)
        {
            at += *at == '[';
            at += *at == 'x';
            for (const char* name = kind->length[k].name; *name; name++, at++)
                ENSURE((*at | (*at == '_' ? 0 : 32)) == *name);
            ENSURE(*at == 'x' || *at == '[' || *at == ']' || *at == 0);
        }
        tw_shape_destroy(a);
        tw_shape_destroy(b);
    }
    return 0;
}

static int order_and_names_may_be_mixed(void)
{
    twShape* shape;
    ENSURE(tw_shape_parse(&shape, "fork:0.1x0.005x4e-3,stem=0.05", NULL) == TW_OK);
    ENSURE(shape->length[0] == 0.1 && shape->length[2] == 0.004 && shape->length[3] == 0.008 &&
           shape->length[4] == 0.05);
    tw_shape_destroy(shape);
    ENSURE(tw_shape_parse(&shape, "bar:length=0.5", NULL) == TW_OK);
    ENSURE(shape->length[0] == 0.5 && shape->length[1] == 0.0254);
    tw_shape_destroy(shape);
    ENSURE(tw_shape_parse(&shape, "disc:0X2", NULL) == TW_BAD_INPUT);
    ENSURE(tw_shape_parse(&shape, "disc:1X2", NULL) == TW_OK);
    tw_shape_destroy(shape);
    return 0;
}

static int bad_text_is_refused_with_what_would_be_right(void)
{
    ENSURE(refused("sphre:0.1", "'sphre'|did you mean sphere:RADIUS|mug"));
    ENSURE(refused("Plate:1x1x1", "did you mean plate:LENGTHxWIDTHxTHICKNESS"));
    ENSURE(refused("quux:1", "no 'quux'|all shapes: box"));
    ENSURE(refused("", "a name, a colon"));
    ENSURE(refused("bar", "a name, a colon"));
    ENSURE(refused(":1", "a name, a colon"));
    ENSURE(refused("bar:0.3x0.2", "2 lengths, but bar has 3|bar:LENGTHxWIDTHxTHICKNESS|bar:0.3048x0.0254x0.0127"));
    ENSURE(refused("sphere:1x2", "2 lengths, but sphere has 1"));
    ENSURE(refused("mug:0.04", "1 length, but mug has 3 to 6"));
    ENSURE(refused("sphere:0", "'0' m must lie between"));
    ENSURE(refused("sphere:-0.1", "'-0.1' m must lie between"));
    ENSURE(refused("sphere:1e999", "must lie between"));
    ENSURE(refused("sphere:nan", "'nan' is no length of sphere"));
    ENSURE(refused("sphere:0.1m", "'0.1m' is no length|without a unit"));
    ENSURE(refused("box:1x1x", "'' is no length"));
    ENSURE(refused("box:1x x1", "is no length"));
    ENSURE(refused("box:1,1,1", "an x stands between lengths: write box:1x1x1"));
    ENSURE(refused("box:1,1", "1 length, but box has 3"));
    ENSURE(refused("bar:0,3x0,02x0,01", "decimal comma: write bar:0.3x0.02x0.01"));
    ENSURE(refused("sphere:0,05", "decimal comma: write sphere:0.05"));
    ENSURE(refused("fork:0,1x0,005x0,004,stem=0,05", "write fork:0.1x0.005x0.004,stem=0.05"));
    ENSURE(refused("sphere:0.1,", "'' is no length of sphere"));
    ENSURE(refused("tube:0.3x0.01x0.01", "INNER_RADIUS must be less than OUTER_RADIUS"));
    ENSURE(refused("tube:0.3x0.01x0.02", "INNER_RADIUS must be less than OUTER_RADIUS"));
    ENSURE(refused("ring:0.1x0.1x0.2", "THICKNESS|RADIUS"));
    ENSURE(refused("bowl:0.1x0.1", "THICKNESS"));
    ENSURE(refused("bowl:0.1x0.01x0.2", "DEPTH must be at most RADIUS"));
    ENSURE(refused("bell:0.06x0.08x0.03", "THICKNESS|curvature"));
    ENSURE(refused("mug:0.04x0.09x0.03", "THICKNESS"));
    ENSURE(refused("mug:handle=0.05", "HANDLE"));
    ENSURE(refused("mug:breadth=0.05", "BREADTH"));
    ENSURE(refused("mug:reach=0.005,handle=0.002", "BREADTH|REACH"));
    ENSURE(refused("fork:0.1x0.01x0.01x0.01x0.001", "STEM must be at least"));
    ENSURE(refused("fork:stem_width=0.02", "STEM_WIDTH"));
    ENSURE(refused("table:1x1x1x1", "TOP"));
    ENSURE(refused("table:1x1x1x0.1x0.5", "LEG"));
    ENSURE(refused("fork:prong=0.1,prong=0.2", "'prong' is given twice"));
    ENSURE(refused("fork:0.1x0.1x0.1,width=0.2", "'width' is given twice"));
    ENSURE(refused("fork:tines=0.1", "'tines=0.1' is no length of fork|prong=, width="));
    ENSURE(refused("fork:prong=0.1x0.2", "one length"));
    ENSURE(refused("plate:1x1x1e-6", "too thin"));
    return 0;
}

static int only_shapes_look_like_shapes(void)
{
    ENSURE(tw_shape_looks_like("bar:0.3x0.2x0.1") && tw_shape_looks_like("bar:") && tw_shape_looks_like("sphre:1"));
    ENSURE(!tw_shape_looks_like("bar") && !tw_shape_looks_like("bar.obj") && !tw_shape_looks_like("bar/x:1"));
    ENSURE(!tw_shape_looks_like("") && !tw_shape_looks_like(":") && !tw_shape_looks_like("C:\\bowl.obj"));
    ENSURE(!tw_shape_looks_like("http://a/b.obj") && !tw_shape_looks_like("models:1.obj"));
    return 0;
}

static int numbers_do_not_follow_the_locale(void)
{
    // where no such locale is installed this shows nothing
    setlocale(LC_NUMERIC, "de_DE.UTF-8");
    twShape* shape;
    twStatus status = tw_shape_parse(&shape, "sphere:0.5", NULL);
    setlocale(LC_NUMERIC, "C");
    ENSURE(status == TW_OK && shape->length[0] == 0.5);
    tw_shape_destroy(shape);
    return 0;
}

static int any_text_yields_a_shape_or_a_message(void)
{
    static const char letters[] = "0123456789.xX,=-+e:_ab mugforkprng\n\xff";
    static const char* const heads[] = {"", "mug:", "fork:0.1x0.1x0.1,", "table:1x1x1x", "bowl:radius="};
    twRng rng = tw_rng(7);
    int shapes = 0;
    for (int i = 0; i < 20000; i++)
    {
        char text[128];
        size_t n = (size_t)snprintf(text, sizeof text, "%s", heads[tw_rng_next(&rng) % 5]);
        for (size_t more = tw_rng_next(&rng) % 20; more > 0; more--)
            text[n++] = letters[tw_rng_next(&rng) % (sizeof letters - 1)];
        text[n] = 0;
        twError err = {0};
        twShape* shape;
        twStatus status = tw_shape_parse(&shape, text, &err);
        ENSURE(status == TW_OK ? shape != NULL : !shape && strlen(err.text) > 20);
        shapes += status == TW_OK;
        tw_shape_destroy(shape);
    }
    ENSURE(shapes > 10);
    return 0;
}

// random lengths that are accepted must make a whole, unfolded mesh
static int lengths_that_are_accepted_make_a_sound_mesh(void)
{
    twRng rng = tw_rng(11);
    int accepted = 0;
    for (int i = 0; i < 600; i++)
    {
        const twShapeKind* kind = tw_shape_kind(i % 15);
        char text[256];
        const int count = kind->needed + (int)(tw_rng_next(&rng) % (uint64_t)(kind->count - kind->needed + 1));
        int n = snprintf(text, sizeof text, "%s:", kind->name);
        for (int k = 0; k < count; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%.3g", k ? "x" : "",
                          pow(10, tw_rng_between(&rng, -2, 0)));
        twShape* shape;
        if (tw_shape_parse(&shape, text, NULL)) continue;
        accepted++;
        const double thin = tw_shape_thickness(shape), edge = thin * pow(10, tw_rng_between(&rng, 0.5, 1.5));
        twTetMesh* tets;
        twStatus status = tw_shape_tets(&tets, shape, edge, 1 + i % 2, NULL);
        ENSURE(status == TW_OK);
        double least = HUGE_VAL;
        for (int t = 0; t < tets->tet_count; t++) least = fmin(least, tw_tet_least_jacobian(tets, t));
        if (!(least > 0)) printf("%s, edge %g: %g\n", text, edge, least);
        ENSURE(least > 0);
        tw_tets_destroy(tets);
        tw_shape_destroy(shape);
    }
    ENSURE(accepted > 150);
    return 0;
}

static int sizes_from_nanometres_to_millions_of_kilometres_work(void)
{
    const char* const texts[] = {"sphere:1e-9", "sphere:1e9", "bowl:1e-6x1e-9", "mug:5e8x1e9x1e8", "tube:1e5x11x10"};
    const double edges[] = {1e-9, 1e9, 1e-6, 1e9, 1e3};
    for (int i = 0; i < 5; i++)
    {
        twTetMesh* tets = tets_of(texts[i], edges[i], 1);
        ENSURE(tets);
        ENSURE(tw_tets_quality(tets).inverted == 0);
        tw_tets_destroy(tets);
    }
    return 0;
}

static int meshes_too_fine_are_refused(void)
{
    twShape* shape;
    ENSURE(tw_shape_parse(&shape, "sphere:1", NULL) == TW_OK);
    twTetMesh* tets;
    twMesh* mesh;
    twError err = {0};
    const double edges[] = {1e-3, 1e-9, 1e-300};
    for (int i = 0; i < 3; i++)
    {
        ENSURE(tw_shape_tets(&tets, shape, edges[i], 1, &err) == TW_BAD_INPUT && !tets);
        ENSURE(strstr(err.text, "longer edges"));
    }
    ENSURE(tw_shape_surface(&mesh, shape, 1e-5, &err) == TW_BAD_INPUT && !mesh);
    const double wrong[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) ENSURE(tw_shape_tets(&tets, shape, wrong[i], 1, &err) == TW_BAD_INPUT);
    ENSURE(strstr(err.text, "edge"));
    ENSURE(tw_shape_tets(&tets, shape, 1, 0, &err) == TW_BAD_INPUT && strstr(err.text, "1 to 256"));
    ENSURE(tw_shape_tets(&tets, shape, 1, 1000000, &err) == TW_BAD_INPUT && strstr(err.text, "1 to 256"));
    tw_shape_destroy(shape);
    return 0;
}

static int the_page_about_shapes_has_them_all(void)
{
    char* page;
    ENSURE(tw_file_read(&page, NULL, TEST_SOURCE_DIR "/docs/shapes.md", 1 << 20, NULL) == TW_OK);
    const twShapeKind* kind;
    for (int i = 0; (kind = tw_shape_kind(i)); i++)
    {
        if (!strstr(page, kind->syntax) || !strstr(page, kind->example))
            printf("not in docs/shapes.md: %s or %s\n", kind->syntax, kind->example);
        ENSURE(strstr(page, kind->syntax));
        ENSURE(strstr(page, kind->example));
    }
    free(page);
    return 0;
}

// clang-format off
TEST_MAIN(
    RUN(every_shape_works_by_its_name_alone)
    RUN(the_example_of_every_shape_is_fine)
    RUN(lengths_by_name_are_those_by_order)
    RUN(order_and_names_may_be_mixed)
    RUN(bad_text_is_refused_with_what_would_be_right)
    RUN(only_shapes_look_like_shapes)
    RUN(numbers_do_not_follow_the_locale)
    RUN(any_text_yields_a_shape_or_a_message)
    RUN(lengths_that_are_accepted_make_a_sound_mesh)
    RUN(sizes_from_nanometres_to_millions_of_kilometres_work)
    RUN(meshes_too_fine_are_refused)
    RUN(the_page_about_shapes_has_them_all)
)
