package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.ObjectVersion.Strength;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer that does not fit its request brings no byte to a reader: wrong bytes under a right name are worse than none. */
class AnswerFaultsTest extends RawBackendTest {
    private static final byte[] TEN = "0123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    private static final ReadRequest RANGE = KEY.select(new Selection.Range(new RangeSpec.Closed(2, 5)));
    private static final ReadRequest PINNED =
            KEY.pinnedTo(new ObjectVersion(Strength.STRONG, "\"pin\"", 10, Optional.empty()));

    @Test
    void bodyThatIsCutFailsAndIsNotRepeated() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 1000000", "ETag: \"e\"");
            wire.bytes(new byte[300_000]);
            wire.close();
        });

        assertKind(bodyFailure(open(backend, KEY)), Kind.BROKEN_ANSWER);
        assertThat(origin().requests()).hasSize(1);
    }

    @Test
    void bodyThatIsCutInItsFirstPieceFails() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 10", "ETag: \"e\"");
            wire.text("012345678");
            wire.close();
        });

        assertKind(bodyFailure(open(backend, KEY)), Kind.BROKEN_ANSWER);
    }

    @Test
    void chunkedBodyThatIsCutFails() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Transfer-Encoding: chunked", "Content-Range: bytes 2-5/10", "ETag: \"e\"");
            wire.text("2\r\n23\r\n");
            wire.close();
        });

        assertKind(bodyFailure(open(backend, RANGE)), Kind.BROKEN_ANSWER);
    }

    @Test
    void chunkedBodyThatIsTooLongFails() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Transfer-Encoding: chunked", "Content-Range: bytes 2-5/10", "ETag: \"e\"");
            wire.text("3\r\n234\r\n3\r\n567\r\n0\r\n\r\n");
        });

        assertKind(bodyFailure(open(backend, RANGE)), Kind.BROKEN_ANSWER);
    }

    @Test
    void chunkedBodyWithAnUnreadableChunkFails() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Transfer-Encoding: chunked", "Content-Range: bytes 2-5/10", "ETag: \"e\"");
            wire.text("2\r\n23\r\nno size\r\n45\r\n0\r\n\r\n");
        });

        assertKind(bodyFailure(open(backend, RANGE)), Kind.BROKEN_ANSWER);
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

        assertKind(openFailure(backend, RANGE), Kind.BROKEN_ANSWER);
    }

    @Test
    void wholeObjectIsTheRangeThatCoversIt() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(TEN, "e"));

        assertThat(read(backend, KEY.select(new Selection.Range(new RangeSpec.From(0)))))
                .isEqualTo(TEN);
        assertThat(read(backend, KEY.select(new Selection.Range(new RangeSpec.Suffix(10)))))
                .isEqualTo(TEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes 2-6/10",
                "bytes 1-5/10",
                "bytes 2-5/5",
                "bytes 2-5/*",
                "bytes 5-2/10",
                "bytes */10",
                "bytes=2-5/10",
                "2-5/10",
                "bytes 2-5/99999999999999999999",
                "bytes -2-5/10",
                ""
            })
    void anotherContentRangeIsRefused(String contentRange) throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Content-Length: 4", "ETag: \"e\"", "Content-Range: " + contentRange);
            wire.text("2345");
        });

        assertKind(openFailure(backend, RANGE), Kind.BROKEN_ANSWER);
    }

    @Test
    void lengthThatContradictsTheRangeIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Content-Length: 3", "ETag: \"e\"", "Content-Range: bytes 2-5/10");
            wire.text("234");
        });

        assertKind(openFailure(backend, RANGE), Kind.BROKEN_ANSWER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"206 Partial Content", "204 No Content", "203 Other", "201 Created", "304 Not Modified"})
    void statusThatNothingAskedForIsRefused(String status) throws IOException {
        Backend backend = backend((request, wire) -> {
            boolean empty = status.startsWith("204") || status.startsWith("304");
            wire.head(status, "ETag: \"e\"", "Content-Range: bytes 0-9/10", empty ? "X: y" : "Content-Length: 10");
            wire.bytes(empty ? new byte[0] : TEN);
        });

        assertKind(openFailure(backend, KEY), Kind.BROKEN_ANSWER);
        assertKind(failure(backend.head(KEY)), Kind.BROKEN_ANSWER);
    }

    @Test
    void preconditionThatNobodySetCannotFail() throws IOException {
        Backend backend = backend((request, wire) -> wire.head("412 Precondition Failed", "Content-Length: 0"));

        assertKind(openFailure(backend, KEY), Kind.BROKEN_ANSWER);
    }

    @Test
    void wholeObjectOfUnknownLengthIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Transfer-Encoding: chunked", "ETag: \"e\"");
            wire.text("a\r\n0123456789\r\n0\r\n\r\n");
        });

        assertKind(openFailure(backend, KEY), Kind.BROKEN_ANSWER);
    }

    @Test
    void anotherVersionThanThePinnedIsRefusedThoughTheServerHeedsNoIfMatch() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(TEN, "other"));

        assertKind(openFailure(backend, PINNED), Kind.VERSION_CHANGED);
        assertThat(origin().requests().get(0).header("if-match")).contains("\"pin\"");
    }

    @Test
    void anotherSizeThanThePinnedIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(new byte[11], "pin"));

        assertKind(openFailure(backend, PINNED), Kind.VERSION_CHANGED);
    }

    @Test
    void rangeOfAnotherSizeThanThePinnedIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Content-Length: 4", "ETag: \"pin\"", "Content-Range: bytes 2-5/11");
            wire.text("2345");
        });

        assertKind(
                openFailure(backend, PINNED.select(new Selection.Range(new RangeSpec.Closed(2, 5)))),
                Kind.VERSION_CHANGED);
    }

    @Test
    void weakFormOfThePinIsNotThePin() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 10", "ETag: W/\"pin\"");
            wire.bytes(TEN);
        });

        assertKind(openFailure(backend, PINNED), Kind.VERSION_CHANGED);
        ObjectContent content = open(backend, KEY);
        assertThat(content.head().version().strength()).isEqualTo(Strength.WEAK);
        assertThat(Bodies.read(content)).isEqualTo(TEN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Nothing: y", "ETag: \"\"", "ETag:"})
    void objectWithoutATagHasNoVersionAndFitsNoPin(String field) throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 10", field);
            wire.bytes(TEN);
        });

        assertKind(openFailure(backend, PINNED), Kind.VERSION_CHANGED);
        ObjectContent content = open(backend, KEY);
        assertThat(content.head().version().strength()).isEqualTo(Strength.NONE);
        assertThat(content.head().eTag()).isEmpty();
        assertThat(Bodies.read(content)).isEqualTo(TEN);
    }

    @Test
    void versionThatTheServerDoesNotNameIsNotTheOneAskedFor() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(TEN, "e"));

        assertKind(openFailure(backend, KEY.ofVersion("v1")), Kind.UNSUPPORTED);
        assertThat(read(backend, KEY.ofVersion("null"))).isEqualTo(TEN);
    }

    @Test
    void anotherVersionIdIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("200 OK", "Content-Length: 10", "ETag: \"e\"", "x-amz-version-id: v2");
            wire.bytes(TEN);
        });

        assertKind(openFailure(backend, KEY.ofVersion("v1")), Kind.BROKEN_ANSWER);
    }

    @Test
    void partOfAnotherPlaceIsRefused() throws IOException {
        Backend backend = backend((request, wire) -> {
            wire.head("206 Partial", "Content-Length: 4", "ETag: \"e-2\"", "Content-Range: bytes 2-5/10");
            wire.text("2345");
        });

        assertKind(openFailure(backend, KEY.select(new Selection.Part(1))), Kind.BROKEN_ANSWER);
        assertThat(read(backend, KEY.select(new Selection.Part(2)))).asString().isEqualTo("2345");
    }

    /** As LocalStack answers, and as MinIO does, to GET and to HEAD. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Range: bytes 0--1/0", "X-No-Range: at-all"})
    void firstPartOfAnEmptyObjectIsEmpty(String range) throws IOException {
        Backend backend =
                backend((request, wire) -> wire.head("206 Partial", "Content-Length: 0", "ETag: \"e\"", range));
        ReadRequest first = KEY.select(new Selection.Part(1));

        assertThat(read(backend, first)).isEmpty();
        assertThat(await(backend.head(first)).head().size()).isZero();
        assertThat(await(backend.head(first)).range()).isEmpty();
        assertKind(openFailure(backend, KEY.select(new Selection.Part(2))), Kind.BROKEN_ANSWER);
        assertKind(openFailure(backend, RANGE), Kind.BROKEN_ANSWER);
        assertKind(openFailure(backend, KEY), Kind.BROKEN_ANSWER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Range: bytes 0-9/10", "x-amz-mp-parts-count: 2"})
    void firstPartWithoutBytesIsRefusedWhereItShouldHaveSome(String contradiction) throws IOException {
        Backend backend =
                backend((request, wire) -> wire.head("206 Partial", "Content-Length: 0", "ETag: \"e\"", contradiction));

        assertKind(failure(backend.head(KEY.select(new Selection.Part(1)))), Kind.BROKEN_ANSWER);
    }

    @Test
    void headOfARangeIsComputedWhereTheServerIgnoresIt() throws IOException {
        Backend backend =
                backend((request, wire) -> wire.head("200 OK", "Content-Length: 10", "ETag: \"e\"", "X-Y: z"));

        assertThat(await(backend.head(RANGE)).range()).isEqualTo(new RangeSpec.Closed(2, 5).within(10));
        assertKind(failure(backend.head(KEY.select(new Selection.Range(new RangeSpec.From(10))))), Kind.INVALID_RANGE);
    }
}
