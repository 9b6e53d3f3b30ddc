package io.millrace.gateway.app;

import io.millrace.gateway.objects.bucket.ClientBucketNames;
import java.util.function.Supplier;

/** The names of buckets in the settings in force, for meters, messages and the control API. */
public final class CurrentBucketNames implements Supplier<ClientBucketNames> {
    private volatile ClientBucketNames names;

    public CurrentBucketNames(ClientBucketNames names) {
        this.names = names;
    }

    @Override
    public ClientBucketNames get() {
        return names;
    }

    /** Replaces the names. */
    public void set(ClientBucketNames changed) {
        names = changed;
    }
}
