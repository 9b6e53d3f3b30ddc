package io.millrace.gateway.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Cuts bodies into the pieces that a network might make of them. */
final class Cuts {
    /** Many enough to be cut everywhere, and few enough for millions of inputs. */
    private static final int MOST_PIECES = 2_000;

    private Cuts() {}

    /** The pieces, none of them empty: byte by byte, at few places, or at many; the same for the same text. */
    static List<String> of(String body) {
        Random random = new Random(body.hashCode());
        int shortest = 1 + body.length() / MOST_PIECES;
        int longest =
                List.of(shortest, 9 * shortest, 5000, 1 + body.length() / 2).get(random.nextInt(4));
        List<String> pieces = new ArrayList<>();
        int at = 0;
        while (at < body.length()) {
            int next = Math.min(body.length(), at + 1 + random.nextInt(longest));
            pieces.add(body.substring(at, next));
            at = next;
        }
        return pieces;
    }
}
