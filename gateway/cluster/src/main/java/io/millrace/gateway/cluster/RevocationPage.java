package io.millrace.gateway.cluster;

import io.millrace.auth.session.RevocationDecision;
import java.util.List;
import java.util.Optional;

/**
 * Some decisions on revocations, that one member has and another one shall have.
 *
 * @param after of a request: the key after which the response shall go on; empty if it shall have none. Of a response:
 *     the key after which the next one goes on; empty if there are no more
 */
record RevocationPage(List<RevocationDecision> decisions, Optional<String> after) {
    /** The most decisions of a page, which fit into a message. */
    static final int MOST = 1000;

    /** A page that neither has decisions nor asks for any. */
    static final RevocationPage EMPTY = new RevocationPage(List.of(), Optional.empty());
}
