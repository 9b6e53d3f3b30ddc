package io.millrace.backend.testkit;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What every backend is. An implementation's test class extends this, says how objects get in, and inherits the cases; what
 * {@link Backend#capabilities()} names chooses among them.
 *
 * <p>Each case begins with an empty bucket. Seeding may go through the implementation's own writer or through another client
 * altogether, which is the stronger test. A real server that cannot hold a name, or does otherwise than S3, is excused case
 * by case: override {@link #canHold}, one of the questions below, or the case itself, with the reason beside it.
 */
@ExtendWith(LeakGuard.class)
public abstract class BackendContract
        implements ReadCases,
                RangeCases,
                ConditionCases,
                PinCases,
                MissingCases,
                ListCases,
                PageCases,
                BodyCases,
                KeyCases,
                PartCases,
                VersionCases,
                ChecksumCases,
                RefusalCases,
                WriteCases,
                DeleteCases,
                ConditionalWriteCases,
                CopyCases,
                MultipartCases,
                UploadListCases,
                UploadSumCases,
                BucketWriteCases {
    /** The backend under test; the same during a case. */
    @Override
    public abstract Backend backend();

    /** A bucket that holds nothing when a case begins; the same during a case. */
    @Override
    public abstract BucketName bucket();

    /**
     * Stores an object, or a newer one over it, and returns when it can be read.
     *
     * @param headers {@code content-type} and its like, {@code x-amz-meta-*}, and, if the backend has
     *     {@link Capability#CHECKSUMS}, {@code x-amz-checksum-sha256}
     */
    @Override
    public abstract void seed(ObjectKey key, byte[] bytes, HeaderList headers);

    /** Deletes an object, and returns when it cannot be read any more. */
    @Override
    public abstract void remove(ObjectKey key);

    /** Whether what is behind the backend can hold this key. A backend of ours can hold all; a real server may not. */
    @Override
    public boolean canHold(ObjectKey key) {
        return true;
    }

    /**
     * Stores a multipart object of these parts. Called only with {@link Capability#PARTS}; all parts but the last have 5
     * MiB.
     */
    @Override
    public void seedParts(ObjectKey key, List<byte[]> parts) {
        throw new UnsupportedOperationException("a backend with PARTS says how its parts get in");
    }

    /**
     * Makes the bucket keep versions and stores these contents of a key, the oldest first. Called only with
     * {@link Capability#VERSIONS}.
     */
    @Override
    public void seedVersions(ObjectKey key, List<byte[]> contents) {
        throw new UnsupportedOperationException("a backend with VERSIONS says how its versions get in");
    }

    @Override
    public BucketName newBucketName() {
        return new BucketName("millrace-" + UUID.randomUUID());
    }

    /** Whether this checksum (CRC32, CRC32C, CRC64NVME, SHA1, SHA256), given with a write, is kept and told again. */
    @Override
    public boolean keeps(String algorithm) {
        return true;
    }

    @Override
    public boolean knowsDiffers() {
        return true;
    }

    @Override
    public boolean knowsExists() {
        return true;
    }

    @Override
    public boolean deletesUnderConditions() {
        return true;
    }

    @Override
    public boolean copiesUnderConditions() {
        return true;
    }

    @Override
    public boolean completesUnderConditions() {
        return true;
    }

    @Override
    public boolean completesTwice() {
        return true;
    }

    @Override
    public boolean listsUploadsInPages() {
        return true;
    }

    /**
     * Whether an upload in parts with this algorithm gets a checksum of this type.
     *
     * @param type COMPOSITE or FULL_OBJECT
     */
    @Override
    public boolean sumsUploads(String algorithm, String type) {
        return true;
    }

    @Override
    public boolean comparesSizes() {
        return true;
    }

    @Override
    public boolean makesBucketsTwice() {
        return false;
    }
}
