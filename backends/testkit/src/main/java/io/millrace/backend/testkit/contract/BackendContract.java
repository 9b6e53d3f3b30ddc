package io.millrace.backend.testkit.contract;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.BufferLeakExtension;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The contract of every backend as a test suite. The test class of an implementation extends it, says how objects are
 * stored, and inherits the tests; {@link Backend#capabilities()} selects among them.
 *
 * <p>Each test begins with an empty bucket. Seeding may use the implementation's own writer or, as a stronger test,
 * another client. A real server that cannot hold a key, or differs from S3, is excused case by case: override {@link
 * #supportsKey}, one of the methods below, or the test itself, and say why.
 */
@ExtendWith(BufferLeakExtension.class)
public abstract class BackendContract
        implements ReadContract,
                RangeContract,
                ReadConditionContract,
                VersionConditionContract,
                NotFoundContract,
                ListContract,
                PaginationContract,
                BodyStreamContract,
                KeyContract,
                PartReadContract,
                VersionContract,
                ChecksumContract,
                UnsupportedOperationContract,
                WriteContract,
                DeleteContract,
                ConditionalWriteContract,
                CopyContract,
                MultipartContract,
                UploadListContract,
                UploadChecksumContract,
                BucketContract {
    /** Returns the backend under test; the same during a test. */
    @Override
    public abstract Backend backend();

    /** Returns a bucket that is empty when a test begins; the same during a test. */
    @Override
    public abstract BucketName bucket();

    /**
     * Stores or replaces an object, and returns when it can be read.
     *
     * @param headers {@code content-type} and its like, {@code x-amz-meta-*}, and, if the backend has {@link
     *     Capability#CHECKSUMS}, {@code x-amz-checksum-sha256}
     */
    @Override
    public abstract void seed(ObjectKey key, byte[] bytes, HeaderList headers);

    /** Deletes an object, and returns when it can no longer be read. */
    @Override
    public abstract void remove(ObjectKey key);

    /** Returns whether the backend can hold this key. Our own backends hold all; a real server may not. */
    @Override
    public boolean supportsKey(ObjectKey key) {
        return true;
    }

    /** Returns whether objects have the headers that they are stored with. */
    @Override
    public boolean storesHeaders() {
        return true;
    }

    /**
     * Stores a multipart object of these parts. Called only with {@link Capability#PARTS}; all parts but the last have
     * 5 MiB.
     */
    @Override
    public void seedParts(ObjectKey key, List<byte[]> parts) {
        throw new UnsupportedOperationException("a backend with PARTS says how its parts get in");
    }

    /**
     * Enables versioning of the bucket and stores these contents of a key, the oldest first. Called only with {@link
     * Capability#VERSIONS}.
     */
    @Override
    public void seedVersions(ObjectKey key, List<byte[]> contents) {
        throw new UnsupportedOperationException("a backend with VERSIONS says how its versions get in");
    }

    @Override
    public BucketName newBucketName() {
        return new BucketName("millrace-" + UUID.randomUUID());
    }

    /**
     * Returns whether this checksum (CRC32, CRC32C, CRC64NVME, SHA1, SHA256), sent with a write, is stored and
     * returned.
     */
    @Override
    public boolean storesChecksum(String algorithm) {
        return true;
    }

    /**
     * Returns whether tags are S3's: the MD5 of an object or part, and of the MD5s of the parts. Those of other
     * backends are their own, and do not look like an MD5.
     */
    @Override
    public boolean hasMd5Tags() {
        return true;
    }

    @Override
    public boolean supportsDiffersCondition() {
        return true;
    }

    @Override
    public boolean supportsExistsCondition() {
        return true;
    }

    @Override
    public boolean supportsConditionalDelete() {
        return true;
    }

    @Override
    public boolean supportsConditionalCopy() {
        return true;
    }

    @Override
    public boolean supportsConditionalCompletion() {
        return true;
    }

    @Override
    public boolean repeatsCompletion() {
        return true;
    }

    @Override
    public boolean keepsConcurrentUploads() {
        return true;
    }

    @Override
    public boolean paginatesUploads() {
        return true;
    }

    /**
     * Returns whether a multipart upload with this algorithm gets a checksum of this type.
     *
     * @param type COMPOSITE or FULL_OBJECT
     */
    @Override
    public boolean supportsUploadChecksum(String algorithm, String type) {
        return true;
    }

    @Override
    public boolean verifiesObjectSize() {
        return true;
    }

    @Override
    public boolean acceptsExistingBucket() {
        return false;
    }
}
