package io.millrace.cache.fill;

/**
 * The fill that the opening of an object started. A reader that is given it counts what it brings as its own; whether or not anybody
 * reads it, it ends by itself.
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
