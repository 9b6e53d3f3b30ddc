package io.millrace.cache.metadata;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** The lister of stored entries: it reads one page after another, each on the scan thread. Thread-safe. */
record MetadataLister(MetadataStore store, MetadataThreads threads, MetadataWriter writer) {
    /** The longest a scan waits for its next page. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Returns a page, as {@link MetadataCache#list} does. */
    Mono<List<ObjectMetadata>> list(ObjectPrefix below, Optional<ObjectId> after, int maxEntries) {
        Mono<List<ObjectMetadata>> listed = Mono.create(sink -> {
            try {
                threads.scan(() -> list(below, after, maxEntries, sink));
            } catch (RejectedExecutionException tooMany) {
                sink.error(new MetadataStoreUnavailableException("too many wait for it"));
            }
        });
        return listed.timeout(TIMEOUT, Mono.error(MetadataStoreUnavailableException::new));
    }

    private void list(
            ObjectPrefix below, Optional<ObjectId> after, int maxEntries, MonoSink<List<ObjectMetadata>> sink) {
        try {
            if (after.isEmpty()) {
                // An object that was read before this request is listed.
                writer.awaitQueued();
            }
            sink.success(store.list(below, after, maxEntries));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            sink.error(new MetadataStoreUnavailableException("it is being closed"));
        } catch (IOException e) {
            sink.error(new MetadataStoreUnavailableException(e.toString()));
        } catch (RuntimeException e) {
            sink.error(e);
        }
    }
}
