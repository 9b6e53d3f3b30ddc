package io.millrace.cache.fill;

/**
 * The running fetch of blocks that the first request for an uncached object started. A reader that is given it counts
 * what it brings as its own; whether or not anybody reads it, it ends by itself.
 */
public final class OpeningFill {
    private final AdjacentBlockFetch run;

    OpeningFill(AdjacentBlockFetch run) {
        this.run = run;
    }

    AdjacentBlockFetch run() {
        return run;
    }
}
