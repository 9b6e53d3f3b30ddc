package io.millrace.auth.revocation;

/** Kind of credentials that a revocation ends. */
public enum RevocationTarget {
    /** One session, by its access key or as {@code ROLE/NAME}, which are all with that name. */
    SESSION,
    /** The keys of an identity and all that was made with them, until the revocation is lifted. */
    IDENTITY,
    /** All sessions of a role. */
    ROLE,
    /** All sessions, bearer tokens, presigned URLs and jobs; not the keys of identities. */
    ALL
}
