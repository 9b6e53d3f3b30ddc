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
 * A multipart upload that a job has begun, or intends to begin, and has not ended.
 *
 * @param into the bucket as clients name it
 * @param backend its name in the settings
 * @param bucket as the backend names it
 * @param key at the backend
 * @param uploadId null for an intent, whose upload the backend may or may not have begun
 * @param intended when the intent was stored, before the request to the backend
 * @param others ids of the key's uploads at the backend before the intent; null if it does not list them
 * @param validator of the content; empty if the upload cannot be resumed
 * @param size of the object; 0 if unknown
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
    /** Creates an intent, which precedes the request to the backend. */
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

    /** Returns this intent with the id of its upload. */
    public PendingUpload begun(MultipartUpload upload) {
        return new PendingUpload(
                into, backend, bucket, key, upload.uploadId(), intended, null, validator, size, partBytes);
    }

    public ObjectRef object() {
        return new ObjectRef(new BucketName(bucket), new ObjectKey(key));
    }

    /**
     * Returns the upload.
     *
     * @throws IllegalStateException if this is an intent
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
