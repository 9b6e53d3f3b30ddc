package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.BucketManager;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.ObjectWriter;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import reactor.core.publisher.Mono;

/** The roles of a read-only backend that write: each refuses with the error that S3 clients know. */
public interface WriteRefusal extends ObjectWriter, MultipartUploads, BucketManager {
    /** Returns where the buckets are, as in "because it is ...". */
    String place();

    @Override
    default Mono<WriteResult> put(NewObject object, UploadBody body) {
        return refuse();
    }

    @Override
    default Mono<WriteResult> copy(CopySource source, NewObject target) {
        return refuse();
    }

    @Override
    default Mono<DeleteResult> delete(Deletion deletion, HeaderList headers) {
        return refuse();
    }

    @Override
    default Mono<CreatedUpload> createUpload(NewObject object) {
        return refuse();
    }

    @Override
    default Mono<Void> createBucket(NewBucket bucket) {
        return refuse();
    }

    @Override
    default Mono<Void> deleteBucket(BucketName bucket) {
        return refuse();
    }

    private <T> Mono<T> refuse() {
        String message = "The bucket is read-only, because it is %s.".formatted(place());
        return Mono.error(() -> new BackendException(FailureKind.UNSUPPORTED, message)
                .withS3Error(new S3Error(501, "NotImplemented", message)));
    }
}
