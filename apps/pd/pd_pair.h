// SPDX-License-Identifier: MIT
#pragma once
#include "twang/contact.h"
#include "twang_pd.h"

/// @file
/// An exciter against a resonator, as impact, friction, scraping and rolling are: two drafts, one contact, one instrument.

enum
{
    PAIR_INPUTS = 4,
    PAIR_EXTRAS = 6,
    PAIR_BASES = 2,
    PAIR_EXCITER = 0,
    PAIR_RESONATOR = 1
};

typedef struct Pair Pair;

/// What one kind of pair differs in from another.
typedef struct PairKind
{
    bool impact, friction;           ///< laws of the contact
    int input_count;                 ///< and inlets
    twNetInput inputs[PAIR_INPUTS];  ///< of the network
    int extra_count;
    twNetOutput extras[PAIR_EXTRAS];    ///< outlets after those of the pickups
    const char* bases[PAIR_BASES + 1];  ///< messages that set a constant part of an input; NULL ends them
    double away;                        ///< how far off the exciter waits at first [m]; 0: where it touches
    /// n samples of inlets become the network's inputs, with the bases
    void (*fill)(Pair* x, double* const* in, int n);
} PairKind;

struct Pair
{
    PdObject pd;
    const PairKind* kind;
    twDraft *exciter, *resonator;
    twContactDef contact;
    twInstrument* instrument;        ///< NULL while it cannot be built
    int pickups, oversample, modes;  ///< modes: of the resonator, below half the sample rate
    bool fresh;                      ///< the next build starts from silence
    twRamp base[PAIR_BASES];
};

/// A new pair with its defaults: what it is made of comes before, as messages, then the creation arguments.
void* pair_new(t_class* class, const PairKind* kind, size_t size, const char* defaults, int argc, t_atom* argv);
void pair_free(Pair* x);
/// The class, with the messages that all pairs know.
t_class* pair_class(const char* name, t_newmethod make, t_method freeing, size_t size);
void pair_add_impact(t_class* class);    ///< messages of the impact law
void pair_add_friction(t_class* class);  ///< and of the friction law
void pair_later(Pair* x);                ///< build anew when the messages of this instant are all in
twNet* pair_net(Pair* x);                ///< NULL if there is none
bool pair_silenced(Pair* x);  ///< make the silence that reset asked for; false: something fades, it comes later
/// Set a base by its message; for pd_methods().
void pair_base(Pair* x, t_symbol* selector, int argc, t_atom* argv);
