package io.millrace.gateway.write;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.PassingBackend;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Mono;

/** Takes the fields of a write that an S3 server would, and remembers them; objects are kept without. */
final class FieldsBackend extends PassingBackend {
    private final Map<String, String> fields = new ConcurrentHashMap<>();

    FieldsBackend(Backend inner) {
        super(inner);
    }

    /** What writes said since the last {@link #forget}. */
    Map<String, String> fields() {
        return fields;
    }

    void forget() {
        fields.clear();
    }

    @Override
    public Mono<WriteResult> put(NewObject object, UploadBody body) {
        return inner.put(remembered(object), body);
    }

    @Override
    public Mono<WriteResult> copy(CopySource source, NewObject target) {
        return inner.copy(source, remembered(target));
    }

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return inner.createUpload(remembered(object));
    }

    private NewObject remembered(NewObject object) {
        object.headers().fields().forEach(field -> fields.put(field.name(), field.value()));
        return new NewObject(object.object(), HeaderList.EMPTY, object.condition());
    }
}
