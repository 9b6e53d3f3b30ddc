package io.millrace.backend.spi.object;

/** A reference to an object: the bucket's name at the backend, and a key. */
public record ObjectRef(BucketName bucket, ObjectKey key) {
    @Override
    public String toString() {
        return bucket + "/" + key;
    }
}
