package io.millrace.auth.session;

/** Kind of credentials that a revocation ends. With a session those end that were assumed by it. */
public enum RevocationTarget {
    /** One session, by its access key or as {@code ROLE/NAME}, which are all with that name. */
    SESSION,
    /**
     * The keys of an identity and all that was made with them, until the revocation is lifted; {@link #SESSIONS_OF}
     * then remains.
     */
    IDENTITY,
    /**
     * All sessions, tokens, URLs and jobs that go back to an identity, but not its keys. It remains of a revocation of
     * the identity that was lifted, so that what was made with leaked keys does not come back.
     */
    SESSIONS_OF,
    /** All sessions of a role. */
    ROLE,
    /** All sessions, bearer tokens, presigned URLs and jobs; not the keys of identities. */
    ALL
}
