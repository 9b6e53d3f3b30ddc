package io.millrace.backend.azure;

import io.millrace.backend.azure.BlobListParser.BlobEntry;
import io.millrace.backend.azure.BlobListParser.BlobPage;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectLister;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Lists objects: List Blobs. The service can begin only where one of its own pages ended, so a listing after a name
 * passes over what comes before, {@value #WINDOW} entries a request. Names that UTF-8 and UTF-16 order differently are
 * sorted within as many. A delimiter of several characters is evaluated here, because not every server does. Text that
 * no name has is never sent: Azurite would repeat it in a document that no parser takes.
 */
final class BlobLister implements ObjectLister {
    /** Bounded by the number of elements that a document may have. */
    static final int WINDOW = 2000;

    private final BlobClient client;
    private final ListMarkerCache markers = new ListMarkerCache(System::nanoTime);

    BlobLister(BlobClient client) {
        this.client = client;
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        BlobRequestContext context =
                BlobRequestContext.query("list of container " + request.bucket(), FailureKind.NO_SUCH_BUCKET);
        return Mono.defer(() -> {
                    BlobNameRules.requireContainer(request.bucket());
                    return request.maxKeys() == 0 || !BlobNameRules.mayBePart(request.prefix())
                            ? empty(request.bucket())
                            : new PageCollector(request).collect();
                })
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    /** Returns whether a container has no blob of a client. */
    Mono<Boolean> isEmpty(BucketName bucket) {
        return Mono.defer(() -> {
                    BlobNameRules.requireContainer(bucket);
                    return anyAfter(bucket, "", "");
                })
                .map(any -> !any);
    }

    /** Returns a page without keys, if there is the container. */
    private Mono<ListPage> empty(BucketName bucket) {
        ListRequest any = new ListRequest(bucket, "", "", new PageStart.FirstKey(), 1, false);
        return fetch(any, "", 1).thenReturn(new ListPage(List.of(), List.of(), Optional.empty()));
    }

    /** Returns whether there is a key with this prefix after a text. */
    private Mono<Boolean> anyAfter(BucketName bucket, String prefix, String text) {
        ListRequest first = new ListRequest(bucket, prefix, "", new PageStart.StartAfter(text), 1, false);
        return new PageCollector(first).collect().map(page -> !page.objects().isEmpty());
    }

    private Mono<BlobPage> fetch(ListRequest request, String marker, int entries) {
        BlobRequest list = BlobRequest.to("GET", request.bucket())
                .with("comp", "list")
                .withNonEmpty("prefix", request.prefix())
                .withNonEmpty("delimiter", isFoldedHere(request) ? "" : request.delimiter())
                .withNonEmpty("marker", marker)
                .with("maxresults", String.valueOf(entries));
        return client.exchange(list).map(BlobListParser::read);
    }

    /**
     * Collects one page from as many pages of the service as it takes. Used by one subscriber, one signal after
     * another.
     */
    private final class PageCollector {
        private final ListRequest request;
        private final List<ListedObject> objects = new ArrayList<>();
        private final List<String> prefixes = new ArrayList<>();

        /** The text of the request after which the listing begins. */
        private final String startAfter;

        private BlobListPosition position;
        private String last = "";

        PageCollector(ListRequest request) {
            this.request = request;
            Optional<BlobListPosition> remembered = request.start() instanceof PageStart.Marker marker
                    ? markers.take(request, marker.text())
                    : Optional.empty();
            this.startAfter = remembered.isPresent() ? "" : startAfter(request.start());
            this.position = remembered.orElseGet(() -> request.start() instanceof PageStart.ContinuationToken token
                    ? BlobListPosition.ofToken(token.token())
                    : BlobListPosition.START);
        }

        Mono<ListPage> collect() {
            return Mono.defer(this::step).repeatWhenEmpty(again -> again);
        }

        /** Adds one page of the service; empty if another is needed. */
        private Mono<ListPage> step() {
            int wanted = request.maxKeys() - size();
            boolean wide = position.isInside() || !startAfter.isEmpty() || isFoldedHere(request);
            return fetch(request, position.marker(), wide ? WINDOW : wanted)
                    .flatMap(page -> !wide && page.hasAmbiguousOrder()
                            ? fetch(request, position.marker(), WINDOW)
                            : Mono.just(page))
                    .flatMap(this::add);
        }

        private Mono<ListPage> add(BlobPage page) {
            List<BlobEntry> folded = isFoldedHere(request) ? fold(page.entries()) : page.entries();
            return Flux.fromIterable(folded)
                    .filter(entry -> !entry.name().equals(last))
                    .filter(entry -> ObjectKey.UTF8_ORDER.compare(entry.name(), position.after()) > 0)
                    .concatMap(entry -> isListed(entry).filter(listed -> listed).map(listed -> entry))
                    .take(request.maxKeys() - size() + 1L)
                    .collectList()
                    .flatMap(entries -> next(page, entries));
        }

        /** Replaces the keys of each common prefix by the prefix. */
        private List<BlobEntry> fold(List<BlobEntry> entries) {
            List<BlobEntry> folded = new ArrayList<>();
            String group = "";
            for (BlobEntry entry : entries) {
                String key = entry.name();
                boolean listed = !key.startsWith(BlobNameRules.HIDDEN)
                        && (isByMarker() || ObjectKey.UTF8_ORDER.compare(key, startAfter) > 0);
                int at = key.indexOf(request.delimiter(), request.prefix().length());
                String prefix =
                        at < 0 ? "" : key.substring(0, at + request.delimiter().length());
                if (listed && prefix.isEmpty()) {
                    folded.add(entry);
                } else if (listed && !prefix.equals(group)) {
                    folded.add(new BlobEntry(prefix, null));
                    group = prefix;
                }
            }
            return folded;
        }

        private Mono<ListPage> next(BlobPage page, List<BlobEntry> entries) {
            for (BlobEntry entry : entries) {
                if (size() == request.maxKeys()) {
                    return Mono.just(page(Optional.of(new BlobListPosition(position.marker(), last))));
                }
                add(entry);
            }
            if (page.next().isEmpty()) {
                return Mono.just(page(Optional.empty()));
            }
            position = new BlobListPosition(page.next(), isFoldedHere(request) ? last : "");
            return size() == request.maxKeys() ? Mono.just(page(Optional.of(position))) : Mono.empty();
        }

        private void add(BlobEntry entry) {
            ListedObject object = entry.object();
            if (object == null) {
                prefixes.add(entry.name());
            } else {
                objects.add(object);
            }
            last = entry.name();
        }

        private ListPage page(Optional<BlobListPosition> next) {
            if (next.isPresent() && isByMarker()) {
                markers.remember(request, last, next.get());
                return new ListPage(objects, prefixes, Optional.of(new PageStart.Marker(last)));
            }
            return new ListPage(
                    objects, prefixes, next.map(position -> new PageStart.ContinuationToken(position.toToken())));
        }

        /** Hides Millrace's own blobs, and what comes before the start. */
        private Mono<Boolean> isListed(BlobEntry entry) {
            String name = entry.name();
            if (name.startsWith(BlobNameRules.HIDDEN)) {
                return Mono.just(false);
            }
            boolean prefix = entry.object() == null;
            if (isFoldedHere(request) && prefix && !isByMarker()) {
                return Mono.just(true);
            }
            boolean after = ObjectKey.UTF8_ORDER.compare(name, startAfter) > 0;
            boolean mayHide = prefix && BlobNameRules.HIDDEN.startsWith(name);
            boolean mayHold = prefix && !after && !isByMarker() && startAfter.startsWith(name);
            if (!after && !mayHold) {
                return Mono.just(false);
            }
            return mayHide || mayHold ? anyAfter(request.bucket(), name, mayHold ? startAfter : "") : Mono.just(true);
        }

        private boolean isByMarker() {
            return request.start() instanceof PageStart.Marker;
        }

        private int size() {
            return objects.size() + prefixes.size();
        }
    }

    private static boolean isFoldedHere(ListRequest request) {
        return request.delimiter().length() > 1 || !BlobNameRules.mayBePart(request.delimiter());
    }

    private static String startAfter(PageStart start) {
        if (start instanceof PageStart.Marker marker) {
            return marker.text();
        }
        return start instanceof PageStart.StartAfter after ? after.text() : "";
    }
}
