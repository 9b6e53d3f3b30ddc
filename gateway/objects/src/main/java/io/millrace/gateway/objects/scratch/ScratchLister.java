package io.millrace.gateway.objects.scratch;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListPageCollector;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Lists the objects of a scratch bucket, which are those that a GET finds. What it meets beyond its time, parts of
 * uploads too, is removed.
 */
record ScratchLister(ScratchObjects objects) {
    /** Entries of the metadata store that are read at a time. */
    private static final int STEP = 1000;

    /** Sorts behind nearly all that follows a common prefix. */
    private static final String LAST = Character.toString(Character.MAX_CODE_POINT);

    Mono<ListPage> list(ListRequest request) {
        return Mono.defer(() -> {
            objects.requireBucket(request.bucket());
            ListPageCollector<ListedObject> page = new ListPageCollector<>(request);
            return new Walk(request, page).run().then(Mono.fromSupplier(() -> result(page)));
        });
    }

    private static ListPage result(ListPageCollector<ListedObject> page) {
        return new ListPage(page.objects(), page.prefixes(), page.next());
    }

    /** The way through the entries for one page. */
    private final class Walk {
        private final ListRequest request;
        private final ListPageCollector<ListedObject> page;
        private final ObjectPrefix below;

        Walk(ListRequest request, ListPageCollector<ListedObject> page) {
            this.request = request;
            this.page = page;
            this.below = new ObjectPrefix(objects.backendName(), request.bucket(), request.prefix());
        }

        Mono<Void> run() {
            boolean isAfterAll = !page.after().startsWith(request.prefix())
                    && ObjectKey.UTF8_ORDER.compare(page.after(), request.prefix()) > 0;
            if (page.isFull() || isAfterAll) {
                return Mono.empty();
            }
            Optional<ObjectId> first = page.after().startsWith(request.prefix())
                    ? afterPrefix(page.after()).or(() -> position(page.after()))
                    : Optional.empty();
            return step(first)
                    .expand(found -> page.isFull() || found.size() < STEP ? Mono.empty() : step(next(found)))
                    .then();
        }

        private Mono<List<ObjectMetadata>> step(Optional<ObjectId> after) {
            return objects.store().list(below, after, STEP).doOnNext(found -> {
                objects.removeOld(found);
                found.forEach(this::add);
            });
        }

        private void add(ObjectMetadata entry) {
            if (page.isFull() || entry.id().versionId().isPresent()) {
                return;
            }
            if (objects.isInTime(entry) && objects.store().isWhole(entry)) {
                page.addKey(entry.id().object().key().value(), listed(entry));
            }
        }

        /** Returns the position behind a common prefix of which the page shows nothing more; empty if it may. */
        private Optional<ObjectId> afterPrefix(String key) {
            String delimiter = request.delimiter();
            int at = delimiter.isEmpty()
                    ? -1
                    : key.indexOf(delimiter, request.prefix().length());
            if (at < 0) {
                return Optional.empty();
            }
            String prefix = key.substring(0, at + delimiter.length());
            return page.mayContain(prefix) || ObjectKey.UTF8_ORDER.compare(key, prefix + LAST) >= 0
                    ? Optional.empty()
                    : position(prefix + LAST);
        }

        private Optional<ObjectId> next(List<ObjectMetadata> found) {
            ObjectId last = found.get(found.size() - 1).id();
            return afterPrefix(last.object().key().value()).or(() -> Optional.of(last));
        }

        /** Returns a position in the order of keys; empty for a text that no key can be. */
        private Optional<ObjectId> position(String text) {
            return objects.named(text).map(objects::id);
        }
    }

    private static ListedObject listed(ObjectMetadata entry) {
        return new ListedObject(
                entry.id().object().key(),
                entry.size(),
                entry.head().eTag(),
                entry.head().lastModified().orElseThrow(),
                "STANDARD",
                ListedChecksums.of(entry.head().headers()),
                Optional.empty());
    }
}
