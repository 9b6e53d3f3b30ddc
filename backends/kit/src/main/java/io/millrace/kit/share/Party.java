package io.millrace.kit.share;

/**
 * The one that a request is counted to, where something is shared: an identity, the clients without one in a network,
 * or the gateway itself.
 *
 * @param kind what it is
 * @param name the identity, or the number of the network; never what a client chose to call itself
 * @param isPaced whether its streams go as fast as a client takes or sends them, and not as fast as the cache does
 */
public record Party(Kind kind, String name, boolean isPaced) {
    /** The kinds of parties. */
    public enum Kind {
        GATEWAY,
        IDENTITY,
        /** The clients in a network of a port that knows no identities. */
        NETWORK,
        /** The clients without an identity, in one of their networks. */
        ANONYMOUS
    }

    private record Group(Kind kind, String name) {}

    /** The gateway itself: jobs, with what they prefetch, and what else no client's request causes. */
    public static final Party GATEWAY = new Party(Kind.GATEWAY, "", false);

    /** Returns the party of an identity. */
    public static Party ofIdentity(String name) {
        return new Party(Kind.IDENTITY, name, true);
    }

    /**
     * Returns the party of the clients in a network of a port that knows no identities.
     *
     * @param network its number, by which all that is counted of clients is counted
     */
    public static Party ofNetwork(long network) {
        return new Party(Kind.NETWORK, Long.toHexString(network), true);
    }

    /** Returns the party of the clients without an identity in a network, as {@link #ofNetwork}. */
    public static Party ofAnonymous(long network) {
        return new Party(Kind.ANONYMOUS, Long.toHexString(network), true);
    }

    /** Returns this party for a request of the cache, which takes what it asked for at its own pace. */
    public Party ofCache() {
        return isPaced ? new Party(kind, name, false) : this;
    }

    /** Returns what is counted together and takes turns with others: all clients without an identity, or this party. */
    public Object group() {
        return new Group(kind, kind == Kind.ANONYMOUS ? "" : name);
    }
}
