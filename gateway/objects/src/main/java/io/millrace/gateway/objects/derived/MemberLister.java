package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListPageCollector;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.archive.MemberIndex;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ListResult;
import io.millrace.gateway.objects.read.RequestCacheControl;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Lists the members of the archives of a bucket, in the order of S3: from listings of the archives and their indexes. A
 * listing with the delimiter {@code /} above the archives needs no index.
 */
final class MemberLister {
    /** The most archives that a page scans, once it has an entry: so that clients do not give up waiting. */
    static final int MOST_SCANS = 8;

    /** Sorts after all text that may follow a common prefix. */
    private static final String LAST = Character.toString(Character.MAX_CODE_POINT);

    private final DerivedSettings settings;
    private final String hidden;
    private final BucketView source;
    private final CurrentObjectFinder objects;
    private final ArchiveIndexes indexes;
    private final Function<ObjectRef, Mono<SourceObject>> opener;

    /** @param hidden the prefix of the bucket, which its clients do not see */
    MemberLister(
            DerivedSettings settings,
            String hidden,
            BucketView source,
            CurrentObjectFinder objects,
            ArchiveIndexes indexes,
            Function<ObjectRef, Mono<SourceObject>> opener) {
        this.settings = settings;
        this.hidden = hidden;
        this.source = source;
        this.objects = objects;
        this.indexes = indexes;
        this.opener = opener;
    }

    Mono<ListPage> list(ListRequest request) {
        return Mono.defer(() -> new Walk(request).run());
    }

    /** A listed key or common prefix of the source. */
    private record Entry(String text, boolean isPrefix) {}

    /** The making of one page. Its steps come one after another. */
    private final class Walk {
        private final ListRequest request;
        private final ListPageCollector<ListedObject> page;
        private final ArchiveOrder order = new ArchiveOrder();
        private final String after;

        /** Whether folders above the archives are listed as such, without a look into them. */
        private final boolean listsFolders;

        private @Nullable PageStart next;
        private boolean ended;
        private int scans;

        Walk(ListRequest request) {
            this.request = request;
            this.page = new ListPageCollector<>(request);
            this.after = page.after();
            this.listsFolders = request.delimiter().equals("/") && !page.startsInside();
        }

        Mono<ListPage> run() {
            if (page.isFull()) {
                return Mono.just(made());
            }
            int length = settings.archiveLength(request.prefix());
            if (length > 0) {
                return addMembers(request.prefix().substring(0, length)).then(Mono.fromSupplier(this::made));
            }
            next = start();
            return Flux.defer(this::step).repeat(() -> !ended && !page.isFull()).then(Mono.fromSupplier(this::made));
        }

        private ListPage made() {
            return new ListPage(page.objects(), page.prefixes(), page.next());
        }

        /**
         * Returns where the listing of the source starts: before the shortest archive of which members may follow the
         * last key. Such an archive's key is a beginning of that.
         */
        private PageStart start() {
            String from = after;
            for (int length = Math.max(1, request.prefix().length()); length <= after.length(); length++) {
                boolean mayFollow = length == after.length() || after.charAt(length) <= '/';
                if (mayFollow && settings.isArchive(after.substring(0, length))) {
                    from = before(after.substring(0, length));
                    break;
                }
            }
            String marker = source.markerToBackend(request.prefix(), from);
            return marker.isEmpty() ? new PageStart.FirstKey() : new PageStart.StartAfter(marker);
        }

        /** Returns a text that sorts before a key, and after few keys that do. The suffixes of archives are ASCII. */
        private static String before(String archive) {
            int last = archive.length() - 1;
            return archive.substring(0, last) + (char) (archive.charAt(last) - 1);
        }

        /** Takes one page of the source. */
        private Mono<Void> step() {
            ListRequest listing = new ListRequest(
                    source.backendBucket(),
                    source.toBackend(request.prefix()),
                    listsFolders ? "/" : "",
                    Objects.requireNonNull(next),
                    ListRequest.MAX_KEYS,
                    false);
            return objects.list(source, listing, RequestCacheControl.NONE)
                    .map(ListResult::page)
                    .flatMap(listed -> {
                        next = listed.next().orElse(null);
                        ended = next == null;
                        return Flux.fromIterable(ordered(listed))
                                .concatMap(this::add, 0)
                                .then();
                    });
        }

