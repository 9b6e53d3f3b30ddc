package io.millrace.cache.fill;

/**
 * The fill that fetches the first bytes of an object of which no metadata was cached. A reader that is given it counts what it
 * brings as its own; whether or not anybody reads it, it ends by itself.
 */
public final class OpeningFill {
    private final FillRun run;

    OpeningFill(FillRun run) {
        this.run = run;
    }

    FillRun run() {
        return run;
    }
}
