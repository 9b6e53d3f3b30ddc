package io.millrace.gateway.app;

import io.millrace.gateway.objects.bucket.ClientBucketNames;
import java.util.function.Supplier;

/** The names of buckets in the settings in force, for meters, messages and the control API. */
final class CurrentBucketNames implements Supplier<ClientBucketNames> {
    private volatile ClientBucketNames names;

    CurrentBucketNames(ClientBucketNames names) {
        this.names = names;
    }

    @Override
    public ClientBucketNames get() {
        return names;
    }

    /** Replaces the names. */
    void set(ClientBucketNames changed) {
        names = changed;
    }
}
