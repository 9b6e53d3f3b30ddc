package io.millrace.gateway.jobs.store;

import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.objects.bucket.BucketView;
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
public record PendingUpload(
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
    public static PendingUpload intent(
            BucketView into,
            ObjectRef object,
            Instant now,
            @Nullable List<String> others,
            String validator,
            PartPlan plan) {
        return new PendingUpload(
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
    public PendingUpload begun(MultipartUpload upload) {
        return new PendingUpload(
                into, backend, bucket, key, upload.uploadId(), intended, null, validator, size, partBytes);
    }

    public ObjectRef object() {
        return new ObjectRef(new BucketName(bucket), new ObjectKey(key));
    }

    /**
     * The upload.
     *
     * @throws IllegalStateException of an intent
     */
    public MultipartUpload upload() {
        String id = uploadId;
        if (id == null) {
            throw new IllegalStateException("no upload yet of " + object());
        }
        return new MultipartUpload(object(), id);
    }

    public PartPlan plan() {
        return new PartPlan(size, partBytes);
    }
}
