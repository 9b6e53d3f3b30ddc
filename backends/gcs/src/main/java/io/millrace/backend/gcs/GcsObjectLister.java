package io.millrace.backend.gcs;

import io.millrace.backend.gcs.ObjectListPage.NamedObject;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectLister;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Lists objects in S3's pages. A page begins by {@code startOffset}, which includes it, so what equals the start is
 * dropped here; the server's own page tokens are not used, because they do not say where S3's page ended.
 */
record GcsObjectLister(StorageJsonApi api) implements ObjectLister {
    /** The entries of a page, and whether there are more after them. */
    private record Entries(TreeMap<String, Optional<ObjectDescription>> byName, boolean hasMore) {}

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return Mono.defer(() -> {
            GcsListStart cursor = GcsListStart.of(request);
            if (HiddenObjectPrefix.contains(request.prefix()) || request.maxKeys() == 0) {
                return api.requireBucket(request.bucket())
                        .thenReturn(new ListPage(List.of(), List.of(), Optional.empty()));
            }
            ObjectListQuery first = new ObjectListQuery(
                    request.bucket(),
                    request.prefix(),
                    request.delimiter(),
                    cursor.startOffset(),
                    Math.min(ListRequest.MAX_KEYS, request.maxKeys() + 1),
                    Optional.empty());
            return entries(request, cursor, first).map(found -> page(request, cursor, found));
        });
    }

    /** Asks again while a page has only what is not listed: the start itself, or uploads in progress. */
    private Mono<Entries> entries(ListRequest request, GcsListStart cursor, ObjectListQuery query) {
        return api.list(query)
                .flatMap(received -> visible(request, cursor, received)
                        .flatMap(found -> found.byName().isEmpty() && found.hasMore()
                                ? entries(request, cursor, next(query, received))
                                : Mono.just(found)));
    }

    /**
     * Returns the query after a page with nothing to list: after all hidden objects at once, if it ended among them.
     */
    private static ObjectListQuery next(ObjectListQuery query, ObjectListPage received) {
        boolean endsHidden = received.objects().stream()
                .reduce((first, second) -> second)
                .filter(last -> HiddenObjectPrefix.contains(last.name()))
                .isPresent();
        return endsHidden
                ? query.from(HiddenObjectPrefix.END)
                : query.after(received.token().orElseThrow());
    }

    private Mono<Entries> visible(ListRequest request, GcsListStart cursor, ObjectListPage received) {
        TreeMap<String, Optional<ObjectDescription>> byName = new TreeMap<>(ObjectKey.UTF8_ORDER);
        for (NamedObject object : received.objects()) {
            if (cursor.includes(object.name()) && !HiddenObjectPrefix.contains(object.name())) {
                byName.put(object.name(), Optional.of(object.description()));
            }
        }
        return Flux.fromIterable(received.prefixes())
                .filter(cursor::includesPrefix)
                .filterWhen(prefix -> isVisible(request, cursor, prefix))
                .doOnNext(prefix -> byName.put(prefix, Optional.empty()))
                .then(Mono.fromSupplier(
                        () -> new Entries(byName, received.token().isPresent())));
    }

    /**
     * Returns whether a common prefix is listed. It has an object after the start that is not hidden, which is in doubt
     * only if the start or the hidden objects lie in it.
     */
    private Mono<Boolean> isVisible(ListRequest request, GcsListStart cursor, String prefix) {
        if (HiddenObjectPrefix.contains(prefix)) {
            return Mono.just(false);
        }
        boolean isEntered = cursor.enteredPrefix().filter(prefix::equals).isPresent();
        if (!isEntered && !HiddenObjectPrefix.PREFIX.startsWith(prefix)) {
            return Mono.just(true);
        }
        // The start itself may be the first of two.
        return Flux.just(isEntered ? cursor.after() : "", HiddenObjectPrefix.END)
                .concatMap(start ->
                        api.list(new ObjectListQuery(request.bucket(), prefix, "", start, 2, Optional.empty())))
                .concatMapIterable(ObjectListPage::objects)
                .any(object -> cursor.includes(object.name()) && !HiddenObjectPrefix.contains(object.name()));
    }

    private static ListPage page(ListRequest request, GcsListStart cursor, Entries found) {
        List<ListedObject> objects = new ArrayList<>();
        List<String> prefixes = new ArrayList<>();
        found.byName().entrySet().stream()
                .limit(request.maxKeys())
                .forEach(entry -> entry.getValue()
                        .ifPresentOrElse(
                                object -> objects.add(listed(entry.getKey(), object)),
                                () -> prefixes.add(entry.getKey())));
        boolean hasMore = found.hasMore() || found.byName().size() > request.maxKeys();
        return new ListPage(objects, prefixes, hasMore ? next(request, cursor, found) : Optional.empty());
    }

    private static Optional<PageStart> next(ListRequest request, GcsListStart cursor, Entries found) {
        return found.byName().entrySet().stream()
                .limit(request.maxKeys())
                .reduce((first, second) -> second)
                .map(last -> cursor.nextStart(last.getKey(), last.getValue().isEmpty()));
    }

    private static ListedObject listed(String name, ObjectDescription object) {
        return new ListedObject(
                new ObjectKey(name),
                object.size(),
                Optional.of(object.eTag()),
                object.updated().orElse(Instant.EPOCH),
                object.storageClass().isEmpty() ? "STANDARD" : object.storageClass(),
                checksums(object.checksums()),
                Optional.empty());
    }

    private static ListedChecksums checksums(HeaderList headers) {
        List<String> algorithms = headers.fields().stream()
                .flatMap(field -> ChecksumAlgorithm.ofHeader(field.name()).stream())
                .map(ChecksumAlgorithm::wireName)
                .toList();
        return new ListedChecksums(algorithms, headers.first(UploadChecksumSpec.TYPE_HEADER));
    }
}
