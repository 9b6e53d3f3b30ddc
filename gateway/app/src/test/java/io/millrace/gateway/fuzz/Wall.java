package io.millrace.gateway.fuzz;

/** What {@link FuzzedGateway.FuzzPrincipal#NEIGHBOUR} may do, without the policy under test. */
final class Wall {
    private static final String INSIDE = "in/";

    private Wall() {}

    /**
     * @throws AssertionError if a backend should not have been asked for it
     */
    static void require(FuzzRequest asked) {
        boolean inside = asked.key().startsWith(INSIDE);
        boolean allowed = switch (asked.what()) {
            case READ, SOURCE -> asked.bucket().equals("open") || (inside && isWalled(asked));
            case WRITE -> inside && isWalled(asked);
            case DELETE -> inside && asked.bucket().equals("wall");
            case LIST ->
                asked.bucket().equals("open") || (inside && asked.bucket().equals("wall"));
            case BUCKET -> asked.bucket().equals("open") || isWalled(asked);
        };
        FuzzTarget.require(allowed, "not allowed", asked);
    }

    private static boolean isWalled(FuzzRequest asked) {
        return asked.bucket().equals("wall") || asked.bucket().equals("far");
    }
}
