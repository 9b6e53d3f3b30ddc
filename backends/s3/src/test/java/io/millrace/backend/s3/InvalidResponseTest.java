package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ObjectVersion.ValidatorStrength;
import io.millrace.backend.spi.object.RangeSpec;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that no byte of a response that does not match its request reaches a reader. */
class InvalidResponseTest extends ScriptedServerTest {
    private static final byte[] TEN = "0123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final ReadRequest RANGE =
            KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(2, 5)));
    private static final ReadRequest PINNED =
            KEY.requireVersion(new ObjectVersion(ValidatorStrength.STRONG, "\"pin\"", 10, Optional.empty()));

    @Test
    void bodyThatIsCutFailsAndIsNotRepeated() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 1000000", "ETag: \"e\"");
            wire.bytes(new byte[300_000]);
            wire.close();
        });

        assertKind(bodyFailure(open(backend, KEY)), FailureKind.INVALID_RESPONSE);
        assertThat(origin().requests()).hasSize(1);
    }

    @Test
    void bodyThatIsCutInItsFirstPieceFails() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 10", "ETag: \"e\"");
            wire.text("012345678");
            wire.close();
        });

        assertKind(bodyFailure(open(backend, KEY)), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void chunkedBodyThatIsCutFails() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Transfer-Encoding: chunked", "Content-Range: bytes 2-5/10", "ETag: \"e\"");
            wire.text("2\r\n23\r\n");
            wire.close();
        });

        assertKind(bodyFailure(open(backend, RANGE)), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void chunkedBodyThatIsTooLongFails() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Transfer-Encoding: chunked", "Content-Range: bytes 2-5/10", "ETag: \"e\"");
            wire.text("3\r\n234\r\n3\r\n567\r\n0\r\n\r\n");
        });

        assertKind(bodyFailure(open(backend, RANGE)), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void chunkedBodyWithAnUnreadableChunkFails() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Transfer-Encoding: chunked", "Content-Range: bytes 2-5/10", "ETag: \"e\"");
            wire.text("2\r\n23\r\nno size\r\n45\r\n0\r\n\r\n");
        });

        assertKind(bodyFailure(open(backend, RANGE)), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void chunkedBodyOfTheRightLengthIsServed() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Transfer-Encoding: chunked", "Content-Range: bytes 2-5/10", "ETag: \"e\"");
            wire.text("3\r\n234\r\n1\r\n5\r\n0\r\n\r\n");
        });

        assertThat(read(backend, RANGE)).asString().isEqualTo("2345");
    }

    @Test
    void wholeObjectInsteadOfARangeIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(TEN, "e"));

        assertKind(openFailure(backend, RANGE), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void wholeObjectIsTheRangeThatCoversIt() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(TEN, "e"));

        assertThat(read(backend, KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.OpenEnded(0)))))
                .isEqualTo(TEN);
        assertThat(read(backend, KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Suffix(10)))))
                .isEqualTo(TEN);
    }

    @Test
    void refuses412WithoutAPrecondition() throws IOException {
        Backend backend = backend((request, wire) -> wire.head("412 Precondition Failed", "Content-Length: 0"));

        assertKind(openFailure(backend, KEY), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void wholeObjectOfUnknownLengthIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Transfer-Encoding: chunked", "ETag: \"e\"");
            wire.text("a\r\n0123456789\r\n0\r\n\r\n");
        });

        assertKind(openFailure(backend, KEY), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void refusesOtherVersionIfServerIgnoresIfMatch() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(TEN, "other"));

        assertKind(openFailure(backend, PINNED), FailureKind.VERSION_CHANGED);
        assertThat(origin().requests().get(0).header("if-match")).contains("\"pin\"");
    }

    @Test
    void anotherSizeThanThePinnedIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(new byte[11], "pin"));

        assertKind(openFailure(backend, PINNED), FailureKind.VERSION_CHANGED);
    }

    @Test
    void rangeOfAnotherSizeThanThePinnedIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Content-Length: 4", "ETag: \"pin\"", "Content-Range: bytes 2-5/11");
            wire.text("2345");
        });

        assertKind(
                openFailure(
                        backend, PINNED.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(2, 5)))),
                FailureKind.VERSION_CHANGED);
    }

    @Test
    void weakFormOfThePinIsNotThePin() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 10", "ETag: W/\"pin\"");
            wire.bytes(TEN);
        });

        assertKind(openFailure(backend, PINNED), FailureKind.VERSION_CHANGED);
        ObjectContent content = open(backend, KEY);
        assertThat(content.head().version().strength()).isEqualTo(ValidatorStrength.WEAK);
        assertThat(ContentReader.read(content)).isEqualTo(TEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Nothing: y", "ETag: \"\"", "ETag:"})
    void pageWithoutAnETagIsNoObject(String field) throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 10", field);
            wire.bytes(TEN);
        });

        assertKind(openFailure(backend, KEY), FailureKind.INVALID_RESPONSE);
        assertKind(failure(backend.head(KEY)), FailureKind.INVALID_RESPONSE);
        assertKind(openFailure(backend, PINNED), FailureKind.VERSION_CHANGED);
    }

    /** As servers over folders send of files that did not come through them. */
    @Test
    void objectOfAnS3ServerWithoutAnETagMatchesNoVersionCondition() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 10", "x-amz-request-id: 4442587FB7D0A2F9");
            wire.bytes(TEN);
        });

        assertKind(openFailure(backend, PINNED), FailureKind.VERSION_CHANGED);
        ObjectContent content = open(backend, KEY);
        assertThat(content.head().version().strength()).isEqualTo(ValidatorStrength.NONE);
        assertThat(content.head().eTag()).isEmpty();
        assertThat(ContentReader.read(content)).isEqualTo(TEN);
    }

    @Test
    void refusesResponseWithoutTheRequestedVersionId() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(TEN, "e"));

        assertKind(openFailure(backend, KEY.withVersionId("v1")), FailureKind.UNSUPPORTED);
        assertThat(read(backend, KEY.withVersionId("null"))).isEqualTo(TEN);
    }

    @Test
    void anotherVersionIdIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 10", "ETag: \"e\"", "x-amz-version-id: v2");
            wire.bytes(TEN);
        });

        assertKind(openFailure(backend, KEY.withVersionId("v1")), FailureKind.INVALID_RESPONSE);
    }

    @Test
    void partOfAnotherPlaceIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Content-Length: 4", "ETag: \"e-2\"", "Content-Range: bytes 2-5/10");
            wire.text("2345");
        });

        assertKind(
                openFailure(backend, KEY.withSelection(new ByteSelection.PartSelection(1))),
                FailureKind.INVALID_RESPONSE);
        assertThat(read(backend, KEY.withSelection(new ByteSelection.PartSelection(2))))
                .asString()
                .isEqualTo("2345");
    }

    /** As LocalStack answers, and as MinIO does, to GET and to HEAD. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Range: bytes 0--1/0", "X-No-Range: at-all"})
    void firstPartOfAnEmptyObjectIsEmpty(String range) throws IOException {
        Backend backend =
                backend((request, wire) -> wire.head("206 Partial", "Content-Length: 0", "ETag: \"e\"", range));
        ReadRequest first = KEY.withSelection(new ByteSelection.PartSelection(1));

        assertThat(read(backend, first)).isEmpty();
        assertThat(await(backend.head(first)).head().size()).isZero();
        assertThat(await(backend.head(first)).range()).isEmpty();
        assertKind(
                openFailure(backend, KEY.withSelection(new ByteSelection.PartSelection(2))),
                FailureKind.INVALID_RESPONSE);
        assertKind(openFailure(backend, KEY), FailureKind.INVALID_RESPONSE);
    }

    /** As MinIO answers, to GET and to HEAD. */
    @Test
    void rangeOfAnEmptyObjectSelectsNothing() throws IOException {
        Backend backend = backend((request, wire) ->
                wire.head("206 Partial", "Content-Length: 0", "ETag: \"e\"", "Content-Range: bytes 0--1/0"));
        ReadRequest end = KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Suffix(1)));

        assertKind(openFailure(backend, end), FailureKind.INVALID_RANGE);
        assertKind(failure(backend.head(end)), FailureKind.INVALID_RANGE);
        assertThat(openFailure(backend, end).objectSize()).hasValue(0);
    }

    @Test
    void refusesEmptyRangeOfUnknownSize() throws IOException {
        Backend backend =
                backend((request, wire) -> wire.head("206 Partial", "Content-Length: 0", "ETag: \"e\"", "X-Y: z"));

        assertKind(openFailure(backend, RANGE), FailureKind.INVALID_RESPONSE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Range: bytes 0-9/10", "x-amz-mp-parts-count: 2"})
    void refusesEmptyFirstPartOfANonEmptyObject(String contradiction) throws IOException {
        Backend backend =
                backend((request, wire) -> wire.head("206 Partial", "Content-Length: 0", "ETag: \"e\"", contradiction));

        assertKind(
                failure(backend.head(KEY.withSelection(new ByteSelection.PartSelection(1)))),
                FailureKind.INVALID_RESPONSE);
    }

    @Test
    void computesHeadRangeIfServerIgnoresIt() throws IOException {
        Backend backend =
                backend((request, wire) -> wire.head("200 OK", "Content-Length: 10", "ETag: \"e\"", "X-Y: z"));

        assertThat(await(backend.head(RANGE)).range()).isEqualTo(new RangeSpec.Bounded(2, 5).resolve(10));
        assertKind(
                failure(backend.head(KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.OpenEnded(10))))),
                FailureKind.INVALID_RANGE);
    }
}
