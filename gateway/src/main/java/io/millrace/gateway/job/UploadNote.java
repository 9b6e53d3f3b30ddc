package io.millrace.gateway.job;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.gateway.bucket.BucketView;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An upload in parts that a job has begun, or intends to begin, and has not ended.
 *
 * @param into the bucket as clients name it
 * @param backend by its name in the operator's file
 * @param bucket the backend's name of it
 * @param key at the backend
 * @param uploadId null while it is an intent: the backend may have begun it, and has not answered
 * @param intended when the intent was noted, before the backend was asked
 * @param others ids of the key's uploads that the backend had before the intent; null if it does not list them
 * @param validator of the content; empty if the upload cannot be resumed
 * @param size of the object; 0 if nobody knows
 */
record UploadNote(
        String into,
        String backend,
        String bucket,
        String key,
        @Nullable String uploadId,
        Instant intended,
        @Nullable List<String> others,
        String validator,
        long size,
        long partBytes) {
    /** One that the backend has not been asked for. */
    static UploadNote intent(
            BucketView into,
            ObjectRef object,
            Instant now,
            @Nullable List<String> others,
            String validator,
            PartPlan plan) {
        return new UploadNote(
                into.name().value(),
                into.backendName(),
                object.bucket().value(),
                object.key().value(),
                null,
                now,
                others,
                validator,
                plan.size(),
                plan.partBytes());
    }

    /** The same when the backend has begun it. */
    UploadNote begun(Upload upload) {
        return new UploadNote(
                into, backend, bucket, key, upload.uploadId(), intended, null, validator, size, partBytes);
    }

    ObjectRef object() {
        return new ObjectRef(new BucketName(bucket), new ObjectKey(key));
    }

    /**
     * The upload.
     *
     * @throws IllegalStateException of an intent
     */
    Upload upload() {
        String id = uploadId;
        if (id == null) {
            throw new IllegalStateException("no upload yet of " + object());
        }
        return new Upload(object(), id);
    }

    PartPlan plan() {
        return new PartPlan(size, partBytes);
    }
}
