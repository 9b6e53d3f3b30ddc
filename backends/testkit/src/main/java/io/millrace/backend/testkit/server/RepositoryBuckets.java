package io.millrace.backend.testkit.server;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * A view of a backend of the Hub in which some buckets are models at a revision, as buckets' entries with {@code
 * prefix:} show them. All other buckets are the Hub's.
 *
 * @param prefixes of those buckets: organisation, name and revision, with a slash at the end; may grow
 */
public record RepositoryBuckets(Backend hub, Map<BucketName, String> prefixes) implements Backend {
    private static final BucketName MODELS = new BucketName("models");

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
        String prefix = prefix(object.bucket());
        return new ReadRequest(
                new ObjectRef(
                        inside(object.bucket()),
                        new ObjectKey(prefix + object.key().value())),
                request.selection(),
                request.conditions(),
                request.requiredVersion(),
                request.versionId(),
                request.checksums(),
                request.headers());
    }

    private BucketName inside(BucketName bucket) {
        return prefixes.containsKey(bucket) ? MODELS : bucket;
    }

    private String prefix(BucketName bucket) {
        return prefixes.getOrDefault(bucket, "");
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        String prefix = prefix(request.bucket());
        ListRequest inside = new ListRequest(
                inside(request.bucket()),
                prefix + request.prefix(),
                request.delimiter(),
                moved(request.start(), text -> prefix + text),
                request.maxKeys(),
                request.withOwners());
        UnaryOperator<String> outside = text -> text.substring(prefix.length());
        return hub.listObjects(inside)
                .map(page -> new ListPage(
                        page.objects().stream()
                                .map(object -> moved(object, outside))
                                .toList(),
                        page.prefixes().stream().map(outside).toList(),
                        page.next().map(next -> moved(next, outside))));
    }

    private static PageStart moved(PageStart start, UnaryOperator<String> move) {
        if (start instanceof PageStart.StartAfter after) {
            return new PageStart.StartAfter(move.apply(after.text()));
        }
        return start instanceof PageStart.Marker marker ? new PageStart.Marker(move.apply(marker.text())) : start;
    }

    private static ListedObject moved(ListedObject object, UnaryOperator<String> move) {
        return new ListedObject(
                new ObjectKey(move.apply(object.key().value())),
                object.size(),
                object.eTag(),
                object.lastModified(),
                object.storageClass(),
                object.checksums(),
                object.owner());
    }

    @Override
    public Mono<List<BucketInfo>> listBuckets() {
        return hub.listBuckets()
                .map(found -> Stream.concat(
                                found.stream(),
                                prefixes.keySet().stream().map(name -> new BucketInfo(name, Optional.empty())))
                        .distinct()
                        .sorted(Comparator.comparing(BucketInfo::name))
                        .toList());
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
        return hub.headBucket(inside(name)).thenReturn(new BucketInfo(name, Optional.empty()));
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return hub.put(object, body);
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return hub.copy(source, target);
    }

    @Override
    public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return hub.delete(deletion, headers);
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return hub.createUpload(object);
    }

    @Override
    public Mono<Void> close() {
        return hub.close();
    }
}
