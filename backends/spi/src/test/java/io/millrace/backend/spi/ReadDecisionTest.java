package io.millrace.backend.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests of the order in which a read is decided, and of the checksums that its result has. */
class ReadDecisionTest {
    private static final Optional<ETag> TAG = Optional.of(ETag.strong("tag"));
    private static final ObjectVersion VERSION = ObjectVersion.ofETag(TAG, 10, Optional.of("v1"));
    private static final ObjectHead HEAD = new ObjectHead(
            VERSION,
            TAG,
            Optional.of(Instant.EPOCH),
            HeaderList.EMPTY
                    .with("content-type", "text/plain")
                    .with("x-amz-checksum-crc32", "AAAAAA==")
                    .with("x-amz-checksum-type", "FULL_OBJECT"));
    private static final ReadRequest READ =
            ReadRequest.of(new ObjectRef(new BucketName("bucket"), new ObjectKey("key")));
    private static final ReadRequest BEYOND = READ.withSelection(range(10, 20));

    private static ByteSelection range(long first, long last) {
        return new ByteSelection.RangeSelection(new RangeSpec.Bounded(first, last));
    }

    @Test
    void versionComesBeforeConditionsAndConditionsBeforeTheRange() {
        ReadRequest unchanged = BEYOND.withConditions(new ReadConditions(
                Optional.empty(), Optional.of(List.of(TAG.get())), Optional.empty(), Optional.empty()));

        assertThat(failure(unchanged.requireVersion(ObjectVersion.ofETag(TAG, 11, Optional.empty())))
                        .kind())
                .isEqualTo(FailureKind.VERSION_CHANGED);
        BackendException notModified = failure(unchanged);
        assertThat(notModified.kind()).isEqualTo(FailureKind.NOT_MODIFIED);
        assertThat(notModified.headers().first("etag")).contains("\"tag\"");
        assertThat(notModified.headers().first("last-modified")).contains("Thu, 01 Jan 1970 00:00:00 GMT");
        BackendException beyond = failure(BEYOND);
        assertThat(beyond.kind()).isEqualTo(FailureKind.INVALID_RANGE);
        assertThat(beyond.objectSize()).hasValue(10);
    }

    /** Equal validators mean equal bytes only if both are strong. */
    @Test
    void requiredVersionIsFoundByAStrongValidatorAndItsSize() {
        ReadRequest pinned = READ.requireVersion(ObjectVersion.ofETag(TAG, 10, Optional.of("v2")));
        ObjectVersion unsure = new ObjectVersion(ValidatorStrength.WEAK, VERSION.validator(), 10, Optional.empty());

        assertThat(ReadDecision.of(pinned, HEAD).head().version()).isEqualTo(VERSION);
        BackendException changed =
                catchThrowableOfType(BackendException.class, () -> ReadDecision.requireVersion(pinned, unsure));
        assertThat(changed.kind()).isEqualTo(FailureKind.VERSION_CHANGED);
    }

    @Test
    void checksumsAreOfAllSelectedBytes() {
        ReadRequest asking = READ.withChecksums();

        assertThat(ReadDecision.of(asking, HEAD)).isEqualTo(new HeadResult(HEAD, Optional.empty()));
        assertThat(ReadDecision.of(asking.withSelection(range(0, 99)), HEAD))
                .isEqualTo(new HeadResult(HEAD, Optional.of(new ByteRange(0, 9))));
        assertThat(ReadDecision.of(asking.withSelection(new ByteSelection.PartSelection(1)), HEAD))
                .isEqualTo(new HeadResult(HEAD, Optional.of(new ByteRange(0, 9))));
        HeaderList plain = HeaderList.EMPTY.with("content-type", "text/plain");
        assertThat(ReadDecision.of(asking.withSelection(range(0, 8)), HEAD)
                        .head()
                        .headers())
                .isEqualTo(plain);
        assertThat(ReadDecision.of(READ, HEAD).head().headers()).isEqualTo(plain);
    }

    @Test
    void objectInOnePieceHasOnePart() {
        assertThat(ReadDecision.onlyPart(1, 0)).isEmpty();
        assertThat(failure(READ.withSelection(new ByteSelection.PartSelection(2)))
                        .kind())
                .isEqualTo(FailureKind.INVALID_PART);
    }

    private static BackendException failure(ReadRequest request) {
        return catchThrowableOfType(BackendException.class, () -> ReadDecision.of(request, HEAD));
    }
}
