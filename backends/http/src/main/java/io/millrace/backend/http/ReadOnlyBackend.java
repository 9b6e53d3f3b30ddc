package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.BucketManager;
import io.millrace.backend.spi.JoinedBackend;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.ObjectLister;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ObjectWriter;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import reactor.core.publisher.Mono;

/** A backend over a server at a {@code url} that refuses all writes with the error that S3 clients know. */
public abstract class ReadOnlyBackend extends JoinedBackend {
    private final Refusal refusal;

    /** The roles that write, each of which refuses. */
    private record Refusal(String place) implements ObjectWriter, MultipartUploads {
        @Override
        public Mono<WriteResult> put(NewObject object, UploadBody body) {
            return refuse();
        }

        @Override
        public Mono<WriteResult> copy(CopySource source, NewObject target) {
            return refuse();
        }

        @Override
        public Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
            return refuse();
        }

        @Override
        public Mono<CreatedUpload> createUpload(NewObject object) {
            return refuse();
        }

        private <T> Mono<T> refuse() {
            String message = "The bucket is read-only, because it is %s.".formatted(place);
            return Mono.error(() -> new BackendException(FailureKind.UNSUPPORTED, message)
                    .withS3Error(new S3Error(501, "NotImplemented", message)));
        }
    }

    /** @param place where the buckets are, as in "because it is ..." */
    protected <L extends ObjectLister & BucketManager> ReadOnlyBackend(ObjectReader reader, L lister, String place) {
        this(reader, lister, new Refusal(place));
    }

    private <L extends ObjectLister & BucketManager> ReadOnlyBackend(ObjectReader reader, L lister, Refusal refusal) {
        super(Roles.of(reader, lister, refusal, refusal, lister));
        this.refusal = refusal;
    }

    @Override
    public Mono<Void> createBucket(NewBucket bucket) {
        return refusal.refuse();
    }

    @Override
    public Mono<Void> deleteBucket(BucketName bucket) {
        return refusal.refuse();
    }

    @Override
    public BackendRemedies remedies() {
        return BackendRemedies.ofReadOnlyServer("url");
    }
}