        /** Returns archives and folders in the order of the keys below them. */
        private List<Entry> ordered(ListPage listed) {
            List<Entry> ready = new ArrayList<>();
            for (Entry entry : entries(listed)) {
                order.before(entry.text()).forEach(archive -> ready.add(new Entry(archive, false)));
                boolean isInArchive = settings.archiveLength(entry.text()) > 0;
                if (entry.isPrefix() && !isInArchive) {
                    ready.add(entry);
                } else if (!isInArchive && settings.isArchive(entry.text())) {
                    order.hold(entry.text());
                }
            }
            if (ended) {
                order.end().forEach(archive -> ready.add(new Entry(archive, false)));
            }
            return ready;
        }

        private List<Entry> entries(ListPage listed) {
            Stream<Entry> keys = listed.objects().stream()
                    .map(object -> new Entry(source.toClient(object.key().value()), false));
            Stream<Entry> prefixes = listed.prefixes().stream().map(prefix -> new Entry(source.toClient(prefix), true));
            return Stream.concat(keys, prefixes)
                    .sorted((one, other) -> ObjectKey.UTF8_ORDER.compare(one.text(), other.text()))
                    .toList();
        }

        private Mono<Void> add(Entry entry) {
            String folder = entry.isPrefix() ? entry.text() : entry.text() + '/';
            boolean isDone = page.isFull() || !page.mayContain(folder) || page.addRolledUp(folder);
            return isDone || entry.isPrefix() ? Mono.empty() : addMembers(entry.text());
        }

        private Mono<Void> addMembers(String archive) {
            return Mono.defer(() -> opener.apply(source.at(new ObjectKey(archive))))
                    .flatMap(opened -> addIndexed(archive, opened))
                    // It was deleted since it was listed.
                    .onErrorResume(
                            BackendException.class,
                            failure -> failure.kind() == FailureKind.NO_SUCH_KEY ? Mono.empty() : Mono.error(failure));
        }

        private Mono<Void> addIndexed(String archive, SourceObject opened) {
            if (indexes.known(opened) == null && ++scans > MOST_SCANS && hasEntries()) {
                page.endBefore(archive + '/');
                return Mono.empty();
            }
            return indexes.of(opened)
                    .doOnNext(index -> collect(archive + '/', opened, index))
                    .onErrorMap(BackendException.class, failure -> ArchiveFailures.named(failure, shown(archive)))
                    .then();
        }

        private String shown(String archive) {
            return archive.startsWith(hidden) ? archive.substring(hidden.length()) : "";
        }

        private boolean hasEntries() {
            return !page.objects().isEmpty() || !page.prefixes().isEmpty();
        }

        private void collect(String folder, SourceObject opened, ArchiveIndex index) {
            MemberIndex members = index.members();
            members.damage().ifPresent(damage -> {
                throw ArchiveFailures.of(damage);
            });
            Instant lastModified = opened.head().lastModified().orElse(Instant.EPOCH);
            int number = members.ceiling(first(folder));
            while (number < members.size() && page.mayContain(folder) && !page.isFull()) {
                String key = folder + members.name(number);
                if (!key.startsWith(request.prefix())) {
                    return;
                }
                page.addKey(key, listed(key, index, number, lastModified));
                number = afterCommonPrefix(folder, key, number, members);
            }
        }

        /** Returns the beginning of the names that may be on the page. */
        private String first(String folder) {
            String prefix = tail(request.prefix(), folder);
            String start = tail(after, folder);
            return ObjectKey.UTF8_ORDER.compare(prefix, start) >= 0 ? prefix : start;
        }

        private static String tail(String text, String folder) {
            return text.startsWith(folder) ? text.substring(folder.length()) : "";
        }

        /** Returns the next member that is not in the common prefix of this one. */
        private int afterCommonPrefix(String folder, String key, int number, MemberIndex members) {
            int at = request.delimiter().isEmpty()
                    ? -1
                    : key.indexOf(request.delimiter(), request.prefix().length());
            int end = at + request.delimiter().length();
            return at < 0 || end <= folder.length()
                    ? number + 1
                    : Math.max(number + 1, members.ceiling(key.substring(folder.length(), end) + LAST));
        }

        private ListedObject listed(String key, ArchiveIndex index, int number, Instant lastModified) {
            return new ListedObject(
                    new ObjectKey(key),
                    index.members().contentSize(number),
                    Optional.of(index.tag(number)),
                    lastModified,
                    "STANDARD",
                    ListedChecksums.NONE,
                    Optional.empty());
        }
    }
}
