package io.millrace.gateway.fuzz;

/** What {@link FuzzedGateway.FuzzPrincipal#NEIGHBOUR} may do, without the policy under test. */
final class Wall {
    private static final String INSIDE = "in/";

    private Wall() {}

    /**
     * @throws AssertionError if a backend should not have been asked for it
     */
    static void require(FuzzRequest requested) {
        boolean inside = requested.key().startsWith(INSIDE);
        boolean allowed = switch (requested.what()) {
            case READ, SOURCE -> requested.bucket().equals("open") || (inside && isWalled(requested));
            case WRITE -> inside && isWalled(requested);
            case DELETE -> inside && requested.bucket().equals("wall");
            case LIST ->
                requested.bucket().equals("open")
                        || (inside && requested.bucket().equals("wall"));
            case BUCKET -> requested.bucket().equals("open") || isWalled(requested);
        };
        FuzzTarget.require(allowed, "not allowed", requested);
    }

    private static boolean isWalled(FuzzRequest requested) {
        return requested.bucket().equals("wall") || requested.bucket().equals("far");
    }
}
