package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.spi.object.ReadConditions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests what the errors of a server to a read mean, which depends on what was asked of it. */
class SendableReadRequestTest {
    private static final ReadRequest READ =
            ReadRequest.of(new ObjectRef(new BucketName("bucket"), new ObjectKey("key")));
    private static final ObjectVersion VERSION =
            ObjectVersion.ofETag(Optional.of(ETag.strong("a")), 10, Optional.empty());

    @Test
    void errorsThatNothingAskedForAreNonsense() {
        SendableReadRequest read = SendableReadRequest.of(READ);

        assertThat(read.notModified()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(read.conditionFailed()).isEqualTo(FailureKind.INVALID_RESPONSE);
        assertThat(read.invalidRange()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void failedConditionOfTheClientIsItsOwn() {
        SendableReadRequest read = SendableReadRequest.of(READ.requireVersion(VERSION)
                .withConditions(new ReadConditions(
                        Optional.of(List.of(ETag.strong("b"))), Optional.empty(), Optional.empty(), Optional.empty())));

        assertThat(read.conditionFailed()).isEqualTo(FailureKind.PRECONDITION_FAILED);
        assertThat(read.notModified()).isEqualTo(FailureKind.INVALID_RESPONSE);
    }

    @Test
    void failedConditionOfTheRequiredVersionMeansAnother() {
        assertThat(SendableReadRequest.of(READ.requireVersion(VERSION)).conditionFailed())
                .isEqualTo(FailureKind.VERSION_CHANGED);
    }

    @Test
    void objectMayBeNotModifiedIfThatWasAsked() {
        ReadConditions since =
                new ReadConditions(Optional.empty(), Optional.empty(), Optional.of(Instant.EPOCH), Optional.empty());

        assertThat(SendableReadRequest.of(READ.withConditions(since)).notModified())
                .isEqualTo(FailureKind.NOT_MODIFIED);
    }

    @Test
    void rangeWithinTheRequiredVersionMeansAnother() {
        ReadRequest pinned = READ.requireVersion(VERSION);

        assertThat(invalidRange(READ, 5)).isEqualTo(FailureKind.INVALID_RANGE);
        assertThat(invalidRange(pinned, 5)).isEqualTo(FailureKind.VERSION_CHANGED);
        assertThat(invalidRange(pinned, 10)).isEqualTo(FailureKind.INVALID_RANGE);
        assertThat(SendableReadRequest.of(READ.withSelection(new ByteSelection.PartSelection(3)))
                        .invalidRange())
                .isEqualTo(FailureKind.INVALID_PART);
    }

    private static FailureKind invalidRange(ReadRequest request, long first) {
        return SendableReadRequest.of(
                        request.withSelection(new ByteSelection.RangeSelection(new RangeSpec.OpenEnded(first))))
                .invalidRange();
    }
}
