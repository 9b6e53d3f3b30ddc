package io.millrace.loadgen.client;

import java.io.IOException;
import java.time.Duration;

/** Thrown if a request made no progress for too long. */
final class StalledException extends IOException {
    private static final long serialVersionUID = 1L;

    StalledException(Duration limit) {
        super("no byte for " + limit.toSeconds() + " s");
    }
}
