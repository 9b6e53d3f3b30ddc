package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.auth.Right;
import org.springframework.http.HttpStatus;

/** Who may see the gateway as a whole: that names every backend and disk, so no right in some buckets is enough. */
final class Operators {
    private final AccessPolicy policy;

    Operators(AccessPolicy policy) {
        this.policy = policy;
    }

    boolean has(Principal who) {
        return policy.allowsEverywhere(who, Right.ADMIN);
    }

    /**
     * @param what needs it, at the begin of a sentence
     * @throws ApiException 403
     */
    void require(Principal who, String what) {
        if (!has(who)) {
            throw ApiException.of(HttpStatus.FORBIDDEN, what + " takes the right admin on every bucket (admin:*).");
        }
    }
}
