package io.millrace.auth.policy;

import java.net.InetAddress;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a request that conditions of policies can depend on. What costs something is found out when the
 * first condition needs it, and is the same for all of them. For one decision, by one thread.
 */
final class EvaluationContext {
    private final PolicyText.VariableValues caller;
    private final RequestSource source;
    private final RequestParameters parameters;
    private final InstantSource clock;
    private byte @Nullable [] address;
    private @Nullable Instant now;

    EvaluationContext(Principal principal, RequestParameters parameters, InstantSource clock) {
        this.caller = principal.variables();
        this.source = principal.source();
        this.parameters = parameters;
        this.clock = clock;
    }

    PolicyText.VariableValues caller() {
        return caller;
    }

    RequestParameters parameters() {
        return parameters;
    }

    boolean isSecure() {
        return source.isSecure();
    }

    /** Returns the address of the client, as ranges compare it; null if it is unknown. */
    byte @Nullable [] address() {
        InetAddress known = source.address();
        if (address == null && known != null) {
            address = IpRange.bytes(known);
        }
        return address;
    }

    Instant now() {
        Instant time = now;
        if (time == null) {
            time = clock.instant();
            now = time;
        }
        return time;
    }
}
