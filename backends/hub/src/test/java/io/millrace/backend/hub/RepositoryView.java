package io.millrace.backend.hub;

import io.millrace.backend.http.read.ReadOnlyBackend;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.List;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * The files of one repository as all that a bucket has, as a bucket's entry with {@code prefix:} shows them.
 *
 * @param prefix organisation, name and revision, with a slash at the end
 */
record RepositoryView(Backend hub, String prefix) implements ReadOnlyBackend {
    @Override
    public Set<Capability> capabilities() {
        return hub.capabilities();
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return hub.head(inside(request));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return hub.open(inside(request));
    }

    private ReadRequest inside(ReadRequest request) {
        ObjectRef object = request.object();
        return new ReadRequest(
                new ObjectRef(
                        object.bucket(), new ObjectKey(prefix + object.key().value())),
                request.selection(),
                request.conditions(),
                request.requiredVersion(),
                request.versionId(),
                request.checksums(),
                request.headers());
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        ListRequest inside = new ListRequest(
                request.bucket(),
                prefix + request.prefix(),
                request.delimiter(),
                inside(request.start()),
                request.maxKeys(),
                request.withOwners());
        return hub.listObjects(inside)
                .map(page -> new ListPage(
                        page.objects().stream().map(this::outside).toList(),
                        page.prefixes().stream().map(this::outside).toList(),
                        page.next().map(this::outside)));
    }

    private PageStart inside(PageStart start) {
        if (start instanceof PageStart.StartAfter after) {
            return new PageStart.StartAfter(prefix + after.text());
        }
        return start instanceof PageStart.Marker marker ? new PageStart.Marker(prefix + marker.text()) : start;
    }

    private PageStart outside(PageStart next) {
        return next instanceof PageStart.Marker marker ? new PageStart.Marker(outside(marker.text())) : next;
    }

    private ListedObject outside(ListedObject object) {
        return new ListedObject(
                new ObjectKey(outside(object.key().value())),
                object.size(),
                object.eTag(),
                object.lastModified(),
                object.storageClass(),
                object.checksums(),
                object.owner());
    }

    private String outside(String text) {
        return text.substring(prefix.length());
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return hub.listBuckets();
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return hub.headBucket(name);
    }

    @Override
    public String place() {
        return "on the scripted Hub";
    }

    @Override
    public Mono<Void> close() {
        return hub.close();
    }
}
