package io.millrace.backend.spi;

/** Which object: a bucket of one backend, by its real name, and a key in it. */
public record ObjectRef(BucketName bucket, ObjectKey key) {
    @Override
    public String toString() {
        return bucket + "/" + key;
    }
}
