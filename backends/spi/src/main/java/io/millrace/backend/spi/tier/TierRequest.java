package io.millrace.backend.spi.tier;

import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The facts about a request that a gateway passes on to the next one. They travel in the subscriber's context, because no backend but a gateway
 * needs them.
 *
 * @param hops the gateways that it has passed, this one included
 * @param revalidate whether content that is cached there must be revalidated
 */
public record TierRequest(GatewayHops hops, boolean revalidate) {
    /** A request that no client sent: of a job, for instance. */
    public static final TierRequest NONE = new TierRequest(GatewayHops.NONE, false);

    /** Returns the facts in a subscriber's context; {@link #NONE} if there are none. */
    public static TierRequest from(ContextView context) {
        return context.<TierRequest>getOrEmpty(TierRequest.class).orElse(NONE);
    }

    /** Returns the context with these facts. */
    public Context writeTo(Context context) {
        return context.put(TierRequest.class, this);
    }

    /** Returns a copy that requires a revalidation if this or {@code strict} does. */
    public TierRequest revalidating(boolean strict) {
        return strict && !revalidate ? new TierRequest(hops, true) : this;
    }
}
