package io.millrace.gateway.fuzz;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What inputs of one kind are thrown at, and what must hold for each of them. Whatever comes, there is an answer, and
 * no 5xx but those that tell a client what it asked for; it takes little time and memory; and no buffer is kept. For
 * one thread.
 */
abstract class FuzzTarget implements Consumer<byte[]> {
    /** What is not served; and what should come from the cache only, which is none here. */
    private static final Set<Integer> EXPECTED = Set.of(501, 504);

    final FuzzedGateway gateway = new FuzzedGateway();
    private final Limits limits = new Limits();
    private final Map<String, Long> outcomes = new TreeMap<>();

    /**
     * Serves what an input spells, and looks at what came of it.
     *
     * @throws AssertionError if something does not hold
     */
    abstract void judge(Input input);

    /**
     * One input.
     *
     * @throws AssertionError if something does not hold
     */
    @Override
    public final void accept(byte[] input) {
        limits.hold(() -> judge(Input.parse(input)));
    }

    /** How many requests ended how: the statuses, and the operations that succeeded. */
    final Map<String, Long> outcomes() {
        return outcomes;
    }

    /** {@code served}, if it is an answer that any request may have. */
    final Served counted(Served served) {
        int status = served.status();
        count("" + status);
        if (status < 300) {
            served.operation().ifPresent(operation -> count(operation.wireName()));
        }
        require((status >= 200 && status < 500) || EXPECTED.contains(status), "status", served);
        boolean named = served.isHead() || served.code().equals(status == 501 ? "NotImplemented" : "GatewayTimeout");
        require(status < 500 || named, "an error of another name", served);
        return served;
    }

    /** Counts how a request ended. */
    final void count(String outcome) {
        outcomes.merge(outcome, 1L, Long::sum);
    }

    /** Texts are made only of what is to be shown: this is asked some ten times for each input. */
    static void require(boolean holds, String what, Object... shown) {
        if (!holds) {
            throw new AssertionError(what + ": " + Arrays.toString(shown));
        }
    }
}
