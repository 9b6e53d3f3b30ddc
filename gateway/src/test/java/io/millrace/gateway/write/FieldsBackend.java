package io.millrace.gateway.write;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.SelectedHead;
import io.millrace.backend.spi.UploadBody;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;

/** Takes the fields of a write that an S3 server would, and remembers them; objects are kept without. */
final class FieldsBackend implements Backend {
    private final Backend inner;
    private final Map<String, String> fields = new ConcurrentHashMap<>();

    FieldsBackend(Backend inner) {
        this.inner = inner;
    }

    /** What writes said since the last {@link #forget}. */
    Map<String, String> fields() {
        return fields;
    }

    void forget() {
        fields.clear();
    }

    @Override
    public Mono<Written> put(NewObject object, UploadBody body) {
        return inner.put(remembered(object), body);
    }

    @Override
    public Mono<Written> copy(CopySource source, NewObject target) {
        return inner.copy(source, remembered(target));
    }

    @Override
    public Mono<Begun> createUpload(NewObject object) {
        return inner.createUpload(remembered(object));
    }

    private NewObject remembered(NewObject object) {
        object.headers().fields().forEach(field -> fields.put(field.name(), field.value()));
        return new NewObject(object.object(), HeaderList.EMPTY, object.condition());
    }

    @Override
    public Mono<SelectedHead> head(ReadRequest request) {
        return inner.head(request);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return inner.open(request);
    }

    @Override
    public Mono<ListPage> list(ListRequest request) {
        return inner.list(request);
    }

    @Override
    public Mono<List<BucketInfo>> buckets() {
        return inner.buckets();
    }

    @Override
    public Mono<BucketInfo> bucket(BucketName name) {
        return inner.bucket(name);
    }

    @Override
    public Set<Capability> capabilities() {
        return inner.capabilities();
    }

    @Override
    public Mono<Void> close() {
        return inner.close();
    }
}
