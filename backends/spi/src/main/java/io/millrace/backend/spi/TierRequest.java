package io.millrace.backend.spi;

import io.millrace.kit.share.Party;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The facts about a request that its requests to backends carry: what a gateway passes on to the next one, and who is
 * counted. They travel in the subscriber's context, because few decorators and backends need them.
 *
 * @param hops the gateways that it has passed, this one included
 * @param revalidate whether content that is cached there must be revalidated
 * @param party the one that it is counted to
 */
public record TierRequest(GatewayHops hops, boolean revalidate, Party party) {
    /** A request that no client sent: of a job, for instance. */
    public static final TierRequest NONE = new TierRequest(GatewayHops.NONE, false, Party.GATEWAY);

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
        return strict && !revalidate ? new TierRequest(hops, true, party) : this;
    }

    /** Returns a copy for a request of the cache, whose stream goes at its own pace. */
    public TierRequest ofCache() {
        return party.isPaced() ? new TierRequest(hops, revalidate, party.ofCache()) : this;
    }
}
