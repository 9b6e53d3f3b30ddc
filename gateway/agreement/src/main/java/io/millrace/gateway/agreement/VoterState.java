package io.millrace.gateway.agreement;

/** The part of a voter, as its folder has it. Voters tell each other before one of them founds the map. */
enum VoterState {
    /** It has nothing: it is new, or has lost its disk, and cannot know which. */
    EMPTY,
    /** It has begun when all had nothing, and has seen no entry of the log yet. */
    FOUNDING,
    /** It had lost what it knew, is no voter for the others, and is filled by them. */
    JOINING,
    /** It votes. */
    VOTING
}
