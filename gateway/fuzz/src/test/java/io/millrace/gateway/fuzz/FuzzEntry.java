package io.millrace.gateway.fuzz;

import java.util.Optional;

/** Where Jazzer comes in. Its names are Jazzer's. */
public final class FuzzEntry {
    private static Optional<FuzzTarget> target = Optional.empty();

    private FuzzEntry() {}

    /**
     * Chooses.
     *
     * @param args the kind
     */
    public static void fuzzerInitialize(String[] args) {
        target = Optional.of(Kind.of(args[0]).newTarget());
    }

    /** One input. */
    public static void fuzzerTestOneInput(byte[] input) {
        target.orElseThrow().accept(input);
    }

    /** Says how requests ended: a search that is refused at the door finds nothing. */
    public static void fuzzerTearDown() {
        System.out.println("OUTCOMES " + target.orElseThrow().outcomes());
    }
}
