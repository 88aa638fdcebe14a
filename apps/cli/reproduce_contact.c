// SPDX-License-Identifier: MIT
// twang reproduce contact: Zheng and James 2011, "Toward high-quality modal contact sound", sections 3, 4 and 6: noise of
// contacts, what adaptivity gains, computing times, and what vibrating bodies do that rigid ones do not.

#include "reproduce_contact.h"

twStatus reproduce_contact(CliReport* report, twError* err)
{
    CliProgress progress = cli_progress("contact");
    twStatus status = contact_materials(report, err);
    if (status == TW_OK) status = contact_noise(report, err);
    cli_progress_update(&progress, 0.1);
    if (status == TW_OK) status = contact_motion(report, err);
    cli_progress_update(&progress, 0.3);
    if (status == TW_OK) status = contact_gains(report, err);
    cli_progress_update(&progress, 0.6);
    if (status == TW_OK) status = contact_table(report, err);
    if (report->quick)
        cli_report_skip(report, "the table, the marbles and the contraption, and what single measures gain");
    cli_progress_end(&progress);
    return status;
}
