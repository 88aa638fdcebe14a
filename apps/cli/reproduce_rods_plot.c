// SPDX-License-Identifier: MIT
// Fig. 8 of Schweickart et al. 2017: spectra of the rectangular rod, struck on its wide and on its narrow side, beside the
// ideal bar.

#include "reproduce_rods.h"

static twStatus spectrum_of(const char* folder, bool thick, twError* err)
{
    enum
    {
        MARKS = 8
    };
    double marks[MARKS];
    const double gyration = (thick ? BAR_WIDTH : BAR_HEIGHT) / sqrt(12);
    for (int j = 0; j < MARKS; j++) marks[j] = bar_hz(j, BAR_LENGTH, sqrt(BAR_YOUNG / BAR_DENSITY), gyration);
    Bar bar = rectangular_bar();
    bar.material = "{density: 2700, young: 68.9e+9, poisson: 0.33, alpha: 2, beta: 2.0e-8}";
    bar.force = thick ? tw_vec3(0, 40, 0) : tw_vec3(0, 0, 40);
    RodSound sound[2] = {{0}};
    twStatus status = TW_OK;
    for (int k = 0; k < 2 && status == TW_OK; k++)
    {
        bar.shear = k == 0;
        status = hear_bar(&sound[k], &bar, 0.4, err);
    }
    if (status == TW_OK)
    {
        const twSpectrumCurve curves[] = {
            {sound[1].samples, sound[1].count, sound[1].rate_hz, "without shear, as the paper"},
            {sound[0].samples, sound[0].count, sound[0].rate_hz, "with shear"}};
        twSpectrumDef def = tw_spectrum_def();
        def.title = thick ? "Fig. 8: rectangular rod struck on its narrow side"
                          : "Fig. 8: rectangular rod struck on its wide side";
        def.min_hz = 200, def.max_hz = 16000;
        def.mark_count = MARKS, def.marks_hz = marks, def.mark_label = "ideal bar";
        char path[4096];
        snprintf(path, sizeof path, "%s/rods-fig8-%s.png", folder, thick ? "narrow" : "wide");
        status = tw_spectrum_save(path, &def, curves, 2, err);
    }
    rod_sound_free(&sound[0]);
    rod_sound_free(&sound[1]);
    return status;
}

twStatus rods_spectra(const char* folder, twError* err)
{
    twStatus status = spectrum_of(folder, false, err);
    if (status == TW_OK) status = spectrum_of(folder, true, err);
    return status;
}
