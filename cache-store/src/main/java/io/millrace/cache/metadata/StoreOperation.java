package io.millrace.cache.metadata;

import java.io.IOException;
import java.util.function.Consumer;

/** An operation on the metadata store, or on what stands in for it. */
@FunctionalInterface
interface StoreOperation {
    void run() throws IOException;

    /** Runs it, and calls one of the two, whatever happens: somebody waits, and may hold what others wait for. */
    default void run(Runnable done, Consumer<Throwable> failed) {
        try {
            run();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            failed.accept(e);
            return;
        }
        done.run();
    }
}
